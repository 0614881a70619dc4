#include "ingest/parts/text_table.h"

#include <utility>

#include "model/wire/text_hash.h"

namespace stepsim::ingest {

namespace {

constexpr std::size_t kFirstSlots = 16;  // small, because reading some databases creates a TextTable for each process

std::uint32_t short_hash(std::string_view text) noexcept { return static_cast<std::uint32_t>(hash_of(text) >> 16U); }

}  // namespace

TextTable::TextTable() : slots_(kFirstSlots) {}

std::size_t TextTable::slot_of(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].text != kFree && (slots_[at].hash != hash || texts_[slots_[at].text] != text)) at = (at + 1) & mask;
  return at;
}

TextId TextTable::find(std::string_view text) const {
  const std::uint32_t found = slots_[slot_of(text, short_hash(text))].text;
  return found == kFree ? TextId{} : TextId{found};
}

TextId TextTable::intern(std::string_view text) {
  const std::uint32_t hash = short_hash(text);
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
