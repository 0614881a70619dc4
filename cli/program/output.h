#ifndef STEPSIM_CLI_PROGRAM_OUTPUT_H
#define STEPSIM_CLI_PROGRAM_OUTPUT_H

#include <string>
#include <string_view>

namespace stepsim::cli {

/// Standard output, buffered, with every failure noticed: a full disk shows at the last
/// write, not at the first. Nothing else in the program writes to standard output.
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Throws OutputError if the system refuses the bytes.
  void write(std::string_view text);
  /// Hands everything to the system. Must be called before success is claimed; what is not
  /// flushed when the Output goes is dropped, so that a failed command prints nothing more.
  void flush();

 private:
  std::string buffer_;
};

/// Reserves the descriptors 0, 1 and 2 if the caller closed them. Without this the first file
/// the program opens would become its standard output.
void reserve_standard_streams();

/// Writes `text` to standard error, whole and at once. Failure has nowhere to be reported.
void write_error(std::string_view text) noexcept;

}  // namespace stepsim::cli

#endif
