#include "cli/sweep/part.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <isa-l/crc64.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

constexpr std::string_view kBeforeSeal = ",\"";
constexpr std::size_t kSealDigits = 16;
constexpr std::string_view kAfterSeal = "\"]";
constexpr std::size_t kEndOfLine = kBeforeSeal.size() + kSealDigits + kAfterSeal.size();
constexpr char32_t kBytes = 0xDC00;  // added to a byte that is not UTF-8, which gives half a surrogate pair

std::string seal_of(std::string_view text) {
  return fmt::format("{:016x}", crc64_ecma_refl(0, reinterpret_cast<const unsigned char*>(text.data()), text.size()));
}

void append_quoted(std::string& out, std::string_view field) {
  constexpr char32_t kFirstPrintable = 0x20;
  out += '"';
  while (!field.empty()) {
    const Character character = decode_utf8(field);
    const auto byte = static_cast<unsigned char>(field.front());
    if (!character.valid) {
      out += fmt::format("\\u{:04x}", kBytes + byte);
    } else if (character.code < kFirstPrintable) {
      out += fmt::format("\\u{:04x}", unsigned{byte});
    } else {
      if (character.code == U'"' || character.code == U'\\') out += '\\';
      out += field.substr(0, character.length);
    }
    field.remove_prefix(character.length);
  }
  out += '"';
}

/// Decodes an escape sequence at the beginning of `rest`, without its backslash, and moves the character to `field`.
/// Returns false if sealed() does not write such an escape.
bool take_escape(std::string_view& rest, std::string& field) {
  constexpr std::size_t kDigits = 4;
  if (rest.starts_with('"') || rest.starts_with('\\')) {
    field += rest.front();
    rest.remove_prefix(1);
    return true;
  }
  if (!rest.starts_with('u') || rest.size() <= kDigits) return false;
  const auto code = parse_number<std::uint32_t>(rest.substr(1, kDigits), 16);
  if (!code) return false;
  rest.remove_prefix(1 + kDigits);
  const std::uint32_t byte = *code & 0xFFU;
  if (*code != byte && *code != kBytes + byte) return false;
  field += static_cast<char>(static_cast<unsigned char>(byte));
  return true;
}

/// Removes a JSON string from the beginning of `rest` and returns its content; nothing if there is none.
std::optional<std::string> take_field(std::string_view& rest) {
  if (!rest.starts_with('"')) return std::nullopt;
  rest.remove_prefix(1);
  std::string field;
  while (!rest.empty() && rest.front() != '"') {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c != '\\') {
      field += c;
    } else if (!take_escape(rest, field)) {
      return std::nullopt;
    }
  }
  if (rest.empty()) return std::nullopt;
  rest.remove_prefix(1);
  return field;
}

}  // namespace

std::string sealed(const Fields& fields) {
  std::string line;
  for (const std::string& field : fields) {
    line += line.empty() ? '[' : ',';
    append_quoted(line, field);
  }
  return fmt::format("{}{}{}{}\n", line, kBeforeSeal, seal_of(line), kAfterSeal);
}

std::optional<Fields> fields_of(std::string_view text) {
  Fields fields;
  while (text.starts_with(fields.empty() ? '[' : ',')) {
    text.remove_prefix(1);
    std::optional<std::string> field = take_field(text);
    if (!field) return std::nullopt;
    fields.push_back(std::move(*field));
  }
  return text.empty() && !fields.empty() ? std::optional{std::move(fields)} : std::nullopt;
}

std::optional<Fields> unsealed(std::string_view line) {
  if (line.size() <= kEndOfLine) return std::nullopt;
  const std::string_view text = line.substr(0, line.size() - kEndOfLine);
  if (line.substr(text.size()) != fmt::format("{}{}{}", kBeforeSeal, seal_of(text), kAfterSeal)) return std::nullopt;
  return fields_of(text);
}

SealedLines read_sealed(std::string_view text) {
  SealedLines result;
  while (result.bytes < text.size()) {
    const std::size_t end = text.find('\n', result.bytes);
    auto fields =
        end == std::string_view::npos ? std::nullopt : unsealed(text.substr(result.bytes, end - result.bytes));
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
