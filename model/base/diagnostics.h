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

[[nodiscard]] constexpr std::string_view to_text(Severity severity) noexcept {
  switch (severity) {
    case Severity::kInfo: return "info";
    case Severity::kNotice: return "notice";
    case Severity::kDataLoss: return "data loss";
  }
  return "";
}

/// A kind of thing that may be wrong with, or assumed about, an input that is used all the same. There are no others
/// than those of model/base/known_diagnostics.h, where diagnostic("bad_record") finds one at compile time. All texts
/// are for users.
struct Diagnostic {
  std::string_view name;  ///< short and stable: "bad_record"
  Severity severity = Severity::kNotice;
  std::string_view remedy;  ///< one line, as reports print it: what there is, and what the reader can do about it
  std::string_view effect;  ///< how it changes the answer
  std::string_view mend{};  ///< what records or mends it, where the remedy does not say it all; may be empty
  bool goes_on = false;     ///< behind the name stands what it is about: "unknown category npu"
};

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
