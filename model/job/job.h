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

/// Facts about the run that a trace does not contain (job.yaml). The code that reads them infers absent values or uses
/// defaults, and reports this.
struct Job {
  std::optional<std::string> framework;  ///< one of byteps, pytorch-ddp, pytorch-fsdp, pytorch-pipe, horovod, hugectr
  std::optional<std::string> backend;    ///< one of gloo, nccl
  std::optional<std::uint32_t> workers;
  std::optional<std::uint32_t> servers;
  std::optional<std::uint32_t> local_size;  ///< number of GPUs per worker
  std::optional<std::uint32_t> server_threads;
  std::optional<std::string> key_hash;  ///< name of the ServerRule that assigns keys to servers
  std::optional<Bytes> partition_bytes;
  std::optional<bool> exact;  ///< true if the partition bound is not rounded up
  std::optional<Bytes> bucket_bytes;
  std::optional<Schedule> schedule;
  std::optional<Bytes> credit_bytes;  ///< credit for bytes under way; 0 = unlimited
  std::optional<Barrier> barrier;
  std::optional<Control> control;
  std::optional<Bandwidth> bandwidth;           ///< key network.bandwidth of job.yaml
  std::optional<Duration> latency;              ///< key network.latency of job.yaml
  std::optional<Duration> measured_step;        ///< duration of a step without a profiler; > 0
  std::optional<Duration> profiler_cost;        ///< CPU time that the profiler adds for each recorded event; >= 0
  std::optional<std::uint32_t> batch_size;      ///< number of samples per worker and step
  std::optional<std::uint32_t> loader_workers;  ///< number of processes per rank that load data
  /// Regular expression (model/base/pattern.h) whose group `rank` is the rank in the path of a trace.
  std::optional<std::string> rank_in_name;
  /// Path of the machine.yaml with which what-ifs correct modelled times.
  std::optional<std::string> machine;

  friend auto operator<=>(const Job& a, const Job& b) = default;
};

}  // namespace stepsim

#endif
