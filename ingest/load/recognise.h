#ifndef STEPSIM_INGEST_LOAD_RECOGNISE_H
#define STEPSIM_INGEST_LOAD_RECOGNISE_H

#include <string>

#include "ingest/formats/format.h"

namespace stepsim::ingest {

/// The format that is surest that `input` is its own, the first registered of equals; null if none is.
[[nodiscard]] const Format* recognise(const Input& input);

/// "kineto, byteps_comm or gml"
[[nodiscard]] std::string known_formats();

}  // namespace stepsim::ingest

#endif
