#ifndef STEPSIM_CAPTURE_WRITER_CAPTURE_FILE_H
#define STEPSIM_CAPTURE_WRITER_CAPTURE_FILE_H

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace stepsim::capture {

/// A file that is written inside a program that does not know of it. The program may close our descriptor, as daemons
/// do, and get the same number for a file of its own. Our descriptor therefore has a high number, and each write first
/// checks that it still refers to the file that was created; otherwise that file is opened again by its path. Only one
/// thread at a time may use it.
class CaptureFile {
 public:
  /// Creates a new file. Returns nothing and sets errno on failure, EEXIST if there is one already.
  [[nodiscard]] static std::optional<CaptureFile> create(const std::string& path) noexcept;
  /// Closes our descriptor, unless the program has it now.
  ~CaptureFile();
  CaptureFile(CaptureFile&& other) noexcept;
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(CaptureFile&&) = delete;

  /// Appends the bytes. Returns 0, or the value of errno on failure.
  [[nodiscard]] int append(std::span<const std::byte> bytes) noexcept;
  /// Replaces the beginning of the file. Works also on a full disk. Returns as append().
  [[nodiscard]] int overwrite_beginning(std::span<const std::byte> bytes) noexcept;

 private:
  CaptureFile(std::string path, int descriptor, ::dev_t device, ::ino_t inode) noexcept;
  /// True if the descriptor refers to our file.
  [[nodiscard]] bool is_ours(int descriptor) const noexcept;
  /// Makes sure that descriptor_ refers to our file. Returns as append().
  [[nodiscard]] int reach() noexcept;
  [[nodiscard]] int write_at(std::span<const std::byte> bytes, ::off_t& at) noexcept;

  std::string path_;
  int descriptor_;
  ::dev_t device_;
  ::ino_t inode_;
  ::off_t end_ = 0;
};

}  // namespace stepsim::capture

#endif
