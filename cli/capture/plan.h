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

/// Returns the value of a variable, or null.
using Variables = std::function<const char*(const char* name)>;

/// What `stepsim capture` was asked to record. What is not set is left to the module (model/wire/environment.h).
struct CapturePlan {
  std::string directory;  ///< absolute
  std::optional<std::uint64_t> skip_first;
  std::optional<std::uint64_t> wait;
  std::optional<std::uint64_t> warm_up;
  std::optional<std::uint64_t> active;
  std::optional<std::uint64_t> repeat;
  std::optional<std::uint64_t> buffer_mb;
  std::string ranks;  ///< as typed
  std::string step_range;
  bool sync = true;
  bool nvtx = true;
  bool torch = false;                      ///< by torch.profiler, in Python
  std::vector<std::string> torch_options;  ///< of torch.profiler, in its words: "with_flops"
  std::string step_call;                   ///< MODULE.FUNCTION
  bool nccl = false;
};

/// "3". Throws UsageError that names the option, for anything but a whole number of at least `least` and at most 10^9.
[[nodiscard]] std::uint64_t parse_count(std::string_view option, const std::string& text, std::uint64_t least);

/// Takes from the variables of BytePS what no option said: BYTEPS_TRACE_ON, only if it is 1, with _START_STEP (10),
/// _END_STEP (20), both counted from 1 and inclusive, and _DIR; else those of ByteProfile's first version, TRACE_ON,
/// TRACE_END_STEP and TRACE_DIR. Throws UsageError for steps that cannot be.
void take_byteps_variables(const Variables& variables, CapturePlan& plan);

/// Fills in what nobody said of a schedule for torch.profiler, which had better not record all steps: 10 steps are left
/// alone, so that it is known what they take without it, 1 is warm-up, 3 are captured.
void take_torch_schedule(CapturePlan& plan);

/// The same as variables_of() for PyTorch jobs: `folder` is that of capture/torch, which Python searches first.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> torch_variables_of(const CapturePlan& plan,
                                                                                  const Variables& variables,
                                                                                  const std::string& folder,
                                                                                  const std::string& run);

/// Why NCCL cannot load `module` as its profiler, and what to do about it; empty if it can.
[[nodiscard]] std::string nccl_problem(const Variables& variables, const std::string& module);

/// The variables that COMMAND gets: what to record, where, and `module` as what CUDA and NVTX load, and NCCL if
/// it can (nccl_problem()). `run` names the run in its files. Throws UsageError if another tool is to be loaded in the
/// module's place.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> variables_of(const CapturePlan& plan,
                                                                            const Variables& variables,
                                                                            const std::string& module,
                                                                            const std::string& run);

/// The path of libstepsim_capture.so: what STEPSIM_CAPTURE_LIBRARY names, else where it is installed or built beside
/// this program. Throws InputError that says where it was looked for and how to get it.
[[nodiscard]] std::string capture_module();

/// The folder of capture/torch, which holds sitecustomize.py, found in the same way. Throws InputError.
[[nodiscard]] std::string torch_folder();

/// The traces that `stepsim capture --torch` finds in its folder: make one before COMMAND runs.
class TorchFiles {
 public:
  explicit TorchFiles(std::string directory);

  /// What came into the folder since then, what a step took before the profiler started, what lies there from before,
  /// and the command that comes next, a line each. Never throws for what it cannot read.
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
