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

#include "ingest/formats/nsys/names.h"
#include "ingest/parts/host_device_builder.h"
#include "ingest/parts/part.h"
#include "ingest/sqlite/database.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// What is read of one table of an export.
struct NsysTable {
  std::string_view name;
  std::span<const std::string_view> columns;  ///< "start" first if its rows are events
  std::size_t needed = 0;  ///< the first so many columns: without one of them, and in a row without, nothing is read
  const Diagnostic* without = nullptr;  ///< what to say where the table is missing or empty; null: nothing
  std::size_t alternatives = 0;  ///< the last so many columns: versions differ in which they write, which is no news
};

/// The tables of an export by Nsight Systems. Which there are, and with which columns, depends on what was recorded and
/// on the version: what is missing is counted, with what would record it.
class NsysTables {
 public:
  /// All must outlive this. Messages name the database `file`.
  NsysTables(const Database& database, const std::string& file, PartSink& sink)
      : database_(database), file_(file), sink_(sink) {}

  /// Calls `visit` with each row that has what is needed; counts the others, and a
  /// table without rows.
  template <class Visit>
  void for_each(const NsysTable& table, Visit visit) {
    if (!usable(table)) return report_missing(table);
    Database::Rows rows = database_.rows(table.name, table.columns);
    while (rows.next()) {
      if (has_all_needed(table, rows)) {
        visit(rows);
      } else {
        skip(table.name, rows.number(), "a value that every event has is missing or is no number");
      }
    }
    if (rows.number() == 0) report_missing(table);
    if (table.columns.front() == "start") sink_.events += rows.number();
  }

  /// Counts a row that cannot be used.
  void skip(std::string_view table, std::uint64_t row, std::string_view why);
  /// Counts the rows of the tables of events that nobody asked for.
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

/// StringIds: the texts that other tables name by number.
class NsysTexts {
 public:
  explicit NsysTexts(NsysTables& tables);
  /// Empty if there is no such number. Of texts with one number, the first counts.
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

/// Nsight Systems packs ids of the machine, the process and the thread into one number, the thread's into the last 24
/// bits. A process's number has 0 there.
[[nodiscard]] constexpr std::int64_t process_of_nsys_id(std::int64_t id) noexcept { return id >> 24; }
[[nodiscard]] constexpr std::int64_t thread_of_nsys_id(std::int64_t id) noexcept { return id & 0xFFFFFF; }

/// The events of one process, on their way into columns.
class NsysProcess : public HostDeviceBuilder {
 public:
  /// `id`: process_of_nsys_id() of its events.
  explicit NsysProcess(std::int64_t id) : number_(thread_of_nsys_id(id)), text_(std::to_string(number_)) {}

  /// The system's number of the process.
  [[nodiscard]] std::int64_t number() const noexcept { return number_; }
  /// The row of the thread with this globalTid.
  [[nodiscard]] TrackId thread(std::int64_t id) {
    return HostDeviceBuilder::thread(text_, std::to_string(thread_of_nsys_id(id)));
  }
  /// Adds what emit_nvtx() marked as an operator; false for other ranges.
  [[nodiscard]] bool add_operator(std::string_view range, TrackId track, RecordedTime time) {
    return operators_.add(range, track, time, *this);
  }
  /// Leaves the process empty.
  [[nodiscard]] HostDeviceTrace take() && {
    HostDeviceTrace trace = std::move(*this).HostDeviceBuilder::take();
    std::move(operators_).move_to(trace);
    return trace;
  }

 private:
  std::int64_t number_;
  std::string text_;
  NvtxOperators operators_;
};

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
/// whole, calls of the runtime and the driver, and what calls and streams waited for.
///
/// A wait for an event waits for the record of that event: both have one eventSyncId. Where that column is absent or
/// NULL, it is the last record of the event (by eventId, in the wait's context) before the wait, as in libkineto's
/// CuptiActivity.cpp: the correlation of calls counts upwards.
///
/// The kind of a wait follows from the call that waited. syncType decides only for other calls (cudaFree): its numbers
/// are those of CUPTI in some exports, 0 in others, of another order in old ones. Numbers that contradict a call's name
/// are not trusted in that export.
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
    std::pair<std::int64_t, std::int64_t> type;  ///< syncType and deprecatedSyncType; -1: none
  };

  void read_kernels();
  void read_copies();
  void read_memsets();
  void read_graphs();
  void read_calls();
  void read_contexts();
  void read_event_records();
  void read_syncs();
  void add_sync(const Sync& sync, std::string_view name);
  /// sync_name_of_call() of the call that waited; empty if it does not tell.
  [[nodiscard]] std::string_view told_by_call(const Sync& sync) const;
  /// What a wait for an event waits for; null if that was not recorded.
  [[nodiscard]] const Record* record_of(const Sync& sync) const;
  /// Adds device work from a row whose first columns are those of kDeviceWork; nothing if its time cannot be.
  std::optional<std::uint32_t> add_work(std::string_view table, const Database::Rows& row, EventKind kind,
                                        std::string_view name);

  NsysEvents& events_;
  PartSink& sink_;
  const std::string& file_;
  std::map<InProcess, std::int32_t> device_of_context_;
  std::map<InProcess, Record> records_;                            ///< by eventSyncId
  std::map<Event, std::map<std::int64_t, Record>> event_records_;  ///< those without an eventSyncId, by correlation
  std::vector<std::pair<InProcess, std::string_view>> waits_;  ///< sync_name_of_call() by correlation, where that tells
};

}  // namespace stepsim::ingest

#endif
