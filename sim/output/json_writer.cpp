#include "sim/output/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16U;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// How many bytes at the front of `text` stand for themselves in a JSON string.
std::size_t plain_prefix(std::string_view text) noexcept {
  std::size_t length = 0;
  while (length < text.size()) {
    const char c = text[length];
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\' || c == '<') break;
    ++length;
  }
  return length;
}

std::string escaped(char32_t code) {
  switch (code) {
    case U'"': return "\\\"";
    case U'\\': return "\\\\";
    case U'\n': return "\\n";
    case U'\r': return "\\r";
    case U'\t': return "\\t";
    default: return fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    const std::size_t plain = plain_prefix(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Character next = decode_utf8(text);
    if (!next.valid) {
      out += kReplacement;
    } else if (next.code < 0x80 || is_control(next.code)) {
      out += escaped(next.code);
    } else {
      out += text.substr(0, next.length);
    }
    text.remove_prefix(next.length);
  }
  out += '"';
}

JsonWriter& JsonWriter::begin_object() { return open('{'); }
JsonWriter& JsonWriter::end_object() { return close('}'); }
JsonWriter& JsonWriter::begin_array() { return open('['); }
JsonWriter& JsonWriter::end_array() { return close(']'); }

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  has_values_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  STEPSIM_ASSERT(!has_values_.empty() && !after_key_, "only what is open can end, and a key has a value");
  has_values_.pop_back();
  out_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(bool flag) { return raw(flag ? "true" : "false"); }

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  return *this;
}

JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::raw(std::string_view number) {
  separate();
  out_ += number;
  return *this;
}

JsonWriter& JsonWriter::new_line() {
  wants_new_line_ = true;
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t number) {
  separate();
  out_ += fmt::format_int(number).c_str();
  return *this;
}

std::string JsonWriter::take() {
  std::string taken;  // std::exchange makes gcc 12 see an overflow when it optimises at link time
  taken.swap(out_);
  return taken;
}

void JsonWriter::finish() {
  STEPSIM_ASSERT(sink_ != nullptr, "without a sink the text is taken");
  sink_(out_);
  out_.clear();
}

void JsonWriter::separate() {
  if (sink_ && out_.size() >= kPieceBytes) finish();
  if (std::exchange(after_key_, false)) return;
  if (!has_values_.empty()) {
    if (has_values_.back()) out_ += ',';
    has_values_.back() = true;
  }
  if (std::exchange(wants_new_line_, false)) out_ += '\n';
}

}  // namespace stepsim::sim
