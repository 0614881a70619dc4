// Checks two laws of divided jobs in all answers about captures of one device: samples and captures of others
// (docs/internals/test-data.md).
//
// - Samples per second: n devices do at most n times what the captured device does without its optimizer, with as many
//   samples at once. Dividing work saves none of it but the optimizer's, which each device does once.
// - Bytes: replicas reduce all gradients of a step, and if they divide parameters they also gather them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/load/load.h"
#include "model/cost/device/device_work.h"
#include "model/job/group.h"
#include "model/rewrite/buckets.h"
#include "tests/nightly.h"
#include "tests/scenarios/question.h"
#include "tests/source_folder.h"

namespace stepsim::divided_laws_test {
namespace {

namespace fs = std::filesystem;
using testing::Question;

struct Division {
  std::uint32_t data = 1;
  std::uint32_t tensor = 1;
  std::uint32_t pipeline = 1;
  std::uint32_t microbatches = 1;
  std::uint32_t zero = 0;
  const char* recompute = "none";

  [[nodiscard]] std::string yaml() const {
    std::string text = fmt::format("parallel: {{data: {}, tensor: {}, pipeline: {}, microbatches: {}, recompute: {}",
                                   data, tensor, pipeline, microbatches, recompute);
    if (zero > 0) text += fmt::format(", zero: {}", zero);
    return text + "}";
  }
  /// True if the job is made of one of the captured steps.
  [[nodiscard]] bool is_one_step() const {
    return pipeline > 1 || microbatches > 1 || zero == 3 || std::string_view(recompute) != "none";
  }
};

std::vector<Division> divisions() {
  std::vector<Division> all{{.tensor = 2},
                            {.pipeline = 2},
                            {.data = 64, .zero = 3},
                            {.data = 4, .tensor = 2, .pipeline = 2, .microbatches = 4},
                            {.data = 4, .pipeline = 2, .microbatches = 4, .zero = 2},
                            {.data = 2, .pipeline = 2, .microbatches = 2, .zero = 3},
                            {.data = 8, .zero = 3, .recompute = "all"}};
  for (const std::uint32_t zero : {0U, 1U, 2U, 3U}) all.push_back({.data = 2, .zero = zero});
  for (const char* const recompute : {"selective", "all", "early_stop"})
    all.push_back({.data = 8, .recompute = recompute});
  for (const std::uint32_t microbatches : {4U, 16U}) all.push_back({.data = 4, .microbatches = microbatches});
  return all;
}

/// Returns the changes of a scenario file. Links are fast, so that nothing hides work that is missing.
std::string scenario(const std::string& device, const Division& division) {
  std::string text = "changes:\n  - cluster: {gpus_per_host: 8, inside: NVLink5, nic: 3200Gb/s}\n  - " +
                     division.yaml() + "\n  - batch: {scale: " + std::to_string(division.microbatches) + "}\n";
  if (!device.empty()) text += "  - device: {to: " + device + "}\n";
  return text;
}

/// The captured device's step, and the time of its optimizer: on the device, or on the CPU if that takes longer.
struct OneDevice {
  Duration step{};
  Duration optimizer{};
};

OneDevice on_one_device(const Question& asked, const std::string& device) {
  scenarios::Plan plan = asked.predictor().plan();
  const scenarios::Scenario changes =
      scenarios::parse_scenario(device.empty() ? "changes: []" : "changes: [device: {to: " + device + "}]", "one.yaml");
  scenarios::apply_all(changes.changes, plan);
  OneDevice one{.step = asked.predictor().predict(plan).iteration};
  const scenarios::PlannedWork work = asked.predictor().work(plan);
  const Recording& recording = work.graph->recording;
  const std::map<TaskId, TaskId> call_of = calls_by_work(device_launches(*work.graph));
  std::map<std::int32_t, std::pair<Time, Time>> on_cpu;  // by step, from its first to the end of its last call
  for (const auto& [task, piece] : device_work(*work.graph)) {
    if (!piece.in_optimizer) continue;
    one.optimizer += work.durations[task.index()];
    const auto call = call_of.find(task);
    if (call == call_of.end()) continue;
    const std::size_t index = call->second.index();
    const auto [begin, end] = std::pair(recording.start[index], recording.finish[index]);
    auto& span = on_cpu.try_emplace(recording.step[index], begin, end).first->second;
    span = {std::min(span.first, begin), std::max(span.second, end)};
  }
  Duration of_cpu{};
  for (const auto& [step, span] : on_cpu) of_cpu += span.second - span.first;
  one.optimizer = std::max(one.optimizer, of_cpu);
  one.optimizer /= static_cast<std::int64_t>(std::max(std::size_t{1}, recording.steps.size()));
  return one;
}

double bytes_of(const std::vector<Gradient>& gradients) {
  double sum = 0;
  for (const Gradient& gradient : gradients) sum += static_cast<double>(gradient.bytes.count());
  return sum;
}

void check_bytes(const Capture& capture, const Division& division, const Capture& job) {
  double least = 0;  // of the gradients of the steps
  for (const auto& [index, step] : gradients_of_steps(capture)) {
    const double bytes = bytes_of(step.gradients) / division.tensor;
    least = division.is_one_step() ? (least == 0 ? bytes : std::min(least, bytes)) : least + bytes;
  }
  ASSERT_GT(least, 0);
  double reduced = 0;
  double gathered = 0;
  for (const RendezvousId rendezvous : job.dag.all_rendezvous()) {
    const Collective& collective = job.dag.collective(rendezvous);
    if (collective.of_activations || job.dag.members(rendezvous).empty()) continue;
    EXPECT_EQ(group_size(job.dag, rendezvous), division.data);
    (is_reduction(collective.op) ? reduced : gathered) += static_cast<double>(collective.bytes.count());
  }
  EXPECT_GE(reduced, least * (1 - 1e-6));
  EXPECT_GE(gathered, (division.zero == 0 ? 0 : division.zero == 3 ? 2 : 1) * least * (1 - 1e-6));
}

/// Returns the number of answers about a capture.
std::size_t check_answers(const Question& asked) {
  std::size_t answers = 0;
  for (const std::string device : {"", "H100", "A100"}) {
    OneDevice one;
    try {
      one = on_one_device(asked, device);
    } catch (const std::exception&) {
      continue;
    }
    for (const Division& division : divisions()) {
      SCOPED_TRACE(division.yaml() + (device.empty() ? "" : " on " + device));
      scenarios::Prediction job;
      try {
        job = asked.predicted(std::string_view(scenario(device, division)));
      } catch (const std::exception&) {  // refused
        continue;
      }
      ++answers;
      const double least = static_cast<double>((one.step - one.optimizer).count()) * division.microbatches /
                           (static_cast<double>(division.tensor) * division.pipeline);
      EXPECT_GE(static_cast<double>(job.iteration.count()), least * 0.998);
      if (division.data > 1) check_bytes(asked.capture(), division, *job.graph);
    }
  }
  return answers;
}

std::vector<fs::path> captures() {
  std::vector<fs::path> found{source_folder() / "scenarios/samples/transformer/step.pt.trace.json.gz"};
  const auto add = [&found](const fs::path& folder, std::string_view part) {
    std::vector<fs::path> here;
    if (!fs::exists(folder)) return;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file() && name.ends_with(".json.gz") && name.find(part) != std::string::npos)
        here.push_back(entry.path());
    }
    std::sort(here.begin(), here.end());
    found.insert(found.end(), here.begin(), here.end());
  };
  add(shared_folder() / "traces/kineto", "");
  add(shared_folder() / "truth/gpu/models/captures", testing::nightly() ? "-train-" : "-1-h100");
  return found;
}

TEST(DividedLawsTest, NoAnswerBreaksOne) {
  Cluster one_host;
  one_host.hosts.push_back({"0"});
  one_host.endpoints.push_back({HostId{0}, {}});
  std::size_t answers = 0;
  for (const fs::path& path : captures()) {
    SCOPED_TRACE(path.filename().string());
    Capture capture;
    try {
      capture = ingest::load({path.string()}, {});
    } catch (const std::exception&) {
      continue;
    }
    if (capture.recording.ranks.size() != 1 || capture.gradients.empty()) continue;
    answers += check_answers(Question(std::move(capture), one_host, "maxmin"));
  }
  EXPECT_GE(answers, 3 * divisions().size() - 1);  // about the sample
}

}  // namespace
}  // namespace stepsim::divided_laws_test
