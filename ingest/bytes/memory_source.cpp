#include "ingest/bytes/memory_source.h"

#include <algorithm>
#include <utility>

namespace stepsim::ingest {

namespace {

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::span<const char> bytes, std::string name) : ByteSource(std::move(name)), rest_(bytes) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t take = std::min(out.size(), rest_.size());
    std::copy_n(rest_.begin(), take, out.begin());
    rest_ = rest_.subspan(take);
    return take;
  }

 private:
  std::span<const char> rest_;
};

}  // namespace

std::unique_ptr<ByteSource> memory_source(std::span<const char> bytes, std::string name) {
  return std::make_unique<MemorySource>(bytes, std::move(name));
}

}  // namespace stepsim::ingest
