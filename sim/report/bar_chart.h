#ifndef STEPSIM_SIM_REPORT_BAR_CHART_H
#define STEPSIM_SIM_REPORT_BAR_CHART_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.h"

namespace stepsim::sim {

/// Bars along an axis of time from 0 on, in rows. Texts are as they came; an exporter makes them safe for its form.
struct BarChart {
  struct Bar {
    Duration begin{};
    Duration length{};
    std::uint32_t kind = 0;   ///< index into `kinds`
    std::uint32_t level = 0;  ///< of bars in a row that overlap: how many of them it lies in
    std::string hint;         ///< what it is, in words
  };
  struct Row {
    std::string group;  ///< rows of one group stand together under its name; empty: it needs none
    std::string name;
    std::vector<Bar> bars;
    std::optional<Duration> mark;  ///< a place on the axis, which is drawn across the row
  };

  std::string title;
  std::string axis;                ///< what the axis counts
  std::vector<std::string> kinds;  ///< what the colours mean
  std::string line;                ///< what the marks mean, which are joined to a line; empty: there are none
  std::vector<Row> rows;
};

}  // namespace stepsim::sim

#endif
