#ifndef STEPSIM_MODEL_BASE_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTICS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"

namespace stepsim {

/// How serious a diagnostic is.
enum class Severity : std::uint8_t {
  kInfo,      ///< something was left out by design, such as flows and counters; nothing is lost
  kNotice,    ///< an assumption was made that a better capture would make unnecessary
  kDataLoss,  ///< a record or part of a file could not be used
};

[[nodiscard]] constexpr std::string_view to_text(Severity severity) noexcept {
  switch (severity) {
    case Severity::kInfo: return "info";
    case Severity::kNotice: return "notice";
    case Severity::kDataLoss: return "data loss";
  }
  return "";
}

/// A kind of problem with, or assumption about, an input that is used nevertheless. All kinds are listed in
/// model/base/known_diagnostics.h, where diagnostic("bad_record") finds one at compile time. All texts are for users.
struct Diagnostic {
  std::string_view name;  ///< short, stable name: "bad_record"
  Severity severity = Severity::kNotice;
  std::string_view remedy;  ///< one line, as reports print it: the problem and what the reader can do about it
  std::string_view effect;  ///< how the problem changes the answer
  std::string_view mend{};  ///< how to record or repair the data, if `remedy` does not say it; may be empty
  bool goes_on = false;     ///< true if the name is followed by its subject: "unknown category npu"
};

/// Collects problems with, and assumptions about, an input that is used nevertheless. Each entry has the name, severity
/// and remedy of its kind, a count and the place of the first occurrence. It is not thread-safe: each reader has its
/// own object, and the objects are merged later.
class Diagnostics {
 public:
  struct Entry {
    std::string name;
    Severity severity = Severity::kNotice;
    std::string remedy;
    std::string detail;  ///< describes the first occurrence; may be empty
    InputLocation first;
    std::uint64_t count = 0;
  };

  /// Counts `count` more occurrences of `what`, which comes from diagnostic("bad_record") in
  /// model/base/known_diagnostics.h. The first call sets the detail and the place.
  void count(const Diagnostic& what, InputLocation where = {}, std::string_view detail = {}, std::uint64_t count = 1);
  /// Counts `count` more occurrences of `what` with the subject `about`. Each subject has a separate entry, named "NAME
  /// ABOUT", where NAME is what.name. Precondition: what.goes_on, which marks names that need a subject.
  void count_about(const Diagnostic& what, std::string_view about, InputLocation where, std::string_view detail,
                   std::uint64_t count);

  /// Adds all entries of `other`. An entry that both have keeps this object's place.
  void merge(const Diagnostics& other);

  /// Calls rewrite(Entry&) for each entry. `rewrite` changes no name.
  template <class Rewrite>
  void rewrite_each(const Rewrite& rewrite) {
    for (Entry& entry : entries_) rewrite(entry);
  }

  /// Returns the entries in order of first occurrence.
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] std::uint64_t count_of(std::string_view name) const noexcept;

 private:
  void add(Entry entry);

  std::vector<Entry> entries_;
};

}  // namespace stepsim

#endif
