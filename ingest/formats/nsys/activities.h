#ifndef STEPSIM_INGEST_FORMATS_NSYS_ACTIVITIES_H
#define STEPSIM_INGEST_FORMATS_NSYS_ACTIVITIES_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/formats/cupti_names.h"
#include "ingest/parts/host_device_builder.h"
#include "ingest/parts/part.h"
#include "ingest/sqlite/database.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// Describes one table of an export and the columns to read.
struct NsysTable {
  std::string_view name;
  std::span<const std::string_view> columns;  ///< columns to read; "start" is first if the rows are events
  std::size_t needed = 0;                     ///< number of required columns, which come first
  const Diagnostic* without = nullptr;        ///< diagnostic if the table is missing or empty; null = none
  std::size_t alternatives = 0;               ///< number of alternative columns, which come last
};

/// The tables of an export by Nsight Systems. The tables and columns depend on the recording options and on the
/// version. Missing ones are counted, with the option that would record them.
class NsysTables {
 public:
  /// All arguments must outlive this object. Messages call the database `file`.
  NsysTables(const Database& database, const std::string& file, PartSink& sink)
      : database_(database), file_(file), sink_(sink) {}

  /// Calls `visit` with each row that has the required columns; counts the other rows, and a table without rows.
  template <class Visit>
  void for_each(const NsysTable& table, Visit visit) {
    if (!usable(table)) return report_missing(table);
    Database::Rows rows = database_.rows(table.name, table.columns);
    while (rows.next()) {
      if (has_all_needed(table, rows)) {
        visit(rows);
      } else {
        skip(table.name, rows.number(), "a required value is missing or not a number");
      }
    }
    if (rows.number() == 0) report_missing(table);
    if (table.columns.front() == "start") sink_.events += rows.number();
  }

  /// Counts an unusable row.
  void skip(std::string_view table, std::uint64_t row, std::string_view why);
  /// Counts the rows of event tables that were not read.
  void report_unread();

 private:
  [[nodiscard]] bool usable(const NsysTable& table);
  void report_missing(const NsysTable& table);
  [[nodiscard]] static bool has_all_needed(const NsysTable& table, const Database::Rows& row);

  const Database& database_;
  const std::string& file_;
  PartSink& sink_;
  std::set<std::string, std::less<>> asked_;
};

/// The table StringIds: the texts that other tables refer to by number.
class NsysTexts {
 public:
  explicit NsysTexts(NsysTables& tables);
  /// Returns the text with this number; empty if there is none. If several texts have the same number, the first one
  /// counts.
  [[nodiscard]] std::string_view text(std::optional<std::int64_t> id) const noexcept;

 private:
  struct Entry {
    std::int64_t id = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::vector<Entry> entries_;  ///< by id
  std::string texts_;
};

/// Nsight Systems packs the ids of machine, process and thread into one number, with the thread in the lowest 24 bits.
/// These bits are 0 in the id of a process.
[[nodiscard]] constexpr std::int64_t process_of_nsys_id(std::int64_t id) noexcept { return id >> 24; }
[[nodiscard]] constexpr std::int64_t thread_of_nsys_id(std::int64_t id) noexcept { return id & 0xFFFFFF; }

/// Collects the events of one process in columns.
class NsysProcess : public HostDeviceBuilder {
 public:
  /// `id` is process_of_nsys_id() of the process's events.
  explicit NsysProcess(std::int64_t id) : number_(thread_of_nsys_id(id)), text_(std::to_string(number_)) {}

  /// The operating system's id of the process.
  [[nodiscard]] std::int64_t number() const noexcept { return number_; }
  /// Returns the row of the thread with this globalTid.
  [[nodiscard]] TrackId thread(std::int64_t id) {
    return HostDeviceBuilder::thread(text_, std::to_string(thread_of_nsys_id(id)));
  }
  /// Adds a range of emit_nvtx() as an operator; false for other ranges.
  [[nodiscard]] bool add_operator(std::string_view range, TrackId track, RecordedTime time) {
    return operators_.add(range, track, time, *this);
  }
  /// Returns the trace and leaves the process empty.
  [[nodiscard]] HostDeviceTrace take() && {
    HostDeviceTrace trace = std::move(*this).HostDeviceBuilder::take();
    trace.operators = std::move(operators_).take();
    return trace;
  }

