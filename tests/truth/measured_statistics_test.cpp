// Compares statistics of captures with what other tools report for the same captures (docs/internals/test-data.md). The
// tests are skipped if the captures are absent.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "ingest/load/load.h"
#include "sim/stats/statistics.h"
#include "tests/source_folder.h"

namespace stepsim {
namespace {

namespace fs = std::filesystem;

const fs::path kShared = shared_folder();

/// A line of oracles/hta.csv: the breakdown of a rank by HTA 0.5.0. Lengths are in microseconds.
struct HtaRow {
  std::string capture;
  Rank rank = 0;
  double idle = 0;
  double compute = 0;
  double other = 0;
  double span = 0;
  std::string overlap;  ///< percent; empty without communication
};

std::vector<HtaRow> hta_rows() {
  std::ifstream file(measured_folder() / "oracles" / "hta.csv");
  std::vector<HtaRow> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    if (line.ends_with('\r')) line.pop_back();
    std::istringstream cells(line);
    const auto next = [&cells] {
      std::string cell;
      std::getline(cells, cell, ',');
      return cell;
    };
    HtaRow row;
    row.capture = next();
    row.rank = std::stoi(next());
    row.idle = std::stod(next());
    row.compute = std::stod(next());
    row.other = std::stod(next());
    row.span = std::stod(next());
    row.overlap = next();
    rows.push_back(row);
  }
  return rows;
}

/// Returns, by task, whether the call that launched the task was recorded.
std::vector<bool> launched_tasks(const Dag& dag) {
  std::vector<bool> launched(dag.task_count());
  for (std::size_t i = 0; i < dag.edge_count(); ++i) {
    if (dag.edge_kind(EdgeId{i}) == EdgeKind::kLaunch) launched[dag.target(EdgeId{i}).index()] = true;
  }
  return launched;
}

/// Leaves out the device work that HTA leaves out if there are several ProfilerSteps: work that was launched in or
/// after the last step, and work that was launched before the capture.
void leave_out_last_step(Capture& capture, TraceDetails& details) {
  if (capture.diagnostics.count_of("steps_from_ranges") > 0) return;  // HTA knows no other marks of steps
  std::vector<RecordedStep>& steps = capture.recording.steps;
  std::map<Rank, std::vector<std::size_t>> of_rank;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].marked && steps[i].first.valid()) of_rank[steps[i].rank].push_back(i);
  }
  const std::vector<bool> launched = launched_tasks(capture.dag);
  for (auto& [rank, indices] : of_rank) {
    if (indices.size() < 2) continue;
    const auto last = static_cast<std::int32_t>(indices.back());
    const Time begin = capture.recording.start[steps[indices.back()].first.index()];
    for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
      if (capture.dag.lane(TaskId{i}).rank != rank) continue;
      const std::int32_t step = capture.recording.step[i];
      // work after the last step, which belongs to no step
      const bool later = step < 0 && capture.recording.start[i] > begin;
      if (step != last && !later && launched[i]) continue;
      capture.recording.start[i] = capture.recording.finish[i] = Time::max();
    }
  }
  for (TraceDetails::RecordedTask& task : details.tasks) {
    if (capture.recording.start[task.task.index()] == Time::max()) task.start = task.finish = Time::max();
  }
}

sim::MeasuredWork without_left_out(sim::MeasuredWork work) {
  std::erase_if(work.pieces, [](const sim::Piece& piece) { return !piece.is_call && piece.start == Time::max(); });
  return work;
}

/// How far HTA's figures may differ from ours in addition to 1 % of the span, and why. Each reason was found in the
/// traces.
struct Known {
  double microseconds;
  const char* why;
};

/// Returns by how many microseconds HTA's times may be shorter than ours. HTA rounds the start of each piece of work up
/// and its end down to whole microseconds, so a piece loses up to 2 us. `share_of_two` is the part of these 2 us that a
/// piece loses on average; it is 0 for traces with a resolution of 1 us.
double rounding(std::size_t pieces, double share_of_two) { return 2.0 * share_of_two * static_cast<double>(pieces); }

