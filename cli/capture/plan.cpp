#include "cli/capture/plan.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/program/process.h"
#include "ingest/config/config.h"
#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/base/units.h"
#include "model/wire/environment.h"

namespace stepsim::cli {

namespace {

constexpr std::uint64_t kMost = 1'000'000'000;

std::optional<std::uint64_t> whole_number(std::string_view text) {
  const auto number = parse_number<std::uint64_t>(text);
  return number && *number <= kMost ? number : std::nullopt;
}

std::string text_of(const Variables& variables, const char* name) {
  const char* const value = variables(name);
  return value == nullptr ? std::string{} : std::string(value);
}

/// Returns the step number in an environment variable; `otherwise` if it is not set. Throws UsageError if it is not a
/// whole number above 0.
std::uint64_t number_in(const Variables& variables, const char* name, std::uint64_t otherwise) {
  const std::string text = text_of(variables, name);
  if (text.empty()) return otherwise;
  const auto number = whole_number(text);
  if (number && *number > 0) return *number;
  throw UsageError(fmt::format("{}: '{}' is not a step number; expected a whole number from 1", name, shown(text)));
}

/// Names of the environment variables that one version of BytePS's tracer reads.
struct Names {
  const char* on;
  const char* first;
  const char* last;
  const char* directory;
};
constexpr const char* kNcclPlugin = "NCCL_PROFILER_PLUGIN";
constexpr const char* kRocmTools = "ROCP_TOOL_LIBRARIES";
constexpr Names kByteps{"BYTEPS_TRACE_ON", "BYTEPS_TRACE_START_STEP", "BYTEPS_TRACE_END_STEP", "BYTEPS_TRACE_DIR"};
constexpr Names kByteprofile{"TRACE_ON", "TRACE_START_STEP", "TRACE_END_STEP", "TRACE_DIR"};

/// Throws UsageError if CUDA or NVTX is set to load a tool other than `module`.
void expect_no_other_tool(const Variables& variables, const std::string& module) {
  for (const char* const name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const std::string theirs = text_of(variables, name);
    if (theirs.empty() || theirs == module) continue;
    throw UsageError(
        fmt::format("{} is already set to {}, and CUDA loads only one tool; record either with it (nsys, for example) "
                    "or with stepsim capture",
                    name, shown(theirs)));
  }
}

/// Returns the list of tools for rocprofiler-sdk, which loads several. Version 1.0.0 ignores what follows the last ':'
/// if there is one (find_clients() in its registration.cpp).
std::string with_other_rocm_tools(const Variables& variables, const std::string& module) {
  const std::string theirs = text_of(variables, kRocmTools);
  return theirs.empty() || theirs == module ? module : module + ':' + theirs + ':';
}

/// Returns the environment variables for COMMAND that every kind of recording needs.
std::vector<std::pair<std::string, std::string>> schedule_variables(const CapturePlan& plan, const std::string& run) {
  std::vector<std::pair<std::string, std::string>> set{{wire::kDirectoryVariable, plan.directory},
                                                       {wire::kRunVariable, run}};
  const auto set_number = [&set](const char* name, const std::optional<std::uint64_t>& number) {
    if (number) set.emplace_back(name, std::to_string(*number));
  };
  set_number(wire::kSkipFirstVariable, plan.skip_first);
  set_number(wire::kWaitVariable, plan.wait);
  set_number(wire::kWarmUpVariable, plan.warm_up);
  set_number(wire::kActiveVariable, plan.active);
  set_number(wire::kRepeatVariable, plan.repeat);
  if (!plan.ranks.empty()) set.emplace_back(wire::kRanksVariable, plan.ranks);
  return set;
}

}  // namespace

std::string absolute_folder(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code problem;
  fs::path whole = fs::absolute(path, problem).lexically_normal();
  if (problem) return path;
  if (!whole.has_filename()) whole = whole.parent_path();  // "traces/"
  const fs::path target = fs::is_symlink(whole, problem) ? fs::canonical(whole, problem) : whole;
  return (problem ? whole : target).string();
}

std::uint64_t parse_count(std::string_view option, const std::string& text, std::uint64_t least) {
  const auto number = whole_number(text);
  if (number && *number >= least) return *number;
  throw UsageError(fmt::format("{}: '{}'; expected a whole number from {} to {}", option, shown(text), least, kMost));
}

void take_byteps_variables(const Variables& variables, CapturePlan& plan) {
  const bool byteps = text_of(variables, kByteps.on) == "1";
  const std::string older = text_of(variables, kByteprofile.on);
  if (!byteps && older != "1" && older != "ON") return;
  const Names& names = byteps ? kByteps : kByteprofile;
  constexpr std::uint64_t kFirst = 10;
  constexpr std::uint64_t kLast = 20;
  const std::uint64_t first = number_in(variables, names.first, kFirst);
  const std::uint64_t last = number_in(variables, names.last, kLast);
  if (last <= first) {
    throw UsageError(fmt::format("{} is {} and {} is {}; expected the last step after the first", names.first, first,
                                 names.last, last));
  }
  const bool asked = plan.skip_first || plan.wait || plan.warm_up || plan.active || plan.repeat;
  if (!asked) {
    plan.skip_first = first - 1;
    plan.warm_up = 0;
    plan.active = last - first + 1;
  }
  if (plan.directory.empty()) plan.directory = text_of(variables, names.directory);
}

void take_torch_schedule(CapturePlan& plan) {
  constexpr std::uint64_t kAlone = 10;
  constexpr std::uint64_t kActive = 3;
  if (!plan.wait) plan.wait = plan.skip_first ? 0 : kAlone;
  if (!plan.warm_up) plan.warm_up = 1;
  if (!plan.active) plan.active = kActive;
}

std::vector<std::pair<std::string, std::string>> torch_variables_of(const CapturePlan& plan, const Variables& variables,
                                                                    const std::string& folder, const std::string& run) {
  expect_no_other_tool(variables, {});
  auto set = schedule_variables(plan, run);
  const std::string theirs = text_of(variables, "PYTHONPATH");
  set.emplace_back("PYTHONPATH", theirs.empty() ? folder : folder + ':' + theirs);
  set.emplace_back(wire::kTorchVariable, "1");
  set.emplace_back(wire::kTorchOptionsVariable, fmt::format("{}", fmt::join(plan.torch_options, ",")));
  if (!plan.step_call.empty()) set.emplace_back(wire::kStepCallVariable, plan.step_call);
  return set;
}

std::string nccl_problem(const Variables& variables, const std::string& module) {
  constexpr std::size_t kLongest = 254;  // NCCL truncates longer paths: MAX_STR_LEN in its plugin_open.cc
  const std::string theirs = text_of(variables, kNcclPlugin);
  if (!theirs.empty() && theirs != module) {
    return fmt::format("NCCL is not recorded: {} is already set to {}, and NCCL loads only one profiler; unset it",
                       kNcclPlugin, shown(theirs));
  }
  if (module.size() <= kLongest) return {};
  return fmt::format(
      "NCCL is not recorded: the path of the capture module has {} characters, and NCCL reads only {}; install stepsim "
      "in a shorter path, or set STEPSIM_CAPTURE_LIBRARY to one",
      module.size(), kLongest);
}

std::vector<std::pair<std::string, std::string>> request_variables(const CapturePlan& plan, const std::string& run) {
  auto set = schedule_variables(plan, run);
  if (plan.delay) set.emplace_back(wire::kDelayVariable, std::to_string(*plan.delay));
  if (plan.duration) set.emplace_back(wire::kDurationVariable, std::to_string(*plan.duration));
  if (plan.max_mb) set.emplace_back(wire::kMaxSizeVariable, std::to_string(*plan.max_mb));
  return set;
}

std::vector<std::pair<std::string, std::string>> summary_variables_of(const CapturePlan& plan,
                                                                      const std::string& module,
                                                                      const std::string& run) {
  auto set = schedule_variables(plan, run);
  if (plan.signal != 0) set.emplace_back(wire::kSignalVariable, std::to_string(plan.signal));
  set.emplace_back(wire::kNcclSummaryVariable, std::to_string(plan.interval.value_or(wire::kSummarySeconds)));
  set.emplace_back(wire::kNcclRingVariable, std::to_string(plan.ring.value_or(wire::kSummaryRing)));
  set.emplace_back(kNcclPlugin, module);
  return set;
}

std::vector<std::pair<std::string, std::string>> variables_of(const CapturePlan& plan, const Variables& variables,
                                                              const std::string& module, const std::string& run) {
  expect_no_other_tool(variables, module);
  auto set = request_variables(plan, run);
  set.emplace_back("CUDA_INJECTION64_PATH", module);
  if (plan.idle) set.emplace_back(wire::kIdleVariable, plan.directory);
  if (plan.signal != 0) set.emplace_back(wire::kSignalVariable, std::to_string(plan.signal));
  set.emplace_back(wire::kSyncVariable, plan.sync ? "1" : "0");
  set.emplace_back(wire::kNvtxVariable, plan.nvtx ? "1" : "0");
  if (plan.profiler_api) set.emplace_back(wire::kProfilerApiVariable, "1");
  if (plan.whole_graphs) set.emplace_back(wire::kWholeGraphsVariable, "1");
  if (plan.buffer_mb) set.emplace_back(wire::kBufferVariable, std::to_string(*plan.buffer_mb));
  if (!plan.step_range.empty()) set.emplace_back(wire::kStepRangeVariable, plan.step_range);
  if (plan.nvtx || !plan.step_range.empty()) set.emplace_back("NVTX_INJECTION64_PATH", module);
  if (plan.nccl && nccl_problem(variables, module).empty()) set.emplace_back(kNcclPlugin, module);
  if (plan.rocm) set.emplace_back(kRocmTools, with_other_rocm_tools(variables, module));
  return set;
}

namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

/// Returns the path of a file that was installed with this program or built next to it.
std::string find_installed_file(const char* name, const char* how_to_get_it) {
  const fs::path program = own_program();
  fs::path first;
  for (const char* const folder : {STEPSIM_MODULE_FOLDER, "../lib/stepsim"}) {
    const fs::path path = (program.parent_path() / folder / name).lexically_normal();
    if (is_there(path)) return path.string();
    if (first.empty()) first = path;
  }
  throw InputError({first.string(), {}, {}}, how_to_get_it);
}

}  // namespace

