#ifndef STEPSIM_INGEST_CUT_CUT_H
#define STEPSIM_INGEST_CUT_CUT_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/bytes/input.h"
#include "ingest/chrome/chrome_events.h"
#include "model/base/diagnostics.h"
#include "model/base/units.h"

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

/// Selects the part of a trace to keep. An event is kept if it meets every condition that is set:
///
/// * `steps`: a host event is kept if it begins between the begin of the first of these steps and the end of the last
///   one. Device work is kept if its launching call (found by correlation) begins in this time, or, without a launching
///   call, if the work itself begins in it.
/// * `select` and `min_duration`: an event is kept only if it has a duration and matches. Step marks (ProfilerStep#N)
///   always meet both conditions.
///
/// A flow (arrow) is kept if both its ends lie on kept events. Metadata of a process or thread is kept if a kept event
/// belongs to it. The members of the file other than the events are kept. Kept records are copied unchanged, except
/// that a record that is not strict JSON is rewritten as strict JSON.
struct Cut {
  std::optional<std::pair<std::int64_t, std::int64_t>> steps;  ///< inclusive
  std::optional<EventSelector> select;
  Duration min_duration{};
  const std::atomic<bool>* stop = nullptr;
};

struct CutCounts {
  std::uint64_t records = 0;   ///< records in the whole trace
  std::uint64_t events = 0;    ///< kept events that have a duration or a time
  std::uint64_t flows = 0;     ///< kept begins and ends of flows
  std::uint64_t metadata = 0;  ///< kept metadata records
  Diagnostics diagnostics;     ///< problems found in the trace
};

/// Opens a trace at its beginning.
using OpenTrace = std::function<Input(Watch watch)>;

/// Writes the part of the trace at `path` that `cut` keeps to `out`, as strict JSON. If the trace is damaged, only
/// records that ChromeEventReader can read are written. Reads the file five times. Memory grows with the number of kept
/// records and of launching calls. Throws UsageError if the trace marks none of the requested steps, or if nothing is
/// kept. Throws InputError as ChromeEventReader does, and if `path` is a pipe.
CutCounts cut_trace(const std::string& path, const Cut& cut, const std::function<void(std::string_view)>& out);
/// Like the function above, but reads the trace that `open` returns; `name` is its name in messages. Calls `open` five
/// times.
CutCounts cut_trace(const std::string& name, const OpenTrace& open, const Cut& cut,
                    const std::function<void(std::string_view)>& out);

}  // namespace stepsim::ingest

#endif
