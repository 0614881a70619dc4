#ifndef STEPSIM_INGEST_FORMATS_KINETO_TRACE_H
#define STEPSIM_INGEST_FORMATS_KINETO_TRACE_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/chrome/chrome_events.h"
#include "ingest/formats/format.h"
#include "ingest/formats/kineto/arguments.h"
#include "ingest/formats/kineto/ascend.h"
#include "ingest/formats/kineto/members.h"
#include "ingest/parts/busy_time.h"
#include "ingest/parts/host_device_builder.h"
#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// Estimates the share of the executed operators that a trace contains. PyTorch numbers operators and annotations
/// consecutively (args "External id"), so operators that were not recorded, or removed later, leave gaps. Complete
/// captures have up to 1.3 numbers per operator, because annotations and calls of other threads take some; a sampled
/// capture had 70. Each thread takes its numbers in blocks (512, later 1024), so unused numbers at the end of a block
/// are not gaps.
class RecordedShare {
 public:
  /// Adds one operator. Takes time in proportion to the number of arguments before "External id", usually 1.
  void add(const ChromeEvent& op);
  /// Returns how many numbers there are per recorded operator. Returns nullopt unless the result is more than two and
  /// at least a hundred numbers are missing.
  [[nodiscard]] std::optional<std::int64_t> one_in() const noexcept;
  [[nodiscard]] std::int64_t recorded() const noexcept { return recorded_; }

 private:
  struct Numbers {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };

  std::int64_t recorded_ = 0;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  std::unordered_map<std::int64_t, Numbers> blocks_;  ///< blocks with at least one recorded number
};

/// Collects the events of one Kineto file in columns. Times are kept as written; finish() makes them absolute.
class KinetoTrace {
 public:
  /// `sink` counts the events that are left out and must outlive this object; `file` is used in messages.
  KinetoTrace(PartSink& sink, std::string file) : sink_(sink), file_(std::move(file)) {}

  void add(const ChromeEvent& event);
  /// As HostDeviceBuilder::reserve().
  void reserve(std::size_t events) { builder_.reserve(events); }
  [[nodiscard]] std::size_t size() const noexcept { return builder_.trace().size(); }
  /// Applies the top-level members and makes times absolute. Leaves the KinetoTrace empty.
  [[nodiscard]] HostDeviceTrace finish(const TopMembers& members) &&;

 private:
  void add_complete(const ChromeEvent& event);
  void add_ascend(const ChromeEvent& event, AscendParts::Layer layer);
  void add_held_back();
  void add_metadata(const ChromeEvent& event);
  void leave_out(std::string_view what);
  [[nodiscard]] std::optional<HostDeviceTrace::ModuleCall> python_call(const ChromeEvent& event);
  void note_memory(const ChromeEvent& event);
  /// Notes how an event, the call of a collective, a call of the runtime or device work, is linked to others.
  void note_link(std::uint32_t event, const KinetoArguments& arguments);
  /// Gives calls and the work they launched equal correlations, if the trace links them by External id alone.
  void correlate_by_external_id();
  /// Keeps a span of time that the profiler itself used.
  void note_overhead(const ChromeEvent& event);
  void note_flops(std::uint32_t op, const ChromeEvent& event);
  /// Keeps a module's call, so that operators can be selected by module, and, for TraceDetails, any Python call. Calls
  /// do not become tasks.
  void note_python(const ChromeEvent& event);
  void report_left_out();
  void note_unknown(const ChromeEvent& event);
  void report_unknown();
  void report_sample();
  /// Adds an event with a usable time and returns its index.
  std::uint32_t append(const ChromeEvent& event, EventKind kind, TrackId track, std::int64_t correlation = -1);
  void add_host_detail(std::uint32_t event, const ChromeEvent& record);
  void add_device_detail(std::uint32_t event, const KinetoArguments& arguments);
  void add_collective(EventDetail& detail, const KinetoArguments& arguments);
  void add_collective(EventDetail& detail, const AscendCollective& collective);
  [[nodiscard]] TrackId host_track(std::string_view process, std::string_view thread);
  [[nodiscard]] TrackId device_track(const ChromeEvent& event, const KinetoArguments& arguments);

  PartSink& sink_;
  std::string file_;
  HostDeviceBuilder builder_;
  KinetoOperators operators_;
  RecordedShare recorded_share_;
  /// A record without a category. Its process may turn out to be an Ascend layer later in the file.
  struct HeldBack {
    std::string name, process, thread, arguments;
    std::optional<std::int64_t> start_ns, duration_ns;
    bool has_duration = false;
    std::uint64_t offset = 0;
  };

  /// The events with an External id, which is the number of the operator that launched them.
  struct Launched {
    std::vector<std::uint32_t> collectives;  ///< the operator, if its arguments name a collective
    std::vector<std::uint32_t> calls;        ///< launching calls
    std::vector<std::uint32_t> work;
  };

  AscendParts ascend_;
  bool has_correlations_ = false;
  /// By External id. Only for collectives, unless no event so far has a correlation.
  std::map<std::int64_t, Launched> launched_;
  std::vector<HeldBack> held_back_;
  std::string host_process_;                                                 ///< process of the first host event
  std::map<std::pair<std::string, std::string>, std::string> thread_names_;  ///< by pid and tid
  std::map<std::string, std::uint64_t, std::less<>> left_out_;
  std::map<std::string, BusyTime, std::less<>> unknown_;  ///< events of unknown categories, by category
};

}  // namespace stepsim::ingest

#endif
