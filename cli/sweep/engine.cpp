#include "cli/sweep/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cli/program/error.h"
#include "cli/program/process.h"
#include "cli/program/provenance.h"
#include "cli/sweep/part.h"
#include "ingest/bytes/input.h"
#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/base/units.h"
#include "sim/output/run_program.h"

namespace stepsim::cli {
namespace {

using Words = std::vector<std::string>;

constexpr int kMostTries = 3;
constexpr std::size_t kLargestOutput = std::size_t{1} << 20U;
constexpr const char* kShardGoesHere = "\n";   ///< no word of a command line
constexpr std::size_t kMostProcesses = 1'024;  ///< of one machine
constexpr auto kPoll = std::chrono::milliseconds{500};
constexpr int kPollsOfStop = 10;
constexpr auto kStopDelay = std::chrono::milliseconds{20};

constexpr std::string_view kEngines =
    "local, mpi, slurm:16 or dask:ADDRESS, where a number is how many processes share the points";

/// True if the program was killed: it may finish if it is run again.
bool was_killed(const sim::ProgramFailed& failure) { return failure.end().signal != 0; }

std::string run(const Words& command, const std::atomic<bool>* stop) {
  return sim::run_program(
      command, "",
      {.time = std::chrono::hours{24 * 365}, .bytes = kLargestOutput, .advice = "a shorter output", .stop = stop});
}

/// Returns the last line that a process of ours, or one of several, has printed as an error; empty if there is none.
std::string_view reported_error(std::string_view errors) {
  constexpr std::string_view kMark = "error: ";
  std::string_view found;
  while (!errors.empty()) {
    const std::string_view line = errors.substr(0, errors.find('\n'));
    if (line.starts_with(kMark)) found = line.substr(kMark.size());
    errors.remove_prefix(std::min(line.size() + 1, errors.size()));
  }
  return found;
}

std::string part_of(const ShardJob& job, std::size_t shard) { return fmt::format("{}/part.{}", job.folder, shard); }

/// Returns the command of the sweep with `options` in addition, which continues what it finds in its part.
Words sweep_command(const ShardJob& job, const Words& options) {
  Words words = own_command();
  words.push_back(job.arguments.front());
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--resume", "--quiet"});
  words.insert(words.end(), job.arguments.begin() + 1, job.arguments.end());
  return words;
}

// --- Processes of this machine

/// Runs one shard until it has ended by itself.
void run_local_shard(const ShardJob& job, std::size_t shard, std::size_t shards, int threads) {
  const Words command = sweep_command(job, {"--shard", fmt::format("{}/{}", shard, shards), "-o", part_of(job, shard),
                                            "--threads", std::to_string(threads)});
  for (int tries = 1;; ++tries) {
    try {
      static_cast<void>(run(command, job.stop));
      return;
    } catch (const sim::ProgramFailed& failure) {
      if (!was_killed(failure) || tries == kMostTries) throw;
    }
  }
}

/// Runs shards at the same time, each in a process of its own. The first failure ends all of them.
class LocalProcesses {
 public:
  LocalProcesses(ShardJob job, std::size_t shards) : job_(std::move(job)), shards_(shards), asked_(job_.stop) {
    job_.stop = &stop_;
  }

