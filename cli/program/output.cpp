#include "cli/program/output.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "model/base/error.h"

namespace stepsim::cli {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      throw OutputError(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
    }
  }
}

}  // namespace

void Output::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) {
    flush();
  }
}

void Output::flush() {
  const std::string ready = std::move(buffer_);
  buffer_.clear();
  write_all(STDOUT_FILENO, ready);
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
  try {
    write_all(STDERR_FILENO, text);
  } catch (...) {
    // Standard error is gone; the exit code is all that is left.
  }
}

}  // namespace stepsim::cli
