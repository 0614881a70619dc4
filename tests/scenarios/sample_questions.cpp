#include "tests/scenarios/sample_questions.h"

#include <chrono>
#include <filesystem>
#include <utility>

#include "ingest/load/load.h"
#include "model/calibration/calibration.h"
#include "model/job/dag_builder.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"
#include "tests/scenarios/whatif/gpu_step.h"
#include "tests/sim/sample_capture.h"
#include "tests/source_folder.h"

namespace stepsim::testing {

Question parameter_server_question() {
  WorkloadMaker maker;
  maker.workers = 2;
  maker.servers = 2;
  maker.tensors = {Bytes{1'000'000}, Bytes{3'000'000}, Bytes{500'000}};
  maker.steps = 2;
  return Question(maker.capture(), switch_of(4, 1e9, Duration{10'000}), "maxmin");
}

Question data_parallel_question() {
  return Question(DataParallelJob{}.capture(), switch_of(2, 1e9, Duration{10'000}), "maxmin");
}

Question streams_question() { return Question(sample_capture()); }

Question gpu_question() { return GpuStep().question(); }

Capture loading_capture(const std::vector<int>& waits_ms, std::optional<std::uint32_t> workers) {
  using std::chrono::milliseconds;
  DagBuilder builder;
  const LaneId thread = builder.add_lane({.name = "thread 1"});
  TaskId last;
  const auto add = [&](TaskKind kind, const std::string& name, Duration duration) {
    const TaskId task =
        builder.add_task({.kind = kind, .name = builder.intern(name), .lane = thread, .duration = duration});
    if (last.valid()) builder.add_edge(last, task, EdgeKind::kProgram);
    last = task;
  };
  for (const int wait : waits_ms) {
    if (wait > 0)
      add(TaskKind::kLoader, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", milliseconds{wait});
    add(TaskKind::kHost, "work", milliseconds{10});
  }
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  capture.job.loader_workers = workers;
  Time now{};
  for (const TaskId task : capture.dag.tasks()) {
    capture.recording.start.push_back(now);
    capture.recording.finish.push_back(now += capture.dag.duration(task));
  }
  capture.recording.step.assign(capture.dag.task_count(), -1);
  capture.recording.ranks = {0};
  return capture;
}

Question loading_question(const std::vector<int>& waits_ms, std::optional<std::uint32_t> workers) {
  return Question(loading_capture(waits_ms, workers));
}

Question byteps_question() {
  const std::filesystem::path folder = source_folder() / "scenarios/samples/byteps-even";
  Capture capture = ingest::load({(folder / "traces").string()}, {.job_file = (folder / "job.yaml").string()});
  Cluster cluster = calibrate(capture).cluster;
  return Question(std::move(capture), std::move(cluster), "maxmin");
}

std::vector<NamedQuestion> sample_questions() {
  std::vector<NamedQuestion> samples;
  samples.push_back({"parameter server", parameter_server_question()});
  samples.push_back({"data parallel", data_parallel_question()});
  samples.push_back({"streams", streams_question()});
  samples.push_back({"gpu", gpu_question()});
  samples.push_back({"loading", loading_question()});
  samples.push_back({"byteps", byteps_question()});
  return samples;
}

}  // namespace stepsim::testing
