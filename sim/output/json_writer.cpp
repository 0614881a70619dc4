#include "sim/output/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16U;

}  // namespace

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
  std::string taken;  // not std::exchange: it makes gcc 12 report an overflow in link-time optimisation
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
