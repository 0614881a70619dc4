#ifndef STEPSIM_MODEL_BASE_ERROR_H
#define STEPSIM_MODEL_BASE_ERROR_H

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace stepsim {

/// A place in an input. Traces use a byte offset. YAML and GML use a line, and a column (from 1) if it is known.
/// Neither is set for a whole file. `file` is stored as given and escaped only when printed.
struct InputLocation {
  std::string file;
  std::optional<std::uint64_t> byte_offset;
  std::optional<std::uint32_t> line;
  std::optional<std::uint32_t> column = std::nullopt;

  /// Returns "FILE@OFFSET", "FILE:LINE:COLUMN", "FILE:LINE" or "FILE", made safe for a terminal (model/base/text.h).
  [[nodiscard]] std::string to_text() const;
};

/// The input cannot be used and the command must stop (exit 1). what() is one line:
/// "FILE@OFFSET: what was found; expected what".
class InputError : public std::runtime_error {
 public:
  InputError(InputLocation where, std::string_view problem);
  [[nodiscard]] const InputLocation& where() const noexcept { return where_; }

 private:
  InputLocation where_;
};

/// A result could not be written: a full disk, a closed stdout (exit 1). what() is one line
/// that names the target and the system's reason.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The command was used wrongly (exit 2): an unknown option, a value out of range, a
/// selector without a match. what() is one line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by a long run when the user has asked it to stop (exit 130).
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// An internal invariant failed (exit 3). No input can cause this.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void assertion_failed(const char* condition, const char* why, const char* file, int line);

/// The question is valid, but this capture lacks what the answer needs: launches, gradients, links, shapes or ranks
/// (exit 5). The location is that of the question, if it has one. what() says what the capture lacks and what to
/// record.
class CannotAnswer : public InputError {
 public:
  using InputError::InputError;
};

/// Identifies a file that a result was made from.
struct InputFile {
  std::string name;            ///< path, as given or found
  std::uint64_t size = 0;      ///< size of the file on disk in bytes
  std::uint64_t checksum = 0;  ///< CRC-64 (ECMA-182) of the file's bytes, as computed by xz
  std::string opened{};        ///< the path, if `name` hides part of it (ingest/privacy/hidden_names.h); else empty
};

}  // namespace stepsim

/// Checks an internal invariant in every build. No input can make it fail.
#define STEPSIM_ASSERT(condition, why) \
  ((condition) ? static_cast<void>(0) : ::stepsim::assertion_failed(#condition, why, __FILE__, __LINE__))

#endif
