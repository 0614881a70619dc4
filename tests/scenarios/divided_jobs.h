#ifndef STEPSIM_TESTS_SCENARIOS_DIVIDED_JOBS_H
#define STEPSIM_TESTS_SCENARIOS_DIVIDED_JOBS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/formats/kineto/kineto_text.h"
#include "ingest/load/load.h"
#include "ingest/modelled/modelled_trace.h"
#include "model/cost/device/device_work.h"
#include "model/job/cluster.h"
#include "model/rewrite/buckets.h"
#include "model/transformer/transformer_step.h"
#include "tests/scenarios/question.h"
#include "tests/sim/temporary_folder.h"
#include "tests/source_folder.h"

/// Jobs of one device, captured or modelled, for tests of what holds when any of them is divided.
namespace stepsim::testing {

/// Returns the sample's capture, and all traces in shared/traces, if that folder exists. Many of them are not of one
/// device, or not of training.
inline std::vector<std::filesystem::path> trace_files() {
  namespace fs = std::filesystem;
  std::vector<fs::path> found;
  const fs::path folder = shared_folder() / "traces";
  if (fs::exists(folder)) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file() && (name.ends_with(".json.gz") || name.ends_with(".sqlite")))
        found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  found.insert(found.begin(), source_folder() / "scenarios/samples/transformer/step.pt.trace.json.gz");
  return found;
}

/// Returns the capture of a training step as `stepsim model` writes it.
inline Capture modelled_capture(const Transformer& model, const TransformerRun& run, Duration host) {
  const TemporaryFolder folder;
  const std::string path = folder.file("step.json");
  {
    std::ofstream file(path);
    const ingest::ModelledStep step{
        .model = "a model", .device = std::string(run.device->name), .samples = run.samples, .host = host};
    ingest::write_kineto(ingest::modelled_trace(transformer_calls(model, run), step), {},
                         [&file](std::string_view text) { file << text; });
  }
  return ingest::load({path}, {});
}

/// Returns a question about a job of one device, as commands ask it without a cluster file.
inline Question question_of_one_device(Capture capture) {
  Cluster one_host;
  one_host.hosts.push_back({"0"});
  one_host.endpoints.push_back({HostId{0}, {}});
  return Question(std::move(capture), one_host, "maxmin");
}

/// A step, and the time of its optimizer: on the device, or on the CPU if that takes longer.
struct OneDevice {
  Duration step{};
  Duration optimizer{};
};

/// Returns the step of the captured device, with these changes.
inline OneDevice on_one_device(const Question& asked, const scenarios::Scenario& changes) {
  scenarios::Plan plan = asked.predictor().plan();
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

/// What ranks send each other of gradients and parameters in a job: payloads, of all ranks that are not copies.
struct Exchanged {
  double reduced = 0;
  double gathered = 0;
};

inline Exchanged exchanged_by_replicas(const Dag& job) {
  Exchanged bytes;
  for (const RendezvousId rendezvous : job.all_rendezvous()) {
    const Collective& collective = job.collective(rendezvous);
    if (collective.of_activations || job.members(rendezvous).empty()) continue;
    (is_reduction(collective.op) ? bytes.reduced : bytes.gathered) += static_cast<double>(collective.bytes.count());
  }
  return bytes;
}

}  // namespace stepsim::testing

#endif
