#ifndef STEPSIM_INGEST_LOAD_RECOGNISE_H
#define STEPSIM_INGEST_LOAD_RECOGNISE_H

#include <string>
#include <string_view>

#include "ingest/formats/format.h"

namespace stepsim::ingest {

/// The format that is surest that `input` is its own, the first registered of equals; null if none is.
[[nodiscard]] const Format* recognise(const Input& input);

/// Whether an input that begins so was written by stepsim itself: an answer, a Chrome trace or a task graph of a
/// replay.
[[nodiscard]] bool is_own_export(std::string_view head);

/// "kineto, byteps_comm or gml"
[[nodiscard]] std::string known_formats();

}  // namespace stepsim::ingest

#endif
