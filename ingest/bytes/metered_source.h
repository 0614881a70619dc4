#ifndef STEPSIM_INGEST_BYTES_METERED_SOURCE_H
#define STEPSIM_INGEST_BYTES_METERED_SOURCE_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "ingest/bytes/byte_source.h"
#include "model/base/input_file.h"

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

}  // namespace stepsim::ingest

#endif
