#ifndef STEPSIM_TESTS_MODEL_REWRITE_PARAMETER_SERVER_WORKLOAD_MAKER_H
#define STEPSIM_TESTS_MODEL_REWRITE_PARAMETER_SERVER_WORKLOAD_MAKER_H

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/job/parameter_server/workload.h"
#include "model/job/recording.h"
#include "model/job/topology.h"
#include "model/rewrite/parameter_server/build.h"

namespace stepsim::testing {

inline constexpr Duration kForward{1'000'000};
inline constexpr Duration kBackward{2'000'000};
inline constexpr Duration kUpdate{500'000};

/// Makes captures of a parameter-server job with n equal layers. The operators of a step are FW.0 .. FW.n-1, BW.n-1 ..
/// BW.0 and UPDATE. Layer i produces tensor i.
class WorkloadMaker {
 public:
  std::uint32_t workers = 1;
  std::uint32_t servers = 1;
  std::uint32_t local_size = 1;
  std::vector<Bytes> tensors{Bytes{1'000'000}};
  std::uint32_t steps = 1;
  Duration copy{};                    ///< the duration of every COPYD2H and COPYH2D, of any size
  std::vector<std::int64_t> scale{};  ///< factors for the durations, by worker

  [[nodiscard]] Capture capture() const {
    PsWorkload workload;
    workload.job.workers = workers;
    workload.job.servers = servers;
    workload.job.local_size = local_size;
    workload.job.partition_bytes = Bytes{1'000'000};
    workload.job.exact = true;
    for (std::uint32_t step = 0; step < steps; ++step) workload.steps.push_back(10 + step);
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
      for (std::uint32_t local = 0; local < local_size; ++local) workload.gpus.push_back(gpu(worker, local));
    }
    for (std::uint32_t i = 0; copy > Duration{} && i < workload.gpus.size(); ++i) add_copies(workload, i);
    Capture capture;
    capture.inputs = {{"capture", 0, 0}};
    capture.job = workload.job;
    capture.parameter_server = std::make_shared<const PsWorkload>(std::move(workload));
    return capture;
  }

 private:
  [[nodiscard]] PsGpu gpu(std::uint32_t worker, std::uint32_t local) const {
    PsGpu gpu;
    gpu.worker = worker;
    gpu.local_rank = local;
    gpu.rank = static_cast<Rank>(worker * local_size + local);
    gpu.host = "host " + std::to_string(worker);
    const std::int64_t times = worker < scale.size() ? scale[worker] : 1;
    const auto layers = static_cast<std::uint32_t>(tensors.size());
    Time now{};
    const auto add = [&](std::string name, Duration duration) {
      PsOperator& op = gpu.operators.emplace_back();
      op.name = std::move(name);
      op.update = op.name == "UPDATE";
      for (std::uint32_t step = 0; step < steps; ++step) op.runs.push_back({now, now + duration * times});
      now += duration * times;
    };
    for (std::uint32_t layer = 0; layer < layers; ++layer) add("FW." + std::to_string(layer), kForward);
    for (std::uint32_t layer = layers; layer-- > 0;) add("BW." + std::to_string(layer), kBackward);
    add("UPDATE", kUpdate);
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      gpu.tensors.push_back({std::string("w").append(std::to_string(layer)),
                             layer,
                             tensors[layer],
                             {2 * layers - 1 - layer},
                             {2 * layers},
                             {layer}});
    }
    return gpu;
  }

  void add_copies(PsWorkload& workload, std::uint32_t gpu) const {
    for (const PsStage stage : {PsStage::kCopyToHost, PsStage::kCopyToDevice}) {
      for (const std::int64_t key : {0, 1})
        workload.stages.push_back({gpu, 0, key, stage, Bytes{1 + key * 1'000'000}, {Time{}, Time{copy}}});
    }
  }
};

/// Returns a cluster of one endpoint per host, all on a single switch. The rate and the latency are those of each link.
inline Cluster switch_of(std::uint32_t endpoints, double bytes_per_second, Duration latency = {}) {
  return star(endpoints, {{}, Bandwidth::from_bytes_per_second(bytes_per_second), latency, 1});
}

}  // namespace stepsim::testing

#endif
