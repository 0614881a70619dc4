#ifndef STEPSIM_SIM_OUTPUT_JSON_WRITER_H
#define STEPSIM_SIM_OUTPUT_JSON_WRITER_H

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/units.h"

namespace stepsim::sim {

/// Writes JSON text piece by piece, either into a string that `take()` returns, or to a sink in pieces of about 64 KiB,
/// which limits memory for large documents. The writer adds the commas. Begins and ends must match, which an assertion
/// checks.
///
///     json.begin_object().key("tasks").value(12).key("names").begin_array().value("a").end_array().end_object();
class JsonWriter {
 public:
  using Sink = std::function<void(std::string_view text)>;

  JsonWriter() = default;
  /// Passes the text to `sink` in pieces; finish() passes the rest.
  explicit JsonWriter(Sink sink) : sink_(std::move(sink)) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view{text}); }
  JsonWriter& value(bool flag);
  template <std::integral Integer>
  JsonWriter& value(Integer number) {
    return integer(static_cast<std::int64_t>(number));
  }
  /// Writes the shortest text that reads back as the same double; null if it is not finite.
  JsonWriter& value(double number);
  /// Writes whole nanoseconds.
  JsonWriter& value(Duration duration) { return integer(duration.count()); }
  /// Writes null for an empty optional.
  template <class Value>
  JsonWriter& value(const std::optional<Value>& optional) {
    return optional ? value(*optional) : null();
  }
  JsonWriter& null();
  /// Writes a number that is already JSON: "12.345".
  JsonWriter& raw(std::string_view number);
  /// Starts a new line before the next value or key.
  JsonWriter& new_line();

  [[nodiscard]] const std::string& text() const noexcept { return out_; }
  /// Returns everything written since the last call.
  [[nodiscard]] std::string take();
  /// Passes the rest of the text to the sink. Precondition: there is a sink.
  void finish();

 private:
  JsonWriter& integer(std::int64_t number);
  void separate();
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);

  Sink sink_;
  std::string out_;
  std::vector<bool> has_values_;  ///< for each open bracket: true if a value was written in it
  bool after_key_ = false;
  bool wants_new_line_ = false;
};

}  // namespace stepsim::sim

#endif
