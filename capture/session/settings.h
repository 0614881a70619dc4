#ifndef STEPSIM_CAPTURE_SESSION_SETTINGS_H
#define STEPSIM_CAPTURE_SESSION_SETTINGS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "model/wire/record.h"

namespace stepsim::capture {

/// Which steps to record, in the words of torch.profiler.schedule(): after `skip_first` steps, cycles of `wait` steps
/// that are not recorded, `warm_up` steps that are recorded to be left out, and `active` ones.
struct Schedule {
  std::uint64_t skip_first = 0;
  std::uint64_t wait = 0;
  std::uint64_t warm_up = 0;
  std::uint64_t active = 0;  ///< 0: all steps from then on, in one cycle
  std::uint64_t repeat = 1;  ///< cycles; 0: to the end

  /// What becomes of step `number`, counted from 0.
  [[nodiscard]] wire::Phase phase_of(std::uint64_t number) const noexcept;
};

/// Returns the value of a variable, or null.
using Variables = std::function<const char*(const char* name)>;

/// Which of the job's processes this one is.
struct Identity {
  std::optional<std::uint64_t> rank;
  std::optional<std::uint64_t> local_rank;
  std::optional<std::uint64_t> world;
};

/// By the variables of torchrun, Open MPI, Slurm, MPICH, and of BytePS (DMLC_*), whose worker's number times its local
/// size, plus the local rank, is the rank. The first of these launchers that names a rank is believed.
[[nodiscard]] Identity identity_from(const Variables& variables);

/// What the module is to record (model/wire/environment.h).
struct Settings {
  std::string directory;  ///< empty: nothing is to be recorded
  std::string run;
  Schedule schedule;
  std::size_t buffer_bytes = 0;
  std::string step_range;
  bool sync = true;
  bool nvtx = true;
  std::string cupti;
};

/// A number that cannot be read counts as not given: `stepsim capture` has checked what it passes on. Without a
/// directory where `rank` is not to be recorded.
[[nodiscard]] Settings settings_from(const Variables& variables, std::optional<std::uint64_t> rank);

}  // namespace stepsim::capture

#endif
