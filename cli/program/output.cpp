#include "cli/program/output.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/program/last_resort.h"
#include "model/base/error.h"

namespace stepsim::cli {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;

/// Returns 0, or why the system takes no more.
[[nodiscard]] int write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

void Output::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) {
    flush();
  }
}

void Output::flush() {
  refuse_what_memory_cut();
  const std::string ready = std::move(buffer_);
  buffer_.clear();
  const int problem = write_all(STDOUT_FILENO, ready);
  if (problem != 0) throw OutputError(fmt::format("standard output: cannot write: {}", std::strerror(problem)));
}

void reserve_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
      // Read only, so that writing to it still fails. The lowest free descriptor is this one.
      [[maybe_unused]] const int reserved = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
  }
}

void write_error(std::string_view text) noexcept {
  // If standard error is gone, the exit code is all that is left.
  static_cast<void>(write_all(STDERR_FILENO, text));
}

}  // namespace stepsim::cli
