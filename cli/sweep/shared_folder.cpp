#include "cli/sweep/shared_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

constexpr const char* kLock = "/lock";
constexpr std::string_view kRandom = "XXXXXX";  // mkdtemp() replaces it

/// Returns the name of this host as part of a file name.
std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  static_cast<void>(::gethostname(name.data(), name.size() - 1));
  std::string host = name.data();
  for (char& c : host) {
    if (c == '/') c = '_';
  }
  return host;
}

/// Removes a folder that no process has locked.
void remove_if_abandoned(const std::string& folder) {
  const int lock = ::open((folder + kLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (lock < 0) {
    ::rmdir(folder.c_str());  // its process was killed before it made the lock, if the folder is empty
    return;
  }
  std::error_code ignored;
  if (::flock(lock, LOCK_EX | LOCK_NB) == 0) std::filesystem::remove_all(folder, ignored);
  ::close(lock);
}

void remove_abandoned_folders(const std::filesystem::path& place, const std::string& prefix) {
  std::vector<std::string> found;
  std::error_code unreadable;
  for (std::filesystem::directory_iterator entry(place, unreadable), end; !unreadable && entry != end;
       entry.increment(unreadable)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && name.size() == prefix.size() + kRandom.size())
      found.push_back(entry->path().string());
  }
  for (const std::string& folder : found) remove_if_abandoned(folder);
}

}  // namespace

SharedFolder::SharedFolder(const std::filesystem::path& place) {
  const std::filesystem::path folder = std::filesystem::absolute(place.empty() ? "." : place);
  const std::string prefix = fmt::format(".stepsim-sweep-{}-", host_name());
  remove_abandoned_folders(folder, prefix);
  constexpr int kMostTries = 10;
  for (int tries = 1; !make_and_lock((folder / prefix).string()); ++tries) {
    if (errno == ENOENT && tries < kMostTries) continue;
    throw OutputError(fmt::format("{}: no folder can be made in it ({}); --engine needs one that all machines see",
                                  shown(folder.string()), std::generic_category().message(errno)));
  }
}

/// Returns false and sets errno on failure: to ENOENT if another process took the new folder for an abandoned one.
bool SharedFolder::make_and_lock(const std::string& prefix) {
  path_ = prefix + std::string(kRandom);
  if (::mkdtemp(path_.data()) == nullptr) return false;
  lock_ = ::open((path_ + kLock).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (lock_ < 0) {
    const int problem = errno;
    ::rmdir(path_.c_str());
    errno = problem;
    return false;
  }
  struct stat status {};
  // File systems without locks report another error; there, folders of killed processes stay.
  const bool taken = (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) || ::fstat(lock_, &status) != 0 ||
                     status.st_nlink == 0;
  if (!taken) return true;
  ::close(lock_);
  errno = ENOENT;
  return false;
}

SharedFolder::~SharedFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace stepsim::cli
