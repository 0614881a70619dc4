// stepsim capture [options] -- COMMAND: runs a program and records its steps on the GPU, one file per process.
// stepsim capture --attach PID: records a program that runs already, and that was started with --idle.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/capture/attach.h"
#include "cli/capture/child.h"
#include "cli/capture/plan.h"
#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/terminal.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/wire/environment.h"
#include "model/wire/request.h"

namespace stepsim::cli {
namespace {

struct CaptureCommand {
  CapturePlan plan;
  bool quiet = false;
  std::vector<std::string> words;  ///< the words of COMMAND
};

/// Returns the words after "--" unchanged; CLI11 would interpret brackets in them.
std::vector<std::string> words_after_dashes(const std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes == arguments.end() || dashes + 1 == arguments.end())
    throw UsageError("capture has no COMMAND; expected 'stepsim capture [options] -- COMMAND'");
  return {dashes + 1, arguments.end()};
}

/// Throws UsageError if `word`, the first of COMMAND, is another profiler or a debugger.
void expect_no_tool(const std::string& word) {
  constexpr std::array<std::string_view, 7> kTools{
      "nsys", "ncu", "nvprof", "dlprof", "cuda-gdb", "compute-sanitizer", "rocprofv3"};
  const std::string name = std::filesystem::path(word).filename().string();
  if (std::find(kTools.begin(), kTools.end(), name) == kTools.end()) return;
  throw UsageError(fmt::format(
      "COMMAND is {}, which uses CUPTI itself, and only one tool can; expected the program alone, or record it with {} "
      "alone",
      name, name));
}

const char* variable(const char* name) { return std::getenv(name); }

/// Returns a name that distinguishes this run's files from others in the folder, on all hosts.
std::string name_of_run() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return std::to_string(::getpid()) + "-" + std::to_string(now);
}

/// Creates a folder if it does not exist. Returns false if files cannot be created in it.
bool is_made(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  return !problem && ::access(path.c_str(), W_OK | X_OK) == 0;
}

/// The same, and prints a warning; the program is run anyway.
bool make_folder(const std::string& path) {
  if (is_made(path)) return true;
  write_error(fmt::format("stepsim: warning: nothing is captured: --dir {} is not a folder that can be written to\n",
                          shown(path)));
  return false;
}

[[noreturn]] void run_torch(CaptureCommand command, const std::string& run_capture) {
  take_torch_schedule(command.plan);
  const auto variables = torch_variables_of(command.plan, variable, torch_folder(), run_capture);
  if (!make_folder(command.plan.directory)) end_as(run_child(command.words, {}));
  const TorchFiles files(command.plan.directory);
  const Ending ending = run_child(command.words, variables);
  if (!command.quiet && ending.started) write_error(files.summary());
  end_as(ending);
}

/// Runs COMMAND with NCCL's plugin alone.
[[noreturn]] void run_nccl_summary(const CaptureCommand& command, const std::string& run_capture) {
  const CapturePlan& plan = command.plan;
  const std::string module = capture_module();
  const std::string problem = nccl_problem(variable, module);
  if (!problem.empty()) write_error("stepsim: warning: " + problem + "\n");
  if (!problem.empty() || !make_folder(plan.directory)) end_as(run_child(command.words, {}));
  const Ending ending = run_child(command.words, summary_variables_of(plan, module, run_capture), plan.signal);
  if (!command.quiet && ending.started) write_error(nccl_summary_line(plan.directory, run_capture));
  end_as(ending);
}

/// Returns the summary of a run, of all folders that the program wrote to.
std::string summary_of(const CapturePlan& plan, const std::string& run) {
  std::string text = capture_summary(plan.directory, run);
  std::error_code unknown;
  for (int i = 1; plan.signal != 0; ++i) {
    const std::string folder = plan.directory + wire::kSignalFolder + std::to_string(i);
    if (!std::filesystem::is_directory(folder, unknown)) break;
    text += capture_summary(folder, run);
  }
  return text;
}

