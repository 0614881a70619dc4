#include "ingest/stitch/host_device/rank_events.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "ingest/parts/busy_time.h"
#include "ingest/parts/tables.h"
#include "ingest/stitch/host_device/device_times.h"
#include "ingest/stitch/host_device/steps.h"
#include "model/base/side_by_side.h"
#include "model/base/sort_runs.h"
#include "model/job/kernel_class.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {

void sort_nested(const HostDeviceTrace& trace, std::vector<std::uint32_t>& events) {
  sort_runs(events, [&](std::uint32_t a, std::uint32_t b) {
    const bool a_is_mark = trace.kind[a] == EventKind::kAnnotation;
    const bool b_is_mark = trace.kind[b] == EventKind::kAnnotation;
    return std::tuple{trace.start[a], -trace.duration[a].count(), !a_is_mark, a} <
           std::tuple{trace.start[b], -trace.duration[b].count(), !b_is_mark, b};
  });
}

void sort_calls(RankEvents& events) {
  sort_runs(events.calls, [&](const auto& a, const auto& b) {
    return std::tuple{a.first, events.begin_of(a.second), b.second} <
           std::tuple{b.first, events.begin_of(b.second), a.second};
  });
}

namespace {

void sort_all(RankEvents& events, int threads) {
  const HostDeviceTrace& trace = *events.trace;
  const auto sort_device_work = [&] {
    sort_runs(events.ops, runs_before);
    sort_runs(events.syncs, [&](std::uint32_t a, std::uint32_t b) {
      return std::pair{trace.start[a], a} < std::pair{trace.start[b], b};
    });
  };
  side_by_side(threads, events.threads.size() + 2, [&](std::size_t i) {
    if (i < events.threads.size()) return sort_nested(trace, events.threads[i].events);
    i == events.threads.size() ? sort_calls(events) : sort_device_work();
  });
}

struct Rows {
  std::vector<std::uint32_t> thread_of_track;
  std::vector<std::uint32_t> stream_of_track;
  std::vector<std::size_t> events_of_track;
};

/// Reserves memory for calls and device work, and counts the events of each track.
void count_rows(RankEvents& events, Rows& rows) {
  const HostDeviceTrace& trace = *events.trace;
  std::size_t device_work = 0;
  std::size_t calls = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (is_device_work(trace.kind[i])) ++device_work;
    if (trace.kind[i] == EventKind::kRuntimeCall) ++calls;
    ++rows.events_of_track[trace.track[i].index()];
  }
  events.ops.reserve(device_work);
  events.calls.reserve(calls);
}

/// Returns the index of a track in its table. A new track gets the index `next`, which is the size of the table. A
/// stream that a file records under several tids becomes several streams.
std::uint32_t row_of(std::vector<std::uint32_t>& index, TrackId track, std::size_t next) {
  std::uint32_t& slot = index[track.index()];
  if (slot == kNoIndex) slot = static_cast<std::uint32_t>(next);
  return slot;
}

void add_host_event(RankEvents& events, Rows& rows, std::uint32_t event) {
  const TrackId track = events.trace->track[event];
  const std::uint32_t thread = row_of(rows.thread_of_track, track, events.threads.size());
  if (thread == events.threads.size()) {
    events.threads.push_back({track, {}, false});
    events.threads.back().events.reserve(rows.events_of_track[track.index()]);
  }
  events.threads[thread].events.push_back(event);
}

void add_device_op(RankEvents& events, Rows& rows, std::uint32_t event) {
  const TrackId track = events.trace->track[event];
  const std::uint32_t stream = row_of(rows.stream_of_track, track, events.streams.size());
  if (stream == events.streams.size()) {
    const Track& row = events.trace->tracks[track.index()];
    events.streams.push_back({track, row.device, row.stream});
  }
  events.ops.push_back(
      {event, event, kNoIndex, kNoIndex, stream, events.begin_of(event), events.end_of(event), events.begin_of(event)});
}

