#include "ingest/formats/nsys/activities.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "ingest/formats/chrome_spans.h"
#include "ingest/parts/busy_time.h"
#include "ingest/parts/host_device_builder.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"

namespace stepsim::ingest {

bool NsysTables::usable(const NsysTable& table) {
  asked_.emplace(table.name);
  const auto found = database_.tables().find(table.name);
  if (found == database_.tables().end()) return false;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (database_.has(table.name, table.columns[i])) continue;
    if (i >= table.columns.size() - table.alternatives) continue;
    sink_.diagnostics.count_about(i < table.needed ? diagnostic("missing column:") : diagnostic("column not written:"),
                                  fmt::format("{}.{}", table.name, table.columns[i]), {file_, {}, {}}, {}, 1);
    if (i < table.needed) return false;
  }
  return true;
}

void NsysTables::report_missing(const NsysTable& table) {
  if (table.without != nullptr) sink_.diagnostics.count(*table.without, {file_, {}, {}});
}

bool NsysTables::has_all_needed(const NsysTable& table, const Database::Rows& row) {
  for (std::size_t i = 0; i < table.needed; ++i) {
    if (!row.integer(i)) return false;
  }
  return true;
}

void NsysTables::skip(std::string_view table, std::uint64_t row, std::string_view why) {
  sink_.skip(diagnostic("bad_row"), {file_, {}, {}}, fmt::format("row {} of {}: {}", row, table, why));
}

void NsysTables::report_unread() {
  for (const auto& [table, columns] : database_.tables()) {
    const bool holds_events = database_.has(table, "start") || database_.has(table, "timestamp");
    if (!holds_events || asked_.contains(table)) continue;
    Database::Rows rows = database_.rows(table, std::array<std::string_view, 1>{"start"});
    while (rows.next()) {
    }
    if (rows.number() == 0) continue;
    sink_.events += rows.number();
    sink_.diagnostics.count_about(diagnostic("not used:"), table, {file_, {}, {}}, {}, rows.number());
  }
}

NsysTexts::NsysTexts(NsysTables& tables) {
  static constexpr std::array<std::string_view, 2> kColumns{"id", "value"};
  tables.for_each({"StringIds", kColumns, 1, &diagnostic("missing table: StringIds")}, [&](const Database::Rows& row) {
    const std::size_t begin = texts_.size();
    texts_ += row.text(1);
    entries_.push_back({*row.integer(0), begin, texts_.size()});
  });
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
}

std::string_view NsysTexts::text(std::optional<std::int64_t> id) const noexcept {
  if (!id) return {};
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), *id,
                                   [](const Entry& entry, std::int64_t wanted) { return entry.id < wanted; });
  if (at == entries_.end() || at->id != *id) return {};
  return std::string_view{texts_}.substr(at->begin, at->end - at->begin);
}

namespace {

/// The leading columns in all column lists for tables of device work.
enum DeviceWork : std::size_t { kStart, kEnd, kDevice, kStream, kProcess, kContext, kCorrelation, kOwn };
constexpr std::size_t kDeviceWorkNeeded = kContext;

template <std::size_t count>
constexpr std::array<std::string_view, kOwn + count> device_work(const std::array<std::string_view, count>& own) {
  std::array<std::string_view, kOwn + count> all{"start",     "end",       "deviceId",     "streamId",
                                                 "globalPid", "contextId", "correlationId"};
  for (std::size_t i = 0; i < count; ++i) all[kOwn + i] = own[i];
  return all;
}

std::int32_t as_device(std::int64_t number) {
  return number < 0 || number > std::numeric_limits<std::int32_t>::max() ? -1 : static_cast<std::int32_t>(number);
}

/// Returns a stream number, or -1 if there is none: CUPTI writes 0xFFFFFFFF then.
std::int64_t as_stream(std::optional<std::int64_t> number) {
  constexpr std::int64_t kNone = 0xFFFFFFFF;
  return !number || *number == kNone ? -1 : *number;
}

/// Returns a correlation id, or -1 if there is none: CUPTI writes 0 then.
std::int64_t as_correlation(std::optional<std::int64_t> number) { return number.value_or(0) > 0 ? *number : -1; }

/// Values of CUpti_ActivitySynchronizationType.

/// Returns the product of three extents; 0 if one of them is missing or invalid.
std::int64_t volume(const Database::Rows& row, std::size_t first) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::int64_t product = 1;
  for (std::size_t i = first; i < first + 3; ++i) {
    const std::int64_t extent = row.integer(i).value_or(0);
    if (extent < 1 || product > kMost / extent) return 0;
    product *= extent;
  }
  return product;
}

