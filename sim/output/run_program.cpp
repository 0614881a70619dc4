#include "sim/output/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "model/base/error.h"
#include "model/base/text.h"

extern char** environ;

namespace stepsim::sim {
namespace {

/// Closes what it holds.
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

/// What a started program is given as its standard streams.
class Streams {
 public:
  Streams(int input, int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  ~Streams() { ::posix_spawn_file_actions_destroy(&actions_); }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const noexcept { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

[[noreturn]] void fail(const std::string& program, int error_number) {
  throw OutputError(fmt::format("{} cannot be run: {}", shown(program), std::generic_category().message(error_number)));
}

/// A file in memory that holds `input`, at its begin. So a program that writes before it has read all cannot block.
int file_with(std::string_view input, const std::string& program) {
  const int file = ::memfd_create("stepsim-input", MFD_CLOEXEC);
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

std::string read_all(int descriptor, const std::string& program) {
  constexpr std::size_t kBlock = 1U << 16U;
  std::string text;
  std::string block(kBlock, '\0');
  for (;;) {
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) fail(program, errno);
    if (got > 0) text.append(block, 0, static_cast<std::size_t>(got));
  }
}

void wait_for(pid_t process, const std::string& program) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) fail(program, errno);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw OutputError(fmt::format("{} ended with {}; expected it to do its work", shown(program),
                                WIFEXITED(status) ? fmt::format("exit code {}", WEXITSTATUS(status))
                                                  : fmt::format("signal {}", WTERMSIG(status))));
}

}  // namespace

bool has_program(const std::string& name) {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets variables
  std::string_view rest = path == nullptr ? std::string_view{} : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0 && ::access(fmt::format("{}/{}", rest.substr(0, end), name).c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::string run_program(const std::vector<std::string>& command, std::string_view input) {
  const std::string& program = command.front();
  const Descriptor file{file_with(input, program)};
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(program, errno);
  const Descriptor out{ends[0]};
  Descriptor in{ends[1]};
  const Streams streams{file.number(), in.number()};
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));  // NOLINT: as exec wants it
  words.push_back(nullptr);
  pid_t process = 0;
  if (const int error = ::posix_spawnp(&process, program.c_str(), streams.actions(), nullptr, words.data(), environ))
    fail(program, error);
  in.close();  // else the program's end would not be the end of the pipe
  std::string text = read_all(out.number(), program);
  wait_for(process, program);
  return text;
}

}  // namespace stepsim::sim
