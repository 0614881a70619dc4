#include "cli/capture/attach.h"

#include <fcntl.h>
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

#include "cli/capture/user.h"
#include "cli/program/process.h"
#include "cli/program/terminal.h"
#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/wire/environment.h"
#include "model/wire/request.h"
#include "model/wire/shared_folder.h"

namespace stepsim::cli {

namespace {

namespace fs = std::filesystem;

/// Returns the content of a file in /proc; nothing if it cannot be read.
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

/// A process that waits to be recorded, or may do so.
struct Candidate {
  std::string name;    ///< wire::process_name()
  std::string folder;  ///< of the requests
  ::uid_t user = 0;
};

/// Returns the folder in which a process waits for requests, from the environment that it was started with.
std::optional<std::string> request_folder_from(std::string_view variables) {
  const std::string name = std::string(wire::kIdleVariable) + "=";
  while (!variables.empty()) {
    const std::size_t end = std::min(variables.find('\0'), variables.size());
    const std::string_view one = variables.substr(0, end);
    if (one.starts_with(name) && one.size() > name.size()) return std::string(one.substr(name.size()));
    variables.remove_prefix(std::min(end + 1, variables.size()));
  }
  return std::nullopt;
}

/// Returns the process if it was started to wait for requests and we may know that.
std::optional<Candidate> candidate_of(long process) {
  // The descriptor keeps the user and the environment from being those of two processes, if the number is used again.
  const int pinned = ::open(fmt::format("/proc/{}", process).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (pinned < 0) return std::nullopt;
  const fs::path files = fmt::format("/proc/self/fd/{}", pinned);
  const std::optional<User> user = user_from_status(content_of(files / "status").value_or(""));
  std::optional<std::string> folder = request_folder_from(content_of(files / "environ").value_or(""));
  ::close(pinned);
  if (!user || !folder) return std::nullopt;
  return Candidate{wire::process_name(wire::host_name(), process), std::move(*folder), user->id};
}

/// A file that no process of ours has made, and why.
struct Refused {
  std::string path;
  std::string problem;

  [[nodiscard]] InputError error() const { return {{path, {}, {}}, problem}; }
};

/// What the files of the candidates of our own user say. No other files are read.
struct Idle {
  IdleProcesses processes;
  std::vector<Refused> refused;
};

Idle idle_of_us(const std::vector<Candidate>& candidates) {
  Idle found;
  for (const Candidate& one : candidates) {
    if (one.user != ::geteuid()) continue;
    const fs::path path = idle_file(one.folder, one.name);
    const wire::SmallFile file = wire::read_small_file(path.string(), wire::kLargestReply);
    std::string problem = file.problem;
    if (file.exists && problem.empty() && file.owner != one.user)
      problem = fmt::format("belongs to user {}; expected one of user {}", file.owner, one.user);
    if (!problem.empty()) found.refused.push_back({path.string(), problem});
    if (!file.exists || !problem.empty()) continue;
    if (found.processes.folder.empty()) found.processes.folder = one.folder;
    if (found.processes.folder == one.folder) found.processes.names.push_back(one.name);
  }
  return found;
}

/// Returns the user of a process with its groups, or with those of the user's account if it runs on another host.
User user_of(const Candidate& candidate) {
  const std::optional<long> process = local_process(candidate.name);
  std::optional<User> user;
  if (process) user = user_from_status(content_of(fmt::format("/proc/{}/status", *process)).value_or(""));
  if (!user || user->id != candidate.user) user = user_from_account(candidate.user);
  if (user) return *user;
  throw InputError({candidate.name, {}, {}},
                   fmt::format("its user {} has no account on this host; attach as that user", candidate.user));
}

/// Returns the idle processes among the candidates. Root takes its own, or, if there are none, becomes the user of the
/// others: that user has chosen the folder, and may have put links to other people's files there.
Idle idle_of_one_user(const InputLocation& place, const std::vector<Candidate>& candidates) {
  Idle found = idle_of_us(candidates);
  if (!found.processes.names.empty() || ::geteuid() != 0) return found;
  std::map<::uid_t, Candidate> others;
  for (const Candidate& one : candidates) {
    if (one.user != 0) others.emplace(one.user, one);
  }
  if (others.empty()) return found;
  if (others.size() > 1) {
    std::vector<::uid_t> users;
    users.reserve(others.size());
    for (const auto& [user, one] : others) users.push_back(user);
    throw InputError(place,
                     fmt::format("processes of several users wait to be recorded ({}); attach as one of them, or "
                                 "to one process by its number",
                                 fmt::join(users, ", ")));
  }
  become(user_of(others.begin()->second));
  return idle_of_us(candidates);
}

Idle find_in_family(long process) {
  const InputLocation place{fmt::format("process {}", process), {}, {}};
  if (!is_alive(process)) throw InputError(place, "there is no process with this number on this host");
  const std::string environment = fmt::format("/proc/{}/environ", process);
  if (::access(environment.c_str(), R_OK) != 0)
    throw InputError(place, "it belongs to another user; attach to it as that user or as root");
  std::vector<Candidate> candidates;
  for (const long one : family_of(process)) {
    if (auto candidate = candidate_of(one)) candidates.push_back(std::move(*candidate));
  }
  if (candidates.empty()) {
    throw InputError(place,
                     "it does not wait to be recorded; start it with 'stepsim capture --idle -- COMMAND', or record it "
                     "from its start without --idle");
  }
  Idle found = idle_of_one_user(place, candidates);
  if (!found.processes.names.empty() || !found.refused.empty()) return found;
  const auto cannot_answer = [](const Candidate& one) {
    return one.user == ::geteuid() && ::access(one.folder.c_str(), W_OK | X_OK) != 0;
  };
  if (std::all_of(candidates.begin(), candidates.end(), cannot_answer)) {
    throw InputError({candidates.front().folder, {}, {}},
                     fmt::format("user {}, who runs process {}, cannot write to this folder, which its start named; "
                                 "start it with another --dir",
                                 candidates.front().user, process));
  }
  throw InputError(place, "it has not used CUDA yet, or is being recorded by another 'stepsim capture --attach'");
}

Idle find_in_folder(const std::string& target) {
  const std::string folder = absolute_folder(target);
  std::error_code problem;
  std::vector<Candidate> candidates;
  std::vector<Refused> refused;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    if (at->path().extension() != wire::kIdleExtension) continue;
    std::string name = at->path().stem().string();
    struct stat status {};
    if (has_died(name) || ::lstat(at->path().c_str(), &status) != 0) continue;
    if (S_ISREG(status.st_mode)) {
      candidates.push_back({std::move(name), folder, status.st_uid});
    } else {
      refused.push_back({at->path().string(), "is not a regular file, so no process made it"});
    }
  }
  if (problem) throw InputError({target, {}, {}}, problem.message());
  std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  Idle found = idle_of_one_user({target, {}, {}}, candidates);
  for (const Candidate& one : candidates) {
    if (one.user == ::geteuid()) continue;
    refused.push_back(
        {idle_file(folder, one.name).string(), fmt::format("belongs to user {}; attach as that user", one.user)});
  }
  found.refused.insert(found.refused.end(), refused.begin(), refused.end());
  if (!found.processes.names.empty() || !found.refused.empty()) return found;
  throw InputError({target, {}, {}},
                   "no process waits here to be recorded; start the program with 'stepsim capture --idle --dir FOLDER "
                   "-- COMMAND', and attach when it uses CUDA");
}

std::string request_path(const std::string& folder) { return (fs::path(folder) / wire::kRequestFile).string(); }

/// Replaces the request in the folder. Throws InputError.
void write_request(const std::string& folder, const wire::Request& request) {
  if (wire::replace_file(request_path(folder), wire::to_text(request), 0644)) return;
  throw InputError({folder, {}, {}},
                   fmt::format("the request cannot be written to this folder: {}", std::strerror(errno)));
}

/// Removes the request, unless another one has replaced it.
void remove_request(const std::string& folder, const std::string& run) {
  const std::string path = request_path(folder);
  const auto request = wire::request_from_text(wire::read_small_file(path, wire::kLargestRequest).text);
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
      const wire::SmallFile file = wire::read_small_file(idle_file(folder_, name).string(), wire::kLargestReply);
      const wire::Reply reply = wire::reply_from_text(file.text);
      if (reply.run == run_) {
        began_ = began_ || reply.problem.empty();
        if (!reply.problem.empty()) problems_.push_back(fmt::format("{}: {}", name, reply.problem));
        state = State::kEnded;
      } else if (has_died(name)) {
        state = State::kEnded;
      } else if (!file.problem.empty()) {
        problems_.push_back(fmt::format("{}{} {}", name, wire::kIdleExtension, file.problem));
        state = State::kEnded;
      } else if (!file.exists) {
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
  Idle found = process && *process > 0 ? find_in_family(*process) : find_in_folder(target);
  if (found.processes.names.empty()) throw found.refused.front().error();
  for (const Refused& one : found.refused) write_error(fmt::format("stepsim: warning: {}\n", one.error().what()));
  return std::move(found.processes);
}

std::string new_attach_folder(const std::string& folder) {
  for (int number = 1;; ++number) {
    std::string path = fmt::format("{}/attach-{}", folder, number);
    if (wire::create_folder(path, 0777)) return path;
    if (errno != EEXIST)
      throw InputError({path, {}, {}}, fmt::format("this folder cannot be created: {}", std::strerror(errno)));
  }
}

void record_idle(const IdleProcesses& processes, const CapturePlan& plan, const std::string& run, bool quiet,
                 const std::atomic<bool>& stop) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPause{50};
  constexpr std::size_t kLongestProblem = 1000;
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
    throw InputError({processes.folder, {}, {}}, shown(waiting.problems().front(), kLongestProblem));
  for (const std::string& problem : waiting.problems())
    write_error(fmt::format("stepsim: warning: {}\n", shown(problem, kLongestProblem)));
}

}  // namespace stepsim::cli
