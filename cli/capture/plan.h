#ifndef STEPSIM_CLI_CAPTURE_PLAN_H
#define STEPSIM_CLI_CAPTURE_PLAN_H

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepsim::cli {

/// A function that returns the value of an environment variable, or null if it is not set.
using Variables = std::function<const char*(const char* name)>;

/// The settings of `stepsim capture`. The capture module (libstepsim_capture.so) chooses values that are not set
/// (model/wire/environment.h).
struct CapturePlan {
  std::string directory;  ///< absolute
  bool idle = false;      ///< record nothing before `stepsim capture --attach` or the signal
  int signal = 0;         ///< starts and ends a recording of an idle program; 0 = none
  std::optional<std::uint64_t> skip_first;
  std::optional<std::uint64_t> wait;
  std::optional<std::uint64_t> warm_up;
  std::optional<std::uint64_t> active;
  std::optional<std::uint64_t> repeat;
  std::optional<std::uint64_t> delay;     ///< in seconds
  std::optional<std::uint64_t> duration;  ///< in seconds
  std::optional<std::uint64_t> max_mb;
  bool profiler_api = false;
  std::optional<std::uint64_t> buffer_mb;
  std::string ranks;  ///< as typed
  std::string step_range;
  bool sync = true;
  bool nvtx = true;
  bool whole_graphs = false;
  bool torch = false;                      ///< record with torch.profiler, in Python
  std::vector<std::string> torch_options;  ///< options of torch.profiler, with its names: "with_flops"
  std::string step_call;                   ///< MODULE.FUNCTION
  bool nccl = false;
  bool rocm = false;                      ///< record AMD GPUs
  bool nccl_summary = false;              ///< write only summaries of NCCL's collectives
  std::optional<std::uint64_t> interval;  ///< of these, in seconds
  std::optional<std::uint64_t> ring;      ///< collectives per communicator in these
};

/// Returns the absolute path of a folder that the user has named. If it is a link, returns where the link leads,
/// because what we create is never created through links (model/wire/shared_folder.h). If the working folder was
/// deleted, returns `path` unchanged.
[[nodiscard]] std::string absolute_folder(const std::string& path);

/// Parses a whole number from `least` to 10^9, for example "3". Throws UsageError, which names the option, for any
/// other text.
[[nodiscard]] std::uint64_t parse_count(std::string_view option, const std::string& text, std::uint64_t least);

/// Sets the values that no option has set from environment variables. If BYTEPS_TRACE_ON is 1, uses those of BytePS:
/// BYTEPS_TRACE_START_STEP (default 10), _END_STEP (default 20), and _DIR. Both steps are counted from 1 and inclusive.
/// Otherwise, if TRACE_ON is 1 or ON, uses those of ByteProfile's first version: TRACE_START_STEP, TRACE_END_STEP and
/// TRACE_DIR. Throws UsageError for impossible steps.
void take_byteps_variables(const Variables& variables, CapturePlan& plan);

/// Sets missing parts of the schedule for torch.profiler: 10 steps run without the profiler, to measure them, 1 step is
/// warm-up, 3 steps are captured. torch.profiler should not record all steps.
void take_torch_schedule(CapturePlan& plan);

/// Returns the environment variables for COMMAND if torch.profiler records it. `folder` is the path of capture/torch,
/// in which Python searches for modules first.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> torch_variables_of(const CapturePlan& plan,
                                                                                  const Variables& variables,
                                                                                  const std::string& folder,
                                                                                  const std::string& run);

/// Returns why NCCL cannot load `module` as its profiler, and what to do about it; empty if it can.
[[nodiscard]] std::string nccl_problem(const Variables& variables, const std::string& module);

/// Returns the environment variables for COMMAND. They state what to record and where, and make CUDA and NVTX load
/// `module`, the capture module. If plan.nccl is set, NCCL loads it too, unless there is an nccl_problem(). `run`
/// identifies the run in its files. Throws UsageError if another tool is set to be loaded instead.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> variables_of(const CapturePlan& plan,
                                                                            const Variables& variables,
                                                                            const std::string& module,
                                                                            const std::string& run);

/// Returns the environment variables for COMMAND if it writes only summaries of NCCL's collectives: NCCL loads
/// `module`, and CUDA no tool. Precondition: there is no nccl_problem().
[[nodiscard]] std::vector<std::pair<std::string, std::string>> summary_variables_of(const CapturePlan& plan,
                                                                                    const std::string& module,
                                                                                    const std::string& run);

/// Returns the environment variables that a process reads when it begins a recording.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> request_variables(const CapturePlan& plan,
                                                                                 const std::string& run);

/// Returns the path of libstepsim_capture.so: STEPSIM_CAPTURE_LIBRARY if it is set, otherwise the file that was
/// installed or built with this program. Throws InputError if the file does not exist; the message says where it was
/// expected and how to get it.
[[nodiscard]] std::string capture_module();

/// Returns the folder of capture/torch, which contains sitecustomize.py. It must be installed or built with this
/// program. Throws InputError if it is not found.
[[nodiscard]] std::string torch_folder();

/// The traces that `stepsim capture --torch` writes. Construct it before COMMAND runs.
class TorchFiles {
 public:
  explicit TorchFiles(std::string directory);

  /// Returns a summary: the new files in the folder, the time of a step before the profiler started, a warning about
  /// older files in the folder, and the next command. Does not throw if it cannot read a file.
  ///
  ///   stepsim: captured 2 traces, 44.1 kB in traces; a step took 101.2 ms before the profiler started
  ///   stepsim: next: stepsim replay traces
  [[nodiscard]] std::string summary() const;

 private:
  using Times = std::map<std::string, std::filesystem::file_time_type>;

  [[nodiscard]] Times traces() const;

  std::string directory_;
  Times before_;
};

}  // namespace stepsim::cli

#endif
