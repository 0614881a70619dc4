#ifndef STEPSIM_TESTS_SIM_TEXTS_H
#define STEPSIM_TESTS_SIM_TEXTS_H

#include <string>
#include <vector>

#include "sim/report/table.h"

namespace stepsim::testing {

/// Returns the displayed texts of a row.
inline std::vector<std::string> texts(const std::vector<sim::Cell>& row) {
  std::vector<std::string> found;
  found.reserve(row.size());
  for (const sim::Cell& cell : row) found.push_back(cell.text());
  return found;
}

}  // namespace stepsim::testing

#endif
