#ifndef STEPSIM_INGEST_FORMATS_KINETO_TRACE_H
#define STEPSIM_INGEST_FORMATS_KINETO_TRACE_H

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/chrome/chrome_events.h"
#include "ingest/formats/format.h"
#include "ingest/formats/kineto/arguments.h"
#include "ingest/formats/kineto/ascend.h"
#include "ingest/formats/kineto/members.h"
#include "ingest/parts/busy_time.h"
#include "ingest/parts/part.h"
#include "ingest/parts/text_table.h"

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
  /// Reserves memory for `events` events, assuming that they are like those added so far.
  void reserve(std::size_t events);
  [[nodiscard]] std::size_t size() const noexcept { return trace_.size(); }
  /// Applies the top-level members and makes times absolute. Leaves the KinetoTrace empty.
  [[nodiscard]] HostDeviceTrace finish(const TopMembers& members) &&;

 private:
  void add_complete(const ChromeEvent& event);
  void add_ascend(const ChromeEvent& event, AscendParts::Layer layer);
  void add_held_back();
  void add_metadata(const ChromeEvent& event);
  void leave_out(std::string_view what);
  /// Keeps a Python call for TraceDetails.
  void note_python(const ChromeEvent& event);
  [[nodiscard]] std::optional<HostDeviceTrace::ModuleCall> python_call(const ChromeEvent& event);
  void note_memory(const ChromeEvent& event);
  /// Notes how the latest event, a call or device work, is linked to others.
  void note_link(const KinetoArguments& arguments);
  /// Gives calls and the work they launched equal correlations, if the trace links them by External id alone.
  void join_by_external_id();
  /// Keeps a span of time that the profiler itself used.
  void note_overhead(const ChromeEvent& event);
  void note_flops(const ChromeEvent& event);
  /// Keeps a module's call, so that operators can be selected by module; the call does not become a task.
  void note_module(const ChromeEvent& event);
  void report_left_out();
  void note_unknown(const ChromeEvent& event);
  void report_unknown();
  void report_sample();
  void append(const ChromeEvent& event, EventKind kind, TrackId track, std::int64_t correlation, std::uint32_t detail);
  [[nodiscard]] std::uint32_t host_detail(const ChromeEvent& event);
  void note_shapes(const ChromeEvent& event);
  void note_launch(const KinetoArguments& arguments);
  [[nodiscard]] std::uint32_t device_detail(EventKind kind, const KinetoArguments& arguments);
  [[nodiscard]] EventDetail collective_detail(const KinetoArguments& arguments);
  [[nodiscard]] EventDetail collective_detail(const AscendCollective& collective);
  [[nodiscard]] std::uint32_t add_detail(const EventDetail& detail);
  [[nodiscard]] TrackId host_track(std::string_view process, std::string_view thread);
  [[nodiscard]] TrackId device_track(const ChromeEvent& event, const KinetoArguments& arguments);
  [[nodiscard]] TrackId new_track(Track track);
  void name_tracks();

  PartSink& sink_;
  std::string file_;
  HostDeviceTrace trace_;
  TextTable texts_;
  KinetoOperators operators_;
  RecordedShare recorded_share_;
  std::map<KernelLaunch, std::uint32_t> launches_;  ///< numbers of trace_.launches
  /// A record without a category. Its process may turn out to be an Ascend layer later in the file.
  struct HeldBack {
    std::string name, process, thread, arguments;
    std::optional<std::int64_t> start_ns, duration_ns;
    bool has_duration = false;
    std::uint64_t offset = 0;
  };

  /// Launching calls and device work without a correlation, by External id.
  struct Unlinked {
    std::vector<std::uint32_t> calls;
    std::vector<std::uint32_t> work;
  };

  AscendParts ascend_;
  bool has_correlations_ = false;
  std::map<std::int64_t, Unlinked> unlinked_;
  std::vector<HeldBack> held_back_;
  std::string host_process_;  ///< process of the first host event
  TrackId last_host_track_;
  std::unordered_map<std::string, TrackId> tracks_;
  /// Rows of devices, by pid, device and stream. Several processes can use devices of one number.
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, TrackId, std::less<>> device_tracks_;
  TrackId last_device_track_;
  std::unordered_map<std::string, std::string> thread_names_;
  std::map<std::string, std::uint64_t, std::less<>> left_out_;
  std::map<std::string, BusyTime, std::less<>> unknown_;  ///< events of unknown categories, by category
};

}  // namespace stepsim::ingest

#endif
