#include "ingest/parts/text_table.h"

#include <cstring>
#include <utility>

namespace stepsim::ingest {

namespace {

constexpr std::size_t kFirstSlots = 16;  // small, because reading some databases creates a TextTable for each process

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio, as in Fibonacci hashing
  hash = (hash ^ word) * kMultiplier;
  return hash ^ (hash >> 32);
}

std::uint32_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = mixed(hash, word);
  }
  std::uint64_t rest = 0;
  if (left > 0) std::memcpy(&rest, at, left);
  hash = mixed(hash, rest);
  return static_cast<std::uint32_t>(hash >> 16);
}

}  // namespace

TextTable::TextTable() : slots_(kFirstSlots) {}

std::size_t TextTable::slot_of(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].text != kFree && (slots_[at].hash != hash || texts_[slots_[at].text] != text)) at = (at + 1) & mask;
  return at;
}

TextId TextTable::find(std::string_view text) const {
  const std::uint32_t found = slots_[slot_of(text, hash_of(text))].text;
  return found == kFree ? TextId{} : TextId{found};
}

TextId TextTable::intern(std::string_view text) {
  const std::uint32_t hash = hash_of(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (slot.text != kFree) return TextId{slot.text};
  slot = {hash, static_cast<std::uint32_t>(texts_.size())};
  const TextId id{slot.text};
  texts_.emplace_back(text);
  if (texts_.size() * 2 > slots_.size()) grow();
  return id;
}

void TextTable::grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.text == kFree) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].text != kFree) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

std::vector<std::string> TextTable::take() && {
  slots_ = std::vector<Slot>(kFirstSlots);
  return std::exchange(texts_, {});
}

}  // namespace stepsim::ingest
