#include "cli/sweep/part.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::cli {

AppendFile::AppendFile(std::string path) : path_(std::move(path)) {
  // O_NONBLOCK: opening must not block if the path is a device or a pipe, which is checked afterwards.
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (descriptor_ < 0) fail(errno);
  try {
    check_and_lock();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

void AppendFile::check_and_lock() const {
  struct ::stat status {};
  if (::fstat(descriptor_, &status) != 0) fail(errno);
  if (!S_ISREG(status.st_mode)) {
    throw OutputError(fmt::format("{}: is not a regular file; choose another file for the points", shown(path_)));
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;  // NFS may not support locks
  throw OutputError(fmt::format("{}: another process is writing to it; give each process its own file", shown(path_)));
}

AppendFile::~AppendFile() { ::close(descriptor_); }

std::string AppendFile::read(std::size_t largest) const {
  constexpr std::size_t kPiece = std::size_t{1} << 16U;
  struct ::stat status {};
  if (::fstat(descriptor_, &status) != 0) fail(errno);
  if (static_cast<std::uint64_t>(status.st_size) > largest) {
    throw InputError({path_, {}, {}},
                     fmt::format("is larger than {} MiB; expected the points of a sweep", largest >> 20U));
  }
  std::string text;
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const ssize_t count = ::pread(descriptor_, text.data() + before, kPiece, static_cast<off_t>(before));
    if (count < 0 && errno != EINTR) fail(errno);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(0, count)));
    if (count == 0) return text;
  }
}

void AppendFile::cut(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail(errno);
}

void AppendFile::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);  // some file systems cannot sync
}

void AppendFile::fail(int error_number) const {
  throw OutputError(
      fmt::format("{}: cannot be written: {}", shown(path_), std::generic_category().message(error_number)));
}

}  // namespace stepsim::cli
