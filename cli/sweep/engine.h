#ifndef STEPSIM_CLI_SWEEP_ENGINE_H
#define STEPSIM_CLI_SWEEP_ENGINE_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/error.h"

/// Engines that run the shards of a sweep: processes of this machine, MPI, Slurm and Dask. The shards are ordinary
/// commands (`stepsim sweep --shard`), which write their parts into a shared folder.
namespace stepsim::cli {

/// The value of --engine.
struct Engine {
  enum class Kind : std::uint8_t { kLocal, kMpi, kSlurm, kDask };
  Kind kind = Kind::kLocal;
  std::size_t shards = 0;  ///< how many processes to start; for Dask how many shards to submit. 0 = the default
  std::string address;     ///< of Dask's scheduler
};

/// An interrupt whose message says what the user can do next.
class ExplainedInterrupt : public Interrupted {
 public:
  explicit ExplainedInterrupt(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// Parses "local", "local:4", "mpi:16", "slurm:16" or "dask:ADDRESS". Throws UsageError.
[[nodiscard]] Engine parse_engine(std::string_view text);

/// What run_shards() needs from the sweep.
struct ShardJob {
  /// Arguments of the command that predicts the whole sweep, beginning with "sweep", without options for its output.
  std::vector<std::string> arguments;
  std::string folder;      ///< where parts and logs are written; all machines must see it
  std::size_t points = 0;  ///< number of points of the sweep; an engine starts at most as many processes
  int threads = 1;         ///< threads of the machine, which local processes share
  const std::atomic<bool>* stop = nullptr;
  /// Called with the number of finished shards; possibly from another thread, but never concurrently.
  std::function<void(std::size_t done, std::size_t shards)> progress;
  /// For how long Slurm may not answer; then its job is cancelled. Its controller can be busy or restarted.
  std::chrono::milliseconds patience = std::chrono::minutes{10};
};

/// Runs the shards of a sweep on an engine and returns the paths of their parts. A shard that was lost (its process was
/// killed, its node failed) is run again, up to three times in all, and continues with the points that it has stored.
/// Throws OutputError with the last line of its log if a shard cannot be finished or the engine cannot be started, and
/// Interrupted; nothing is left running.
[[nodiscard]] std::vector<std::string> run_shards(const Engine& engine, const ShardJob& job);

}  // namespace stepsim::cli

#endif
