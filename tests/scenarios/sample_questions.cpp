#include "tests/scenarios/sample_questions.h"

#include <filesystem>

#include "ingest/load/load.h"
#include "model/calibration/calibration.h"
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
  samples.push_back({"byteps", byteps_question()});
  return samples;
}

}  // namespace stepsim::testing