/// Returns the sum of static and dynamic shared memory; -1 if one of them is missing or invalid.
std::int64_t shared_memory(const Database::Rows& row, std::size_t first) {
  std::int64_t sum = 0;
  for (std::size_t i = first; i < first + 2; ++i) {
    const std::int64_t part = row.integer(i).value_or(-1);
    if (part < 0 || part > std::numeric_limits<std::int32_t>::max()) return -1;
    sum += part;
  }
  return sum;
}

/// Returns the size of a copy or memset; 0 if it is unknown.
Bytes size_of(const Database::Rows& row, std::size_t column) {
  const std::int64_t bytes = row.integer(column).value_or(0);
  return is_size(bytes) ? Bytes{bytes} : Bytes{};
}

}  // namespace

NsysProcess& NsysEvents::process(std::int64_t id) {
  const std::int64_t process = process_of_nsys_id(id);
  return processes_.try_emplace(process, process).first->second;
}

std::optional<RecordedTime> NsysEvents::time(std::string_view table, std::uint64_t row, std::int64_t start,
                                             std::int64_t end) {
  constexpr std::int64_t kFarthest = std::int64_t{1} << 61;
  const bool recorded = start != 0 || end != 0;  // CUPTI writes 0 if it has no time
  if (recorded && start >= -kFarthest && start <= end && end <= kFarthest && Duration{end - start} <= kLongestEvent) {
    const RecordedTime when{begin_ + Duration{start}, Duration{end - start}};
    if (in_time(when.start, when.length)) return when;
  }
  tables_.skip(table, row, fmt::format("{} to {} ns is not a valid time of an event", start, end));
  return std::nullopt;
}

void NsysActivities::read() {
  read_kernels();
  read_copies();
  read_memsets();
  read_graphs();
  read_calls();
  read_contexts();
  read_event_records();
  read_syncs();
}

std::optional<std::uint32_t> NsysActivities::add_work(std::string_view table, const Database::Rows& row, EventKind kind,
                                                      std::string_view name) {
  const std::optional<RecordedTime> when = events_.time(table, row.number(), *row.integer(kStart), *row.integer(kEnd));
  if (!when) return std::nullopt;
  const std::int64_t id = *row.integer(kProcess);
  const std::int32_t device = as_device(*row.integer(kDevice));
  if (const auto context = row.integer(kContext))
    device_of_context_.try_emplace({process_of_nsys_id(id), *context}, device);
  NsysProcess& process = events_.process(id);
  return process.add(kind, name, process.stream(device, *row.integer(kStream)), *when,
                     as_correlation(row.integer(kCorrelation)));
}

