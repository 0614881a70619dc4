#ifndef STEPSIM_SIM_OUTPUT_WRITE_FILE_H
#define STEPSIM_SIM_OUTPUT_WRITE_FILE_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace stepsim::sim {

/// Compresses one stream of bytes to gzip (RFC 1952), without a name or a time. What it inflates to is the same on
/// every machine; the compressed bytes may differ with the processor, for which igzip has its own search for
/// repetitions.
class Gzip {
 public:
  Gzip();
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  /// Appends to `out` what is ready after `text`.
  void add(std::string_view text, std::string& out);
  /// Appends the end of the stream. To be called once.
  void finish(std::string& out);

 private:
  struct State;

  void deflate(std::string_view text, std::string& out);

  std::unique_ptr<State> state_;
};

/// In the place of a path: standard output.
inline constexpr std::string_view kStandardOutput = "-";

enum class Compression : std::uint8_t { kNone, kGzip };

/// Writes a file as a whole: text goes to a temporary beside the target; commit() syncs that, renames it
/// over the target and syncs the folder. A reader sees the old file or the new one, whatever happens in
/// between. Without commit() nothing is left.
///
/// Mode 0666 less the umask. A symlink at `path` is replaced, not followed. Temporaries
/// (".NAME.PID-N.stepsim-tmp") that a killed process left are removed when `path` is next
/// written. A device, a pipe, an open descriptor (/dev/stdout) and standard output ("-") are written in place.
///
/// Every failure is an OutputError with the path and the reason, and, for a full disk, the
/// bytes needed so far and the bytes free. SIGXFSZ must be ignored (cli/program/process.cpp does).
class OutputFile {
 public:
  explicit OutputFile(std::string path, Compression compression = Compression::kNone);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void commit();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Behind the compression.
  [[nodiscard]] std::uint64_t bytes_written() const noexcept { return flushed_ + buffer_.size(); }

 private:
  void open_in_place();
  void open_temporary();
  bool lock_temporary();
  void drop_temporary() noexcept;
  void remove_stale_temporaries() const;
  void flush();
  void close();
  [[noreturn]] void fail(int error_number) const;

  std::string path_;
  std::string folder_;          ///< of path_, "." if it names none
  std::string prefix_;          ///< of the names of temporaries
  std::string temporary_;       ///< empty when written in place, and after commit()
  std::unique_ptr<Gzip> gzip_;  ///< null: not compressed
  std::string buffer_;
  std::uint64_t flushed_ = 0;
  int descriptor_ = -1;
};

/// Throws OutputError if it can be seen already that nothing can be written to `path`: a folder, a folder that is not
/// there or may not be written. To be called before long work.
void refuse_unwritable(const std::string& path);

/// Writes all of `text` to `path` as OutputFile does.
void write_file(const std::string& path, std::string_view text);

}  // namespace stepsim::sim

#endif
