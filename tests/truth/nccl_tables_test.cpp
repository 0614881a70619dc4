// Predicts collectives that others measured (docs/internals/test-data.md): all-reduces of eight GPUs from those of two
// and four, and collectives of four systems and two clusters from data sheets. docs/internals/fidelity.md has the
// errors; bench/nccl_tables.py and bench/fit_nccl.py print them. The tests are skipped if the tables are absent.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model/calibration/collectives.h"
#include "model/cost/collective/nccl_times.h"
#include "tests/source_folder.h"
#include "tests/truth/measured_runs.h"

namespace stepsim {
namespace {

using testing::MeasuredRun;
using testing::number;

/// Returns the rows of all-reduces within one node, by node and number of ranks.
std::map<std::string, std::map<std::uint32_t, std::vector<TimedCollective>>> nodes() {
  std::map<std::string, std::map<std::uint32_t, std::vector<TimedCollective>>> nodes;
  for (const MeasuredRun& row : testing::measured_runs(shared_folder() / "truth/gpu/tables/collectives.csv")) {
    if (row.at("op") != "all_reduce" || row.at("ranks") != row.at("devices_per_node")) continue;
    const auto ranks = static_cast<std::uint32_t>(number(row, "ranks"));
    const Duration time{std::llround(number(row, "measured_us") * 1e3)};
    nodes[row.at("source") + " " + row.at("node")][ranks].push_back(
        {CollectiveOp::kAllReduce, ranks, 1, "", Bytes{std::llround(number(row, "bytes"))}, time});
  }
  return nodes;
}

/// The mean of |predicted / measured - 1|, from errors that are added one by one.
struct Errors {
  double sum = 0;
  std::size_t count = 0;
  void add(double error) {
    sum += std::abs(error);
    ++count;
  }
  [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
};

/// Counts the measured times inside the range of their prediction, and finds the median width of the ranges (high over
/// low).
class Ranges {
 public:
  void add(const std::vector<TimedCollective>& measured, const CollectivePlace& place) {
    for (const TimedCollective& one : measured) {
      const NcclTime found = nccl_time_and_error({one.op, one.ranks, one.bytes}, place);
      const double factor = 1 + found.error_us / found.us;
      const double time = static_cast<double>(one.time.count()) / 1e3;
      inside_ += time >= found.us / factor && time <= found.us * factor ? 1 : 0;
      widths_.push_back(factor * factor);
    }
  }
  [[nodiscard]] bool empty() const { return widths_.empty(); }
  [[nodiscard]] double share_inside() const { return inside_ / static_cast<double>(widths_.size()); }
  [[nodiscard]] double median_width() {
    std::nth_element(widths_.begin(), widths_.begin() + static_cast<std::ptrdiff_t>(widths_.size() / 2), widths_.end());
    return widths_[widths_.size() / 2];
  }

