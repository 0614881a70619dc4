#ifndef STEPSIM_INGEST_FORMATS_CHAKRA_MESSAGES_H
#define STEPSIM_INGEST_FORMATS_CHAKRA_MESSAGES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest {

/// Protobuf messages that follow each other, each with its length before it as a varint. Memory is that of the largest
/// message, and never more than what the source really holds.
class DelimitedMessages {
 public:
  /// Longer messages are damage: the largest real ones, nodes with long lists of tensors, have some hundred kilobytes.
  static constexpr std::uint64_t kLongest = std::uint64_t{64} << 20U;

  /// `source` must outlive this.
  explicit DelimitedMessages(ByteSource& source) : source_(source) {}

  /// The next message, valid until the next call; nothing behind the last one, and where the rest is no message.
  [[nodiscard]] std::optional<std::string_view> next();
  /// Where the message that next() gave begins, or would have begun.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// Why next() gave nothing: what was found and what was expected; empty at a clean end.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  /// Has `size` bytes from at_ on in buffer_, or all that are left. Returns how many there are.
  std::size_t fill(std::size_t size);

  ByteSource& source_;
  std::string buffer_;
  std::size_t at_ = 0;  // in buffer_, the first byte that was not given
  std::uint64_t offset_ = 0;
  std::uint64_t next_offset_ = 0;
  bool ended_ = false;
  std::string problem_;
};

}  // namespace stepsim::ingest

#endif
