#include "cli/sweep/part.h"

#include <fmt/format.h>
#include <isa-l/crc64.h>

#include <charconv>
#include <cstdint>

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
  std::uint32_t code = 0;
  if (!rest.starts_with('u') || rest.size() <= kDigits) return false;
  const char* const end = rest.data() + 1 + kDigits;
  if (std::from_chars(rest.data() + 1, end, code, 16).ptr != end) return false;
  rest.remove_prefix(1 + kDigits);
  const std::uint32_t byte = code & 0xFFU;
  if (code != byte && code != kBytes + byte) return false;
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

}  // namespace stepsim::cli
