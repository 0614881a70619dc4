#include "ingest/bytes/peeked_source.h"

#include <algorithm>
#include <utility>

namespace stepsim::ingest {

PeekedSource::PeekedSource(std::unique_ptr<ByteSource> bytes)
    : ByteSource(bytes->name()), bytes_(std::move(bytes)), head_(kHead, '\0') {
  head_.resize(bytes_->read(head_));
}

std::size_t PeekedSource::read(std::span<char> out) {
  const std::size_t take = std::min(out.size(), head_.size() - read_);
  std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(read_), take, out.begin());
  read_ += take;
  return take == out.size() ? take : take + bytes_->read(out.subspan(take));
}

}  // namespace stepsim::ingest
