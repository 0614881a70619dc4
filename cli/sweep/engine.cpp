#include "cli/sweep/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/program/error.h"
#include "cli/program/process.h"
#include "cli/program/provenance.h"
#include "cli/sweep/part.h"
#include "ingest/bytes/input.h"
#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "sim/output/run_program.h"

namespace stepsim::cli {
namespace {

using Words = std::vector<std::string>;

constexpr int kMostTries = 3;
constexpr std::size_t kLargestOutput = std::size_t{1} << 20U;
constexpr const char* kShardGoesHere = "\n";  ///< no word of a command line
constexpr auto kPoll = std::chrono::milliseconds{500};
constexpr int kPollsOfStop = 10;

constexpr std::string_view kEngines =
    "local, mpi, slurm:16 or dask:ADDRESS, where a number is how many processes share the points";

/// True if the program was killed: it may finish if it is run again.
bool was_killed(const sim::ProgramFailed& failure) { return failure.end().signal != 0; }

std::string run(const Words& command, const ShardJob& job) {
  return sim::run_program(
      command, "",
      {.time = std::chrono::hours{24 * 365}, .bytes = kLargestOutput, .advice = "a shorter output", .stop = job.stop});
}

std::string part_of(const ShardJob& job, std::size_t shard) { return fmt::format("{}/part.{}", job.folder, shard); }

/// Returns the command of the sweep with `options` in addition, which continues what it finds in its part.
Words sweep_command(const ShardJob& job, const Words& options) {
  Words words{own_program(), job.arguments.front()};
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
      static_cast<void>(run(command, job));
      return;
    } catch (const sim::ProgramFailed& failure) {
      if (!was_killed(failure) || tries == kMostTries) throw;
    }
  }
}

void run_local(const ShardJob& job, std::size_t shards) {
  const int threads = std::max(1, job.threads / static_cast<int>(shards));
  std::mutex mutex;
  std::exception_ptr first_failure;
  std::size_t done = 0;
  const auto work = [&](std::size_t shard) {
    try {
      run_local_shard(job, shard, shards, threads);
      const std::lock_guard lock(mutex);
      job.progress(++done, shards);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first_failure) first_failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> processes;
    processes.reserve(shards);
    for (std::size_t shard = 0; shard < shards; ++shard) processes.emplace_back(work, shard);
  }
  if (first_failure) std::rethrow_exception(first_failure);
}

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

Words run_mpi(const ShardJob& job, std::size_t shards) {
  constexpr std::string_view kOutput = "sweep.json";
  Words words{"mpirun"};
  if (shards > 0) words.insert(words.end(), {"-n", std::to_string(shards)});
  const Words command = sweep_command(job, {"-o", fmt::format("{}/{}", job.folder, kOutput), "--threads", "1"});
  words.insert(words.end(), command.begin(), command.end());
  for (int tries = 1;; ++tries) {
    try {
      static_cast<void>(run(words, job));
      break;
    } catch (const sim::ProgramFailed& failure) {
      // mpirun ends with 128 and the signal's number if a process was killed.
      constexpr int kBySignal = 128;
      if ((!was_killed(failure) && failure.end().code <= kBySignal) || tries == kMostTries) throw;
    }
  }
  Words parts = parts_beside(job.folder, kOutput);
  if (parts.empty()) throw OutputError("mpirun started a single process; expected --engine mpi:N with more than one");
  return parts;
}

// --- Slurm: a job array

/// A job of Slurm, cancelled on destruction if it has not ended.
class SlurmJob {
 public:
  SlurmJob(const ShardJob& job, const std::vector<std::size_t>& missing, std::size_t shards) : job_(job) {
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
    id_ = run({"sbatch", "--parsable", "--requeue", "--array=" + tasks, "--job-name=stepsim-sweep",
               fmt::format("--output={}/log.%a", job.folder), "--wrap", script},
              job);
    id_ = id_.substr(0, id_.find_first_of(";\n"));
  }
  ~SlurmJob() {
    if (!ended_) cancel();
  }
  SlurmJob(const SlurmJob&) = delete;
  SlurmJob& operator=(const SlurmJob&) = delete;