void run_capture(CaptureCommand command) {
  take_byteps_variables(variable, command.plan);
  if (command.plan.directory.empty()) command.plan.directory = "traces";
  command.plan.directory = absolute_folder(command.plan.directory);
  const std::string run_capture = name_of_run();
  if (command.plan.torch) run_torch(std::move(command), run_capture);
  if (command.plan.nccl_summary) run_nccl_summary(command, run_capture);
  const std::string module = capture_module();
  const auto variables = variables_of(command.plan, variable, module, run_capture);
  if (const std::string problem = command.plan.nccl ? nccl_problem(variable, module) : ""; !problem.empty())
    write_error("stepsim: warning: " + problem + "\n");
  if (!make_folder(command.plan.directory)) end_as(run_child(command.words, {}));
  const Ending ending = run_child(command.words, variables, command.plan.signal);
  if (!command.quiet && ending.started) {
    const std::string summary = summary_of(command.plan, run_capture);
    write_error(
        !summary.empty() || command.plan.idle
            ? summary
            : fmt::format("stepsim: nothing was captured: COMMAND did not use CUDA (HIP with --rocm), or could not "
                          "write to {}\n",
                          shown(command.plan.directory)));
  }
  end_as(ending);
}

/// Records the idle processes that `target`, a process or a folder, means.
void attach(CaptureCommand command, const std::string& target, const std::atomic<bool>& stop) {
  constexpr std::uint64_t kDefaultSeconds = 60;
  CapturePlan& plan = command.plan;
  if (!plan.active && !plan.duration) plan.duration = kDefaultSeconds;
  const IdleProcesses processes = find_idle(target);
  plan.directory = plan.directory.empty() ? new_attach_folder(processes.folder) : absolute_folder(plan.directory);
  if (!is_made(plan.directory)) {
    throw InputError({plan.directory, {}, {}},
                     fmt::format("this is not a folder that can be written to by user {}", ::geteuid()));
  }
  const std::string run_capture = name_of_run();
  record_idle(processes, plan, run_capture, command.quiet, stop);
  if (command.quiet) return;
  const std::string summary = capture_summary(plan.directory, run_capture);
  write_error(summary.empty() ? "stepsim: nothing was captured: the program ended before it was recorded\n" : summary);
}

void expect_none(std::initializer_list<const CLI::Option*> options, std::string_view why_not) {
  for (const CLI::Option* const option : options) {
    if (option->count() > 0) throw UsageError(fmt::format("{} {}", option->get_name(), why_not));
  }
}

/// Returns torch.profiler's name of an option: "with_flops" for "--with-flops".
std::string torch_word(std::string option) {
  option.erase(0, 2);
  std::replace(option.begin(), option.end(), '-', '_');
  return option;
}

void expect_module_and_function(const std::string& step_call) {
  const std::size_t dot = step_call.rfind('.');
  if (step_call.empty() || (dot != std::string::npos && dot > 0 && dot + 1 < step_call.size())) return;
  throw UsageError(fmt::format("--step-call: '{}'; expected MODULE.FUNCTION, such as megatron.training.train_step",
                               shown(step_call)));
}

/// Parses a value of --signal. Throws UsageError.
int parse_signal(const std::string& text) {
  if (text.empty()) return 0;
  if (text == "USR1" || text == "SIGUSR1") return SIGUSR1;
  if (text == "USR2" || text == "SIGUSR2") return SIGUSR2;
  throw UsageError(fmt::format("--signal: '{}'; expected USR1 or USR2", shown(text)));
}

/// Returns the number that an option was given; nothing if it was not given. Throws UsageError.
std::optional<std::uint64_t> given_count(const CLI::Option* given, std::uint64_t least) {
  if (given->count() == 0) return std::nullopt;
  return parse_count(given->get_name(), given->results().back(), least);
}

/// Returns what an option was given; empty if it was not given.
std::string given_text(const CLI::Option* given) {
  return given->count() == 0 ? std::string{} : given->results().back();
}

const CLI::Option* add_flag(CLI::App& app, const char* names, const char* description) {
  return app.add_flag(names)->disable_flag_override()->description(description);
}

/// Adds the options that are passed on to torch.profiler.
std::array<const CLI::Option*, 5> add_torch_flags(CLI::App& app) {
  return {add_flag(app, "--with-flops", "With --torch: record the flops of operators"),
          add_flag(app, "--profile-memory", "With --torch: record memory allocations"),
          add_flag(app, "--with-stack", "With --torch: record Python calls (slows the job considerably)"),
          add_flag(app, "--with-modules", "With --torch: record which module called an operator"),
          add_flag(app, "--with-execution-trace",
                   "With --torch: record which operators exchanged data (slows the job several times)")};
}

struct SummaryOptions {
  const CLI::Option* summary;
  const CLI::Option* interval;
  const CLI::Option* ring;
};

