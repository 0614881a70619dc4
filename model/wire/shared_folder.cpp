#include "model/wire/shared_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <utility>

#include "model/wire/text_hash.h"

namespace stepsim::wire {
namespace {

/// Owns a descriptor.
class Descriptor {
 public:
  explicit Descriptor(int value) noexcept : value_(value) {}
  ~Descriptor() {
    const int problem = errno;
    static_cast<void>(close());
    errno = problem;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return value_; }
  /// Returns false and sets errno if the system reports only now that a write failed.
  [[nodiscard]] bool close() noexcept { return value_ < 0 || ::close(std::exchange(value_, -1)) == 0; }

 private:
  int value_;
};

/// A name in an open folder.
struct Place {
  Descriptor folder;
  std::string name;

  explicit Place(const std::string& path) : folder(open_folder_of(path)), name(path.substr(path.rfind('/') + 1)) {}

 private:
  static int open_folder_of(const std::string& path) {
    std::string folder = path.substr(0, path.rfind('/') + 1);
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();  // "link/" would be followed
    return ::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  }
};

/// Opens a file in a folder; fails if the folder is not open. O_NONBLOCK has no effect on regular files, and pipes do
/// not wait for their other end.
int open_at(const Place& place, const std::string& name, int flags, unsigned mode) noexcept {
  if (place.folder.get() < 0) return -1;
  return ::openat(place.folder.get(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode);
}

/// Returns a name for a new file, which others can hardly guess. If it is in use all the same, O_EXCL refuses it.
std::string random_name() {
  std::string once = std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
  once.append("-").append(std::to_string(::getpid()));
  return std::string(".stepsim-").append(std::to_string(hash_of(once)));
}

bool write_all(int file, std::string_view text) noexcept {
  while (!text.empty()) {
    const ::ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Reads up to `text.size()` bytes and shortens `text` to what there was. Returns false on failure.
bool read_all(int file, std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ::ssize_t got = ::read(file, text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return true;
}

}  // namespace

int open_file(const std::string& path, int flags, unsigned mode) noexcept try {
  const Place place(path);
  return open_at(place, place.name, flags, mode);
} catch (...) {
  errno = ENOMEM;
  return -1;
}

bool replace_file(const std::string& path, std::string_view text, unsigned mode) noexcept try {
  const Place place(path);
  const std::string temporary = random_name();
  Descriptor file(open_at(place, temporary, O_WRONLY | O_CREAT | O_EXCL, mode));
  if (file.get() < 0) return false;
  const int folder = place.folder.get();
  if (write_all(file.get(), text) && file.close() &&
      ::renameat(folder, temporary.c_str(), folder, place.name.c_str()) == 0)
    return true;
  const int problem = errno;
  ::unlinkat(folder, temporary.c_str(), 0);
  errno = problem;
  return false;
} catch (...) {
  errno = ENOMEM;
  return false;
}

bool create_folder(const std::string& path, unsigned mode) noexcept try {
  const Place place(path);
  return place.folder.get() >= 0 && ::mkdirat(place.folder.get(), place.name.c_str(), mode) == 0;
} catch (...) {
  errno = ENOMEM;
  return false;
}

SmallFile read_small_file(const std::string& path, std::size_t most) noexcept try {
  const auto failed = [] { return std::string("cannot be read: ").append(std::generic_category().message(errno)); };
  constexpr auto kNotRegular = "is not a regular file";
  const Descriptor file(open_file(path, O_RDONLY));
  if (file.get() < 0) {
    if (errno == ENOENT) return {};
    return {.exists = true, .problem = errno == ELOOP || errno == ENXIO ? kNotRegular : failed(), .text = {}};
  }
  SmallFile found{.exists = true, .problem = {}, .text = {}};
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    found.problem = failed();
  } else if (!S_ISREG(status.st_mode)) {
    found.problem = kNotRegular;
  } else if (status.st_nlink > 1) {
    found.problem = "has more than one name (a hard link)";
  } else if (static_cast<std::uint64_t>(status.st_size) > most) {
    found.problem = "has more than " + std::to_string(most) + " bytes";
  } else {
    found.owner = status.st_uid;
    found.text.resize(static_cast<std::size_t>(status.st_size));
    if (!read_all(file.get(), found.text)) found.problem = failed();
  }
  return found;
} catch (...) {
  return {};
}

}  // namespace stepsim::wire
