#ifndef STEPSIM_CLI_SWEEP_SHARD_H
#define STEPSIM_CLI_SWEEP_SHARD_H

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::cli {

constexpr std::size_t kMostShards = 1'000'000;

/// One of several processes that share the points of a sweep: those whose number, modulo
/// `count`, is `index`.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
  std::string from;  ///< the environment variables it was read from; empty for --shard or if there is none

  [[nodiscard]] std::vector<std::size_t> deal(std::size_t points) const;
  /// "1/4"
  [[nodiscard]] std::string to_text() const;
};

/// "I/N", I from 0. Throws UsageError.
[[nodiscard]] Shard parse_shard(std::string_view text);

/// The shard that a launcher's environment variables describe. The process of mpirun
/// (OMPI_COMM_WORLD_RANK and _SIZE, PMI_RANK and _SIZE), of srun (SLURM_PROCID and SLURM_NTASKS) or of a
/// Kubernetes job (JOB_COMPLETION_INDEX and JOB_COMPLETIONS): the first of these that is set, as the
/// innermost launcher. Around it, or alone, the task of a Slurm array, whose ids may begin anywhere and
/// be any equal distance apart. Without any, one shard with all points. Throws UsageError if the
/// variables contradict each other.
using Environment = std::function<const char*(const char* name)>;
[[nodiscard]] Shard shard_of_environment(const Environment& get);

}  // namespace stepsim::cli

#endif
