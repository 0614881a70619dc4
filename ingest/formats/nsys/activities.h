#ifndef STEPSIM_INGEST_FORMATS_NSYS_ACTIVITIES_H
#define STEPSIM_INGEST_FORMATS_NSYS_ACTIVITIES_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/formats/nsys/process.h"
#include "ingest/formats/nsys/tables.h"

namespace stepsim::ingest {

/// The processes of an export by id, and what reading any of its tables of events needs.
class NsysEvents {
 public:
  /// `tables` must outlive this. `begin`: when the session began; times of events count from there.
  NsysEvents(NsysTables& tables, const NsysTexts& texts, Time begin) : tables_(tables), texts_(texts), begin_(begin) {}

  [[nodiscard]] NsysTables& tables() noexcept { return tables_; }
  [[nodiscard]] std::string_view text(std::optional<std::int64_t> id) const noexcept { return texts_.text(id); }
  /// The process of an event with this globalPid or globalTid.
  [[nodiscard]] NsysProcess& process(std::int64_t id);
  [[nodiscard]] std::map<std::int64_t, NsysProcess>& processes() noexcept { return processes_; }
  /// When an event ran that was recorded from `start` to `end`. Nothing, and the row is counted, if that cannot be.
  [[nodiscard]] std::optional<RecordedTime> time(std::string_view table, std::uint64_t row, std::int64_t start,
                                                 std::int64_t end);

 private:
  NsysTables& tables_;
  const NsysTexts& texts_;
  Time begin_;
  std::map<std::int64_t, NsysProcess> processes_;
};

/// Reads what CUPTI recorded (tables CUPTI_ACTIVITY_KIND_*): kernels, copies, memsets, graphs that were recorded as a
/// whole, calls of the runtime and the driver, and what calls and streams waited for. A wait for an event waits for the
/// record of that event: both have one eventSyncId, where events were recorded too.
class NsysActivities {
 public:
  NsysActivities(NsysEvents& events, PartSink& sink, const std::string& file)
      : events_(events), sink_(sink), file_(file) {}

  void read();
  /// What the profiler and CUDA did beside the program's work, of processes that are known by now.
  void read_overheads();

 private:
  struct Record {
    std::int64_t correlation = -1;
    std::int64_t stream = -1;
  };
  using InProcess = std::pair<std::int64_t, std::int64_t>;  ///< a process and a number that means something in it

  void read_kernels();
  void read_copies();
  void read_memsets();
  void read_graphs();
  void read_calls();
  void read_contexts();
  void read_event_records();
  void read_syncs();
  /// Adds device work from a row whose first columns are those of kDeviceWork; nothing if its time cannot be.
  std::optional<std::uint32_t> add_work(std::string_view table, const Database::Rows& row, EventKind kind,
                                        std::string_view name);

  NsysEvents& events_;
  PartSink& sink_;
  const std::string& file_;
  std::map<InProcess, std::int32_t> device_of_context_;
  std::map<InProcess, Record> records_;  ///< by eventSyncId
};

}  // namespace stepsim::ingest

#endif
