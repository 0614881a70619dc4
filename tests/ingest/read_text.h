#ifndef STEPSIM_TESTS_INGEST_READ_TEXT_H
#define STEPSIM_TESTS_INGEST_READ_TEXT_H

#include <string>
#include <string_view>

#include "ingest/formats/format.h"

namespace stepsim::ingest {

/// What a format made of a text, and what it reported.
template <class PartType>
struct Parsed {
  PartType part;
  ReadContext context;
};

inline const Format& format_named(std::string_view name) {
  for (const Format* format : formats()) {
    if (format->name == name) return *format;
  }
  throw InternalError("no format of that name is registered");
}

template <class PartType>
Parsed<PartType> read_text(std::string_view format, std::string_view text, std::string file = "file") {
  const auto source = ByteSource::from_memory({text.data(), text.size()}, std::move(file));
  Parsed<PartType> parsed;
  parsed.part = std::get<PartType>(format_named(format).read(*source, parsed.context));
  return parsed;
}

/// The one-line message with which a format refuses a text; empty if it takes it.
inline std::string refusal(std::string_view format, std::string_view text, std::string file = "file") {
  try {
    const auto source = ByteSource::from_memory({text.data(), text.size()}, std::move(file));
    ReadContext context;
    static_cast<void>(format_named(format).read(*source, context));
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace stepsim::ingest

#endif