const std::map<std::string, Known> kKnown{
    {"simple-add-syncs",
     {439'000, "HTA counts Context Sync records as device work; the last one ends 438.8 ms after the last copy"}},
    {"alexnet-syncs", {76'000, "the same; the last one ends 75.8 ms after the last copy"}},
    {"event-sync", {5, "a Stream Sync record of 5 us between kernels counts as device work in HTA"}},
    {"edge-triton_example",
     {95, "HTA takes the operator of 95.8 us that launches the only kernel for device work: its args have a stream"}},
};

TEST(MeasuredStatisticsTest, DevicesDivideTheirTimeAsInHta) {
  if (!fs::exists(kShared)) GTEST_SKIP() << kShared << " is absent: there are no captures that HTA has analysed";
  std::map<std::string, std::vector<sim::DeviceUse>> loaded;
  for (const HtaRow& row : hta_rows()) {
    SCOPED_TRACE(row.capture + " rank " + std::to_string(row.rank));
    if (!loaded.contains(row.capture)) {
      const fs::path folder = kShared / "traces/kineto" / row.capture;
      auto [capture, details] =
          ingest::load_with_details({fs::exists(folder) ? folder.string() : folder.string() + ".json.gz"}, {});
      leave_out_last_step(capture, details);
      loaded[row.capture] = sim::device_use(without_left_out(sim::measured_work(capture, details)));
    }
    // A single file does not tell HTA its rank, so HTA calls it rank 0.
    const std::vector<sim::DeviceUse>& devices = loaded[row.capture];
    const auto device = devices.size() == 1
                            ? devices.begin()
                            : std::find_if(devices.begin(), devices.end(),
                                           [&row](const sim::DeviceUse& each) { return each.rank == row.rank; });
    ASSERT_NE(device, devices.end());
    const sim::TimeUse& use = device->use;
    const auto known = kKnown.find(row.capture);
    const double within = std::max(0.01 * row.span + (known == kKnown.end() ? 0 : known->second.microseconds),
                                   rounding(device->pieces, row.capture == "rocm-mi210-gpu-only" ? 0.51 : 0));
    const auto us = [](Duration length) { return static_cast<double>(length.count()) / 1000; };
    EXPECT_NEAR(us(use.idle), row.idle, within);
    EXPECT_NEAR(us(use.compute), row.compute, within);
    EXPECT_NEAR(us(use.exposed_communication + use.exposed_copies), row.other, within);
    EXPECT_NEAR(us(use.span), row.span, within);
    if (row.overlap.empty()) continue;
    // The communication time that is hidden by compute also agrees with HTA's, within 1 % of the span.
    const double hidden = std::stod(row.overlap) / 100 * us(use.communication());
    EXPECT_NEAR(us(use.hidden_communication), hidden, 0.01 * row.span);
  }
}

/// The expected figures were counted from the trace. It has 1,482 allocations and 1,480 releases, at most 27,353,096
/// bytes allocated, and 3,632 calls of Python functions, of which 62 belong to 31 modules. All of its products are
/// aten::mm, aten::addmm and aten::bmm; their shapes give 2,436,890,624 + 765,460,480 + 301,989,888 operations.
TEST(MeasuredStatisticsTest, ATraceWithAllOptionsHasFlopsMemoryStacksAndModules) {
  const fs::path trace = kShared / "traces/pytorch-cpu/transformer-all-options.pt.trace.json.gz";
  if (!fs::exists(trace)) GTEST_SKIP() << trace << " is absent";
  const ingest::DetailedCapture detailed = ingest::load_with_details({trace.string()}, {});
  const sim::Statistics all = sim::statistics_of(detailed.capture, detailed.details, "trace", {});
  ASSERT_EQ(all.memory.size(), 1U);
  EXPECT_EQ(all.memory.front().allocations, 1482U);
  EXPECT_EQ(all.memory.front().releases, 1480U);
  EXPECT_EQ(all.memory.front().peak.allocated, Bytes{27'353'096});
  EXPECT_EQ(all.memory.front().device, "CPU");
  EXPECT_GT(all.memory.front().curve.size(), 100U);
  std::size_t calls = 0;
  std::size_t modules = 0;
  for (const sim::CallStack& stack : all.stacks) calls += stack.calls;
  for (const sim::ModuleUse& module : all.modules) modules += module.calls;
  EXPECT_EQ(calls, 3632U);
  EXPECT_EQ(modules, 62U);
  EXPECT_EQ(all.modules.size(), 31U);
  double flops = 0;
  for (const sim::FlopsUse& use : all.flops) flops += use.flops;
  EXPECT_DOUBLE_EQ(flops, 3'504'340'992);
}

}  // namespace
}  // namespace stepsim
