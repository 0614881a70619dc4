#include "cli/sweep/append_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::cli {

AppendFile::AppendFile(std::string path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor_ < 0) fail(errno);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;  // NFS may know no locks
  ::close(descriptor_);
  throw OutputError(fmt::format("{}: another process is writing to it; expected a file of our own", shown(path_)));
}

AppendFile::~AppendFile() { ::close(descriptor_); }

std::string AppendFile::read() const {
  constexpr std::size_t kPiece = std::size_t{1} << 16U;
  std::string text;
  for (std::size_t got = 1; got > 0;) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const ssize_t count = ::pread(descriptor_, text.data() + before, kPiece, static_cast<off_t>(before));
    if (count < 0 && errno != EINTR) fail(errno);
    got = count < 0 ? 0 : static_cast<std::size_t>(count);
    text.resize(before + got);
  }
  return text;
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
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);  // a pipe has nothing to sync
}

void AppendFile::fail(int error_number) const {
  throw OutputError(
      fmt::format("{}: cannot be written: {}", shown(path_), std::generic_category().message(error_number)));
}

}  // namespace stepsim::cli
