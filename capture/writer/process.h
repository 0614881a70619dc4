#ifndef STEPSIM_CAPTURE_WRITER_PROCESS_H
#define STEPSIM_CAPTURE_WRITER_PROCESS_H

#include <sys/types.h>

#include <cstdint>

namespace stepsim::capture {

/// Returns how many calls of fork() lie between the process that loaded this module and this process. Makes no system
/// call, so that each record can afford it.
[[nodiscard]] std::uint32_t forks() noexcept;

/// The process that created the object.
class Owner {
 public:
  Owner() noexcept;
  /// True in the process that created the object, false in its children of fork(). Makes no system call.
  [[nodiscard]] bool is_here() const noexcept { return forks() == forks_; }
  /// Like is_here(), but also false in a child that the system call clone() made. Makes a system call.
  [[nodiscard]] bool is_surely_here() const noexcept;
  [[nodiscard]] ::pid_t pid() const noexcept { return pid_; }

 private:
  std::uint32_t forks_;
  ::pid_t pid_;
};

/// Returns the time since 1970 on the system's clock, in nanoseconds.
[[nodiscard]] std::uint64_t system_now() noexcept;

/// Returns the system's id of the calling thread. Only the first call of each thread makes a system call.
[[nodiscard]] std::uint32_t system_thread() noexcept;

}  // namespace stepsim::capture

#endif
