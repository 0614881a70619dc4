#ifndef STEPSIM_SIM_COMPARE_SEVERAL_H
#define STEPSIM_SIM_COMPARE_SEVERAL_H

#include <cstddef>
#include <string>
#include <vector>

#include "sim/compare/difference.h"
#include "sim/compare/side.h"
#include "sim/output/provenance.h"
#include "sim/report/field.h"

/// The comparison of more than two results.
namespace stepsim::sim {

struct Several {
  struct Share {
    double count = 0;  ///< number of tasks per iteration, the mean over ranks
    Duration time{};   ///< total time of these tasks per iteration
  };
  struct Row {
    std::string name;
    std::vector<Share> shares;  ///< shares of the sides, one per side
  };

  const std::vector<Side>& sides;
  By by = By::kName;
  std::vector<Row> rows;
};

/// Compares results with one row per name, class, kind, operator or category. Names must be equal to be in the same
/// row. RowOrder::kDifference sorts by the difference between a row's largest and smallest time, kRelative by this
/// difference divided by the first side's time. Throws UsageError if the times of the sides have different extents.
/// Keeps a reference to `sides`. Precondition: `sides` is not empty.
[[nodiscard]] Several several_of(const std::vector<Side>& sides, By by, RowOrder order);

/// Returns the answer of `compare` for several results, schema stepsim.compare_several/1, with a plot of the rows.
/// Prints `rows` rows; JSON has all. Keeps references to its arguments.
[[nodiscard]] Document several_document(const Several& several, std::size_t rows, const Provenance& provenance);

/// Returns the chart of the rows that differ most.
[[nodiscard]] BarChart chart_of(const Several& several);

/// Returns the schema of the JSON object.
[[nodiscard]] AnswerSchema several_schema();

}  // namespace stepsim::sim

#endif
