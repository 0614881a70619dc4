#ifndef STEPSIM_SIM_STATS_DETAIL_SECTIONS_H
#define STEPSIM_SIM_STATS_DETAIL_SECTIONS_H

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/report/document.h"
#include "sim/stats/statistics.h"

namespace stepsim::sim {

/// The titles of an input's sections: where there are several inputs, each says which one it is of. Sheets and tables
/// of files are named by what is before a colon.
class StatsTitles {
 public:
  explicit StatsTitles(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] std::string of_rows(StatsKey key) const;  ///< "By name", "x.json: by name"
  /// "Streams (explained)", "Streams of x.json (explained)"
  [[nodiscard]] std::string operator()(std::string_view title, std::string_view explanation = {}) const;

 private:
  std::string name_;  ///< empty for the only input
};

/// Flops, memory, modules, stacks and what a communication library told of its transfers, where the traces have them.
/// At most `rows` rows a table.
[[nodiscard]] std::vector<Section> detail_sections(const Statistics& input, std::size_t rows,
                                                   const StatsTitles& titles);

}  // namespace stepsim::sim

#endif
