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

/// Who watches while bytes are read.
struct Watch {
  /// Set by Ctrl-C: the next read throws Interrupted. May be null.
  const std::atomic<bool>* stop = nullptr;
  /// Called after each read with the number of bytes it took. May be empty.
  std::function<void(std::uint64_t)> progress;
};

/// The bytes of another source, counted and checked as they pass: whatever reads them can be
/// stopped, shows its progress and leaves the identity of what it read.
class MeteredSource final : public ByteSource {
 public:
  MeteredSource(std::unique_ptr<ByteSource> bytes, Watch watch);

  std::size_t read(std::span<char> out) override;
  [[nodiscard]] bool truncated() const noexcept override { return bytes_->truncated(); }

  /// Bytes read so far.
  [[nodiscard]] std::uint64_t taken() const noexcept { return seen_.size; }
  /// Reads what is left. The identity is then that of the whole source.
  [[nodiscard]] const InputFile& drain();

 private:
  std::unique_ptr<ByteSource> bytes_;
  Watch watch_;
  InputFile seen_;
};

/// The bytes of another source, whose first ones can be looked at before they are read.
class PeekedSource final : public ByteSource {
 public:
  static constexpr std::size_t kHead = std::size_t{64} << 10U;

  /// Reads the head. Throws InputError.
  explicit PeekedSource(std::unique_ptr<ByteSource> bytes);

  /// The first kHead bytes, or all if there are fewer, however many have been read.
  [[nodiscard]] std::string_view head() const noexcept { return head_; }
  std::size_t read(std::span<char> out) override;
  [[nodiscard]] bool truncated() const noexcept override { return bytes_->truncated(); }

 private:
  std::unique_ptr<ByteSource> bytes_;
  std::string head_;
  std::size_t read_ = 0;  // of the head
};

/// One thing to be read: a file, or bytes from elsewhere. Gzip and Zstandard are told by their first bytes, not by a
/// name, and inflated.
class Input {
 public:
  /// A file or FIFO. Throws InputError if it cannot be opened or is neither, and as below.
  [[nodiscard]] static Input open(const std::string& path, Watch watch = {});
  /// What was piped or redirected into this process. Throws InputError if that is a terminal, and as below.
  [[nodiscard]] static Input standard_input(Watch watch = {});
  /// Bytes in memory, which must outlive the input: for tests and fuzzers.
  [[nodiscard]] static Input from_memory(std::span<const char> bytes, std::string name, Watch watch = {});
  /// Bytes from elsewhere. Reads the first of them. Throws InputError if they cannot be read, or
  /// are compressed and damaged or cut before they give a single byte.
  explicit Input(std::unique_ptr<ByteSource> bytes, Watch watch = {});

  /// What messages call it.
  [[nodiscard]] const std::string& name() const noexcept { return stream_->name(); }
  /// The first 64 KiB, inflated; looking at them does not take them from stream().
  [[nodiscard]] std::string_view head() const noexcept { return stream_->head(); }
  /// The content, inflated, once.
  [[nodiscard]] ByteSource& stream() noexcept { return *stream_; }

  /// How many of its bytes were read so far, as they came.
  [[nodiscard]] std::uint64_t taken() const noexcept { return meter_->taken(); }
  /// Which share of the file that is, 0 to 1; nothing for what is no file.
  [[nodiscard]] std::optional<double> share_taken() const noexcept;
  /// Name, size and checksum of the bytes as they came, before anything was inflated. Reads those
  /// that stream() has left.
  [[nodiscard]] const InputFile& identify() { return meter_->drain(); }

 private:
  MeteredSource* meter_;  // owned by what stream_ reads
  std::unique_ptr<PeekedSource> stream_;
  std::uint64_t file_size_ = 0;  ///< 0: not known
};

struct SmallFile {
  std::string text;
  InputFile identity;  ///< of the whole file; without size and checksum if that is larger
};

/// A file's text, inflated if it is gzip: at most `largest` bytes and one more, by which it is seen
/// to be larger. Throws InputError.
[[nodiscard]] SmallFile read_small_file(const std::string& path, std::size_t largest);

/// The same of what `source` has left.
[[nodiscard]] std::string read_text(ByteSource& source, std::size_t largest);

}  // namespace stepsim::ingest

#endif
