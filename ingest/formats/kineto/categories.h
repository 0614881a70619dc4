#ifndef STEPSIM_INGEST_FORMATS_KINETO_CATEGORIES_H
#define STEPSIM_INGEST_FORMATS_KINETO_CATEGORIES_H

#include <string_view>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// What events of a Kineto category are.
struct KinetoCategory {
  std::string_view name;
  EventKind kind = EventKind::kOp;
  bool used = true;
};

/// Null if Kineto has no category of this name.
[[nodiscard]] const KinetoCategory* find_kineto_category(std::string_view name) noexcept;

}  // namespace stepsim::ingest

#endif