std::string capture_module() {
  constexpr auto kHowToGetIt =
      "libstepsim_capture.so was not found; build the target stepsim_capture_module, or set STEPSIM_CAPTURE_LIBRARY to "
      "its path";
  if (const char* const named = std::getenv("STEPSIM_CAPTURE_LIBRARY"); named != nullptr && *named != '\0') {
    if (is_there(named)) return fs::absolute(named).string();
    throw InputError({named, {}, {}}, kHowToGetIt);
  }
  return find_installed_file("libstepsim_capture.so", kHowToGetIt);
}

std::string torch_folder() {
  const fs::path module = find_installed_file(
      "torch/sitecustomize.py",
      "the Python files of stepsim capture were not found next to libstepsim_capture.so; install stepsim again");
  return module.parent_path().string();
}

namespace {

namespace fs = std::filesystem;

std::string counted_traces(std::uint64_t count) { return fmt::format("{} trace{}", count, count == 1 ? "" : "s"); }

/// Returns "; a step took 101.2 ms before the profiler started" if `job_file` exists and has a measured_step. Returns a
/// warning if the file cannot be read. Otherwise empty.
std::string free_step(const fs::path& job_file) {
  std::error_code unknown;
  if (!fs::is_regular_file(job_file, unknown)) return {};
  try {
    std::vector<InputFile> inputs;
    const std::optional<Duration> step = ingest::read_job_file(job_file.string(), inputs).measured_step;
    if (step) return fmt::format("; a step took {} before the profiler started", to_text(*step));
  } catch (const InputError& problem) {
    return fmt::format("\nstepsim: warning: {}", problem.what());
  }
  return {};
}

}  // namespace

