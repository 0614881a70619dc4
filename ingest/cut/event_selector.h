#ifndef STEPSIM_INGEST_CUT_EVENT_SELECTOR_H
#define STEPSIM_INGEST_CUT_EVENT_SELECTOR_H

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/chrome/chrome_events.h"

namespace stepsim::ingest {

/// Selects events by their recorded fields. An event must match every key that is given:
///
/// | key      | selects an event if                                                            |
/// |----------|--------------------------------------------------------------------------------|
/// | name     | this regular expression (RE2: linear in the name) matches part of its name     |
/// | category | its "cat" is this, such as kernel or cpu_op                                    |
/// | class    | it is device work of this class, such as gemm or collective (model/job/kernel_class.h) |
/// | process  | its "pid" is this                                                              |
/// | thread   | its "tid" is this                                                              |
/// | stream   | its args.stream is this                                                        |
/// | device   | its args.device is this                                                        |
class EventSelector {
 public:
  /// Parses "KEY=VALUE,...". A comma within (), [] or {} belongs to the value. Throws UsageError; its message names the
  /// option --select.
  explicit EventSelector(std::string_view typed);
  [[nodiscard]] bool selects(const ChromeEvent& event) const;

 private:
  std::vector<std::function<bool(const ChromeEvent&)>> tests_;
};

}  // namespace stepsim::ingest

#endif
