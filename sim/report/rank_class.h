#ifndef STEPSIM_SIM_REPORT_RANK_CLASS_H
#define STEPSIM_SIM_REPORT_RANK_CLASS_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/job/dag.h"
#include "sim/analysis/summary.h"
#include "sim/report/common_fields.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// Ranks that do the same at the same time. One of them has tasks.
struct RankClass {
  std::uint32_t ranks = 1;  ///< number of ranks
  RankBreakdown simulated;  ///< of the one with tasks
};
inline constexpr auto kRankClass = std::to_array<Field<RankClass>>({
    {"ranks", at<&RankClass::ranks>, {"ranks"}},
    {"", at<&RankClass::simulated>, kRankBreakdown},
});

/// Returns the classes of ranks of a replay, by rank; empty if every rank has tasks.
[[nodiscard]] std::vector<RankClass> rank_classes_of(const Dag& dag, const Summary& summary);

/// Returns "4,096 ranks (8 classes)"; "8 ranks" if every rank has tasks.
[[nodiscard]] std::string ranks_text(const Dag& dag, const Summary& summary);

/// Adds to `section` a table of the classes, unless they are too many to read, and a sentence that says what they are.
/// Precondition: `classes` is not empty.
void add_classes(const std::vector<RankClass>& classes, Section& section);

}  // namespace stepsim::sim

#endif
