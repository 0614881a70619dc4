#ifndef STEPSIM_TESTS_INGEST_READ_TEXT_H
#define STEPSIM_TESTS_INGEST_READ_TEXT_H

#include <string>
#include <string_view>

#include "ingest/formats/format.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {

/// The result of reading a text with a format, and the diagnostics.
template <class PartType>
struct Parsed {
  PartType part;
  PartSink sink;  ///< the rest of the result: diagnostics and numbers of records
};

inline const Format& format_named(std::string_view name) {
  for (const Format* format : formats()) {
    if (format->name == name) return *format;
  }
  throw InternalError("no format of that name is registered");
}

template <class PartType>
Parsed<PartType> read_text(std::string_view format, std::string_view text, std::string file = "file") {
  Input input = Input::from_memory(text, std::move(file));
  Parsed<PartType> parsed;
  format_named(format).read(input, parsed.sink);
  parsed.part = std::get<PartType>(std::move(parsed.sink.parts.at(0).part));
  return parsed;
}

/// Returns the one-line message with which a format refuses a text; empty if it accepts the text.
inline std::string refusal(std::string_view format, std::string_view text, std::string file = "file") {
  const auto read = [&] {
    Input input = Input::from_memory(text, std::move(file));
    PartSink sink;
    format_named(format).read(input, sink);
  };
  return stepsim::testing::thrown_by<InputError>(read, "");
}

}  // namespace stepsim::ingest

#endif
