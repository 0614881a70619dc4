#ifndef STEPSIM_SIM_COMPARE_COMPARE_DOCUMENT_H
#define STEPSIM_SIM_COMPARE_COMPARE_DOCUMENT_H

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "sim/analysis/intervals.h"
#include "sim/compare/difference.h"
#include "sim/output/provenance.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// What a difference is of A's time; nothing if that is 0.
[[nodiscard]] inline std::optional<double> relative_to(Duration a, Duration b) {
  return a == Duration{} ? std::nullopt : std::optional{ratio(b - a, a)};
}
/// What one of `count` takes if all take `time`; 0 if there are none.
[[nodiscard]] inline Duration mean_of(Duration time, double count) {
  return count > 0 ? Duration{std::llround(static_cast<double>(time.count()) / count)} : Duration{};
}

/// What every comparison shows of a side; each adds its own fields.
inline constexpr auto kSide = std::to_array<Field<Side>>({
    {"name", at<&Side::name>, {"result"}},
    {"what", at<&Side::what>, {"iteration is", Use::kHelp}},
    {"iteration_ns", at<&Side::iteration>, {"iteration"}},
});
/// "-" if it is not known.
[[nodiscard]] inline Cell ranks_cell(const Side& side) { return side.ranks > 0 ? Cell(side.ranks) : Cell("-"); }

/// What differs? {"schema":"stepsim.compare/1", ...} Prints `rows` rows of each table at most; JSON has all.
/// Refers to its arguments.
[[nodiscard]] Document compare_document(const Difference& difference, const std::optional<Gate>& gate, std::size_t rows,
                                        const Provenance& provenance);

/// The schema of its JSON object.
[[nodiscard]] AnswerSchema compare_schema();

}  // namespace stepsim::sim

#endif
