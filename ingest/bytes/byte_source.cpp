#include "ingest/bytes/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "model/base/error.h"
#include "model/base/missing_file.h"

namespace stepsim::ingest {
namespace {

std::string reason(int code) { return std::generic_category().message(code); }

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int value) noexcept : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  [[nodiscard]] int get() const noexcept { return value_; }

 private:
  int value_;
};

/// Waits until something writes to the FIFO, then makes reads blocking. Before there is a writer, a read would report
/// the end of the file.
void wait_for_writer(int fifo) {
  pollfd until{fifo, POLLIN, 0};
  while (::poll(&until, 1, -1) < 0 && errno == EINTR) {
  }
  ::fcntl(fifo, F_SETFL, ::fcntl(fifo, F_GETFL) & ~O_NONBLOCK);
}

class FileSource final : public ByteSource {
 public:
  FileSource(Descriptor descriptor, std::string name)
      : ByteSource(std::move(name)), descriptor_(std::move(descriptor)) {}

  std::size_t read(std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      const ::ssize_t got = ::read(descriptor_.get(), out.data() + done, out.size() - done);
      if (got == 0) break;
      if (got > 0) {
        done += static_cast<std::size_t>(got);
      } else if (errno != EINTR) {
        throw InputError({name(), before_ + done, {}},
                         "cannot be read (" + reason(errno) + "); expected a readable file");
      }
    }
    before_ += done;
    return done;
  }

 private:
  Descriptor descriptor_;
  std::uint64_t before_ = 0;  // bytes read by earlier calls
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  // The system would cut the path at a NUL and open another file.
  if (path.empty() || path.find('\0') != std::string::npos) {
    throw InputError({path, {}, {}}, "is not a file name; expected a trace file");
  }
  // O_NONBLOCK: opening a device or a FIFO must not block before its type is known.
  Descriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct ::stat status {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) {
    const int error = errno;
    const std::string problem = "cannot be opened (" + reason(error) + "); expected a trace file";
    if (error == ENOENT || error == ENOTDIR) throw MissingFile({path, {}, {}}, problem);
    throw InputError({path, {}, {}}, problem);
  }
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) {
    throw InputError({path, {}, {}}, std::string{S_ISDIR(status.st_mode) ? "is a folder" : "is a special file"} +
                                         "; expected a regular file");
  }
  if (S_ISFIFO(status.st_mode)) wait_for_writer(descriptor.get());
  return std::make_unique<FileSource>(std::move(descriptor), path);
}

std::unique_ptr<ByteSource> open_standard_input() {
  const std::string name = "standard input";
  if (::isatty(STDIN_FILENO) == 1) {
    throw InputError({name, {}, {}}, "is a terminal; pipe or redirect a trace into it, or name a file");
  }
  // The source closes its descriptor, so it gets a copy, which leaves the program's standard input open.
  Descriptor descriptor{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)};
  if (descriptor.get() < 0) {
    throw InputError({name, {}, {}}, "cannot be opened (" + reason(errno) + "); expected a trace");
  }
  return std::make_unique<FileSource>(std::move(descriptor), name);
}

namespace {

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::span<const char> bytes, std::string name) : ByteSource(std::move(name)), rest_(bytes) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t take = std::min(out.size(), rest_.size());
    std::copy_n(rest_.begin(), take, out.begin());
    rest_ = rest_.subspan(take);
    return take;
  }

 private:
  std::span<const char> rest_;
};

}  // namespace

std::unique_ptr<ByteSource> memory_source(std::span<const char> bytes, std::string name) {
  return std::make_unique<MemorySource>(bytes, std::move(name));
}

}  // namespace stepsim::ingest
