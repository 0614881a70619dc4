#include "ingest/bytes/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "ingest/bytes/gzip_source.h"
#include "model/base/error.h"

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

class FileSource final : public ByteSource {
 public:
  FileSource(Descriptor descriptor, std::uint64_t size, std::string name)
      : ByteSource(std::move(name)), descriptor_(std::move(descriptor)), size_(size) {}

  std::size_t read(std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      const ::ssize_t got = ::read(descriptor_.get(), out.data() + done, out.size() - done);
      if (got == 0) break;
      if (got > 0) {
        done += static_cast<std::size_t>(got);
      } else if (errno != EINTR) {
        throw InputError({name(), consumed_ + done, {}},
                         "cannot be read (" + reason(errno) + "); expected a readable file");
      }
    }
    consumed_ += done;
    return done;
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return consumed_; }
  [[nodiscard]] std::uint64_t file_size() const noexcept override { return size_; }

 private:
  Descriptor descriptor_;
  std::uint64_t size_;
  std::uint64_t consumed_ = 0;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::span<const char> bytes, std::string name) : ByteSource(std::move(name)), bytes_(bytes) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t take = std::min(out.size(), bytes_.size() - done_);
    if (take > 0) std::memcpy(out.data(), bytes_.data() + done_, take);
    done_ += take;
    return take;
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return done_; }
  [[nodiscard]] std::uint64_t file_size() const noexcept override { return bytes_.size(); }

 private:
  std::span<const char> bytes_;
  std::size_t done_ = 0;
};

/// RFC 1952: every gzip member begins with these two bytes; no JSON does.
bool is_gzip(std::span<const char> head) { return head.size() >= 2 && head[0] == '\x1f' && head[1] == '\x8b'; }

Descriptor open_regular_file(const std::string& path, std::uint64_t& size) {
  // A path with a NUL inside would name another file to the system.
  if (path.empty() || path.find('\0') != std::string::npos) {
    throw InputError({path, {}, {}}, "is no file name; expected a trace file");
  }
  // O_NONBLOCK: opening a FIFO must not wait for a writer that may never come.
  Descriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct ::stat status {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) {
    throw InputError({path, {}, {}}, "cannot be opened (" + reason(errno) + "); expected a trace file");
  }
  if (!S_ISREG(status.st_mode)) {
    throw InputError({path, {}, {}}, std::string{S_ISDIR(status.st_mode) ? "is a folder" : "is a special file"} +
                                         "; expected a regular file");
  }
  size = static_cast<std::uint64_t>(status.st_size);
  return descriptor;
}

}  // namespace

std::unique_ptr<ByteSource> ByteSource::open(const std::string& path) {
  std::uint64_t size = 0;
  Descriptor descriptor = open_regular_file(path, size);
  std::array<char, 2> head{};
  const ::ssize_t got = ::pread(descriptor.get(), head.data(), head.size(), 0);
  auto file = std::make_unique<FileSource>(std::move(descriptor), size, path);
  if (got < 2 || !is_gzip(head)) return file;
  return inflate(std::move(file));
}

std::unique_ptr<ByteSource> ByteSource::from_memory(std::span<const char> bytes, std::string name) {
  auto memory = std::make_unique<MemorySource>(bytes, std::move(name));
  if (!is_gzip(bytes)) return memory;
  return inflate(std::move(memory));
}

}  // namespace stepsim::ingest