SummaryOptions add_summary_options(CLI::App& app) {
  return {add_flag(app, "--nccl-summary", "Write only a summary of NCCL's collectives and their bus bandwidth"),
          app.add_option("--interval")
              ->type_name("S")
              ->description("With --nccl-summary: write it every S seconds; 0 = at the end only (default: 60)"),
          app.add_option("--ring")->type_name("N")->description(
              "With --nccl-summary: list the last N collectives of each communicator (default: 1024)")};
}

/// Throws UsageError if an option was given that a summary cannot follow.
void take_summary_options(const SummaryOptions& options, const CLI::App& app, CapturePlan& plan) {
  constexpr std::array<std::string_view, 8> kCombined{"--nccl-summary", "--interval", "--ring",  "--dir",
                                                      "--ranks",        "--signal",   "--quiet", "COMMAND"};
  plan.nccl_summary = options.summary->count() > 0;
  plan.interval = given_count(options.interval, 0);
  plan.ring = given_count(options.ring, 1);
  if (!plan.nccl_summary)
    return expect_none({options.interval, options.ring}, "is an option of summaries; expected it with --nccl-summary");
  for (const CLI::Option* const option : app.get_options()) {
    if (std::find(kCombined.begin(), kCombined.end(), option->get_name()) == kCombined.end())
      expect_none({option}, "cannot be combined with --nccl-summary");
  }
  if (plan.ring && *plan.ring > wire::kLargestSummaryRing) {
    throw UsageError(
        fmt::format("--ring: '{}'; expected a whole number from 1 to {}", *plan.ring, wire::kLargestSummaryRing));
  }
}

void take_signal(const CLI::Option* signal, CapturePlan& plan) {
  plan.signal = parse_signal(given_text(signal));
  if (!plan.idle && !plan.nccl_summary) {
    expect_none({signal},
                "is for a program that waits to be recorded or keeps a summary; expected it with --idle or "
                "--nccl-summary");
  }
}

