#include "ingest/formats/chakra/messages.h"

#include <fmt/format.h>

#include <algorithm>

namespace stepsim::ingest {

std::optional<std::string_view> DelimitedMessages::next() {
  constexpr std::size_t kLongestVarint = 10;
  constexpr std::size_t kBitsInByte = 7;
  offset_ = next_offset_;
  if (!problem_.empty()) return std::nullopt;
  const std::size_t there = std::min(fill(kLongestVarint), kLongestVarint);
  if (there == 0) return std::nullopt;
  std::uint64_t size = 0;
  std::size_t digits = 0;
  bool more = true;
  while (more && digits < there) {
    const auto byte = static_cast<unsigned char>(buffer_[at_ + digits]);
    size |= static_cast<std::uint64_t>(byte & 0x7FU) << (kBitsInByte * digits);
    more = byte >= 0x80U;
    ++digits;
  }
  if (more) {
    problem_ = there < kLongestVarint ? "the file ends in the length of a message; expected a whole message"
                                      : "the length of a message has more than 10 bytes; expected a varint";
    return std::nullopt;
  }
  if (size > kLongest) {
    problem_ = fmt::format("a message of {} bytes; expected at most {}", size, kLongest);
    return std::nullopt;
  }
  at_ += digits;
  const std::size_t body = fill(size);
  if (body < size) {
    problem_ = fmt::format("a message of {} bytes, of which the file has {}; expected all of it", size, body);
    return std::nullopt;
  }
  const std::string_view message = std::string_view{buffer_}.substr(at_, size);
  at_ += message.size();
  next_offset_ += digits + message.size();
  return message;
}

std::size_t DelimitedMessages::fill(std::size_t size) {
  constexpr std::size_t kPiece = std::size_t{256} << 10U;
  if (buffer_.size() - at_ < size) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  while (!ended_ && buffer_.size() - at_ < size) {
    const std::size_t old = buffer_.size();
    buffer_.resize(old + kPiece);
    const std::size_t read = source_.read({buffer_.data() + old, kPiece});
    buffer_.resize(old + read);
    ended_ = read == 0;
  }
  return buffer_.size() - at_;
}

}  // namespace stepsim::ingest
