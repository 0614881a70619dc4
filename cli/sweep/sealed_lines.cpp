#include "cli/sweep/part.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <isa-l/crc64.h>
#include <simdjson.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <new>
#include <system_error>

#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/output/json_writer.h"

namespace stepsim::cli {
namespace {

using simdjson::dom::element;

constexpr std::string_view kBeforeSeal = R"(,"crc64":")";
constexpr std::size_t kSealDigits = 16;
constexpr std::string_view kAfterSeal = R"("})";
constexpr std::size_t kEndOfLine = kBeforeSeal.size() + kSealDigits + kAfterSeal.size();

bool is_text(element value, std::string& text) {
  std::string_view found;
  if (value.get(found) != simdjson::SUCCESS) return false;
  text = found;
  return true;
}

/// Returns the fields of a line whose checksum is correct; nothing if it does not have the form that sealed() writes.
std::optional<Fields> fields_of(std::string_view line, simdjson::dom::parser& parser) {
  simdjson::dom::object object;
  const simdjson::error_code error = parser.parse(line.data(), line.size()).get(object);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  simdjson::dom::array values;
  element kind;
  if (error != simdjson::SUCCESS || object["line"].get(kind) != simdjson::SUCCESS ||
      object["values"].get(values) != simdjson::SUCCESS)
    return std::nullopt;
  Fields fields(1);
  if (!is_text(kind, fields.front())) return std::nullopt;
  for (const element value : values) {
    if (!is_text(value, fields.emplace_back())) return std::nullopt;
  }
  return fields;
}

std::optional<Fields> unsealed(std::string_view line, simdjson::dom::parser& parser) {
  if (line.size() <= kEndOfLine || with_seal(line.substr(0, line.size() - kEndOfLine)) != line) return std::nullopt;
  return fields_of(line, parser);
}

}  // namespace

std::string with_seal(std::string_view text) {
  const std::uint64_t seal = crc64_ecma_refl(0, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  return fmt::format("{}{}{:016x}{}", text, kBeforeSeal, seal, kAfterSeal);
}

std::string sealed(const Fields& fields) {
  sim::JsonWriter json;
  json.begin_object().key("line").value(fields.front()).key("values").begin_array();
  for (std::size_t i = 1; i < fields.size(); ++i) json.value(fields[i]);
  json.end_array();
  return with_seal(json.text()) + '\n';
}

std::optional<Fields> unsealed(std::string_view line) {
  simdjson::dom::parser parser;
  return unsealed(line, parser);
}

SealedLines read_sealed(std::string_view text) {
  SealedLines result;
  simdjson::dom::parser parser;
  while (result.bytes < text.size()) {
    const std::size_t end = text.find('\n', result.bytes);
    auto fields =
        end == std::string_view::npos ? std::nullopt : unsealed(text.substr(result.bytes, end - result.bytes), parser);
    if (!fields) {
      result.cut = true;
      result.damaged = end != std::string_view::npos && end + 1 < text.size();
      break;
    }
    result.lines.push_back(std::move(*fields));
    result.bytes = end + 1;
  }
  return result;
}

AppendFile::AppendFile(std::string path) : path_(std::move(path)) {
  // O_NONBLOCK: opening must not block if the path is a device or a pipe, which is checked afterwards.
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (descriptor_ < 0) fail(errno);
  try {
    check_and_lock();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

void AppendFile::check_and_lock() const {
  struct ::stat status {};
  if (::fstat(descriptor_, &status) != 0) fail(errno);
  if (!S_ISREG(status.st_mode)) {
    throw OutputError(fmt::format("{}: is not a regular file; choose another file for the points", shown(path_)));
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;  // NFS may not support locks
  throw OutputError(fmt::format("{}: another process is writing to it; give each process its own file", shown(path_)));
}

AppendFile::~AppendFile() { ::close(descriptor_); }

std::string AppendFile::read(std::size_t largest) const {
  constexpr std::size_t kPiece = std::size_t{1} << 16U;
  struct ::stat status {};
  if (::fstat(descriptor_, &status) != 0) fail(errno);
  if (static_cast<std::uint64_t>(status.st_size) > largest) {
    throw InputError({path_, {}, {}},
                     fmt::format("is larger than {} MiB; expected the points of a sweep", largest >> 20U));
  }
  std::string text;
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const ssize_t count = ::pread(descriptor_, text.data() + before, kPiece, static_cast<off_t>(before));
    if (count < 0 && errno != EINTR) fail(errno);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(0, count)));
    if (count == 0) return text;
  }
}

void AppendFile::cut(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail(errno);
}

void AppendFile::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);  // some file systems cannot sync
}

void AppendFile::fail(int error_number) const {
  throw OutputError(
      fmt::format("{}: cannot be written: {}", shown(path_), std::generic_category().message(error_number)));
}

}  // namespace stepsim::cli