Command::Run setup_capture(CLI::App& app) {
  const auto option = [&app](const char* names, const char* type, const char* description) {
    return app.add_option(names)->type_name(type)->description(description);
  };
  const auto* directory = option("--dir", "DIR", "Write the files to this folder (default: traces)");
  const auto* skip_first = option("--skip-first", "N", "Skip the first N steps, before the first cycle (default: 0)");
  const auto* wait = option(
      "--wait", "N", "Skip N steps at the start of each cycle (default: 0; with --torch 10, or 0 after --skip-first)");
  const auto* warm_up =
      option("--warmup", "N", "Then warm up for N steps: record and discard them (default: 0; with --torch 1)");
  const auto* active = option("--active", "N", "Then capture N steps (default: all; with --torch 3)");
  const auto* repeat = option("--repeat", "N", "Record N cycles; 0 = until the program ends (default: 1)");
  const auto* ranks = option("--ranks", "LIST", "Capture only these ranks, for example 0,2,4-7 (default: all)");
  const auto* step_range = option("--step-range", "NAME", "Start a step at each NVTX range of this name");
  const auto* delay = option("--delay", "S", "Record only after the program has used CUDA for S seconds");
  const auto* duration =
      option("--duration", "S", "Record for S seconds; 0 = without end (default: 60 if no step is marked)");
  const auto* max_size = option("--max-size", "MB",
                                "Record until a file has MB MiB; 0 = without end (default: 2048 if no step is marked)");
  const auto* buffer = option("--buffer-mb", "N", "Use N MiB of memory in each process (default: 64)");
  const auto flag = [&app](const char* names, const char* description) { return add_flag(app, names, description); };
  const auto* idle = flag("--idle", "Record nothing until 'stepsim capture --attach' or a signal asks for it");
  const auto* attach_to = option("--attach", "PID|DIR",
                                 "Record a program that runs with --idle: a process and its children, or all in a "
                                 "folder; without COMMAND. Ctrl-C ends it");
  const auto* signal = option("--signal", "NAME",
                              "At USR1 or USR2: with --idle start and end a recording, with --nccl-summary write it");
  const auto* torch = flag("--torch", "Record with torch.profiler; the script needs no change");
  const auto* step_call = option("--step-call", "MODULE.FUNCTION",
                                 "With --torch: end a step at each call of this function (default: optimizer.step())");
  const auto torch_flags = add_torch_flags(app);
  const auto* with_sync = flag("--with-sync", "Record what streams and calls wait for (default)");
  const auto* no_sync = flag("--without-sync", "Do not record waits; they are then inferred from times");
  const auto* with_nvtx = flag("--with-nvtx", "Record NVTX ranges (default)");
  const auto* no_nvtx = flag("--without-nvtx", "Do not record NVTX ranges");
  const auto* profiler_api = flag("--profiler-api", "Record between cudaProfilerStart() and cudaProfilerStop()");
  const auto* whole_graphs =
      flag("--whole-graphs", "Record each launch of a CUDA graph as one, not its kernels; costs the program less");
  const auto* nccl = flag("--with-nccl", "Record collectives and transfers of NCCL 2.24 or later");
  const SummaryOptions nccl_summary = add_summary_options(app);
  const auto* rocm = flag("--rocm", "Record AMD GPUs through rocprofiler-sdk of ROCm 7.0 or later");
  const auto* quiet = flag("--quiet", "Do not report at the end what was captured");
  const auto* words = app.add_option("COMMAND")
                          ->type_name("WORD")
                          ->expected(1, CLI::detail::expected_max_vector_size)
                          ->allow_extra_args()
                          ->description("Program to run, with its arguments, after --");
  return [=, &app](const Session& session) {
    const bool attaches = attach_to->count() > 0;
    if (attaches && !words->empty())
      throw UsageError("--attach records a program that runs already; expected no COMMAND");
    CaptureCommand command;
    if (!attaches) command.words = words_after_dashes(session.arguments);
    if (!attaches) expect_no_tool(command.words.front());
    CapturePlan& plan = command.plan;
    plan.directory = given_text(directory);
    plan.skip_first = given_count(skip_first, 0);
    plan.wait = given_count(wait, 0);
    plan.warm_up = given_count(warm_up, 0);
    plan.active = given_count(active, 1);
    plan.repeat = given_count(repeat, 0);
    plan.delay = given_count(delay, 0);
    plan.duration = given_count(duration, 0);
    plan.max_mb = given_count(max_size, 0);
    plan.profiler_api = profiler_api->count() > 0;
    if (plan.profiler_api) expect_none({delay}, "cannot be combined with --profiler-api");
    plan.buffer_mb = given_count(buffer, 4);
    plan.ranks = given_text(ranks);
    if (!plan.ranks.empty()) static_cast<void>(parse_ranks(plan.ranks));
    plan.step_range = given_text(step_range);
    plan.sync = no_sync->count() == 0;
    plan.nvtx = no_nvtx->count() == 0;
    plan.whole_graphs = whole_graphs->count() > 0;
    plan.torch = torch->count() > 0;
    plan.step_call = given_text(step_call);
    for (const CLI::Option* const given : torch_flags) {
      if (given->count() > 0) plan.torch_options.push_back(torch_word(given->get_name()));
    }
    if (plan.torch) {
      expect_none({step_range, delay, duration, max_size, profiler_api, buffer, with_sync, no_sync, with_nvtx, no_nvtx,
                   whole_graphs, nccl, rocm},
                  "cannot be combined with --torch");
      expect_module_and_function(plan.step_call);
    } else {
      expect_none({step_call, torch_flags[0], torch_flags[1], torch_flags[2], torch_flags[3], torch_flags[4]},
                  "is an option of torch.profiler; expected it with --torch");
    }
    plan.nccl = nccl->count() > 0;
    plan.rocm = rocm->count() > 0;
    command.quiet = quiet->count() > 0;
    plan.idle = idle->count() > 0;
    take_summary_options(nccl_summary, app, plan);
    take_signal(signal, plan);
    if (plan.idle) expect_none({torch, profiler_api, whole_graphs}, "cannot be combined with --idle");
    if (!attaches) return run_capture(std::move(command));
    expect_none({idle, torch, profiler_api, whole_graphs, buffer, step_range, with_sync, no_sync, with_nvtx, no_nvtx,
                 nccl, rocm},
                "is an option of the program's start; expected it there, with --idle");
    attach(std::move(command), given_text(attach_to), session.stop);
  };
}

}  // namespace

extern const Command capture_command{
    .name = "capture",
    .summary = "Run a program and record its steps on the GPU",
    .setup = setup_capture,
    .examples = {"stepsim capture --active 3 --dir /tmp/traces -- echo trained",
                 "stepsim capture --warmup 1 --active 3 --step-range step --dir /tmp/traces -- echo trained"},
};

}  // namespace stepsim::cli
