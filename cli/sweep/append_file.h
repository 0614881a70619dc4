#ifndef STEPSIM_CLI_SWEEP_APPEND_FILE_H
#define STEPSIM_CLI_SWEEP_APPEND_FILE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace stepsim::cli {

/// A file that grows by whole texts and outlives its writer: what append() returned from is
/// there after a kill, and after a power cut too. A text that a kill or a full disk cut is the
/// last one; who reads the file tells it apart (a line without its end).
///
/// Held under a lock while open, so that two processes never write to one. Failures are
/// OutputError with path and reason. SIGXFSZ must be ignored (cli/program/signals.cpp does).
class AppendFile {
 public:
  /// Opens the file, or makes it. Throws OutputError, also where another process has it open.
  explicit AppendFile(std::string path);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// All that it holds.
  [[nodiscard]] std::string read() const;
  /// Forgets what lies behind the first `size` bytes.
  void cut(std::uint64_t size);
  void append(std::string_view text);

 private:
  [[noreturn]] void fail(int error_number) const;

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace stepsim::cli

#endif
