#include "capture/writer/capture_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "model/wire/shared_folder.h"

namespace stepsim::capture {

namespace {

constexpr int kNone = -1;

/// Moves a descriptor to a number that the program gets only when it has many files open. If no such number is free,
/// returns the descriptor unchanged.
int moved_up(int descriptor) noexcept {
  constexpr ::rlim_t kHighest = 8'000;  // the kernel's table of descriptors grows up to the highest one
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return descriptor;
  const ::rlim_t at_least = std::min(limit.rlim_cur / 4 * 3, kHighest);
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, static_cast<int>(at_least));
  if (moved == kNone) return descriptor;
  ::close(descriptor);
  return moved;
}

}  // namespace

CaptureFile::CaptureFile(std::string path, int descriptor, ::dev_t device, ::ino_t inode) noexcept
    : path_(std::move(path)), descriptor_(descriptor), device_(device), inode_(inode) {}

CaptureFile::CaptureFile(CaptureFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, kNone)),
      device_(other.device_),
      inode_(other.inode_),
      end_(other.end_) {}

CaptureFile::~CaptureFile() {
  if (is_ours(descriptor_)) ::close(descriptor_);
}

std::optional<CaptureFile> CaptureFile::create(const std::string& path) noexcept try {
  std::string copy = path;
  const int created = wire::open_file(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
  if (created == kNone) return std::nullopt;
  const int descriptor = moved_up(created);
  struct stat known {};
  if (::fstat(descriptor, &known) != 0) {
    ::close(descriptor);
    return std::nullopt;
  }
  return CaptureFile(std::move(copy), descriptor, known.st_dev, known.st_ino);
} catch (...) {
  errno = ENOMEM;
  return std::nullopt;
}

bool CaptureFile::is_ours(int descriptor) const noexcept {
  struct stat found {};
  return descriptor != kNone && ::fstat(descriptor, &found) == 0 && found.st_dev == device_ && found.st_ino == inode_;
}

int CaptureFile::reach() noexcept {
  if (is_ours(descriptor_)) return 0;
  descriptor_ = kNone;  // it is the program's now, or closed
  const int opened = wire::open_file(path_, O_WRONLY);
  if (opened == kNone) return errno;
  if (!is_ours(opened)) {
    ::close(opened);
    return ENOENT;
  }
  descriptor_ = moved_up(opened);
  return 0;
}

int CaptureFile::write_at(std::span<const std::byte> bytes, ::off_t& at) noexcept {
  while (!bytes.empty()) {
    if (const int problem = reach(); problem != 0) return problem;
    const ::ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), at);
    if (written > 0) {
      at += written;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (written == 0) {
      return ENOSPC;
    } else if (errno != EINTR && errno != EBADF) {  // EBADF: closed since reach()
      return errno;
    }
  }
  return 0;
}

int CaptureFile::append(std::span<const std::byte> bytes) noexcept { return write_at(bytes, end_); }

int CaptureFile::overwrite_beginning(std::span<const std::byte> bytes) noexcept {
  ::off_t begin = 0;
  return write_at(bytes, begin);
}

}  // namespace stepsim::capture
