#include "ingest/formats/nsys/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "ingest/formats/cupti_names.h"
#include "ingest/json/json_values.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "model/job/collective.h"
#include "model/job/kernel_class.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// True for an eventType that is a range. Type 59 is pushed and popped on one thread; type 60 may end on another
/// thread. Types 70 and 71 are the same, imported from NVTX text logs.
bool is_range(std::int64_t type) noexcept { return type == 59 || type == 60 || type == 70 || type == 71; }

/// True for the name of a range that NCCL marked. These ranges are named after NCCL's functions: "ncclAllReduce".
bool is_nccl_collective(std::string_view name) noexcept {
  constexpr std::string_view kPrefix = "nccl";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() && name[kPrefix.size()] >= 'A' &&
         name[kPrefix.size()] <= 'Z';
}

}  // namespace

void NsysRanges::read() {
  enum Column : std::size_t { kFrom, kType, kThread, kTo, kText, kTextId, kPayload, kJson, kJsonId };
  static constexpr std::array<std::string_view, 9> kColumns{"start",  "eventType",  "globalTid", "end",       "text",
                                                            "textId", "binaryData", "jsonText",  "jsonTextId"};
  const NsysTable table{"NVTX_EVENTS", kColumns, kTo, &diagnostic("missing table: NVTX_EVENTS"),
                        kColumns.size() - kPayload};
  events_.tables().for_each(table, [&](const Database::Rows& row) {
    if (!is_range(*row.integer(kType)))
      return sink_.diagnostics.count_about(diagnostic("not used:"), "NVTX marks", {file_, {}, {}}, {}, 1);
    const auto end = row.integer(kTo);
    if (!end) return sink_.diagnostics.count(diagnostic("open_range"), {file_, {}, {}});
    const auto when = events_.time(table.name, row.number(), *row.integer(kFrom), *end);
    if (!when) return;
    const std::string_view text = row.text(kText);
    const std::string_view json = row.text(kJson);
    add(*row.integer(kThread), text.empty() ? events_.text(row.integer(kTextId)) : text, *when,
        {row.bytes(kPayload), json.empty() ? events_.text(row.integer(kJsonId)) : json});
  });
}

void NsysRanges::add(std::int64_t thread, std::string_view name, RecordedTime when, Payload payload) {
  NsysProcess& process = events_.process(thread);
  const TrackId track = process.thread(thread);
  if (is_nccl_collective(name)) {
    nccl_[process_of_nsys_id(thread)].push_back(
        {track, when, std::string{name}, std::string{payload.bytes}, std::string{payload.json}});
  }
  if (process.add_operator(name, track, when)) return;
  process.add(EventKind::kAnnotation, name.empty() ? "range without a name" : name, track, when);
}

namespace {

constexpr std::size_t kHeader = 32;
constexpr std::size_t kSchemaAt = 8;
/// Larger numbers are corrupt: no job has as many ranks, and no transfer is as large as a pebibyte.

/// Returns the size of a field in bytes; 0 for types that NCCL does not use. Source: NVTX_PAYLOAD_ENTRY_TYPE_* in
/// nvToolsExtPayload.h.
std::size_t size_of_type(std::int64_t type) noexcept {
  switch (type) {
    case 5:  // int
    case 17: return 4;
    case 18:            // uint64
    case 22: return 8;  // size_t
    default: return 0;
  }
}

std::uint64_t little_endian(std::string_view bytes) noexcept {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8U | static_cast<unsigned char>(bytes[i]);
  return number;
}

/// Returns the member `name` of a JSON object; nullopt if it is absent or not a whole number. The result is unsigned
/// because communicator ids use all 64 bits.
std::optional<std::uint64_t> member(std::string_view object, std::string_view name) {
  ItemCursor members{object};
  std::string_view key;
  std::string_view value;
  while (members.next(key, value)) {
    if (key != name) continue;
    return parse_number<std::uint64_t>(value);
  }
  return std::nullopt;
}

std::int64_t at_most(std::optional<std::uint64_t> number, std::int64_t most) noexcept {
  return number && *number <= static_cast<std::uint64_t>(most) ? static_cast<std::int64_t>(*number) : -1;
}

/// True if a kernel can belong to a call; both are given by the names of their operations. Kernels of messages and of
/// all-to-alls have the same name, "sendrecv".
bool agree(std::string_view kernel, std::string_view call) {
  return kernel == call || (kernel == "sendrecv" && (call == "send" || call == "recv" || call == "alltoall"));
}

}  // namespace

