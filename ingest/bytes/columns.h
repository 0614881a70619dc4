#ifndef STEPSIM_INGEST_BYTES_COLUMNS_H
#define STEPSIM_INGEST_BYTES_COLUMNS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepsim::ingest {

/// Writes numbers and texts compactly. A column of numbers is divided into blocks; each stores the differences from its
/// smallest value, or those between neighbours, whichever are narrower, in as many bytes as the largest needs. So ids
/// and times take one to three bytes.
class ColumnWriter {
 public:
  void number(std::int64_t value);
  void text(std::string_view text);
  /// Writes a column without its length.
  void column(std::span<const std::int64_t> values);
  /// Returns what was written, and begins anew.
  [[nodiscard]] std::string take();

 private:
  void block(std::span<const std::int64_t> values);

  std::string out_;
};

/// Reads what ColumnWriter wrote, in the same order. All functions throw InputError if the bytes end too early or are
/// none that it writes.
class ColumnReader {
 public:
  /// Keeps a view of `bytes`. `name` is that of the file, for messages.
  ColumnReader(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  [[nodiscard]] std::int64_t number();
  /// Reads the number of things that follow. It is at most the number of bytes, so that a damaged file cannot ask for
  /// any amount of memory.
  [[nodiscard]] std::size_t count();
  [[nodiscard]] std::string text();
  [[nodiscard]] std::vector<std::int64_t> column(std::size_t count);
  [[nodiscard]] bool at_end() const noexcept { return at_ == bytes_.size(); }
  /// Throws InputError at the current place.
  [[noreturn]] void fail() const;

 private:
  [[nodiscard]] std::string_view take(std::size_t size);

  std::string_view bytes_;
  std::string name_;
  std::size_t at_ = 0;
};

/// Returns the checksum of InputFile::checksum (CRC-64, ECMA-182) after more bytes.
[[nodiscard]] std::uint64_t checksum(std::uint64_t before, std::string_view bytes) noexcept;

}  // namespace stepsim::ingest

#endif