  void run(std::size_t processes) {
    std::vector<std::jthread> threads;  // one for each process, which waits for it
    threads.reserve(processes);
    try {
      for (std::size_t shard = 0; shard < processes; ++shard) threads.emplace_back([this, shard] { run_shard(shard); });
    } catch (const std::system_error& problem) {
      fail(std::make_exception_ptr(
          OutputError(fmt::format("process {} of {} cannot be started ({}); expected a smaller N in --engine local:N",
                                  threads.size() + 1, processes, problem.code().message()))));
    }
    std::unique_lock lock(mutex_);
    while (ended_ < threads.size()) {
      changed_.wait_for(lock, kStopDelay);
      if (*asked_) stop_ = true;
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void run_shard(std::size_t shard) {
    try {
      run_local_shard(job_, shard, shards_, std::max(1, job_.threads / static_cast<int>(shards_)));
      const std::lock_guard lock(mutex_);
      job_.progress(++done_, shards_);
    } catch (...) {
      fail(std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    ++ended_;
    changed_.notify_one();
  }
  void fail(const std::exception_ptr& failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = failure;
    stop_ = true;
  }

  ShardJob job_;
  std::size_t shards_;
  const std::atomic<bool>* asked_;  ///< set by Ctrl-C
  std::atomic<bool> stop_{false};   ///< ends the processes
  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_;
  std::size_t done_ = 0;
  std::size_t ended_ = 0;
};

// --- MPI: each process learns its shard from mpirun's variables

/// Returns the parts that processes started by a launcher have written next to `output`.
Words parts_beside(const std::string& folder, std::string_view output) {
  Words parts;
  const std::string prefix = std::string(output) + ".part-";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().native().starts_with(prefix)) parts.push_back(entry.path().string());
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

/// Returns the first sentence that mpirun has printed between lines of dashes; empty if there is none.
std::string message_of_mpirun(std::string_view errors) {
  std::string message;
  bool inside = false;
  while (!errors.empty()) {
    const std::string_view line = errors.substr(0, errors.find('\n'));
    const bool is_rule = line.find_first_not_of('-') == std::string_view::npos;  // or an empty line
    if (is_rule && !message.empty()) break;
    if (inside && !is_rule) message += fmt::format("{}{}", message.empty() ? "" : " ", line);
    inside = inside || (is_rule && !line.empty());
    errors.remove_prefix(std::min(line.size() + 1, errors.size()));
  }
  if (message.ends_with(':')) message.pop_back();
  return message;
}

/// Throws the failure of mpirun. Its message is not in the last line.
[[noreturn]] void fail_of_mpirun(const sim::ProgramFailed& failure) {
  const std::string message = message_of_mpirun(failure.end().errors);
  if (message.empty() || !reported_error(failure.end().errors).empty()) throw failure;
  throw OutputError(
      fmt::format("mpirun ended with exit code {}: {}", failure.end().code, shown(message, kLargestOutput)));
}

Words run_mpi(const ShardJob& job, std::size_t shards) {
  constexpr std::string_view kOutput = "sweep.json";
  Words words{"mpirun"};
  if (shards > 0) words.insert(words.end(), {"-n", std::to_string(shards)});
  const Words command = sweep_command(job, {"-o", fmt::format("{}/{}", job.folder, kOutput), "--threads", "1"});
  words.insert(words.end(), command.begin(), command.end());
  for (int tries = 1;; ++tries) {
    try {
      static_cast<void>(run(words, job.stop));
      break;
    } catch (const sim::ProgramFailed& failure) {
      // mpirun ends with 128 and the signal's number if a process was killed.
      constexpr int kBySignal = 128;
      if ((!was_killed(failure) && failure.end().code <= kBySignal) || tries == kMostTries) fail_of_mpirun(failure);
    }
  }
  Words parts = parts_beside(job.folder, kOutput);
  if (parts.empty()) throw OutputError("mpirun started a single process; expected --engine mpi:N with more than one");
  return parts;
}

// --- Slurm: a job array

std::vector<std::size_t> unfinished(const ShardJob& job, std::size_t shards) {
  std::vector<std::size_t> missing;
  std::error_code unknown;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    if (!std::filesystem::exists(fmt::format("{}/done.{}", job.folder, shard), unknown)) missing.push_back(shard);
  }
  return missing;
}

/// A job of Slurm, cancelled on destruction if it has not ended.
class SlurmJob {
 public:
  SlurmJob(const ShardJob& job, const std::vector<std::size_t>& missing, std::size_t shards)
      : job_(job), shards_(shards), last_answer_(Clock::now()) {
    const std::string folder = shell_quoted(job.folder);
    std::string script;
    for (const std::string& word : sweep_command(job, {kShardGoesHere})) {
      script += word == kShardGoesHere
                    ? fmt::format("--shard $shard/{} -o {}/part.$shard --threads ${{SLURM_CPUS_PER_TASK:-1}} ", shards,
                                  folder)
                    : shell_quoted(word) + ' ';
    }
    script = fmt::format("shard=$SLURM_ARRAY_TASK_ID; {}&& : > {}/done.$shard", script, folder);
    std::string tasks;
    for (const std::size_t shard : missing) tasks += fmt::format("{}{}", tasks.empty() ? "" : ",", shard);
    // Not interrupted, because a job whose id is unknown could not be cancelled.
    id_ = ask({"sbatch", "--parsable", "--requeue", "--array=" + tasks, "--job-name=stepsim-sweep",
               fmt::format("--output={}/log.%a", job.folder), "--wrap", script},
              std::chrono::minutes{10});
    id_ = id_.substr(0, id_.find_first_of(";\n"));
  }
  ~SlurmJob() {
    if (!ended_) static_cast<void>(cancel());
  }
  SlurmJob(const SlurmJob&) = delete;
  SlurmJob& operator=(const SlurmJob&) = delete;

  /// Waits until all tasks have ended. Throws if Slurm does not answer for too long, and after Ctrl-C; both cancel the
  /// job.
  void wait() {
    while (!has_ended()) {
      // In short pauses: after Ctrl-C the program has 0.4 s before a timer ends it (stop_without_haste()).
      for (int i = 0; i < kPollsOfStop && !*job_.stop; ++i) std::this_thread::sleep_for(kPoll / kPollsOfStop);
      if (*job_.stop) {
        if (cancel()) throw Interrupted();
        throw ExplainedInterrupt("interrupted; " + how_to_cancel());
      }
      job_.progress(shards_ - unfinished(job_, shards_).size(), shards_);
    }
    ended_ = true;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static std::string ask(const Words& command, std::chrono::minutes time = std::chrono::minutes{1}) {
    return sim::run_program(command, "", {.time = time, .bytes = kLargestOutput, .advice = "an answer of Slurm"});
  }
  [[nodiscard]] bool is_listed() const {
    try {
      return !ask({"squeue", "--noheader", "--jobs=" + id_}).empty();
    } catch (const sim::ProgramFailed& failure) {
      // Slurm forgets a job some minutes after its end.
      if (failure.end().errors.find("Invalid job id") == std::string::npos) throw;
      return false;
    }
  }
  /// Any other failure of squeue says nothing about the job: the controller may be busy ("Socket timed out").
  [[nodiscard]] bool has_ended() {
    try {
      const bool ended = !is_listed();
      last_answer_ = Clock::now();
      return ended;
    } catch (const OutputError& failure) {
      if (unfinished(job_, shards_).empty()) return true;
      if (Clock::now() - last_answer_ < job_.patience) return false;
      const std::string what = cancel() ? fmt::format("Slurm job {} was cancelled", id_) : how_to_cancel();
      throw OutputError(fmt::format("{}; {}, because squeue has failed for {}", failure.what(), what,
                                    to_text(Duration{job_.patience})));
    }
  }

  /// Cancels the job and waits until its tasks no longer write to the folder. Returns false if Slurm did not do it.
  [[nodiscard]] bool cancel() noexcept {
    constexpr int kMostPolls = 40;
    stop_without_haste();
    ended_ = true;  // as far as this object can see to it
    try {
      if (!cancel_with_retries()) return false;
      for (int i = 0; i < kMostPolls && is_listed(); ++i) std::this_thread::sleep_for(kPoll);
    } catch (const std::exception&) {
      // The folder is removed while tasks write to it, which then fail.
    }
    return true;
  }
  [[nodiscard]] bool cancel_with_retries() const {
    for (int tries = 1;; ++tries) {
      try {
        static_cast<void>(ask({"scancel", id_}));
        return true;
      } catch (const OutputError&) {
        if (tries == kMostTries) return false;
      }
      std::this_thread::sleep_for(kPoll);
    }
  }
  [[nodiscard]] std::string how_to_cancel() const {
    return fmt::format("Slurm job {0} may still run, end it with 'scancel {0}'", id_);
  }

  const ShardJob& job_;
  std::size_t shards_;
  std::string id_;
  bool ended_ = false;
  Clock::time_point last_answer_;
};

/// Returns the last line of a task's log; empty if there is none.
std::string last_line_of_log(const ShardJob& job, std::size_t shard) {
  const std::string path = fmt::format("{}/log.{}", job.folder, shard);
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown)) return {};
  std::string text = ingest::read_small_file(path, kLargestOutput).text;
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

void run_slurm(const ShardJob& job, std::size_t shards) {
  for (int tries = 1;; ++tries) {
    SlurmJob array(job, unfinished(job, shards), shards);
    array.wait();
    const std::vector<std::size_t> missing = unfinished(job, shards);
    if (missing.empty()) return;
    const std::string said = last_line_of_log(job, missing.front());
    if (said.starts_with("error: ") || tries == kMostTries) {
      throw OutputError(fmt::format("shard {} of {} did not finish: {}", missing.front(), shards,
                                    said.empty() ? "its log is empty" : shown(said, kLargestOutput)));
    }
  }
}

}  // namespace

Engine parse_engine(std::string_view text) {
  struct Named {
    std::string_view name;
    Engine::Kind kind;
  };
  using Kind = Engine::Kind;
  constexpr std::array kNamed{Named{"local", Kind::kLocal}, Named{"mpi", Kind::kMpi}, Named{"slurm", Kind::kSlurm},
                              Named{"dask", Kind::kDask}};
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  const std::string_view rest = text.substr(std::min(colon + 1, text.size()));
  const auto* const found =
      std::find_if(kNamed.begin(), kNamed.end(), [name](const Named& named) { return named.name == name; });
  const auto refuse = [text](std::string_view expected) {
    throw UsageError(fmt::format("--engine: '{}' is not an engine; expected {}", shown(text, 200), expected));
  };
  if (found == kNamed.end()) refuse(kEngines);
  Engine engine{.kind = found->kind};
  if (engine.kind == Kind::kDask) {
    if (rest.empty()) refuse("the address of a scheduler, such as dask:node1:8786");
    engine.address = rest;
    return engine;
  }
  const auto shards = parse_number<std::size_t>(rest);
  const std::size_t most = engine.kind == Kind::kLocal ? kMostProcesses : kMostShards;
  if (colon < text.size() && (!shards || *shards < 2 || *shards > most))
    refuse(fmt::format("{}:N with N from 2 to {}", name, most));
  if (engine.kind == Kind::kSlurm && !shards) refuse("the number of tasks too, such as slurm:16");
  engine.shards = shards.value_or(0);
  return engine;
}

namespace {

Words parts_of(const Engine& engine, const ShardJob& job) {
  using Kind = Engine::Kind;
  // A single shard would be no part; if there is only one point, it is in the first shard.
  std::size_t shards = std::min(engine.shards, std::max<std::size_t>(2, job.points));
  std::size_t processes = shards;
  switch (engine.kind) {
    case Kind::kMpi: return run_mpi(job, shards);
    case Kind::kDask: {
      // python3 -c and -m put the working folder first on the path, and -P does not exist before Python 3.11.
      constexpr const char* kScript =
          "import sys; sys.path[:1] = [each for each in sys.path[:1] if each != '']; "
          "from stepsim.engines import main; sys.exit(main(*sys.argv[1:]))";
      Words words{"python3", "-c", kScript, engine.address, job.folder};
      words.insert(words.end(), job.arguments.begin(), job.arguments.end());
      static_cast<void>(run(words, job.stop));
      Words parts = parts_beside(job.folder, "dask");
      if (parts.empty()) throw OutputError("the Dask cluster has returned nothing; expected a part for each shard");
      return parts;
    }
    case Kind::kLocal:
      if (shards == 0) shards = std::min(static_cast<std::size_t>(job.threads), job.points);
      shards = std::max<std::size_t>(2, shards);
      processes = std::min(shards, job.points);
      LocalProcesses(job, shards).run(processes);
      break;
    case Kind::kSlurm: run_slurm(job, shards); break;
  }
  Words parts;
  for (std::size_t shard = 0; shard < processes; ++shard) parts.push_back(part_of(job, shard));
  return parts;
}

/// Throws the error that a process of ours has reported, as this process would have. Returns if it has reported none.
void throw_reported(const sim::ProgramEnd& end) {
  const std::string_view reported = reported_error(end.errors);
  if (reported.empty()) return;
  const std::string text = shown(reported, kLargestOutput);
  switch (static_cast<ExitCode>(end.code)) {
    case ExitCode::kUnusable: throw OutputError(text);
    case ExitCode::kWrongUsage: throw UsageError(text);
    case ExitCode::kCannotAnswer: throw CannotAnswer({}, text);
    default: return;
  }
}

}  // namespace

std::vector<std::string> run_shards(const Engine& engine, const ShardJob& job) {
  try {
    return parts_of(engine, job);
  } catch (const sim::ProgramFailed& failure) {
    throw_reported(failure.end());
    throw;
  }
}

}  // namespace stepsim::cli
