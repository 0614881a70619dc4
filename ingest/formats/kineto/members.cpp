#include "ingest/formats/kineto/members.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "ingest/json/json_values.h"
#include "ingest/parts/process_groups.h"
#include "ingest/parts/tables.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"

namespace stepsim::ingest {

namespace {

std::string_view find_member(const TopMembers& members, std::string_view key) {
  std::string_view value;
  for (const auto& [name, raw] : members) {
    if (name == key) value = raw;
  }
  return value;
}

std::string_view find_member(std::string_view object, std::string_view key) {
  ItemCursor members{object};
  std::string_view name;
  std::string_view raw;
  std::string_view value;
  while (members.next(name, raw)) {
    if (name == key) value = raw;
  }
  return value;
}

std::optional<std::int64_t> not_negative(std::optional<std::int64_t> number) {
  return number && *number >= 0 ? number : std::nullopt;
}

bool works_on_device(const HostDeviceTrace& trace) {
  return std::any_of(trace.kind.begin(), trace.kind.end(), [](EventKind kind) { return kind == EventKind::kKernel; });
}

/// Returns the backend of a trace. For "cpu:gloo,cuda:nccl" this is "nccl" if the trace has kernels, else "gloo".
std::string backend_of(std::string_view text, bool on_device) {
  if (text.find(':') == std::string_view::npos) return std::string{text};
  std::string_view chosen;
  for (const std::string_view item : parts_of(text, ',')) {
    const std::size_t colon = item.find(':');
    const bool of_cpu = item.substr(0, colon) == "cpu";
    if (colon != std::string_view::npos && (chosen.empty() || of_cpu != on_device)) chosen = item.substr(colon + 1);
  }
  return std::string{chosen};
}

/// Returns whether a group's ranks share a batch, from the group's description as written by Megatron-LM
/// (megatron/core/parallel_state.py) or for a dimension of PyTorch's DeviceMesh. Returns nullopt for other
/// descriptions.
std::optional<bool> shares_batch(std::string_view description) {
  static constexpr auto kShared =
      std::to_array<std::string_view>({"TENSOR_MODEL_PARALLEL_GROUP", "PIPELINE_MODEL_PARALLEL_GROUP",
                                       "CONTEXT_PARALLEL_GROUP", "mesh_tp", "mesh_pp", "mesh_cp"});
  static constexpr auto kApart =
      std::to_array<std::string_view>({"DATA_PARALLEL_GROUP", "mesh_dp", "mesh_dp_shard", "mesh_dp_replicate"});
  if (std::find(kShared.begin(), kShared.end(), description) != kShared.end()) return true;
  if (std::find(kApart.begin(), kApart.end(), description) != kApart.end()) return false;
  return std::nullopt;
}

/// Returns the number of ranks that share a batch (HostDeviceTrace::ranks_of_batch), from the process groups in `info`.
/// A process lists only the groups that contain it, so each kind of group appears once.
std::optional<std::int64_t> ranks_of_batch(std::string_view info) {
  const std::int64_t world = as_integer(find_member(info, "world_size")).value_or(0);
  std::optional<std::int64_t> ranks;
  std::set<std::string> seen;
  ItemCursor groups{find_member(info, "pg_config")};
  std::string_view group;
  while (groups.next(group)) {
    const std::string description = as_text(find_member(group, "pg_desc"));
    const std::int64_t size = as_integer(find_member(group, "pg_size")).value_or(0);
    const std::optional<bool> shared = shares_batch(description);
    if (!shared || size < 1 || size > world || !seen.insert(description).second) continue;
    ranks = ranks.value_or(1) * (*shared ? size : 1);
    if (*ranks > world || world % *ranks != 0) return std::nullopt;  // inconsistent: not the groups of one rank
  }
  return ranks;
}

void apply_distributed_info(HostDeviceTrace& trace, std::string_view info) {
  trace.rank = not_negative(as_integer(find_member(info, "rank")));
  trace.world_size = not_negative(as_integer(find_member(info, "world_size")));
  trace.ranks_of_batch = ranks_of_batch(info);
  trace.backend = backend_of(as_text(find_member(info, "backend")), works_on_device(trace));
}

/// Gives process groups that have only a name their ranks. An event names a group by its ranks, or, if these are
/// missing or cut off, by a name that only this process knows; pg_config maps such names to ranks.
void apply_group_ranks(HostDeviceTrace& trace, std::string_view info) {
  std::map<std::string, std::string> ranks_of;
  ItemCursor groups{find_member(info, "pg_config")};
  std::string_view group;
  while (groups.next(group)) ranks_of[as_text(find_member(group, "pg_name"))] = as_text(find_member(group, "ranks"));
  for (ProcessGroup& row : trace.groups) {
    const auto known = row.name.valid() ? ranks_of.find(trace.text(row.name)) : ranks_of.end();
    if (known == ranks_of.end()) continue;
    Group listed = group_named(known->second);
    if (!listed.ranks.empty()) row = {.name = {}, .size = listed.size, .ranks = std::move(listed.ranks)};
  }
}

}  // namespace

namespace {

struct FileWorker {
  std::string host;
  std::string process;
};

FileWorker worker_in_file_name(std::string_view file) {
  const std::string_view name = file_name_of(file);
  const std::size_t suffix = name.find(".pt.trace.json");
  if (suffix == std::string_view::npos) return {};
  const std::string_view worker = name.substr(0, name.substr(0, suffix).find_last_of('.'));
  const std::size_t bar = worker.find_last_of('_');
  const auto all_digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (worker.size() >= suffix || bar == std::string_view::npos || bar == 0 || !all_digits(worker.substr(bar + 1)))
    return {};
  if (!all_digits(name.substr(worker.size() + 1, suffix - worker.size() - 1))) return {};
  return {std::string{worker.substr(0, bar)}, std::string{worker.substr(bar + 1)}};
}

}  // namespace

std::string host_in_file_name(std::string_view file) { return worker_in_file_name(file).host; }

namespace {

/// Returns the properties of the device that ran most work. A process that sees only one of several devices may list
/// it as number 0 but record kernels under its number in the host. If the list does not have that number, the first
/// device is taken if all have the same name, and none otherwise.
std::string_view device_used(const HostDeviceTrace& trace, std::string_view properties) {
  const std::optional<std::int32_t> used = busiest_device(trace);
  ItemCursor devices{properties};
  std::string_view device;
  std::string_view first;
  std::set<std::string> names;
  while (devices.next(device)) {
    if (!used || as_integer(find_member(device, "id")) == *used) return device;
    if (names.empty()) first = device;
    names.insert(as_text(find_member(device, "name")));
  }
  return names.size() == 1 ? first : std::string_view{};
}

/// True if the start times are Unix times: most of them are after April 1970. Otherwise they lack the base time.
bool is_unix_time(const HostDeviceTrace& trace) {
  constexpr std::int64_t kLeast = 10'000'000'000'000'000;
  const auto large = std::count_if(trace.start.begin(), trace.start.end(),
                                   [](Time time) { return time.time_since_epoch().count() >= kLeast; });
  return static_cast<std::size_t>(large) * 2 > trace.size();
}

bool fits(const HostDeviceTrace& trace, std::int64_t base) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  if (base == kLeast) return false;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::int64_t start = trace.start[i].time_since_epoch().count();
    if (base < 0 && start < kLeast - base) return false;
    if (base >= 0 && start > kMost - base) return false;
    if (start + base > kMost - trace.duration[i].count()) return false;
  }
  return true;
}

