#include "sim/export/container/zip_archive.h"

#include <fmt/format.h>

#include <initializer_list>
#include <limits>

#include "model/base/error.h"
#include "sim/output/gzip.h"

namespace stepsim::sim {
namespace {

constexpr std::uint32_t kMember = 0x04034b50;
constexpr std::uint32_t kEntry = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint16_t kVersion = 20;
constexpr std::uint16_t kUtf8Name = 0x0800;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kFirstDay = 0x21;  // 1980-01-01, the first that a zip can name

void append(std::string& out, std::uint64_t number, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i) & 0xFFU);
}
void append_16(std::string& out, std::initializer_list<std::uint16_t> numbers) {
  for (const std::uint16_t number : numbers) append(out, number, 2);
}

/// The stream within gzip's head and foot, of which the foot begins with the checksum.
struct Deflated {
  explicit Deflated(std::string_view content) {
    constexpr std::size_t kHead = 10;
    constexpr std::size_t kFoot = 8;
    Gzip gzip;
    gzip.add(content, packed);
    gzip.finish(packed);
    stream = std::string_view(packed).substr(kHead, packed.size() - kHead - kFoot);
    checksum = std::string_view(packed).substr(packed.size() - kFoot, 4);
  }

  std::string packed;
  std::string_view stream;
  std::string_view checksum;
};

}  // namespace

void ZipArchive::put(std::string_view bytes) {
  out_.write(bytes);
  offset_ += bytes.size();
}

void ZipArchive::add(std::string_view name, std::string_view content) {
  const Deflated deflated(content);
  if (content.size() + offset_ + deflated.packed.size() > std::numeric_limits<std::uint32_t>::max())
    throw OutputError(fmt::format("{}: cannot be written: it would take more than 4 GiB", out_.path()));
  std::string common;  // of a member's head and its entry in the directory
  append_16(common, {kVersion, kUtf8Name, kDeflated, 0, kFirstDay});
  common += deflated.checksum;
  append(common, deflated.stream.size(), 4);
  append(common, content.size(), 4);
  append_16(common, {static_cast<std::uint16_t>(name.size()), 0});
  append(directory_, kEntry, 4);
  append_16(directory_, {kVersion});
  directory_ += common;
  append_16(directory_, {0, 0, 0, 0, 0});  // no comment, first disk, no attributes
  append(directory_, offset_, 4);
  directory_ += name;
  ++members_;
  std::string head;
  append(head, kMember, 4);
  put(head + common);
  put(name);
  put(deflated.stream);
}

void ZipArchive::finish() {
  std::string end;
  append(end, kEnd, 4);
  append_16(end, {0, 0, members_, members_});
  append(end, directory_.size(), 4);
  append(end, offset_, 4);
  append_16(end, {0});
  put(directory_ + end);
}

}  // namespace stepsim::sim
