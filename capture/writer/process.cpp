#include "capture/writer/process.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>

#include "model/wire/request.h"

namespace stepsim::capture {

namespace {

std::atomic<std::uint32_t> fork_count{0};

void count_fork() noexcept { fork_count.fetch_add(1, std::memory_order_relaxed); }

[[maybe_unused]] const int kWatched = ::pthread_atfork(nullptr, nullptr, count_fork);

/// The id of a thread and the process that it was found in, because fork() changes it.
struct KnownThread {
  std::uint32_t id = 0;  ///< 0 = not known
  std::uint32_t forks = 0;
};
thread_local KnownThread this_thread;

}  // namespace

std::uint32_t forks() noexcept { return fork_count.load(std::memory_order_relaxed); }

Owner::Owner() noexcept : forks_(forks()), pid_(::getpid()) {}

bool Owner::is_surely_here() const noexcept { return is_here() && ::getpid() == pid_; }

std::uint64_t system_now() noexcept {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since_1970).count());
}

std::uint32_t system_thread() noexcept {
  if (this_thread.id == 0 || this_thread.forks != forks())
    this_thread = {static_cast<std::uint32_t>(::gettid()), forks()};
  return this_thread.id;
}

std::optional<std::string> create_file_of_process(const std::string& directory, std::string_view extension,
                                                  const std::function<bool(const std::string& path)>& create) {
  constexpr int kMostNames = 100;
  const std::string base = directory + "/" + wire::process_name(wire::host_name(), ::getpid());
  for (int i = 1; i <= kMostNames; ++i) {
    std::string path = base;
    if (i > 1) path.append("-").append(std::to_string(i));
    path += extension;
    if (create(path)) return path;
    if (errno != EEXIST) break;
  }
  return std::nullopt;
}

}  // namespace stepsim::capture