NsysCollectives::NsysCollectives(NsysEvents& events) : events_(events) { read_schemas(events.tables()); }

void NsysCollectives::read_schemas(NsysTables& tables) {
  enum Column : std::size_t { kSchema, kType, kName, kOffset };
  static constexpr std::array<std::string_view, 4> kColumns{"schemaId", "type", "name", "offset"};
  tables.for_each({"NVTX_PAYLOAD_SCHEMA_ENTRIES", kColumns, kName, {}}, [&](const Database::Rows& row) {
    const std::int64_t offset = row.integer(kOffset).value_or(0);
    const std::size_t size = size_of_type(*row.integer(kType));
    const std::int64_t schema = *row.integer(kSchema);
    if (size == 0 || offset < 0 || schema < 0 || schema > std::numeric_limits<std::uint32_t>::max()) return;
    fields_.try_emplace({static_cast<std::uint32_t>(schema), std::string{row.text(kName)}},
                        Field{static_cast<std::size_t>(offset), size});
  });
}

std::optional<std::uint64_t> NsysCollectives::field(const NcclRange& range, std::string_view name) const {
  if (!range.json.empty()) return member(range.json, name);
  const std::string_view payload = range.payload;
  if (payload.size() < kHeader) return std::nullopt;
  const auto schema = static_cast<std::uint32_t>(little_endian(payload.substr(kSchemaAt, 4)));
  const auto found = fields_.find(std::pair{schema, std::string{name}});
  if (found == fields_.end()) return std::nullopt;
  const std::string_view values = payload.substr(kHeader);
  const Field& field = found->second;
  if (field.offset > values.size() || values.size() - field.offset < field.size) return std::nullopt;
  return little_endian(values.substr(field.offset, field.size));
}

NsysCollectives::Call NsysCollectives::read(const NcclRange& range) const {
  return {.range = &range,
          .operation = lower_case(std::string_view{range.name}.substr(4)),
          .communicator = field(range, "NCCL communicator ID"),
          .bytes = at_most(field(range, "Message size [bytes]"), kMostRecordedBytes),
          .peer = at_most(field(range, "Peer rank"), kMostRanks),
          .ranks = at_most(field(range, "No. of ranks"), kMostRanks),
          .rank = at_most(field(range, "Rank"), kMostRanks)};
}

std::optional<NsysCollectives::Place> NsysCollectives::place_of(std::int64_t process) const {
  const auto places = places_.find(process);
  return places == places_.end() ? std::nullopt : std::optional{places->second.largest};
}

ProcessGroupId NsysCollectives::group_of(std::int64_t process, std::uint64_t communicator) {
  NsysProcess& events = events_.processes().at(process);
  ProcessGroup group{.name = events.text(fmt::format("nccl {:#x}", communicator))};
  const std::map<std::uint64_t, Place>& places = places_[process].in;
  if (const auto place = places.find(communicator); place != places.end()) {
    group.size = static_cast<std::uint32_t>(place->second.size);
    group.own = static_cast<std::int32_t>(place->second.rank);
  }
  return events.group(group);
}

