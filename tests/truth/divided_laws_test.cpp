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
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/load/load.h"
#include "model/job/group.h"
#include "model/rewrite/buckets.h"
#include "tests/nightly.h"
#include "tests/scenarios/divided_jobs.h"
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
  for (const RendezvousId rendezvous : job.dag.all_rendezvous()) {
    const bool of_replicas = !job.dag.collective(rendezvous).of_activations && !job.dag.members(rendezvous).empty();
    if (of_replicas) {
      EXPECT_EQ(group_size(job.dag, rendezvous), division.data);
    }
  }
  const testing::Exchanged exchanged = testing::exchanged_by_replicas(job.dag);
  EXPECT_GE(exchanged.reduced, least * (1 - 1e-6));
  EXPECT_GE(exchanged.gathered, (division.zero == 0 ? 0 : division.zero == 3 ? 2 : 1) * least * (1 - 1e-6));
}

/// Returns the number of answers about a capture.
std::size_t check_answers(const Question& asked) {
  std::size_t answers = 0;
  for (const std::string device : {"", "H100", "A100"}) {
    testing::OneDevice one;
    try {
      const std::string changes = device.empty() ? "changes: []" : "changes: [device: {to: " + device + "}]";
      one = testing::on_one_device(asked, scenarios::parse_scenario(changes, "one.yaml"));
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
  std::vector<fs::path> found = testing::trace_files();
  const fs::path folder = shared_folder() / "truth/gpu/models/captures";
  if (!fs::exists(folder)) return found;
  const std::size_t traces = found.size();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json.gz") && name.find(testing::nightly() ? "-train-" : "-1-h100") != std::string::npos)
      found.push_back(entry.path());
  }
  std::sort(found.begin() + static_cast<std::ptrdiff_t>(traces), found.end());
  return found;
}

TEST(DividedLawsTest, NoAnswerBreaksOne) {
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
    answers += check_answers(testing::question_of_one_device(std::move(capture)));
  }
  EXPECT_GE(answers, 3 * divisions().size() - 1);  // about the sample
}

}  // namespace
}  // namespace stepsim::divided_laws_test