/// Leaves out the inner record of calls that have two, one within the other: Nsight Systems 2022 records
/// "cudaLaunchKernel" and "cudaLaunchKernel_v7000" with one correlation.
void leave_out_doubled_calls(RankEvents& events) {
  const HostDeviceTrace& trace = *events.trace;
  const auto is_within = [&](std::uint32_t inner, std::uint32_t outer) {
    const std::string_view name = events.name_of(inner);
    const std::string_view around = events.name_of(outer);
    return trace.track[inner] == trace.track[outer] && events.begin_of(inner) < events.end_of(outer) &&
           (name.starts_with(around) || around.starts_with(name));
  };
  std::vector<bool> is_doubled;  // by event
  std::size_t kept = 0;
  for (auto& call : events.calls) {
    auto* const before = kept > 0 && events.calls[kept - 1].first == call.first ? &events.calls[kept - 1] : nullptr;
    if (before == nullptr || !is_within(call.second, before->second)) {
      events.calls[kept++] = call;
      continue;
    }
    const bool is_outer = events.begin_of(call.second) == events.begin_of(before->second) &&
                          events.end_of(call.second) > events.end_of(before->second);
    if (is_outer) std::swap(call, *before);
    is_doubled.resize(trace.size());
    is_doubled[call.second] = true;
  }
  events.calls.resize(kept);
  if (is_doubled.empty()) return;
  for (RankEvents::Thread& thread : events.threads)
    std::erase_if(thread.events, [&](std::uint32_t event) { return is_doubled[event]; });
}

void link_launches(RankEvents& events, const Rows& rows) {
  for (DeviceOp& op : events.ops) {
    const std::int64_t correlation = events.trace->correlation[op.event];
    op.call = correlation < 0 ? kNoIndex : events.call_of(correlation, op.begin);
    if (op.call == kNoIndex) continue;
    op.thread = rows.thread_of_track[events.trace->track[op.call].index()];
    events.threads[op.thread].launches = true;
  }
}

/// Joins the pieces of work of one collective, which share a detail, to one piece from the begin of the first to the
/// end of the last: a collective may have a kernel, or a copy, for each peer. Pieces are not joined if other work of a
/// stream lies between them.
void join_pieces_of_collectives(RankEvents& events) {
  const HostDeviceTrace& trace = *events.trace;
  std::map<std::uint32_t, std::vector<std::uint32_t>> pieces;  // by detail: indices into events.ops
  for (std::uint32_t i = 0; i < events.ops.size(); ++i) {
    const std::uint32_t event = events.ops[i].event;
    if (names_collective(trace, event)) pieces[trace.detail[event]].push_back(i);
  }
  std::erase_if(pieces, [](const auto& one) { return one.second.size() < 2; });
  if (pieces.empty()) return;
  std::vector<std::uint32_t> position(events.ops.size());  // of an op in its stream
  std::vector<std::uint32_t> on_stream(events.streams.size());
  for (std::uint32_t i = 0; i < events.ops.size(); ++i) position[i] = on_stream[events.ops[i].stream]++;
  std::vector<bool> joined(events.ops.size());
  for (const auto& [detail, of_one] : pieces) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> positions;  // by stream
    for (const std::uint32_t op : of_one) positions[events.ops[op].stream].push_back(position[op]);
    const bool in_turn = std::all_of(positions.begin(), positions.end(), [](const auto& stream) {
      return stream.second.back() - stream.second.front() + 1 == stream.second.size();
    });
    if (!in_turn) continue;
    DeviceOp& whole = events.ops[of_one.front()];
    for (const std::uint32_t op : std::span(of_one).subspan(1)) {
      const DeviceOp& piece = events.ops[op];
      if (piece.end > whole.end) std::tie(whole.end, whole.last_event) = std::pair{piece.end, piece.event};
      if (piece.call != kNoIndex) events.joined_calls.push_back(piece.call);
      joined[op] = true;
    }
  }
  std::size_t at = 0;
  std::erase_if(events.ops, [&](const DeviceOp&) { return joined[at++]; });
  sort_runs(events.ops, runs_before);
}