void NsysCollectives::describe(const std::map<std::int64_t, std::vector<NcclRange>>& calls) {
  std::map<std::int64_t, Calls> by_process;
  for (const auto& [id, ranges] : calls) {
    std::vector<const NcclRange*> order;
    for (const NcclRange& range : ranges) order.push_back(&range);
    std::stable_sort(order.begin(), order.end(), [](const NcclRange* a, const NcclRange* b) {
      return std::pair{a->time.start, -a->time.length} < std::pair{b->time.start, -b->time.length};
    });
    for (const NcclRange* const range : order) {
      Call call = read(*range);
      if (call.communicator && call.ranks > 0 && call.rank >= 0 && call.rank < call.ranks) {
        Places& places = places_[id];
        places.in.emplace(*call.communicator, Place{call.rank, call.ranks});
        if (call.ranks > places.largest.size) places.largest = {call.rank, call.ranks};
      }
      std::vector<Call>& thread = by_process[id][range->thread];
      const bool inside = !thread.empty() && range->time.start + range->time.length <=
                                                 thread.back().range->time.start + thread.back().range->time.length;
      if (!inside) thread.push_back(std::move(call));
    }
  }
  for (const auto& [id, of_process] : by_process) {
    for (const auto& [communicator, place] : places_[id].in) static_cast<void>(group_of(id, communicator));
    describe(id, of_process);
  }
}

const NsysCollectives::Call* NsysCollectives::call_around(const Calls& calls, TrackId thread, Time launched) {
  const auto found = calls.find(thread);
  if (found == calls.end()) return nullptr;
  const std::vector<Call>& row = found->second;
  const auto after = std::upper_bound(row.begin(), row.end(), launched,
                                      [](Time time, const Call& call) { return time < call.range->time.start; });
  if (after == row.begin()) return nullptr;
  const Call* around = &*std::prev(after);
  if (launched >= around->range->time.start + around->range->time.length) return nullptr;
  if (around->transfers()) return around;
  if (around->operation != "groupend") return nullptr;
  const Call* only = nullptr;
  for (const Call* call = around; call != row.data();) {
    --call;
    if (call->operation == "groupstart") return only;
    if (!call->transfers()) continue;
    if (only != nullptr) return nullptr;
    only = call;
  }
  return nullptr;
}

void NsysCollectives::describe(std::int64_t id, const Calls& calls) {
  NsysProcess& process = events_.processes().at(id);
  const HostDeviceTrace& trace = process.trace();
  std::unordered_map<std::int64_t, std::uint32_t> launches;  // calls that launched NCCL kernels, by correlation id
  std::vector<std::uint32_t> kernels;
  for (std::uint32_t i = 0; i < trace.size(); ++i) {
    if (trace.kind[i] != EventKind::kKernel || trace.correlation[i] < 0) continue;
    if (!communication_kernel(process.name_of(i))) continue;
    kernels.push_back(i);
    launches.emplace(trace.correlation[i], i);
  }
  for (std::uint32_t i = 0; i < trace.size(); ++i) {
    if (trace.kind[i] != EventKind::kRuntimeCall) continue;
    if (const auto launch = launches.find(trace.correlation[i]); launch != launches.end()) launch->second = i;
  }
  for (const std::uint32_t kernel : kernels) {
    const std::uint32_t launch = launches.at(trace.correlation[kernel]);
    if (launch == kernel) continue;
    const Call* const call = call_around(calls, trace.track[launch], trace.start[launch]);
    if (call != nullptr) describe(id, kernel, *call);
  }
}

void NsysCollectives::describe(std::int64_t id, std::uint32_t kernel, const Call& call) {
  NsysProcess& process = events_.processes().at(id);
  if (!agree(lower_case(communication_kernel(process.name_of(kernel))->operation), call.operation)) return;
  const std::map<std::uint64_t, Place>& places = places_[id].in;
  const auto known = call.communicator ? places.find(*call.communicator) : places.end();
  const std::int64_t ranks = known == places.end() ? -1 : known->second.size;
  // Peers are numbered within the communicator, so they are unknown if its members are.
  if (call.peer >= 0 && ranks < 0) return;
  std::int64_t bytes = call.bytes;
  if (nccl_counts_one_part(call.operation))
    bytes = ranks > 0 && call.bytes <= kMostRecordedBytes / ranks ? call.bytes * ranks : 0;
  EventDetail& detail = process.detail(kernel);
  detail.bytes = Bytes{bytes};
  detail.collective = process.text(call.operation);
  if (call.communicator) detail.group = group_of(id, *call.communicator);
  if (call.peer >= 0) detail.peer = static_cast<std::int32_t>(call.peer);
}

}  // namespace stepsim::ingest