  [[nodiscard]] bool has_ended() {
    try {
      ended_ = run({"squeue", "--noheader", "--jobs=" + id_}, job_).empty();
    } catch (const sim::ProgramFailed&) {
      ended_ = true;  // Slurm has forgotten the job
    }
    return ended_;
  }

 private:
  /// Cancels the job and waits until its tasks no longer write to the folder.
  void cancel() const noexcept {
    constexpr sim::ProgramLimits kLimits{
        .time = std::chrono::seconds{10}, .bytes = kLargestOutput, .advice = "an answer of Slurm"};
    constexpr int kMostPolls = 40;
    stop_without_haste();
    try {
      static_cast<void>(sim::run_program({"scancel", id_}, "", kLimits));
      for (int i = 0; i < kMostPolls; ++i) {
        if (sim::run_program({"squeue", "--noheader", "--jobs=" + id_}, "", kLimits).empty()) return;
        std::this_thread::sleep_for(kPoll);
      }
    } catch (const std::exception&) {
      // The job may have ended in the meantime.
    }
  }

  const ShardJob& job_;
  std::string id_;
  bool ended_ = false;
};

std::vector<std::size_t> unfinished(const ShardJob& job, std::size_t shards) {
  std::vector<std::size_t> missing;
  std::error_code unknown;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    if (!std::filesystem::exists(fmt::format("{}/done.{}", job.folder, shard), unknown)) missing.push_back(shard);
  }
  return missing;
}

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
    while (!array.has_ended()) {
      // In short pauses: after Ctrl-C the program has 0.4 s before a timer ends it (stop_without_haste()).
      for (int i = 0; i < kPollsOfStop && !*job.stop; ++i) std::this_thread::sleep_for(kPoll / kPollsOfStop);
      if (*job.stop) throw Interrupted();
      job.progress(shards - unfinished(job, shards).size(), shards);
    }
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
  if (colon < text.size() && (!shards || *shards < 2 || *shards > kMostShards))
    refuse(fmt::format("{}:N with N from 2 to {}", name, kMostShards));
  if (engine.kind == Kind::kSlurm && !shards) refuse("the number of tasks too, such as slurm:16");
  engine.shards = shards.value_or(0);
  return engine;
}

namespace {

Words parts_of(const Engine& engine, const ShardJob& job) {
  using Kind = Engine::Kind;
  std::size_t shards = engine.shards;
  switch (engine.kind) {
    case Kind::kMpi: return run_mpi(job, shards);
    case Kind::kDask: {
      Words words{"python3", "-m", "stepsim.engines", engine.address, job.folder};
      words.insert(words.end(), job.arguments.begin(), job.arguments.end());
      static_cast<void>(run(words, job));
      Words parts = parts_beside(job.folder, "dask");
      if (parts.empty()) throw OutputError("the Dask cluster has returned nothing; expected a part for each shard");
      return parts;
    }
    case Kind::kLocal:
      shards = std::max<std::size_t>(2, shards > 0 ? shards : static_cast<std::size_t>(job.threads));
      run_local(job, shards);
      break;
    case Kind::kSlurm: run_slurm(job, shards); break;
  }
  Words parts;
  for (std::size_t shard = 0; shard < shards; ++shard) parts.push_back(part_of(job, shard));
  return parts;
}

/// Throws the error that a process of ours has reported, as this process would have. Returns if it has reported none.
void throw_reported(const sim::ProgramEnd& end) {
  constexpr std::string_view kMark = "error: ";
  const std::string last_line = end.errors.substr(end.errors.rfind('\n') + 1);
  if (!last_line.starts_with(kMark)) return;
  const std::string text = shown(std::string_view(last_line).substr(kMark.size()), kLargestOutput);
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