void note_communication(RankEvents& events) {
  const HostDeviceTrace& trace = *events.trace;
  events.communicates.resize(trace.texts.size(), false);
  std::vector<bool> seen(trace.texts.size(), false);
  for (const DeviceOp& op : events.ops) {
    const std::size_t name = trace.name[op.event].index();
    if (trace.kind[op.event] != EventKind::kKernel || seen[name]) continue;
    seen[name] = true;
    events.communicates[name] = communication_kernel(trace.texts[name]).has_value();
  }
}

void note_loaders(RankEvents& events) {
  const std::vector<std::string>& texts = events.trace->texts;
  if (std::none_of(texts.begin(), texts.end(), awaits_loader)) return;
  for (const std::string& text : texts) events.loads.push_back(awaits_loader(text));
}

/// The beginnings of calls' names: of CUDA, HIP, CANN, and of Intel's Unified Runtime, its predecessor and Level Zero.
constexpr std::array<std::string_view, 7> kApis{"cuda", "hip", "cu", "aclrt", "ur", "pi", "ze"};

/// What calls wait for, by the beginning of their names after kApis. Of two beginnings that fit, the longer comes
/// first.
constexpr auto kCallWaits = std::to_array<std::pair<std::string_view, CallWait>>({
    {"DeviceSynchronize", CallWait::kDevice},
    {"CtxSynchronize", CallWait::kDevice},
    {"SynchronizeDevice", CallWait::kDevice},
    {"StreamSynchronize", CallWait::kStream},
    {"EventSynchronize", CallWait::kStream},
    {"SynchronizeStream", CallWait::kStream},
    {"SynchronizeEvent", CallWait::kStream},
    {"QueueFinish", CallWait::kStream},
    {"EventWait", CallWait::kStream},
    {"EventsWait", CallWait::kStream},
    {"CommandQueueSynchronize", CallWait::kStream},
    {"CommandListHostSynchronize", CallWait::kStream},
    {"EventHostSynchronize", CallWait::kStream},
    {"FenceHostSynchronize", CallWait::kStream},
    {"Memset", CallWait::kRoom},
    {"EventRecord", CallWait::kRoom},
    {"StreamWaitEvent", CallWait::kRoom},
    // An allocation or a release in the order of a stream waits for nothing on the CPU.
    {"MallocAsync", CallWait::kNothing},
    {"MallocFromPoolAsync", CallWait::kNothing},
    {"MemAllocAsync", CallWait::kNothing},
    {"MemAllocFromPoolAsync", CallWait::kNothing},
    {"FreeAsync", CallWait::kNothing},
    {"MemFreeAsync", CallWait::kNothing},
    {"Malloc", CallWait::kAllocation},
    {"HostMalloc", CallWait::kAllocation},
    {"ExtMalloc", CallWait::kAllocation},
    {"HostAlloc", CallWait::kAllocation},
    {"MemAlloc", CallWait::kAllocation},
    {"MemHostAlloc", CallWait::kAllocation},
    {"Free", CallWait::kFree},
    {"HostFree", CallWait::kFree},
    {"MemFree", CallWait::kFree},
    {"Memcpy", CallWait::kOwnWork},
    {"launch", CallWait::kLaunch},  // CANN's
});

}  // namespace

std::uint32_t RankEvents::call_of(std::int64_t correlation, Time by) const noexcept {
  const auto after = std::upper_bound(calls.begin(), calls.end(), std::pair{correlation, by + kDeviceClockError},
                                      [this](const auto& key, const auto& call) {
                                        return key < std::pair{call.first, begin_of(call.second)};
                                      });
  if (after != calls.begin() && std::prev(after)->first == correlation) return std::prev(after)->second;
  return after != calls.end() && after->first == correlation ? after->second : kNoIndex;
}

