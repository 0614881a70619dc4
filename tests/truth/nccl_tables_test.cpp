// All-reduces measured by others on nodes of GPUs (tables/collectives.csv, docs/test-data.md): eight GPUs from two and
// four. docs/fidelity.md has the errors; bench/nccl_tables.py prints them. Skips if the table is absent.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "model/calibration/nccl_tables.h"
#include "model/cost/collective/nccl_times.h"
#include "tests/truth/measured_runs.h"

namespace stepsim {
namespace {

using testing::MeasuredRun;
using testing::number;

/// The rows of all-reduces within one node, by node and ranks.
std::map<std::string, std::map<std::uint32_t, std::vector<TimedCollective>>> nodes() {
  std::map<std::string, std::map<std::uint32_t, std::vector<TimedCollective>>> nodes;
  for (const MeasuredRun& row : testing::measured_runs(testing::truth_folder() / "gpu/tables/collectives.csv")) {
    if (row.at("op") != "all_reduce" || row.at("ranks") != row.at("devices_per_node")) continue;
    const auto ranks = static_cast<std::uint32_t>(number(row, "ranks"));
    const Duration time{std::llround(number(row, "measured_us") * 1e3)};
    nodes[row.at("source") + " " + row.at("node")][ranks].push_back(
        {CollectiveOp::kAllReduce, ranks, 1, "", Bytes{std::llround(number(row, "bytes"))}, time});
  }
  return nodes;
}

/// Means of |predicted / measured - 1|.
struct Errors {
  double sum = 0;
  std::size_t count = 0;
  void add(double error) {
    sum += std::abs(error);
    ++count;
  }
  [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
};

TEST(NcclTablesTruthTest, EightRanksFollowFromTwoAndFour) {
  std::size_t checked = 0;
  for (const auto& [node, by_ranks] : nodes()) {
    if (!by_ranks.contains(2) || !by_ranks.contains(4) || !by_ranks.contains(8)) continue;
    std::vector<TimedCollective> timings = by_ranks.at(2);
    timings.insert(timings.end(), by_ranks.at(4).begin(), by_ranks.at(4).end());
    const std::vector<MeasuredCollective> tables = measured_tables(timings);
    Errors large;
    Errors small;
    for (const TimedCollective& one : by_ranks.at(8)) {
      const CollectivePlace place{.inside = tables.front().link, .measured = tables};
      const double predicted = static_cast<double>(nccl_time({one.op, one.ranks, one.bytes}, place).count());
      (one.bytes.count() >= 4'000'000 ? large : small).add(predicted / static_cast<double>(one.time.count()) - 1);
    }
    EXPECT_LT(large.mean(), 0.10) << node;
    EXPECT_LT(small.mean(), 0.30) << node;
    ++checked;
  }
  if (checked == 0) GTEST_SKIP() << "no table of two, four and eight ranks in " << testing::truth_folder();
}

}  // namespace
}  // namespace stepsim
