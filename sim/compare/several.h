#ifndef STEPSIM_SIM_COMPARE_SEVERAL_H
#define STEPSIM_SIM_COMPARE_SEVERAL_H

#include <cstddef>
#include <string>
#include <vector>

#include "sim/compare/difference.h"
#include "sim/compare/side.h"
#include "sim/output/provenance.h"
#include "sim/report/field.h"

/// More than two results beside each other.
namespace stepsim::sim {

struct Several {
  struct Share {
    double count = 0;  ///< per iteration, the mean over ranks
    Duration time{};   ///< of all of them
  };
  struct Row {
    std::string name;
    std::vector<Share> shares;  ///< one a side
  };

  const std::vector<Side>& sides;
  By by = By::kName;
  std::vector<Row> rows;
};

/// One row a name (as it is, without the matching of two sides), class, kind, operator or category. By difference means
/// the largest less the smallest of a row, and relative that divided by the first side's. Throws UsageError if the
/// times of the sides are not of one extent. Refers to `sides`. Precondition: there are some.
[[nodiscard]] Several several_of(const std::vector<Side>& sides, By by, RowOrder order);

/// {"schema":"stepsim.compare_several/1", ...}, with a plot of the rows. Prints `rows` rows; JSON has all. Refers to
/// its arguments.
[[nodiscard]] Document several_document(const Several& several, std::size_t rows, const Provenance& provenance);

/// The schema of its JSON object.
[[nodiscard]] AnswerSchema several_schema();

}  // namespace stepsim::sim

#endif
