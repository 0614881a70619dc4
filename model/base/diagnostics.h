#ifndef STEPSIM_MODEL_BASE_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTICS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/diagnostic.h"
#include "model/base/error.h"

namespace stepsim {

/// Things that are wrong with, or assumed about, an input that is used all the same.
/// Each has the name, severity and remedy of its kind, a count and the first place it was seen. Not thread-safe: one a
/// reader, then merged.
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

  /// Counts `count` more occurrences of `what`, diagnostic("bad_record") of model/base/known_diagnostics.h. The first
  /// call fixes detail and place.
  void count(const Diagnostic& what, InputLocation where = {}, std::string_view detail = {}, std::uint64_t count = 1);
  /// The same of a kind whose name goes on with what it is about: each `about` is an entry of its own.
  void count_about(const Diagnostic& what, std::string_view about, InputLocation where, std::string_view detail,
                   std::uint64_t count);

  /// Adds all of `other`; what both have keeps the place of this one.
  void merge(const Diagnostics& other);

  /// In order of first appearance.
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] std::uint64_t count_of(std::string_view name) const noexcept;

 private:
  void add(Entry entry);

  std::vector<Entry> entries_;
};

}  // namespace stepsim

#endif
