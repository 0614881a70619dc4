#ifndef STEPSIM_TESTS_INGEST_DRIPPING_SOURCE_H
#define STEPSIM_TESTS_INGEST_DRIPPING_SOURCE_H

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/bytes/byte_source.h"

namespace stepsim::ingest::testing {

/// A source that returns at most `most` bytes per read, so that pieces end in many different places.
class DrippingSource final : public ByteSource {
 public:
  /// `text` must outlive the source.
  DrippingSource(std::string_view text, std::string name, std::size_t most)
      : ByteSource(std::move(name)), text_(text), most_(most) {}
  std::size_t read(std::span<char> out) override {
    const std::size_t size = text_.copy(out.data(), std::min(most_, out.size()));
    text_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view text_;
  std::size_t most_;
};

}  // namespace stepsim::ingest::testing

#endif
