#ifndef STEPSIM_SIM_OUTPUT_WRITE_FILE_H
#define STEPSIM_SIM_OUTPUT_WRITE_FILE_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace stepsim::sim {

/// Compresses one stream of bytes to gzip (RFC 1952), without a name or a time. The decompressed text is the same on
/// every machine; the compressed bytes may depend on the processor, because igzip uses processor-specific match
/// finders.
class Gzip {
 public:
  Gzip();
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  /// Compresses `text` and appends the available output to `out`.
  void add(std::string_view text, std::string& out);
  /// Appends the end of the stream. Call it once.
  void finish(std::string& out);

 private:
  struct State;

  void deflate(std::string_view text, std::string& out);

  std::unique_ptr<State> state_;
};

/// A path that means standard output.
inline constexpr std::string_view kStandardOutput = "-";

enum class Compression : std::uint8_t { kNone, kGzip };

/// Writes a file atomically. The text goes to a temporary file next to the target; commit() syncs it, renames it over
/// the target and syncs the folder. A reader sees either the old or the new file, whatever happens in between. Without
/// commit() nothing remains.
///
/// The mode is 0666 less the umask. A symlink at `path` is replaced, not followed. Temporary files
/// (".NAME.PID-N.stepsim-tmp") of killed processes are removed when `path` is next written. A device, a pipe, an open
/// descriptor (/dev/stdout) and standard output ("-") are written in place.
///
/// Every failure is an OutputError with the path and the reason; for a full disk also with the bytes needed so far and
/// the bytes free. SIGXFSZ must be ignored (cli/program/process.cpp does this).
class OutputFile {
 public:
  explicit OutputFile(std::string path, Compression compression = Compression::kNone);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void commit();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Returns the number of bytes written so far, after compression.
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
  std::string folder_;          ///< folder of path_, "." if it names none
  std::string prefix_;          ///< start of the temporary files' names
  std::string temporary_;       ///< empty if written in place, and after commit()
  std::unique_ptr<Gzip> gzip_;  ///< null if the file is not compressed
  std::string buffer_;
  std::uint64_t flushed_ = 0;
  int descriptor_ = -1;
};

/// Throws OutputError if `path` clearly cannot be written: it is a folder, or its folder does not exist or is
/// read-only. Call it before long work.
void refuse_unwritable(const std::string& path);

/// Writes all of `text` to `path`, atomically like OutputFile.
void write_file(const std::string& path, std::string_view text);

}  // namespace stepsim::sim

#endif
