#ifndef STEPSIM_INGEST_BYTES_PEEKED_SOURCE_H
#define STEPSIM_INGEST_BYTES_PEEKED_SOURCE_H

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

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

}  // namespace stepsim::ingest

#endif