std::int32_t RankEvents::step_at(Time at) const noexcept {
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), at, [](Time t, const StepWindow& w) { return t < w.begin; });
  if (after == steps.begin() || at >= std::prev(after)->end) return -1;
  return static_cast<std::int32_t>(after - steps.begin()) - 1;
}

RankEvents arrange(const HostDeviceTrace& trace, int threads) {
  RankEvents events;
  events.trace = &trace;
  Rows rows{std::vector<std::uint32_t>(trace.tracks.size(), kNoIndex),
            std::vector<std::uint32_t>(trace.tracks.size(), kNoIndex), std::vector<std::size_t>(trace.tracks.size())};
  count_rows(events, rows);
  for (std::uint32_t i = 0; i < trace.size(); ++i) {
    const EventKind kind = trace.kind[i];
    if (!in_time(trace.start[i], trace.duration[i])) {
      ++events.out_of_time;
    } else if (is_device_work(kind)) {
      add_device_op(events, rows, i);
    } else if (kind == EventKind::kSync) {
      events.syncs.push_back(i);
    } else if (kind != EventKind::kDeviceAnnotation) {
      add_host_event(events, rows, i);
      if (trace.duration[i] == Duration{}) ++events.instants;
      if (kind == EventKind::kRuntimeCall && trace.correlation[i] >= 0)
        events.calls.emplace_back(trace.correlation[i], i);
    }
  }
  sort_all(events, threads);
  leave_out_doubled_calls(events);
  link_launches(events, rows);
  events.device_clocks = device_clock_offsets(events);
  mend_device_times(events);
  join_pieces_of_collectives(events);
  for (std::uint32_t i = 0; i < events.ops.size(); ++i) {
    RankEvents::Stream& stream = events.streams[events.ops[i].stream];
    stream.ops.push_back(i);
    if (stream.first_launched == Time::min() && events.ops[i].call != kNoIndex)
      stream.first_launched = events.ops[i].begin;
  }
  note_communication(events);
  note_loaders(events);
  find_steps(events);
  return events;
}

void move_earlier(HostDeviceTrace& trace, RankEvents& events, Duration time) {
  if (time == Duration{}) return;
  move_earlier(trace, time);
  const auto move = [time](Time& one) {
    if (in_time(one)) one -= time;
  };
  const auto move_step = [&move](RankEvents::StepWindow& step) {
    move(step.begin);
    move(step.end);
  };
  for (DeviceOp& op : events.ops) {
    move(op.begin);
    move(op.end);
    move(op.launched);
  }
  for (RankEvents::Stream& stream : events.streams) move(stream.first_launched);
  for (RankEvents::StepWindow& step : events.steps) move_step(step);
  for (auto& [one, other] : events.overlaps) {
    move_step(one);
    move_step(other);
  }
}

bool is_host_collective(std::string_view name) noexcept {
  return name.starts_with("gloo:") || name.starts_with("mpi:");
}

std::optional<std::string_view> collective_in(std::string_view name) noexcept {
  if (is_host_collective(name)) return name.substr(name.find(':') + 1);
  const std::optional<CommunicationKernel> kernel = communication_kernel(name);
  return kernel ? std::optional{kernel->operation} : std::nullopt;
}

bool reads_result(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 5> kNames{"aten::_local_scalar_dense", "aten::item", "aten::is_nonzero",
                                                   "aten::nonzero", "aten::equal"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

CallWait wait_of_call(std::string_view name) noexcept {
  for (const std::string_view prefix : kApis) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    break;
  }
  const auto* const found = std::find_if(kCallWaits.begin(), kCallWaits.end(),
                                         [name](const auto& entry) { return name.starts_with(entry.first); });
  if (found != kCallWaits.end()) return found->second;
  return name.find("Launch") == std::string_view::npos ? CallWait::kNothing : CallWait::kLaunch;
}

}  // namespace stepsim::ingest
