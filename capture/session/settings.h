#ifndef STEPSIM_CAPTURE_SESSION_SETTINGS_H
#define STEPSIM_CAPTURE_SESSION_SETTINGS_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "model/wire/record.h"

namespace stepsim::capture {

/// Selects the steps to record, with the terms of torch.profiler.schedule(): after `skip_first` steps, each cycle has
/// `wait` steps that are not recorded, `warm_up` steps that are recorded but not analysed, and `active` steps.
struct Schedule {
  std::uint64_t skip_first = 0;
  std::uint64_t wait = 0;
  std::uint64_t warm_up = 0;
  std::uint64_t active = 0;  ///< 0 = all further steps, in one cycle
  std::uint64_t repeat = 1;  ///< number of cycles; 0 = until the program ends

  /// Returns the phase of step `number`, counted from 0.
  [[nodiscard]] wire::Phase phase_of(std::uint64_t number) const noexcept;
};

/// A function that returns the value of an environment variable, or null if it is not set.
using Variables = std::function<const char*(const char* name)>;

/// Identifies this process within the job.
struct Identity {
  std::optional<std::uint64_t> rank;
  std::optional<std::uint64_t> local_rank;
  std::optional<std::uint64_t> world;
};

/// Determines the identity from the first of these launchers whose variables state a rank: torchrun, Open MPI, MPICH,
/// Slurm, BytePS (DMLC_*). For BytePS, the rank is BYTEPS_GLOBAL_RANK if that is set, else the worker's number times
/// its local size, plus the local rank.
[[nodiscard]] Identity identity_from(const Variables& variables);

/// The settings of a capture; model/wire/environment.h explains each of them.
struct Settings {
  std::string directory;  ///< empty = record nothing
  std::string run;
  std::string idle;  ///< folder in which the process waits for requests; empty = record at once
  int signal = 0;    ///< signal that starts a recording of an idle process and ends it; 0 = none
  Schedule schedule;
  std::chrono::seconds delay{0};                 ///< record only after this time
  std::optional<std::chrono::seconds> duration;  ///< record for this time; zero = without end
  std::optional<std::uint64_t> most_bytes;       ///< record until the file has this size; zero = without end
  bool profiler_api = false;                     ///< record between cudaProfilerStart() and cudaProfilerStop()
  std::size_t buffer_bytes = 0;
  std::string step_range;
  bool sync = true;
  bool nvtx = true;
  bool whole_graphs = false;
  std::string cupti;
  std::optional<std::chrono::seconds> nccl_summary;  ///< interval of summaries of NCCL; zero = at the end only
  std::size_t nccl_ring = 0;                         ///< collectives per communicator in them; at least 1

  /// Returns nothing while a recording goes on, which has taken `recorded` and filled `bytes` of its file. Afterwards
  /// returns why it ended, as a sentence for the user; empty if `duration` or `most_bytes` were set. Without them, a
  /// recording in which steps are marked goes on without end.
  [[nodiscard]] std::optional<std::string> why_over(bool marked, std::chrono::nanoseconds recorded,
                                                    std::uint64_t bytes) const;
};

/// Reads the settings. An invalid number counts as missing, because `stepsim capture` has checked the options already.
/// `directory` of the result is empty if `rank` is not to be recorded.
[[nodiscard]] Settings settings_from(const Variables& variables, std::optional<std::uint64_t> rank);

}  // namespace stepsim::capture

#endif
