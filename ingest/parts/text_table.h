#ifndef STEPSIM_INGEST_PARTS_TEXT_TABLE_H
#define STEPSIM_INGEST_PARTS_TEXT_TABLE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// Gives equal texts the same id. Ids count from 0 in the order in which texts first appear.
/// A hash table with open addressing: a known text costs about one probe and one comparison.
class TextTable {
 public:
  TextTable();

  /// Returns the id of `text`, and copies the text into the table if it is new.
  [[nodiscard]] TextId intern(std::string_view text);
  /// Returns the id of `text`; invalid if the table does not contain it.
  [[nodiscard]] TextId find(std::string_view text) const;
  /// Precondition: this table gave out `id`.
  [[nodiscard]] const std::string& text(TextId id) const noexcept { return texts_[id.index()]; }
  [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }
  [[nodiscard]] const std::vector<std::string>& texts() const noexcept { return texts_; }
  /// Returns the texts, ordered by id, and leaves the table empty.
  [[nodiscard]] std::vector<std::string> take() &&;

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t text = kFree;
  };
  static constexpr std::uint32_t kFree = 0xFFFFFFFFU;
  /// Returns the slot that contains `text`, or else the free slot where it belongs.
  [[nodiscard]] std::size_t slot_of(std::string_view text, std::uint32_t hash) const;
  void grow();

  std::vector<Slot> slots_;
  std::vector<std::string> texts_;
};

}  // namespace stepsim::ingest

#endif
