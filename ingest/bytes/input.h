#ifndef STEPSIM_INGEST_BYTES_INPUT_H
#define STEPSIM_INGEST_BYTES_INPUT_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ingest/bytes/byte_source.h"
#include "ingest/bytes/metered_source.h"
#include "ingest/bytes/peeked_source.h"
#include "model/base/input_file.h"

namespace stepsim::ingest {

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

  /// The file on disk that holds just these bytes, for what must jump about in them; empty for pipes, what is inflated
  /// and members of archives.
  [[nodiscard]] const std::string& plain_file() const noexcept { return plain_file_; }

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
  bool inflated_ = false;
  std::uint64_t file_size_ = 0;  ///< 0: not known
  std::string plain_file_;
};

}  // namespace stepsim::ingest

#endif