 private:
  double inside_ = 0;
  std::vector<double> widths_;
};

/// False for nodes with two NVLink pairs that are connected over PCIe. There, two ranks do not use all links that four
/// ranks use.
bool has_uniform_links(const std::string& node) { return node.find("pairwise") == std::string::npos; }

/// Returns every second element, starting with element `first`.
std::vector<TimedCollective> every_second(const std::vector<TimedCollective>& all, std::size_t first) {
  std::vector<TimedCollective> some;
  for (std::size_t i = first; i < all.size(); i += 2) some.push_back(all[i]);
  return some;
}

TEST(NcclTablesTruthTest, RangesBetweenTheSizesOfATableHold85Percent) {
  Ranges ranges;
  for (const auto& [node, by_ranks] : nodes()) {
    for (const auto& [count, rows] : by_ranks) {
      for (const std::size_t first : {0U, 1U}) {
        const std::vector<MeasuredCollective> tables = measured_tables(every_second(rows, first));
        ranges.add(every_second(rows, 1 - first), {.inside = tables.front().link, .measured = tables});
      }
    }
  }
  if (ranges.empty()) GTEST_SKIP() << "no table in " << shared_folder();
  std::printf("between sizes: %.0f %% inside, median width %.2f\n", 100 * ranges.share_inside(), ranges.median_width());
  EXPECT_GE(ranges.share_inside(), 0.85);
  EXPECT_LE(ranges.median_width(), 1.5);
}

TEST(NcclTablesTruthTest, RangesOfOtherRankCountsHold80Percent) {
  Ranges ranges;
  for (const auto& [node, by_ranks] : nodes()) {
    if (!has_uniform_links(node)) continue;
    for (const auto& [fitted, timings] : by_ranks) {
      for (const auto& [predicted, rows] : by_ranks) {
        if (fitted == predicted) continue;
        const std::vector<MeasuredCollective> tables = measured_tables(timings);
        ranges.add(rows, {.inside = tables.front().link, .measured = tables});
      }
    }
  }
  if (ranges.empty()) GTEST_SKIP() << "no table of several rank counts in " << shared_folder();
  std::printf("other ranks: %.0f %% inside, median width %.2f\n", 100 * ranges.share_inside(), ranges.median_width());
  EXPECT_GE(ranges.share_inside(), 0.80);
  EXPECT_LE(ranges.median_width(), 2.5);
}

TEST(NcclTablesTruthTest, RangesOfDataSheetsHold85Percent) {
  // The ranges are predicted from the bandwidths of data sheets, without tables of measured times. The predictor adds
  // an estimate of the time that NCCL's own model leaves out. The term of this estimate that grows with the payload was
  // fitted to a100_dgx only, its other terms to all three nodes.
  const std::map<std::string, double> sheets{{"a100_8", 300}, {"b200_8", 900}, {"a100_dgx", 300}};
  Ranges all;
  for (const auto& [node, by_ranks] : nodes()) {
    const auto sheet = sheets.find(node.substr(node.find(' ') + 1));
    if (sheet == sheets.end()) continue;
    for (const auto& [count, rows] : by_ranks)
      all.add(rows, {.inside = Bandwidth::from_bytes_per_second(sheet->second * 1e9 * kNvlinkEfficiency)});
  }
  if (all.empty()) GTEST_SKIP() << "no table in " << shared_folder();
  std::printf("data sheets: %.0f %% inside, median width %.2f\n", 100 * all.share_inside(), all.median_width());
  EXPECT_GE(all.share_inside(), 0.85);
  EXPECT_LE(all.median_width(), 2.5);
}

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
  if (checked == 0) GTEST_SKIP() << "no table of two, four and eight ranks in " << shared_folder();
}

/// A row of truth/cluster/nccl and where it was measured.
struct MeasuredRow {
  std::string system;
  CollectiveShape shape;
  CollectivePlace place;
  double us = 0;
};

CollectiveOp op_of(const std::string& name) {
  if (name == "alltoall") return CollectiveOp::kAllToAll;
  if (name == "all_gather") return CollectiveOp::kAllGather;
  return name == "all_reduce" ? CollectiveOp::kAllReduce : CollectiveOp::kReduceScatter;
}

Bandwidth of_sheet(double gb_s, double share) { return Bandwidth::from_bytes_per_second(gb_s * 1e9 * share); }

/// Returns the measured collectives on one host, of each system with its newest NCCL.
std::vector<MeasuredRow> on_one_host() {
  struct Sheet {
    const char* device = "";
    const char* version = "";
    double gb_s = 0;
  };
  const std::map<std::string, Sheet> sheets{{"a100_sxm", {"A100", "2.27.3", 300}},
                                            {"h100_sxm", {"H100", "2.29.2", 450}},
                                            {"b200_sxm", {"B200", "2.29.2", 900}},
                                            {"l40s", {"L40S", "2.27.3", 32}}};
  std::vector<MeasuredRow> rows;
  for (const MeasuredRun& run : testing::measured_runs(shared_folder() / "truth/cluster/nccl/one-host.csv")) {
    const auto found = sheets.find(run.at("system"));
    if (found == sheets.end() || run.at("version") != found->second.version) continue;
    const Sheet& sheet = found->second;
    const auto ranks = static_cast<std::uint32_t>(number(run, "num_gpus"));
    const bool is_pcie = sheet.gb_s < 64;
    const double share = is_pcie ? kPcieEfficiency * through_host_memory(ranks) : kNvlinkEfficiency;
    CollectivePlace place{.inside = of_sheet(sheet.gb_s, share), .device = sheet.device};
    place.latency_inside = Duration{is_pcie ? 1000 : 600};
    const Bytes bytes{2 * std::llround(number(run, "message_size"))};
    rows.push_back({found->first, {op_of(run.at("op")), ranks, bytes}, place, 1e3 * number(run, "latency_ms")});
  }
  return rows;
}

std::vector<MeasuredRow> on_several_hosts() {
  std::vector<MeasuredRow> rows;
  for (const MeasuredRun& run : testing::measured_runs(shared_folder() / "truth/cluster/nccl/many-hosts.csv")) {
    CollectivePlace place{.hosts = static_cast<std::uint32_t>(number(run, "hosts")), .device = "H100"};
    const auto per_host = static_cast<std::uint32_t>(number(run, "gpus_per_host"));
    if (per_host > 1) place.inside = of_sheet(450, kNvlinkEfficiency);
    place.between = of_sheet(number(run, "nics") * number(run, "nic_gbps") / 8, 1);
    place.latency_inside = Duration{600};
    place.latency = Duration{4000};
    rows.push_back({run.at("source"),
                    {op_of(run.at("op")), place.hosts * per_host, Bytes{std::llround(number(run, "bytes"))}},
                    place,
                    number(run, "time_us")});
  }
  return rows;
}

TEST(NcclTruthTest, CollectivesOfFourSystemsAndTwoClustersFollowFromDataSheets) {
  std::vector<MeasuredRow> rows = on_one_host();
  const std::vector<MeasuredRow> more = on_several_hosts();
  rows.insert(rows.end(), more.begin(), more.end());
  if (rows.empty()) GTEST_SKIP() << "no measured collectives in " << shared_folder();
  Errors small;
  Errors large;
  Errors inside;
  std::map<std::string, Errors> each;
  std::map<std::tuple<std::string, CollectiveOp, std::uint32_t>, Bytes> last;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const MeasuredRow& a, const MeasuredRow& b) { return a.shape.bytes < b.shape.bytes; });
  for (const MeasuredRow& row : rows) {
    // Payloads that are at least four times the last one, so that all ranges of sizes count alike.
    Bytes& before = last[{row.system, row.shape.op, row.shape.members}];
    if (row.shape.bytes < std::max(Bytes{4096}, Bytes{4 * before.count()})) continue;
    before = row.shape.bytes;
    const NcclTime found = nccl_time_and_error(row.shape, row.place);
    const double error = found.us / row.us - 1;
    (row.shape.bytes > Bytes{1 << 20} ? large : small).add(error);
    each[row.system + " " + std::string(named_operation(row.shape.op).name)].add(error);
    const double factor = 1 + found.error_us / found.us;
    inside.add(row.us >= found.us / factor && row.us <= found.us * factor ? 1 : 0);
  }
  std::printf("from data sheets: %.1f %% up to 1 MB, %.1f %% above, %.0f %% of %zu in range\n", 100 * small.mean(),
              100 * large.mean(), 100 * inside.mean(), inside.count);
  EXPECT_LE(small.mean(), 0.35);
  EXPECT_LE(large.mean(), 0.12);
  for (const auto& [name, errors] : each) EXPECT_LE(errors.mean(), 0.40) << name;
  EXPECT_GE(inside.mean(), 0.90);
}

}  // namespace
}  // namespace stepsim
