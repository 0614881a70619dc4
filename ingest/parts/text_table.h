#ifndef STEPSIM_INGEST_PARTS_TEXT_TABLE_H
#define STEPSIM_INGEST_PARTS_TEXT_TABLE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// Gives equal texts one id; ids count from 0 in order of first appearance. An open-addressing
/// table of hashes: one probe and one comparison for a text that is known.
class TextTable {
 public:
  TextTable();

  [[nodiscard]] TextId intern(std::string_view text);
  [[nodiscard]] const std::vector<std::string>& texts() const noexcept { return texts_; }
  /// Hands the texts over; the table is empty then.
  [[nodiscard]] std::vector<std::string> take() &&;

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t text = kFree;
  };
  static constexpr std::uint32_t kFree = 0xFFFFFFFFU;
  void grow();

  std::vector<Slot> slots_;
  std::vector<std::string> texts_;
};

}  // namespace stepsim::ingest

#endif
