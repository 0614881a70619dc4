#include "sim/output/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/base/units.h"

namespace stepsim::sim {
namespace {

/// Closes its descriptor on destruction.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const noexcept { return number_; }
  void close() noexcept {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

[[noreturn]] void fail(const std::string& program, int error_number) {
  throw OutputError(fmt::format("{} cannot be run: {}", shown(program), std::generic_category().message(error_number)));
}

/// Returns a memory file with `input`, positioned at its begin. Unlike a pipe, it cannot block a program that writes
/// before it has read everything.
int file_with(std::string_view input, const std::string& program) {
  const int file = ::memfd_create("stepsim", MFD_CLOEXEC);
  if (file < 0) fail(program, errno);
  while (!input.empty()) {
    const ssize_t written = ::write(file, input.data(), input.size());
    if (written < 0 && errno != EINTR) {
      const int error_number = errno;
      ::close(file);
      fail(program, error_number);
    }
    if (written > 0) input.remove_prefix(static_cast<std::size_t>(written));
  }
  ::lseek(file, 0, SEEK_SET);
  return file;
}

/// Returns the end of a memory file, without empty lines behind it.
std::string end_of(int file) {
  constexpr ::off_t kMost = 16'000;
  const ::off_t size = ::lseek(file, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::clamp<::off_t>(size, 0, kMost)), '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), size - static_cast<::off_t>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

/// Returns the file that a shell would run for this name; empty if there is none.
std::string path_of_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): no thread changes variables
  std::string_view rest = path == nullptr ? std::string_view{} : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::string file = fmt::format("{}/{}", rest.substr(0, end), name);
    if (end > 0 && ::access(file.c_str(), X_OK) == 0) return file;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

/// A limit on processor time for a new process; without one if `seconds` is 0.
struct ProcessorLimit {
  rlim_t seconds = 0;
  rlimit values{};
};

/// Returns the limit for a new process. It is smaller than `wanted` if this process has a smaller one (ulimit -t).
ProcessorLimit processor_limit(std::chrono::seconds wanted) {
  constexpr rlim_t kGrace = 5;  // then a program that ignores SIGXCPU is killed
  ProcessorLimit limit;
  if (wanted.count() == 0 || ::getrlimit(RLIMIT_CPU, &limit.values) != 0) return limit;
  limit.seconds = std::min(static_cast<rlim_t>(wanted.count()), limit.values.rlim_cur);
  limit.values = {.rlim_cur = limit.seconds, .rlim_max = std::min(limit.seconds + kGrace, limit.values.rlim_max)};
  return limit;
}

/// Makes SIGXCPU end this process after the limit. It would also dump core into the working folder.
void apply(const ProcessorLimit& limit) {
  constexpr rlimit kNoCore{};
  if (limit.seconds == 0) return;
  ::signal(SIGXCPU, SIG_DFL);
  ::setrlimit(RLIMIT_CORE, &kNoCore);
  ::setrlimit(RLIMIT_CPU, &limit.values);
}

/// The descriptors of a new process.
struct Streams {
  int input;
  int output;
  int errors;
};

/// Runs in the new process after fork(), so it makes only async-signal-safe calls. posix_spawn() is not used, because
/// it cannot request a signal for the parent's death.
[[noreturn]] void become(const char* file, char* const* words, const Streams& streams, const ProcessorLimit& limit,
                         pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  apply(limit);
  const bool ready = ::getppid() == parent && ::dup2(streams.input, STDIN_FILENO) >= 0 &&
                     ::dup2(streams.output, STDOUT_FILENO) >= 0 && ::dup2(streams.errors, STDERR_FILENO) >= 0;
  if (ready) ::execve(file, words, environ);
  constexpr int kNotRunnable = 126;
  ::_exit(kNotRunnable);
}

[[noreturn]] void fail_to_fork(const std::string& program, int error_number) {
  if (error_number != EAGAIN) fail(program, error_number);
  throw OutputError(
      fmt::format("{} cannot be started, because the system allows no more processes (ulimit -u); end some, or start "
                  "fewer",
                  shown(program)));
}

[[noreturn]] void refuse(const std::string& program, std::string_view problem, const ProgramLimits& limits) {
  throw OutputError(fmt::format("{} {}; expected {}", shown(program), problem, limits.advice));
}

/// A program in its own process group; killed on destruction if it has not ended.
class Child {
 public:
  /// Precondition: `limits` and the descriptors live as long as the child.
  Child(const std::vector<std::string>& command, const Streams& streams, const ProgramLimits& limits)
      : name_(command.front()),
        limits_(limits),
        limit_(processor_limit(limits.processor_time)),
        errors_(streams.errors) {
    const std::string file = path_of_program(name_);
    if (file.empty()) fail(name_, ENOENT);
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    // exec takes pointers to non-const characters.
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ == 0) become(file.c_str(), words.data(), streams, limit_, parent);
    if (process_ < 0) fail_to_fork(name_, errno);
    ::setpgid(process_, process_);  // the child does this too, because either may run first
  }
  ~Child() {
    if (process_ <= 0) return;
    ::kill(-process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Returns true if the program has exited with status 0. Throws if it ended in any other way.
  bool is_done() {
    int status = 0;
    const pid_t ended = ::waitpid(process_, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
    process_ = 0;
    if (ended < 0) fail(name_, errno);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    throw_failure(WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFEXITED(status) ? 0 : WTERMSIG(status));
  }

 private:
  [[noreturn]] void throw_failure(int code, int signal) const {
    constexpr std::size_t kLongestLine = 1000;
    constexpr int kByShell = 128;  // what a shell adds to the signal that killed its program
    if (limit_.seconds > 0 && (signal == SIGXCPU || code == kByShell + SIGXCPU))
      refuse(name_, fmt::format("used more than {} s of processor time", limit_.seconds), limits_);
    const std::string how = signal == 0 ? fmt::format("exit code {}", code) : fmt::format("signal {}", signal);
    const std::string errors = end_of(errors_);
    const std::string said = errors.substr(errors.rfind('\n') + 1);
    const std::string why = said.empty() ? "; expected it to do its work" : ": " + shown(said, kLongestLine);
    throw ProgramFailed(fmt::format("{} ended with {}{}", shown(name_), how, why), {code, signal, errors});
  }

  std::string name_;
  const ProgramLimits& limits_;
  ProcessorLimit limit_;
  int errors_;
  pid_t process_ = 0;
};

/// Waits for a program and enforces its limits.
class Watch {
 public:
  Watch(const std::string& program, const ProgramLimits& limits)
      : program_(program), limits_(limits), end_(std::chrono::steady_clock::now() + limits.time) {}

  /// Reads from the pipe `descriptor` until its end.
  [[nodiscard]] std::string read_all(int descriptor) const {
    constexpr std::size_t kBlock = 1U << 16U;
    std::string text;
    std::string block(kBlock, '\0');
    for (;;) {
      if (!wait(descriptor)) continue;
      const ssize_t got = ::read(descriptor, block.data(), block.size());
      if (got == 0) return text;
      if (got < 0 && errno != EINTR) fail(program_, errno);
      if (got > 0) text.append(block, 0, static_cast<std::size_t>(got));
      const Bytes most{static_cast<std::int64_t>(limits_.bytes)};
      if (text.size() > limits_.bytes)
        refuse(program_, fmt::format("wrote more than {}", stepsim::to_text(most)), limits_);
    }
  }
  void wait_for_end(Child& child) const {
    while (!child.is_done()) static_cast<void>(wait(-1));
  }

 private:
  /// Waits up to 20 ms for read() not to block; returns true if it would not.
  [[nodiscard]] bool wait(int descriptor) const {
    constexpr int kMilliseconds = 20;
    pollfd what{.fd = descriptor, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&what, 1, kMilliseconds);
    if (limits_.stop != nullptr && *limits_.stop) throw Interrupted();
    if (std::chrono::steady_clock::now() > end_)
      refuse(program_, fmt::format("did not end within {}", stepsim::to_text(Duration{limits_.time})), limits_);
    return ready > 0;
  }

  const std::string& program_;
  const ProgramLimits& limits_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace

bool has_program(const std::string& name) { return !path_of_program(name).empty(); }

std::string run_program(const std::vector<std::string>& command, std::string_view input, const ProgramLimits& limits) {
  const std::string& program = command.front();
  const Descriptor file{file_with(input, program)};
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(program, errno);
  const Descriptor out{ends[0]};
  Descriptor in{ends[1]};
  const Watch watch(program, limits);
  const Descriptor errors{file_with("", program)};
  Child child(command, {.input = file.number(), .output = in.number(), .errors = errors.number()}, limits);
  in.close();  // otherwise the pipe would stay open after the program has ended
  std::string text = watch.read_all(out.number());
  watch.wait_for_end(child);
  return text;
}

}  // namespace stepsim::sim
