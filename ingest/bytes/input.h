#ifndef STEPSIM_INGEST_BYTES_INPUT_H
#define STEPSIM_INGEST_BYTES_INPUT_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ingest/bytes/byte_source.h"
#include "model/base/error.h"

namespace stepsim::ingest {

/// Progress and cancellation hooks for reading.
struct Watch {
  /// Set by Ctrl-C: the next read throws Interrupted. May be null.
  const std::atomic<bool>* stop = nullptr;
  /// Called after each read with the number of bytes it took. May be empty.
  std::function<void(std::uint64_t)> progress;
};

/// Passes on the bytes of another source, counts them and computes their checksum. Reading can be interrupted and
/// reports its progress (see Watch).
class MeteredSource final : public ByteSource {
 public:
  MeteredSource(std::unique_ptr<ByteSource> bytes, Watch watch);

  std::size_t read(std::span<char> out) override;
  [[nodiscard]] bool truncated() const noexcept override { return bytes_->truncated(); }

  /// Bytes read so far.
  [[nodiscard]] std::uint64_t taken() const noexcept { return seen_.size; }
  /// Reads the rest of the source, so that the returned size and checksum cover all of it.
  [[nodiscard]] const InputFile& drain();

 private:
  std::unique_ptr<ByteSource> bytes_;
  Watch watch_;
  InputFile seen_;
};

/// Passes on the bytes of another source, and lets the caller inspect the first ones before reading.
class PeekedSource final : public ByteSource {
 public:
  static constexpr std::size_t kHead = std::size_t{64} << 10U;

  /// Reads the head. Throws InputError.
  explicit PeekedSource(std::unique_ptr<ByteSource> bytes);

  /// The first kHead bytes, or all bytes if there are fewer. The result does not change when read() is called.
  [[nodiscard]] std::string_view head() const noexcept { return head_; }
  std::size_t read(std::span<char> out) override;
  [[nodiscard]] bool truncated() const noexcept override { return bytes_->truncated(); }

 private:
  std::unique_ptr<ByteSource> bytes_;
  std::string head_;
  std::size_t read_ = 0;  // bytes of head_ that read() has returned
};

/// One input: a file, standard input or bytes in memory. Gzip and Zstandard are recognised by their first bytes, not by
/// the file name, and decompressed.
class Input {
 public:
  /// Opens a file or FIFO. Throws InputError if the path cannot be opened or is neither a file nor a FIFO, or if its
  /// first bytes cannot be read or decompressed.
  [[nodiscard]] static Input open(const std::string& path, Watch watch = {});
  /// Opens standard input. Throws InputError if it is a terminal, or if its first bytes cannot be read or decompressed.
  [[nodiscard]] static Input standard_input(Watch watch = {});
  /// Reads from memory that must outlive the input; for tests and fuzzers.
  [[nodiscard]] static Input from_memory(std::span<const char> bytes, std::string name, Watch watch = {});
  /// Takes any source and reads its first bytes. Throws InputError if they cannot be read, or if the data is compressed
  /// but not a single byte of it can be decompressed.
  explicit Input(std::unique_ptr<ByteSource> bytes, Watch watch = {});

  /// Name for messages.
  [[nodiscard]] const std::string& name() const noexcept { return stream_->name(); }
  /// The first 64 KiB of the decompressed content. stream() returns these bytes too.
  [[nodiscard]] std::string_view head() const noexcept { return stream_->head(); }
  /// The decompressed content. It can be read once.
  [[nodiscard]] ByteSource& stream() noexcept { return *stream_; }

  /// Number of bytes read so far, before decompression.
  [[nodiscard]] std::uint64_t taken() const noexcept { return meter_->taken(); }
  /// Share of the file read so far, 0 to 1; nullopt if the input is not a regular file.
  [[nodiscard]] std::optional<double> share_taken() const noexcept;
  /// Name, size and checksum of the input, before decompression. Reads what stream() has not read yet.
  [[nodiscard]] const InputFile& identify() { return meter_->drain(); }

 private:
  MeteredSource* meter_;  // owned by stream_
  std::unique_ptr<PeekedSource> stream_;
  std::uint64_t file_size_ = 0;  ///< 0 = unknown
};

struct SmallFile {
  std::string text;
  InputFile identity;  ///< of the whole file; without size and checksum if the file is larger than the limit
};

/// Reads a file's text and decompresses it if it is compressed. Returns at most `largest` + 1 bytes; the extra byte
/// shows that the file is larger. Throws InputError.
[[nodiscard]] SmallFile read_small_file(const std::string& path, std::size_t largest);

/// Reads the rest of `source`, but at most `largest` + 1 bytes; the extra byte shows that there is more.
[[nodiscard]] std::string read_text(ByteSource& source, std::size_t largest);

}  // namespace stepsim::ingest

#endif
