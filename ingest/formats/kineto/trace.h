#ifndef STEPSIM_INGEST_FORMATS_KINETO_TRACE_H
#define STEPSIM_INGEST_FORMATS_KINETO_TRACE_H

#include <array>
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
#include "ingest/parts/part.h"
#include "ingest/parts/text_table.h"

namespace stepsim::ingest {

/// Which share of the operators that ran is in a trace. PyTorch numbers operators and annotations one after the other
/// (args "External id"), so what was not recorded, or taken out later, leaves gaps. Whole captures have up to 1.3
/// numbers an operator, because annotations and calls of other threads take some; a sampled one has 70. Each thread
/// takes its numbers by the block (512, later 1024), so what is left of a block that a thread did not use up is no gap.
class RecordedShare {
 public:
  /// Takes note of one operator. O(arguments before its number): mostly 1.
  void add(const ChromeEvent& op);
  /// How many numbers there are for each operator recorded, if more than two and at
  /// least a hundred are missing.
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
  std::unordered_map<std::int64_t, Numbers> blocks_;  ///< those of which a number was seen
};

/// Puts the events of one Kineto file into columns. Times stay as written until finish().
class KinetoTrace {
 public:
  /// `sink` counts what is left out and must outlive this; `file` stands in its messages.
  KinetoTrace(PartSink& sink, std::string file) : sink_(sink), file_(std::move(file)) {}

  void add(const ChromeEvent& event);
  /// Makes room for that many events, taken to be like those that there are.
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
  /// For TraceDetails.
  void note_python(const ChromeEvent& event);
  [[nodiscard]] std::optional<HostDeviceTrace::ModuleCall> python_call(const ChromeEvent& event);
  void note_memory(const ChromeEvent& event);
  /// Time that the profiler took for itself.
  void note_overhead(const ChromeEvent& event);
  void note_flops(const ChromeEvent& event);
  /// Keeps a module's call, which is no task, for selections.
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
  /// A record without a category, whose process may get the name of an Ascend layer further on in the file.
  struct HeldBack {
    std::string name, process, thread, arguments;
    std::optional<std::int64_t> start_ns, duration_ns;
    bool has_duration = false;
    std::uint64_t offset = 0;
  };

  AscendParts ascend_;
  std::vector<HeldBack> held_back_;
  std::string host_process_;  ///< of the first host event
  TrackId last_host_track_;
  std::unordered_map<std::string, TrackId> tracks_;
  std::map<std::pair<std::int64_t, std::int64_t>, TrackId> device_tracks_;
  std::unordered_map<std::string, std::string> thread_names_;
  std::map<std::string, std::uint64_t, std::less<>> left_out_;
  std::map<std::string, BusyTime, std::less<>> unknown_;  ///< events of categories that no table has, by category
};

}  // namespace stepsim::ingest

#endif
