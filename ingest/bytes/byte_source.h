#ifndef STEPSIM_INGEST_BYTES_BYTE_SOURCE_H
#define STEPSIM_INGEST_BYTES_BYTE_SOURCE_H

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace stepsim::ingest {

/// Bytes that are read once, front to back. Memory is bounded by a small buffer, however many
/// there are.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills `out` as far as the source goes; 0 at the end. Throws InputError on a read error.
  [[nodiscard]] virtual std::size_t read(std::span<char> out) = 0;

  /// True once a compressed stream ended before its end or was damaged: what came before is good.
  [[nodiscard]] virtual bool truncated() const noexcept { return false; }
  /// What messages call it: a path, or what stands for one.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 protected:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// Calls `take(piece)` with the bytes of `source`, at most 64 KiB at a time. `padding` zeros follow each piece. What is
/// short costs little: archives have many small members.
template <std::size_t padding = 0, class Take>
void for_each_piece(ByteSource& source, Take&& take) {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  const auto bytes = std::make_unique_for_overwrite<char[]>(kPiece + padding);
  const std::span<char> room(bytes.get(), kPiece);
  for (std::size_t size = source.read(room); size > 0; size = source.read(room)) {
    std::fill_n(bytes.get() + size, padding, '\0');
    take(std::string_view(bytes.get(), size));
  }
}

/// The bytes of a file as they lie on disk, or of a FIFO as they come; waits until something writes
/// to that. Throws InputError if it cannot be opened or is neither.
[[nodiscard]] std::unique_ptr<ByteSource> open_file(const std::string& path);

/// The bytes on standard input. Throws InputError if it is closed or a terminal.
[[nodiscard]] std::unique_ptr<ByteSource> open_standard_input();

/// Bytes in memory, which must outlive the source. `name` stands for a path in messages.
[[nodiscard]] std::unique_ptr<ByteSource> memory_source(std::span<const char> bytes, std::string name);

/// Inflates the gzip members that `compressed` holds, one after the other (RFC 1952 allows
/// several), and checks their checksums. Zeros after the last member are padding. What is cut
/// short or damaged gives the bytes up to there and truncated(); if there are none, read()
/// throws InputError.
[[nodiscard]] std::unique_ptr<ByteSource> inflate(std::unique_ptr<ByteSource> compressed);

/// True if bytes that begin so are a frame of Zstandard (RFC 8878).
[[nodiscard]] bool is_zstd(std::string_view head) noexcept;

/// Inflates the frames that `compressed` holds, one after the other. What is cut short or damaged gives the bytes up to
/// there, less at most 128 KiB that libarchive keeps to itself, and truncated(); if there are none, read() throws
/// InputError. Memory: a window of at most 128 MiB.
[[nodiscard]] std::unique_ptr<ByteSource> inflate_zstd(std::unique_ptr<ByteSource> compressed);

}  // namespace stepsim::ingest

#endif
