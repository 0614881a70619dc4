#include <gtest/gtest.h>

#include <exception>
#include <random>
#include <string>
#include <vector>

#include "ingest/stitch/parameter_server/parameter_server.h"
#include "sim/engine/engine.h"
#include "tests/nightly.h"

namespace stepsim::ingest {
namespace {

/// Makes jobs of any shape with any times, as read from files that contradict themselves.
class RandomJob {
 public:
  explicit RandomJob(std::uint32_t seed) : random_(seed) {}

  std::vector<GpuParts> gpus() {
    span_ = below(2) == 0 ? 100 : 100'000'000;
    std::vector<GpuParts> made;
    const int workers = 1 + below(3);
    const int local_size = 1 + below(3);
    for (int worker = 0; worker < workers; ++worker) {
      for (int rank = 0; rank < local_size; ++rank) made.push_back(gpu(worker, rank));
    }
    return made;
  }

  Job job() {
    Job made;
    if (below(2) == 0) made.servers = static_cast<std::uint32_t>(1 + below(3));
    if (below(2) == 0) made.barrier = Barrier::kCross;
    if (below(2) == 0) made.control = below(2) == 0 ? Control::kFirst : Control::kInline;
    if (below(2) == 0) made.bandwidth = Bandwidth::from_bits_per_second(1e9);
    return made;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint32_t>(limit)); }
  Time time() { return Time{Duration{below(span_) * std::int64_t{1'000}}}; }
  Duration duration() { return Duration{below(4) == 0 ? 0 : below(span_) * std::int64_t{1'000}}; }

  std::string node() {
    constexpr const char* kNames[] = {"FW.a", "FW.b",     "BW.a",     "BW.b",       "UPDATE",
                                      "STEP", "Comm.a_w", "Comm.b_w", "Comm.a.PUSH"};
    return kNames[below(9)];
  }

  GpuParts gpu(int worker, int rank) {
    GpuParts parts;
    parts.worker = static_cast<std::uint32_t>(worker);
    parts.local_rank = static_cast<std::uint32_t>(rank);
    parts.host = "h" + std::to_string(worker);
    const int kinds = below(4);
    if (kinds != 1) parts.stages = stages();
    if (kinds != 2) parts.operators = operators();
    if (below(2) == 0) parts.graph = graph();
    if (below(2) == 0) parts.tensors = TensorTable{{{"a_w", Bytes{9'000'000}}, {"b_w", {}}}};
    return parts;
  }

  StageTrace stages() {
    StageTrace trace;
    trace.tensors = {"byteps.gradient_0", "byteps.gradient_1", "b_w"};
    trace.processes = {"", "rank0", "rank1"};
    const int count = 1 + below(60);
    for (int i = 0; i < count; ++i) {
      const auto stage = static_cast<Stage>(below(13));
      const std::int64_t key = stage == Stage::kTotal ? -1 : below(4) + (std::int64_t{below(2)} << 16);
      trace.events.push_back({static_cast<std::uint32_t>(below(3)), stage, key,
                              static_cast<std::uint32_t>(below(20) == 0 ? below(3) : 0), time(), duration()});
    }
    return trace;
  }

  OperatorTrace operators() {
    OperatorTrace trace;
    const bool numbered = below(2) == 0;
    const int count = 1 + below(30);
    for (int i = 0; i < count; ++i) {
      OperatorTrace::Event event;
      event.name = node();
      event.communication = event.name.starts_with("Comm.");
      event.thread = event.communication ? std::to_string(below(5)) : std::to_string(below(2));
      event.step = numbered ? below(4) - 1 : -1;
      event.start = time();
      event.duration = duration();
      for (int input = below(4); input > 0; --input) event.inputs.push_back(node());
      trace.events.push_back(std::move(event));
    }
    return trace;
  }

  OperatorGraph graph() {
    OperatorGraph made;
    for (int i = 0; i < 6; ++i) made.nodes.push_back({node(), {}});
    for (int i = 0; i < 8; ++i)
      made.edges.push_back({static_cast<std::uint32_t>(below(6)), static_cast<std::uint32_t>(below(6))});
    return made;
  }

  std::mt19937 random_;
  int span_ = 0;
};

// For any recording the result is a graph without cycles that can be replayed. None of these recordings is refused.
TEST(BytepsJobPropertyTest, AnyRecordingGivesAGraphThatReplays) {
  for (std::uint32_t seed = 0; seed < stepsim::testing::seeds(1'000, 3'000); ++seed) {
    RandomJob random(seed);
    std::vector<GpuParts> gpus = random.gpus();
    Assembly assembly;
    try {
      stitch_parameter_server(std::move(gpus), random.job(), assembly);
      const Capture capture = finish(std::move(assembly));
      ASSERT_GT(capture.dag.task_count(), 0U) << "seed " << seed;
      const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine::as_recorded(capture));
      ASSERT_EQ(timeline.size(), capture.dag.task_count()) << "seed " << seed;
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace stepsim::ingest
