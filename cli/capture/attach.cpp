#include "cli/capture/attach.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "cli/program/process.h"
#include "cli/program/terminal.h"
#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/wire/environment.h"
#include "model/wire/request.h"

namespace stepsim::cli {

namespace {

namespace fs = std::filesystem;

/// Returns the content of a small file; nothing if it cannot be read.
std::optional<std::string> content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

bool is_alive(long process) { return ::kill(static_cast<::pid_t>(process), 0) == 0 || errno == EPERM; }

/// Returns the id of a process of this host; nothing if it is of another host.
std::optional<long> local_process(std::string_view name) {
  const std::size_t dash = name.rfind('_');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto process = parse_number<long>(name.substr(dash + 1));
  return process && name == wire::process_name(wire::host_name(), *process) ? process : std::nullopt;
}

bool has_died(const std::string& name) {
  const std::optional<long> process = local_process(name);
  return process && !is_alive(*process);
}

fs::path idle_file(const std::string& folder, const std::string& name) {
  return fs::path(folder) / (name + wire::kIdleExtension);
}

/// Returns the parent of each process of this host.
std::map<long, long> parents() {
  std::map<long, long> found;
  std::error_code problem;
  for (fs::directory_iterator at("/proc", problem), end; !problem && at != end; at.increment(problem)) {
    const auto process = parse_number<long>(at->path().filename().string());
    const std::optional<std::string> stat = process ? content_of(at->path() / "stat") : std::nullopt;
    if (!stat) continue;
    // "4711 (the name) S 4710 ...": the name may contain anything.
    const std::string_view rest = std::string_view(*stat).substr(std::min(stat->rfind(')'), stat->size() - 1) + 1);
    constexpr std::size_t kBeforeParent = 3;  // " S "
    if (rest.size() <= kBeforeParent) continue;
    const std::string_view parent = rest.substr(kBeforeParent, rest.find(' ', kBeforeParent) - kBeforeParent);
    found[*process] = parse_number<long>(parent).value_or(0);
  }
  return found;
}

/// Returns a process and all its descendants.
std::vector<long> family_of(long process) {
  const std::map<long, long> parent_of = parents();
  std::vector<long> family{process};
  for (std::size_t i = 0; i < family.size(); ++i) {
    for (const auto& [child, parent] : parent_of) {
      if (parent == family[i] && child != parent) family.push_back(child);
    }
  }
  return family;
}

/// Returns the folder in which the process waits for requests, from the environment that it was started with.
std::optional<std::string> request_folder_of(long process) {
  const std::string variables = content_of(fmt::format("/proc/{}/environ", process)).value_or("");
  const std::string name = std::string(wire::kIdleVariable) + "=";
  for (std::size_t at = 0; at < variables.size();) {
    const std::size_t end = std::min(variables.find('\0', at), variables.size());
    const std::string_view one = std::string_view(variables).substr(at, end - at);
    if (one.starts_with(name) && one.size() > name.size()) return std::string(one.substr(name.size()));
    at = end + 1;
  }
  return std::nullopt;
}

IdleProcesses find_in_family(long process) {
  const InputLocation place{fmt::format("process {}", process), {}, {}};
  if (!is_alive(process)) throw InputError(place, "there is no process with this number on this host");
  const std::string environment = fmt::format("/proc/{}/environ", process);
  if (::access(environment.c_str(), R_OK) != 0)
    throw InputError(place, "it belongs to another user; attach to it as that user or as root");
  IdleProcesses found;
  bool starts_idle = false;
  for (const long one : family_of(process)) {
    const std::optional<std::string> folder = request_folder_of(one);
    if (!folder) continue;
    starts_idle = true;
    std::string name = wire::process_name(wire::host_name(), one);
    if (!fs::exists(idle_file(*folder, name))) continue;
    if (found.folder.empty()) found.folder = *folder;
    if (found.folder == *folder) found.names.push_back(std::move(name));
  }
  if (!found.names.empty()) return found;
  if (!starts_idle) {
    throw InputError(place,
                     "it does not wait to be recorded; start it with 'stepsim capture --idle -- COMMAND', or record it "
                     "from its start without --idle");
  }
  throw InputError(place, "it has not used CUDA yet, or is being recorded by another 'stepsim capture --attach'");
}

IdleProcesses find_in_folder(const std::string& folder) {
  std::error_code problem;
  IdleProcesses found{.folder = fs::absolute(folder, problem).lexically_normal().string(), .names = {}};
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    if (at->path().extension() != wire::kIdleExtension) continue;
    std::string name = at->path().stem().string();
    if (!has_died(name)) found.names.push_back(std::move(name));
  }
  if (problem) throw InputError({folder, {}, {}}, problem.message());
  std::sort(found.names.begin(), found.names.end());
  if (!found.names.empty()) return found;
  throw InputError({folder, {}, {}},
                   "no process waits here to be recorded; start the program with 'stepsim capture --idle --dir FOLDER "
                   "-- COMMAND', and attach when it uses CUDA");
}

/// Replaces the request in the folder. Throws InputError.
void write_request(const std::string& folder, const wire::Request& request) {
  const fs::path path = fs::path(folder) / wire::kRequestFile;
  const std::string temporary = fmt::format("{}.{}.tmp", path.string(), ::getpid());
  const std::string text = wire::to_text(request);
  errno = 0;
  std::ofstream file(temporary, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file && ::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int problem = errno;
  ::unlink(temporary.c_str());
  throw InputError({folder, {}, {}},
                   fmt::format("the request cannot be written to this folder: {}", std::strerror(problem)));
}

/// Removes the request, unless another one has replaced it.
void remove_request(const std::string& folder, const std::string& run) {
  const fs::path path = fs::path(folder) / wire::kRequestFile;
  const auto request = wire::request_from_text(content_of(path).value_or(""));
  if (request && request->run == run) ::unlink(path.c_str());
}

/// A request and what the processes have answered so far.
class Waiting {
 public:
  Waiting(const IdleProcesses& processes, std::string run) : folder_(processes.folder), run_(std::move(run)) {
    for (const std::string& name : processes.names) states_[name] = State::kAsked;
  }

  void look() {
    for (auto& [name, state] : states_) {
      if (state == State::kEnded) continue;
      const std::optional<std::string> text = content_of(idle_file(folder_, name));
      const wire::Reply reply = wire::reply_from_text(text.value_or(""));
      if (text && reply.run == run_) {
        began_ = began_ || reply.problem.empty();
        if (!reply.problem.empty()) problems_.push_back(fmt::format("{}: {}", name, reply.problem));
        state = State::kEnded;
      } else if (has_died(name)) {
        state = State::kEnded;
      } else if (!text) {
        state = State::kRecording;
        began_ = true;
      }
    }
  }
  [[nodiscard]] std::vector<std::string> in_state_asked() const { return names_in(State::kAsked); }
  [[nodiscard]] std::vector<std::string> in_state_recording() const { return names_in(State::kRecording); }
  [[nodiscard]] bool is_over() const { return in_state_asked().empty() && in_state_recording().empty(); }
  /// True if at least one process has begun to record.
  [[nodiscard]] bool began() const noexcept { return began_; }
  [[nodiscard]] const std::vector<std::string>& problems() const noexcept { return problems_; }

  /// Waits no longer for these processes.
  void leave(const std::vector<std::string>& names, std::string_view why) {
    for (const std::string& name : names) {
      states_[name] = State::kEnded;
      problems_.push_back(fmt::format("{} {}", name, why));
    }
  }

 private:
  enum class State : std::uint8_t { kAsked, kRecording, kEnded };
  [[nodiscard]] std::vector<std::string> names_in(State wanted) const {
    std::vector<std::string> names;
    for (const auto& [name, state] : states_) {
      if (state == wanted) names.push_back(name);
    }
    return names;
  }

  std::string folder_;
  std::string run_;
  std::map<std::string, State> states_;
  std::vector<std::string> problems_;
  bool began_ = false;
};

}  // namespace

IdleProcesses find_idle(const std::string& target) {
  const auto process = parse_number<long>(target);
  return process && *process > 0 ? find_in_family(*process) : find_in_folder(target);
}

std::string new_attach_folder(const std::string& folder) {
  for (int number = 1;; ++number) {
    std::string path = fmt::format("{}/attach-{}", folder, number);
    if (::mkdir(path.c_str(), 0777) == 0) return path;
    if (errno != EEXIST)
      throw InputError({path, {}, {}}, fmt::format("this folder cannot be created: {}", std::strerror(errno)));
  }
}

void record_idle(const IdleProcesses& processes, const CapturePlan& plan, const std::string& run, bool quiet,
                 const std::atomic<bool>& stop) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPause{50};
  constexpr std::chrono::seconds kLongestAnswer{30};
  constexpr std::chrono::seconds kLongestStop{90};  // a process may end a step of 60 s first
  const std::string stop_run = run + "-stop";
  Waiting waiting(processes, run);
  write_request(processes.folder,
                {.run = run, .processes = processes.names, .variables = request_variables(plan, run)});
  const auto asked = Clock::now();
  std::optional<Clock::time_point> stopped;
  bool told = quiet;
  for (waiting.look(); !waiting.is_over(); waiting.look()) {
    if (!std::exchange(told, told || waiting.began()) && told)
      write_error(fmt::format("stepsim: recording into {}; Ctrl-C ends it\n", shown(plan.directory)));
    if (stop && !stopped) {
      stop_without_haste();
      stopped = Clock::now();
      write_request(processes.folder, {.run = stop_run, .processes = processes.names, .stop = true, .variables = {}});
    }
    if (Clock::now() - asked > kLongestAnswer)
      waiting.leave(waiting.in_state_asked(), "did not answer within 30 s: it is stopped or cannot read the folder");
    if (stopped) waiting.leave(waiting.in_state_asked(), "had not begun to record");
    if (stopped && Clock::now() - *stopped > kLongestStop)
      waiting.leave(waiting.in_state_recording(), "did not end its recording within 90 s");
    std::this_thread::sleep_for(kPause);
  }
  for (const std::string& one : {run, stop_run}) remove_request(processes.folder, one);
  if (!waiting.began() && !waiting.problems().empty())
    throw InputError({processes.folder, {}, {}}, waiting.problems().front());
  for (const std::string& problem : waiting.problems())
    write_error(fmt::format("stepsim: warning: {}\n", shown(problem, 1000)));
}

}  // namespace stepsim::cli
