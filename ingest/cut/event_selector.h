#ifndef STEPSIM_INGEST_CUT_EVENT_SELECTOR_H
#define STEPSIM_INGEST_CUT_EVENT_SELECTOR_H

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/chrome/chrome_events.h"

namespace stepsim::ingest {

/// Selects events of a trace as they were recorded. An event must meet every key that is given:
///
/// | key      | selects an event if                                                        |
/// |----------|----------------------------------------------------------------------------|
/// | name     | this regular expression (RE2: linear in the name) matches somewhere in it  |
/// | category | its "cat" is this: kernel, cpu_op                                          |
/// | class    | it is device work of this class: gemm, collective (model/job/kernel_class.h) |
/// | process  | its "pid" is this                                                          |
/// | thread   | its "tid" is this                                                          |
/// | stream   | its args.stream is this                                                    |
/// | device   | its args.device is this                                                    |
class EventSelector {
 public:
  /// Reads KEY=VALUE,... A comma within (), [] or {} belongs to a value. Throws UsageError at --select.
  explicit EventSelector(std::string_view typed);
  [[nodiscard]] bool selects(const ChromeEvent& event) const;

 private:
  std::vector<std::function<bool(const ChromeEvent&)>> tests_;
};

}  // namespace stepsim::ingest

#endif
