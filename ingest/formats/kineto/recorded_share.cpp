#include "ingest/formats/kineto/recorded_share.h"

#include <algorithm>

#include "ingest/json/json_values.h"

namespace stepsim::ingest {
namespace {

/// Numbers larger than this are damage.
constexpr std::int64_t kLargest = std::int64_t{1} << 50;

constexpr std::int64_t kFewestMissing = 100;

/// The smaller of the two: a block of 1024 then counts as two.
constexpr std::int64_t kBlock = 512;

}  // namespace

void RecordedShare::add(const ChromeEvent& op) {
  const auto found = std::find_if(op.argument_list.begin(), op.argument_list.end(), [](const ChromeArgument& argument) {
    return argument.key.size() == 11 && argument.key == "External id";
  });
  if (found == op.argument_list.end()) return;
  const std::int64_t number = as_integer(found->value).value_or(0);
  if (number <= 0 || number > kLargest) return;
  first_ = recorded_ == 0 ? number : std::min(first_, number);
  last_ = std::max(last_, number);
  const auto [block, is_new] = blocks_.try_emplace((number - 1) / kBlock, Numbers{number, number});
  if (!is_new) {
    block->second.first = std::min(block->second.first, number);
    block->second.last = std::max(block->second.last, number);
  }
  ++recorded_;
}

std::optional<std::int64_t> RecordedShare::one_in() const noexcept {
  if (recorded_ == 0) return std::nullopt;
  // Distances of neighbours within blocks: where those are small, what is missing are the rests of blocks.
  std::int64_t within = 0;
  for (const auto& [block, seen] : blocks_) within += seen.last - seen.first;
  if (within <= 2 * (recorded_ - static_cast<std::int64_t>(blocks_.size()))) return std::nullopt;
  const std::int64_t numbers = last_ - first_ + 1;
  if (numbers - recorded_ < kFewestMissing || numbers <= 2 * recorded_) return std::nullopt;
  return (numbers + recorded_ / 2) / recorded_;
}

}  // namespace stepsim::ingest