void NsysActivities::read_kernels() {
  enum Own : std::size_t { kName = kOwn, kShortName, kRegisters, kStatic, kDynamic, kGrid, kBlock = kGrid + 3 };
  static constexpr auto kColumns = device_work(
      std::array<std::string_view, 11>{"demangledName", "shortName", "registersPerThread", "staticSharedMemory",
                                       "dynamicSharedMemory", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"});
  const NsysTable table{"CUPTI_ACTIVITY_KIND_KERNEL", kColumns, kDeviceWorkNeeded,
                        &diagnostic("missing table: CUPTI_ACTIVITY_KIND_KERNEL")};
  events_.tables().for_each(table, [&](const Database::Rows& row) {
    std::string_view name = events_.text(row.integer(kName));
    if (name.empty()) name = events_.text(row.integer(kShortName));
    if (name.empty()) name = "kernel without a name";
    const std::optional<std::uint32_t> event = add_work(table.name, row, EventKind::kKernel, name);
    if (!event) return;
    const auto launch = recorded_launch(volume(row, kGrid), volume(row, kBlock), row.integer(kRegisters).value_or(0),
                                        shared_memory(row, kStatic));
    if (launch) events_.process(*row.integer(kProcess)).set_launch(*event, *launch);
  });
}

void NsysActivities::read_copies() {
  enum Own : std::size_t { kBytes = kOwn, kKind, kFrom, kTo };
  static constexpr auto kColumns =
      device_work(std::array<std::string_view, 4>{"bytes", "copyKind", "srcKind", "dstKind"});
  const NsysTable table{"CUPTI_ACTIVITY_KIND_MEMCPY", kColumns, kDeviceWorkNeeded, {}};
  constexpr std::int64_t kUnknownMemory = 7;
  events_.tables().for_each(table, [&](const Database::Rows& row) {
    const std::int64_t from = row.integer(kFrom).value_or(kUnknownMemory);
    const std::int64_t to = row.integer(kTo).value_or(kUnknownMemory);
    const std::optional<std::uint32_t> event =
        add_work(table.name, row, EventKind::kMemcpy, copy_name(row.integer(kKind).value_or(0), from, to));
    if (!event) return;
    EventDetail& detail = events_.process(*row.integer(kProcess)).detail(*event);
    detail.bytes = size_of(row, kBytes);
    detail.from = memory_of(from);
    detail.to = memory_of(to);
  });
}

void NsysActivities::read_memsets() {
  enum Own : std::size_t { kBytes = kOwn, kMemory };
  static constexpr auto kColumns = device_work(std::array<std::string_view, 2>{"bytes", "memKind"});
  const NsysTable table{"CUPTI_ACTIVITY_KIND_MEMSET", kColumns, kDeviceWorkNeeded, {}};
  constexpr std::int64_t kUnknownMemory = 7;
  events_.tables().for_each(table, [&](const Database::Rows& row) {
    const std::optional<std::uint32_t> event =
        add_work(table.name, row, EventKind::kMemset, memset_name(row.integer(kMemory).value_or(kUnknownMemory)));
    if (event) events_.process(*row.integer(kProcess)).detail(*event).bytes = size_of(row, kBytes);
  });
}

void NsysActivities::read_graphs() {
  static constexpr auto kColumns = device_work(std::array<std::string_view, 1>{"graphId"});
  const NsysTable table{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", kColumns, kDeviceWorkNeeded, {}};
  events_.tables().for_each(table, [&](const Database::Rows& row) {
    const std::string name = fmt::format("CUDA graph {}", row.integer(kOwn).value_or(0));
    if (!add_work(table.name, row, EventKind::kKernel, name)) return;
    sink_.diagnostics.count(diagnostic("whole_graphs"), {file_, {}, {}}, name);
  });
}

void NsysActivities::read_calls() {
  enum Column : std::size_t { kFrom, kTo, kThread, kName, kCall };
  static constexpr std::array<std::string_view, 5> kColumns{"start", "end", "globalTid", "nameId", "correlationId"};
  const NsysTable table{"CUPTI_ACTIVITY_KIND_RUNTIME", kColumns, kName,
                        &diagnostic("missing table: CUPTI_ACTIVITY_KIND_RUNTIME")};
  events_.tables().for_each(table, [&](const Database::Rows& row) {
    const auto when = events_.time(table.name, row.number(), *row.integer(kFrom), *row.integer(kTo));
    if (!when) return;
    const std::int64_t thread = *row.integer(kThread);
    NsysProcess& process = events_.process(thread);
    const std::string_view name = call_name(events_.text(row.integer(kName)));
    const std::int64_t correlation = as_correlation(row.integer(kCall));
    process.add(EventKind::kRuntimeCall, name, process.thread(thread), *when, correlation);
    if (const SyncKind wait = sync_kind_of_call(name); wait != SyncKind::kNone && correlation >= 0)
      waits_.push_back({{process_of_nsys_id(thread), correlation}, wait});
  });
}

void NsysActivities::read_overheads() {
  enum Column : std::size_t { kFrom, kTo, kThread, kName };
  static constexpr std::array<std::string_view, 4> kColumns{"start", "end", "globalTid", "nameId"};
  for (const std::string_view name : {"CUPTI_ACTIVITY_KIND_OVERHEAD", "PROFILER_OVERHEAD"}) {
    const NsysTable table{name, kColumns, kName, {}};
    events_.tables().for_each(table, [&](const Database::Rows& row) {
      const auto when = events_.time(table.name, row.number(), *row.integer(kFrom), *row.integer(kTo));
      if (!when) return;
      const auto process = events_.processes().find(process_of_nsys_id(*row.integer(kThread)));
      if (process == events_.processes().end())
        return sink_.diagnostics.count_about(diagnostic("not used:"), table.name, {file_, {}, {}}, {}, 1);
      const std::string_view kind = events_.text(row.integer(kName));
      process->second.add_overhead(kind.empty() ? "Unknown" : kind, *when, is_full_queue(kind));
    });
  }
}

/// Reads the device of each context. Device work also states its device, but a context may have no work.
void NsysActivities::read_contexts() {
  enum Column : std::size_t { kOfProcess, kNumber, kOn };
  static constexpr std::array<std::string_view, 3> kColumns{"processId", "contextId", "deviceId"};
  std::map<std::int64_t, std::int64_t> ids;  // Nsight Systems' process ids, by the operating system's
  for (const auto& [id, process] : events_.processes()) ids.emplace(process.number(), id);
  events_.tables().for_each(
      {"TARGET_INFO_CUDA_CONTEXT_INFO", kColumns, kColumns.size(), {}}, [&](const Database::Rows& row) {
        const auto process = ids.find(*row.integer(kOfProcess));
        if (process != ids.end())
          device_of_context_.try_emplace({process->second, *row.integer(kNumber)}, as_device(*row.integer(kOn)));
      });
}

void NsysActivities::read_event_records() {
  enum Column : std::size_t { kOfProcess, kCall, kOn, kSync, kNumber, kIn };
  static constexpr std::array<std::string_view, 6> kColumns{"globalPid",   "correlationId", "streamId",
                                                            "eventSyncId", "eventId",       "contextId"};
  const NsysTable table{"CUPTI_ACTIVITY_KIND_CUDA_EVENT", kColumns, kSync, {}, kColumns.size() - kSync};
  events_.tables().for_each(table, [&](const Database::Rows& row) {
    const std::int64_t process = process_of_nsys_id(*row.integer(kOfProcess));
    const Record record{as_correlation(row.integer(kCall)), as_stream(row.integer(kOn))};
    if (const auto sync = row.integer(kSync)) {
      records_.insert_or_assign({process, *sync}, record);
    } else if (const auto number = row.integer(kNumber); number && record.correlation >= 0) {
      event_records_[{process, row.integer(kIn).value_or(-1), *number}].insert_or_assign(record.correlation, record);
    }
  });
}

const NsysActivities::Record* NsysActivities::record_of(const Sync& sync) const {
  const std::int64_t process = process_of_nsys_id(sync.process);
  if (sync.event_sync) {
    const auto found = records_.find({process, *sync.event_sync});
    if (found != records_.end()) return &found->second;
  }
  const auto records = event_records_.find({process, sync.context, sync.event});
  if (records == event_records_.end()) return nullptr;
  const auto after = records->second.lower_bound(sync.correlation);
  return after == records->second.begin() ? nullptr : &std::prev(after)->second;
}

/// Adds a wait. The device of the wait is that of its context. The column deviceId is used only if the context is
/// unknown, because Nsight Systems writes the device of the process's first context there.
void NsysActivities::add_sync(const Sync& sync, SyncKind kind) {
  Record record;
  if (kind == SyncKind::kEvent || kind == SyncKind::kStreamWait) {
    const Record* const found = record_of(sync);
    if (found == nullptr) return sink_.diagnostics.count(diagnostic("event_not_recorded"), {file_, {}, {}});
    record = *found;
  }
  const auto context = device_of_context_.find({process_of_nsys_id(sync.process), sync.context});
  const std::int32_t device = context == device_of_context_.end() ? as_device(sync.device) : context->second;
  NsysProcess& process = events_.process(sync.process);
  EventDetail& detail = process.detail(
      process.add(EventKind::kSync, sync_name(kind), process.stream(device, sync.stream), sync.time, sync.correlation));
  detail.sync = kind;
  detail.stream = sync.stream;
  detail.wait_stream = record.stream;
  detail.wait_correlation = record.correlation;
}

SyncKind NsysActivities::kind_from_call(const Sync& sync) const {
  const InProcess call{process_of_nsys_id(sync.process), sync.correlation};
  const auto at = std::lower_bound(waits_.begin(), waits_.end(), call,
                                   [](const auto& known, const InProcess& wanted) { return known.first < wanted; });
  return at == waits_.end() || at->first != call ? SyncKind::kNone : at->second;
}

void NsysActivities::read_syncs() {
  enum Column : std::size_t { kFrom, kTo, kOfProcess, kCall, kType, kOn, kIn, kOf, kEvent, kEventSync, kOldType };
  static constexpr std::array<std::string_view, 11> kColumns{
      "start",     "end",      "globalPid", "correlationId", "syncType",          "streamId",
      "contextId", "deviceId", "eventId",   "eventSyncId",   "deprecatedSyncType"};
  const NsysTable table{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kColumns, kCall,
                        &diagnostic("missing table: CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"), 3};
  std::sort(waits_.begin(), waits_.end());
  std::vector<Sync> undetermined_waits;  // waits whose calls do not determine the type
  // For each (syncType, deprecatedSyncType), the kinds of its waits as determined by the calls that waited.
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<SyncKind>> kinds;
  events_.tables().for_each(table, [&](const Database::Rows& row) {
    const auto when = events_.time(table.name, row.number(), *row.integer(kFrom), *row.integer(kTo));
    if (!when) return;
    const Sync sync{.row = row.number(),
                    .time = *when,
                    .process = *row.integer(kOfProcess),
                    .correlation = as_correlation(row.integer(kCall)),
                    .stream = as_stream(row.integer(kOn)),
                    .context = row.integer(kIn).value_or(-1),
                    .device = row.integer(kOf).value_or(-1),
                    .event = row.integer(kEvent).value_or(-1),
                    .event_sync = row.integer(kEventSync),
                    .type = {row.integer(kType).value_or(-1), row.integer(kOldType).value_or(-1)}};
    const SyncKind kind = kind_from_call(sync);
    if (kind == SyncKind::kNone) return undetermined_waits.push_back(sync);
    kinds[sync.type].insert(kind);
    add_sync(sync, kind);
  });
  const bool of_cupti = std::all_of(kinds.begin(), kinds.end(), [](const auto& kind) {
    return kind.second.size() == 1 && *kind.second.begin() == sync_kind(kind.first.first);
  });
  for (const Sync& sync : undetermined_waits) {
    const auto known = kinds.find(sync.type);
    SyncKind kind = of_cupti ? sync_kind(sync.type.first) : SyncKind::kNone;
    if (known != kinds.end() && known->second.size() == 1) kind = *known->second.begin();
    if (kind != SyncKind::kNone) {
      add_sync(sync, kind);
    } else {
      events_.tables().skip(table.name, sync.row,
                            fmt::format("syncType {} is not known, and no call says what waited", sync.type.first));
    }
  }
}

}  // namespace stepsim::ingest
