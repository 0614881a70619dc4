#include "capture/session/requests.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace stepsim::capture {

Requests::Requests(std::string folder, std::string process)
    : folder_(std::move(folder)),
      process_(std::move(process)),
      request_path_(folder_ + "/" + wire::kRequestFile),
      idle_path_(folder_ + "/" + process_ + wire::kIdleExtension) {
  static_cast<void>(poll());
}

void Requests::announce(const wire::Reply& reply) noexcept try {
  const std::string text = wire::to_text(reply);
  const std::string temporary = idle_path_ + ".tmp";
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) return;
  const bool whole = ::write(file, text.data(), text.size()) == static_cast<::ssize_t>(text.size());
  ::close(file);
  if (!whole || ::rename(temporary.c_str(), idle_path_.c_str()) != 0) ::unlink(temporary.c_str());
} catch (...) {
  return;
}

void Requests::withdraw() noexcept { ::unlink(idle_path_.c_str()); }

std::optional<wire::Request> Requests::poll() noexcept try {
  constexpr ::off_t kLargest = 1 << 20;
  struct stat found {};
  if (::stat(request_path_.c_str(), &found) != 0) return std::nullopt;
  const Version version{found.st_ino, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
  if (std::exchange(seen_, version) == version) return std::nullopt;
  const int file = ::open(request_path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0) return std::nullopt;
  std::string text;
  const bool obeyed = ::fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_size <= kLargest &&
                      (found.st_uid == ::geteuid() || found.st_uid == 0);
  if (obeyed) text.resize(static_cast<std::size_t>(found.st_size));
  const bool whole = ::read(file, text.data(), text.size()) == found.st_size;
  ::close(file);
  if (!obeyed || !whole) return std::nullopt;
  std::optional<wire::Request> request = wire::request_from_text(text);
  return request && request->means(process_) ? request : std::nullopt;
} catch (...) {
  return std::nullopt;
}

}  // namespace stepsim::capture