 private:
  std::int64_t number_;
  std::string text_;
  NvtxOperators operators_;
};

/// The processes of an export by id, and the data that all readers of event tables need.
class NsysEvents {
 public:
  /// `tables` and `texts` must outlive this object. `begin` is the start of the session, which is time 0 of the events.
  NsysEvents(NsysTables& tables, const NsysTexts& texts, Time begin) : tables_(tables), texts_(texts), begin_(begin) {}

  [[nodiscard]] NsysTables& tables() noexcept { return tables_; }
  [[nodiscard]] std::string_view text(std::optional<std::int64_t> id) const noexcept { return texts_.text(id); }
  /// Returns the process of an event with this globalPid or globalTid.
  [[nodiscard]] NsysProcess& process(std::int64_t id);
  [[nodiscard]] std::map<std::int64_t, NsysProcess>& processes() noexcept { return processes_; }
  /// Returns the time of an event that was recorded from `start` to `end`. If the time is invalid, counts the row and
  /// returns nullopt.
  [[nodiscard]] std::optional<RecordedTime> time(std::string_view table, std::uint64_t row, std::int64_t start,
                                                 std::int64_t end);

 private:
  NsysTables& tables_;
  const NsysTexts& texts_;
  Time begin_;
  std::map<std::int64_t, NsysProcess> processes_;
};

/// Reads the data that CUPTI recorded (tables CUPTI_ACTIVITY_KIND_*): kernels, copies, memsets, graphs that were
/// recorded as a whole, calls of the runtime and the driver, and waits of calls and streams.
///
/// A wait for a CUDA event is joined to the recording of the event (cudaEventRecord) that has the same eventSyncId. If
/// that column is absent or NULL, the wait is joined to the last recording of the event with its eventId and context
/// before the wait. "Before" is by correlation id, because these ids count upwards. libkineto's CuptiActivity.cpp does
/// the same.
///
/// The type of a wait is derived from the call that waited. syncType is used only for other calls (cudaFree), because
/// its meaning varies: some exports have CUPTI's numbers, some have only 0, and old ones have another order. If
/// syncType contradicts the name of any call, it is not used in that export.
class NsysActivities {
 public:
  NsysActivities(NsysEvents& events, PartSink& sink, const std::string& file)
      : events_(events), sink_(sink), file_(file) {}

  void read();
  /// Reads the overheads of the profiler and of CUDA. Overheads of processes that have no other events are not used, so
  /// call this after all events are read.
  void read_overheads();

 private:
  struct Record {
    std::int64_t correlation = -1;
    std::int64_t stream = -1;
  };
  using InProcess = std::pair<std::int64_t, std::int64_t>;  ///< process and a number that is unique within it
  using Event = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  ///< process, context and eventId
  /// A row of CUPTI_ACTIVITY_KIND_SYNCHRONIZATION.
  struct Sync {
    std::uint64_t row = 0;
    RecordedTime time;
    std::int64_t process = 0;  ///< globalPid
    std::int64_t correlation = -1;
    std::int64_t stream = -1;
    std::int64_t context = -1;
    std::int64_t device = -1;
    std::int64_t event = -1;
    std::optional<std::int64_t> event_sync;
    std::pair<std::int64_t, std::int64_t> type;  ///< syncType and deprecatedSyncType; -1 = none
  };

  void read_kernels();
  void read_copies();
  void read_memsets();
  void read_graphs();
  void read_calls();
  void read_contexts();
  void read_event_records();
  void read_syncs();
  void add_sync(const Sync& sync, SyncKind kind);
  /// Returns sync_kind_of_call() of the call that waited; kNone if the call does not determine the kind.
  [[nodiscard]] SyncKind kind_from_call(const Sync& sync) const;
  /// Returns the event record that a wait waits for; null if it was not recorded.
  [[nodiscard]] const Record* record_of(const Sync& sync) const;
  /// Adds device work from a row whose first columns are those of DeviceWork. Returns nullopt if its time is invalid.
  std::optional<std::uint32_t> add_work(std::string_view table, const Database::Rows& row, EventKind kind,
                                        std::string_view name);

  NsysEvents& events_;
  PartSink& sink_;
  const std::string& file_;
  std::map<InProcess, std::int32_t> device_of_context_;
  std::map<InProcess, Record> records_;                            ///< by eventSyncId
  std::map<Event, std::map<std::int64_t, Record>> event_records_;  ///< without an eventSyncId; by correlation id
  std::vector<std::pair<InProcess, SyncKind>> waits_;              ///< sync_kind_of_call() by correlation id
};

}  // namespace stepsim::ingest

#endif
