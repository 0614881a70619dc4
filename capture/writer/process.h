#ifndef STEPSIM_CAPTURE_WRITER_PROCESS_H
#define STEPSIM_CAPTURE_WRITER_PROCESS_H

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

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

/// Creates a file of this process in `directory`, named HOST_PID and `extension`, or HOST_PID-2 and so on if there is
/// one already. `create` creates a file, or returns false and sets errno. Returns the path; nullopt, with errno set, on
/// failure.
[[nodiscard]] std::optional<std::string> create_file_of_process(
    const std::string& directory, std::string_view extension,
    const std::function<bool(const std::string& path)>& create);

}  // namespace stepsim::capture

#endif
