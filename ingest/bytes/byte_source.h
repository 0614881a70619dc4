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

/// A stream of bytes that is read once, from front to back. Uses a small buffer, whatever the length of the stream.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills `out` with as many bytes as the source has left. Returns their number, 0 at the end. Throws InputError on a
  /// read error.
  [[nodiscard]] virtual std::size_t read(std::span<char> out) = 0;

  /// True after a compressed stream turned out to be truncated or damaged. The bytes returned before that are valid.
  [[nodiscard]] virtual bool truncated() const noexcept { return false; }
  /// Name for messages: a path, or a substitute such as "standard input".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 protected:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// Calls `take(piece)` with the bytes of `source`, at most 64 KiB at a time. Each piece is followed by `padding` zero
/// bytes in memory. The buffer is not zeroed first, because that would be slow for archives with many small members.
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

/// Opens a file or FIFO and returns its bytes as stored, without decompression. Waits until a FIFO has a writer. Throws
/// InputError if the path cannot be opened or is neither a file nor a FIFO.
[[nodiscard]] std::unique_ptr<ByteSource> open_file(const std::string& path);

/// Opens standard input. Throws InputError if it is closed or a terminal.
[[nodiscard]] std::unique_ptr<ByteSource> open_standard_input();

/// Reads from memory that must outlive the source. `name` replaces the path in messages.
[[nodiscard]] std::unique_ptr<ByteSource> memory_source(std::span<const char> bytes, std::string name);

/// Decompresses the gzip members in `compressed` one after another (RFC 1952 allows several) and verifies their
/// checksums. Zeros after the last member are padding. If the data is truncated or damaged, the result ends at that
/// point and truncated() is true; read() throws InputError if there are no bytes before that point.
[[nodiscard]] std::unique_ptr<ByteSource> inflate(std::unique_ptr<ByteSource> compressed);

/// True if `head` is the beginning of a Zstandard frame (RFC 8878).
[[nodiscard]] bool is_zstd(std::string_view head) noexcept;

/// Decompresses the Zstandard frames in `compressed` one after another. If the data is truncated or damaged,
/// truncated() is true, and the result may end up to 128 KiB before that point, because libarchive keeps back the last
/// bytes. read() throws InputError if there are no bytes at all. Memory: a window of at most 128 MiB.
[[nodiscard]] std::unique_ptr<ByteSource> inflate_zstd(std::unique_ptr<ByteSource> compressed);

}  // namespace stepsim::ingest

#endif
