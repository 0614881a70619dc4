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

/// Returns (b - a) / a; nothing if `a` is 0.
[[nodiscard]] inline std::optional<double> relative_to(Duration a, Duration b) {
  return a == Duration{} ? std::nullopt : std::optional{ratio(b - a, a)};
}
/// Returns the time of one item if `count` items take `time`; 0 if there are none.
[[nodiscard]] inline Duration mean_of(Duration time, double count) {
  return count > 0 ? Duration{std::llround(static_cast<double>(time.count()) / count)} : Duration{};
}

/// The fields of a side in every comparison; each kind of comparison adds its own.
inline constexpr auto kSide = std::to_array<Field<Side>>({
    {"name", at<&Side::name>, {"result"}},
    {"what", at<&Side::what>, {"step time is", Use::kHelp}},
    {"iteration_ns", at<&Side::iteration>, {"step time"}},
    {"caution", at<&Side::caution>, {}, kIfAny},
});
/// Returns the number of ranks, or "-" if it is unknown.
[[nodiscard]] inline Cell ranks_cell(const Side& side) { return side.ranks > 0 ? Cell(side.ranks) : Cell("-"); }

/// Returns the answer of `compare`, schema stepsim.compare/1. Prints at most `rows` rows of each table; JSON has all.
/// Keeps references to its arguments.
[[nodiscard]] Document compare_document(const Difference& difference, const std::vector<Gate>& gates, std::size_t rows,
                                        const Provenance& provenance);

/// The times of one kind of work, one per side.
struct TimesOfSides {
  std::string name;
  std::vector<Duration> times;
};
/// Returns a chart of the ten rows whose times differ most, the largest difference first, with one bar per side.
/// `sides`: the sides' labels and names.
[[nodiscard]] BarChart largest_differences(const std::vector<std::pair<std::string, std::string>>& sides,
                                           std::vector<TimesOfSides> rows);
/// Returns the chart of a comparison: its rows or, if a side lists no tasks, the parts of the iterations.
[[nodiscard]] BarChart chart_of(const Difference& difference);

/// Returns the schema of the JSON object.
[[nodiscard]] AnswerSchema compare_schema();

}  // namespace stepsim::sim

#endif