TorchFiles::TorchFiles(std::string directory) : directory_(std::move(directory)), before_(traces()) {}

TorchFiles::Times TorchFiles::traces() const {
  Times found;
  std::error_code problem;
  for (fs::directory_iterator at(directory_, problem), end; !problem && at != end; at.increment(problem)) {
    std::error_code unknown;
    const std::string path = at->path().string();
    if (path.ends_with(".pt.trace.json.gz")) found.emplace(path, at->last_write_time(unknown));
  }
  return found;
}

std::string TorchFiles::summary() const {
  std::uint64_t captured = 0;
  std::uint64_t older = 0;
  std::uintmax_t bytes = 0;
  for (const auto& [path, time] : traces()) {
    const auto known = before_.find(path);
    const bool is_new = known == before_.end() || known->second != time;
    (is_new ? captured : older) += 1;
    std::error_code unknown;
    if (is_new) bytes += fs::file_size(path, unknown);
  }
  if (captured == 0) {
    return fmt::format(
        "stepsim: nothing was captured in {}: either Python ignored PYTHONPATH, or the program ran fewer steps than "
        "were skipped; a step ends at optimizer.step() or at the function of --step-call\n",
        shown(directory_));
  }
  std::string text = fmt::format("stepsim: captured {}, {} in {}{}\n", counted_traces(captured),
                                 to_text(Bytes{static_cast<std::int64_t>(bytes)}), shown(directory_),
                                 free_step(fs::path(directory_) / "job.yaml"));
  if (older > 0) {
    text += fmt::format("stepsim: warning: {} of an earlier run in the folder; give each run its own --dir\n",
                        counted_traces(older));
  }
  return text + fmt::format("stepsim: next: stepsim replay {}\n", shown(directory_));
}

}  // namespace stepsim::cli
