#ifndef STEPSIM_CLI_PROGRAM_OUTPUT_H
#define STEPSIM_CLI_PROGRAM_OUTPUT_H

#include <string>
#include <string_view>

namespace stepsim::cli {

/// Standard output, buffered. Every failure is noticed: a full disk may only show at the last write.
/// Nothing else in the program writes to standard output.
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Throws OutputError if the system refuses the bytes.
  void write(std::string_view text);
  /// Hands everything to the system. Throws std::bad_alloc if memory ran out before: what is to be written may then be
  /// incomplete (last_resort.h). A successful command must call it at its end. The destructor drops
  /// what is not flushed, so that a failed command prints nothing more.
  void flush();

 private:
  std::string buffer_;
};

/// Reserves the descriptors 0, 1 and 2 if the caller closed them. Without this the first file
/// the program opens would become its standard output.
void reserve_standard_streams();

/// Writes `text` to standard error, whole and at once. A failure cannot be reported anywhere.
void write_error(std::string_view text) noexcept;

}  // namespace stepsim::cli

#endif
