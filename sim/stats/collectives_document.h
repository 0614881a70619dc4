#ifndef STEPSIM_SIM_STATS_COLLECTIVES_DOCUMENT_H
#define STEPSIM_SIM_STATS_COLLECTIVES_DOCUMENT_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/output/provenance.h"
#include "sim/report/field.h"
#include "sim/stats/collective_rows.h"
#include "sim/stats/slow_groups.h"

namespace stepsim::sim {

/// The collectives of one input. Contains no references.
struct CollectiveStatistics {
  std::string name;     ///< the input as typed
  std::string warning;  ///< as in Statistics
  std::string caution;
  std::string expected_from;  ///< where the expected times come from, as a clause; empty if there are none
  std::vector<CollectiveRow> rows;
  SiblingComparison siblings;

  /// Returns the expected time / the measured time of all collectives that have both and of which all ranks were
  /// captured, weighted by time; nothing if there are none.
  [[nodiscard]] std::optional<double> of_expected() const;
};

/// Returns the answer of `stats --collectives`, schema stepsim.collectives/1: is each collective as fast as it should
/// be? Prints at most `rows` rows of each table; JSON has all. Keeps references to its arguments. Precondition: there
/// is an input.
[[nodiscard]] Document collectives_document(const std::vector<CollectiveStatistics>& inputs, std::size_t rows,
                                            const Provenance& provenance);

/// Returns the schema of the JSON object.
[[nodiscard]] AnswerSchema collectives_schema();

}  // namespace stepsim::sim

#endif
