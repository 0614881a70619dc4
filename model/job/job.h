#ifndef STEPSIM_MODEL_JOB_JOB_H
#define STEPSIM_MODEL_JOB_JOB_H

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "model/base/units.h"

namespace stepsim {

enum class Schedule : std::uint8_t { kFifo, kPriority };
enum class Barrier : std::uint8_t { kGlobal, kCross };
enum class Control : std::uint8_t { kFirst, kInline };

/// What a trace cannot say about the run that made it (job.yaml). What is absent is
/// inferred or defaulted by its reader, who says so.
struct Job {
  std::optional<std::string> framework;  ///< byteps, pytorch-ddp, pytorch-fsdp, pytorch-pipe, horovod, hugectr
  std::optional<std::string> backend;    ///< gloo, nccl
  std::optional<std::uint32_t> workers;
  std::optional<std::uint32_t> servers;
  std::optional<std::uint32_t> local_size;  ///< GPUs a worker
  std::optional<std::uint32_t> server_threads;
  std::optional<std::string> key_hash;  ///< which server holds a key: the name of a ServerRule
  std::optional<Bytes> partition_bytes;
  std::optional<bool> exact;  ///< the bound is not rounded up
  std::optional<Bytes> bucket_bytes;
  std::optional<Schedule> schedule;
  std::optional<Bytes> credit_bytes;  ///< 0 = unlimited
  std::optional<Barrier> barrier;
  std::optional<Control> control;
  std::optional<Bandwidth> bandwidth;           ///< network.bandwidth
  std::optional<Duration> latency;              ///< network.latency
  std::optional<Duration> measured_step;        ///< what a step takes when nobody records it; > 0
  std::optional<std::uint32_t> batch_size;      ///< samples a worker takes in a step
  std::optional<std::uint32_t> loader_workers;  ///< processes of a rank that load data

  friend auto operator<=>(const Job& a, const Job& b) = default;
};

}  // namespace stepsim

#endif
