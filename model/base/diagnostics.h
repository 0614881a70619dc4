#ifndef STEPSIM_MODEL_BASE_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTICS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"

namespace stepsim {

/// How much a diagnostic should worry its reader.
enum class Severity : std::uint8_t {
  kInfo,      ///< something was left out by design (flows, counters); nothing is lost
  kNotice,    ///< an assumption was made that a better capture would not need
  kDataLoss,  ///< a record or a part of a file could not be used
};

/// Things that are wrong with, or assumed about, an input that is used all the same.
/// Each has a short stable name ("bad_record"), a count, the first place it was seen, and
/// a remedy: what the reader can do about it. Not thread-safe: one a reader, then merged.
class Diagnostics {
 public:
  struct Entry {
    std::string name;
    Severity severity = Severity::kNotice;
    std::string remedy;
    std::string detail;  ///< the first occurrence in words; may be empty
    InputLocation first;
    std::uint64_t count = 0;
  };

  /// Counts `count` more occurrences of `name`. The first call fixes severity, remedy,
  /// detail and place.
  void count(std::string_view name, Severity severity, std::string_view remedy, InputLocation where = {},
             std::string_view detail = {}, std::uint64_t count = 1);

  /// Adds all of `other`; what both have keeps the place of this one.
  void merge(const Diagnostics& other);

  /// In order of first appearance.
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] std::uint64_t count_of(std::string_view name) const noexcept;

 private:
  std::vector<Entry> entries_;
};

}  // namespace stepsim

#endif
