#include "capture/session/requests.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <utility>

#include "model/wire/shared_folder.h"

namespace stepsim::capture {

Requests::Requests(std::string folder, std::string process)
    : folder_(std::move(folder)),
      process_(std::move(process)),
      request_path_(folder_ + "/" + wire::kRequestFile),
      idle_path_(folder_ + "/" + process_ + wire::kIdleExtension) {
  static_cast<void>(poll());
}

void Requests::announce(const wire::Reply& reply) noexcept try {
  static_cast<void>(wire::replace_file(idle_path_, wire::to_text(reply), 0644));
} catch (...) {
  return;
}

void Requests::withdraw() noexcept { ::unlink(idle_path_.c_str()); }

std::optional<wire::Request> Requests::poll() noexcept try {
  struct stat found {};
  if (::lstat(request_path_.c_str(), &found) != 0) return std::nullopt;
  const Version version{found.st_ino, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
  if (std::exchange(seen_, version) == version) return std::nullopt;
  const wire::SmallFile file = wire::read_small_file(request_path_, wire::kLargestRequest);
  const bool obeyed = file.exists && file.problem.empty() && (file.owner == ::geteuid() || file.owner == 0);
  if (!obeyed) return std::nullopt;
  std::optional<wire::Request> request = wire::request_from_text(file.text);
  return request && request->means(process_) ? request : std::nullopt;
} catch (...) {
  return std::nullopt;
}

}  // namespace stepsim::capture
