#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_H

#include <cstdint>
#include <string_view>

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
  std::string_view effect;  ///< what it does to the answer
  std::string_view mend{};  ///< what records or mends it, where the remedy does not say it all; may be empty
  bool goes_on = false;     ///< behind the name stands what it is about: "unknown category npu"
};

}  // namespace stepsim

#endif