void apply_base_time(HostDeviceTrace& trace, std::string_view raw, std::string_view file, Diagnostics& diagnostics) {
  std::int64_t base = as_integer(raw).value_or(0);
  trace.has_base_time = base != 0 || is_unix_time(trace);
  if (!fits(trace, base)) {
    diagnostics.count(diagnostic("bad_base_time"), {std::string{file}, {}, {}});
    base = 0;
    trace.has_base_time = is_unix_time(trace);
  }
  trace.base_time = Duration{base};
  move_earlier(trace, Duration{-base});
}

}  // namespace

void apply_members(HostDeviceTrace& trace, const TopMembers& members, std::string_view file, Diagnostics& diagnostics) {
  const std::string_view info = find_member(members, "distributedInfo");
  apply_distributed_info(trace, info);
  apply_group_ranks(trace, info);
  trace.host_name = as_text(find_member(members, "host_name"));
  if (trace.host_name.empty()) {
    FileWorker worker = worker_in_file_name(file);
    const bool of_process = std::any_of(trace.tracks.begin(), trace.tracks.end(), [&](const Track& track) {
      return !track.on_device && track.process == worker.process;
    });
    if (of_process) trace.host_name = std::move(worker.host);
  }
  const std::string_view device = device_used(trace, find_member(members, "deviceProperties"));
  trace.device_name = as_text(find_member(device, "name"));
  trace.device_memory = as_integer(find_member(device, kMemoryMember));
  const std::string_view model = find_member(members, kModelMember);
  trace.modelled = as_text(find_member(model, "model"));
  trace.samples = as_integer(find_member(model, "samples"));
  apply_base_time(trace, find_member(members, "baseTimeNanoseconds"), file, diagnostics);
}

}  // namespace stepsim::ingest
