#ifndef STEPSIM_CLI_SWEEP_APPEND_FILE_H
#define STEPSIM_CLI_SWEEP_APPEND_FILE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepsim::cli {

/// A file to which whole texts are appended. Once append() has returned, its text survives a kill and a
/// power cut. A kill or a full disk may cut the last text only; the reader notices (a line without its
/// end).
///
/// The file is locked while it is open, so that two processes never write to it. Failures are
/// OutputErrors with path and reason. SIGXFSZ must be ignored (cli/program/process.cpp does that).
class AppendFile {
 public:
  /// Opens or creates the file. Throws OutputError, also if it is no regular file or another process has it open.
  explicit AppendFile(std::string path);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// The whole content. Throws InputError if that is more than `largest` bytes.
  [[nodiscard]] std::string read(std::size_t largest) const;
  /// Cuts the file after `size` bytes.
  void cut(std::uint64_t size);
  void append(std::string_view text);

 private:
  void check_and_lock() const;
  [[noreturn]] void fail(int error_number) const;

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace stepsim::cli

#endif
