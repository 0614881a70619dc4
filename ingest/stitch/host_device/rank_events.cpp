#include "ingest/stitch/host_device/rank_events.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "ingest/parts/busy_time.h"
#include "ingest/stitch/host_device/device_times.h"
#include "model/base/number.h"
#include "model/base/side_by_side.h"
#include "model/base/sort_runs.h"
#include "model/job/kernel_class.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// Sorts host events so that a parent comes before its children.
void sort_nested(const HostDeviceTrace& trace, std::vector<std::uint32_t>& events) {
  sort_runs(events, [&](std::uint32_t a, std::uint32_t b) {
    const bool a_is_mark = trace.kind[a] == EventKind::kAnnotation;
    const bool b_is_mark = trace.kind[b] == EventKind::kAnnotation;
    return std::tuple{trace.start[a], -trace.duration[a].count(), !a_is_mark, a} <
           std::tuple{trace.start[b], -trace.duration[b].count(), !b_is_mark, b};
  });
}

void sort_all(RankEvents& events, int threads) {
  const HostDeviceTrace& trace = *events.trace;
  const auto sort_device_work = [&] {
    sort_runs(events.ops, runs_before);
    sort_runs(events.syncs, [&](std::uint32_t a, std::uint32_t b) {
      return std::pair{trace.start[a], a} < std::pair{trace.start[b], b};
    });
  };
  const auto sort_calls = [&] {
    sort_runs(events.calls, [&](const auto& a, const auto& b) {
      return std::tuple{a.first, trace.start[a.second], b.second} <
             std::tuple{b.first, trace.start[b.second], a.second};
    });
  };
  side_by_side(threads, events.threads.size() + 2, [&](std::size_t i) {
    if (i < events.threads.size()) return sort_nested(trace, events.threads[i].events);
    i == events.threads.size() ? sort_calls() : sort_device_work();
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
      {event, kNoIndex, kNoIndex, stream, events.begin_of(event), events.end_of(event), events.begin_of(event)});
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

std::size_t step_marks(const RankEvents& events, const RankEvents::Thread& thread) {
  return static_cast<std::size_t>(std::count_if(thread.events.begin(), thread.events.end(), [&](std::uint32_t event) {
    return events.trace->kind[event] == EventKind::kAnnotation && step_number(events.name_of(event)).has_value();
  }));
}

std::size_t find_main_thread(const RankEvents& events) {
  std::size_t busiest = 0;
  for (const RankEvents::Thread& thread : events.threads) busiest = std::max(busiest, thread.events.size());
  std::size_t best = 0;
  std::pair<std::size_t, Duration> best_score{0, Duration::min()};
  for (std::size_t t = 0; t < events.threads.size(); ++t) {
    const RankEvents::Thread& thread = events.threads[t];
    if (10 * thread.events.size() < busiest && step_marks(events, thread) == 0) continue;
    const std::pair score{step_marks(events, thread), -events.begin_of(thread.events.front()).time_since_epoch()};
    if (score > best_score) std::tie(best, best_score) = std::pair{t, score};
  }
  return best;
}

/// Returns the step marks, sorted by their begins: those of the main thread, and those of each other thread whose
/// numbers do not occur on an earlier thread.
std::vector<RankEvents::StepWindow> step_marks_by_begin(const RankEvents& events) {
  std::vector<const RankEvents::Thread*> threads{&events.threads[events.main_thread]};
  for (const RankEvents::Thread& thread : events.threads) {
    if (&thread != threads.front()) threads.push_back(&thread);
  }
  std::vector<RankEvents::StepWindow> marks;
  std::set<std::int64_t> known;
  for (const RankEvents::Thread* const thread : threads) {
    const std::size_t before = marks.size();
    for (const std::uint32_t event : thread->events) {
      if (events.trace->kind[event] != EventKind::kAnnotation) continue;
      const std::optional<std::int64_t> number = step_number(events.name_of(event));
      if (number && !known.contains(*number)) marks.push_back({*number, events.begin_of(event), events.end_of(event)});
    }
    for (std::size_t i = before; i < marks.size(); ++i) known.insert(marks[i].number);
  }
  std::stable_sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return marks;
}

/// Prefixes of the names of ranges that frameworks open once per step. The rest of the name differs from step to step.
constexpr std::array<std::string_view, 3> kStepRanges{"step[", "execute_", "[pl][profile]run_training_batch"};
constexpr std::string_view kOptimizerStep = "Optimizer.step#";

/// Ranges of one thread with the same name prefix. They may replace step marks.
struct StepRanges {
  std::string_view name;
  std::vector<RankEvents::StepWindow> windows;
  [[nodiscard]] double covered() const {
    double sum = 0;  // in nanoseconds; a double, because a sum of damaged times may not fit in 64 bits
    for (const RankEvents::StepWindow& window : windows)
      sum += static_cast<double>((window.end - window.begin).count());
    return sum;
  }
};

/// Returns the name prefix by which ranges are grouped: an entry of kStepRanges, or the whole name of an optimizer's
/// step. Returns an empty string for other names.
std::string_view step_range(std::string_view name) {
  if (name.starts_with(kOptimizerStep)) return name;
  const auto* const found = std::find_if(kStepRanges.begin(), kStepRanges.end(),
                                         [name](std::string_view beginning) { return name.starts_with(beginning); });
  return found == kStepRanges.end() ? std::string_view() : *found;
}

/// Changes the ranges of an optimizer's steps so that each reaches from the end of one optimizer step to the end of the
/// next. Drops the first one, because the begin of the first iteration is unknown.
void set_windows_between_ends(StepRanges& ranges) {
  std::vector<RankEvents::StepWindow>& windows = ranges.windows;
  for (std::size_t i = windows.size(); i-- > 1;) windows[i].begin = windows[i - 1].end;
  if (!windows.empty()) windows.erase(windows.begin());
}

/// Returns the ranges that replace step marks: of all groups (same thread, same prefix), the one that covers the most
/// time. Ranges of an optimizer are used only if there are no others.
StepRanges ranges_of_steps(const RankEvents& events) {
  StepRanges best;
  const ByName beginning(*events.trace, step_range);
  for (const RankEvents::Thread& thread : events.threads) {
    std::map<std::string_view, StepRanges> found;
    for (const std::uint32_t event : thread.events) {
      if (events.trace->kind[event] != EventKind::kAnnotation || beginning(event).empty()) continue;
      StepRanges& ranges = found.try_emplace(beginning(event), StepRanges{beginning(event), {}}).first->second;
      const auto number = static_cast<std::int64_t>(ranges.windows.size());
      ranges.windows.push_back({number, events.begin_of(event), events.end_of(event)});
    }
    for (auto& [name, ranges] : found) {
      const bool optimizer = name.starts_with(kOptimizerStep);
      if (optimizer) set_windows_between_ends(ranges);
      const bool kept_optimizer = best.name.starts_with(kOptimizerStep);
      if (best.windows.empty() || std::pair{!optimizer, ranges.covered()} > std::pair{!kept_optimizer, best.covered()})
        best = std::move(ranges);
    }
  }
  return best;
}

/// Returns true if less device time was launched in the steps than outside them. If several steps have device work,
/// only work between steps counts as outside, and not work before the first step or after the last, such as a warm-up.
bool most_device_time_is_outside(const RankEvents& events) {
  std::set<std::int32_t> busy;
  double inside = 0;
  double between = 0;
  double around = 0;
  for (const DeviceOp& op : events.ops) {
    const auto duration = static_cast<double>((op.end - op.begin).count());
    const Time launch = events.launch_of(op);
    if (const std::int32_t step = events.step_at(launch); step >= 0) {
      busy.insert(step);
      inside += duration;
    } else if (!events.steps.empty() && launch >= events.steps.front().begin && launch < events.steps.back().end) {
      between += duration;
    } else {
      around += duration;
    }
  }
  return between + (busy.size() > 1 ? 0 : around) > inside;
}

/// Finds the steps. If a step begins before the previous one has ended, as in a pipeline, the previous one is cut short
/// there: the time between begins is the time of an iteration. If there are neither marks nor ranges that replace them,
/// or if they are ignored, each window of the profiler counts as a step.
void find_steps(RankEvents& events) {
  if (events.threads.empty()) return;
  std::vector<RankEvents::StepWindow> marks = step_marks_by_begin(events);
  if (marks.empty()) {
    StepRanges ranges = ranges_of_steps(events);
    events.step_ranges = ranges.name;
    marks = std::move(ranges.windows);
  }
  for (const RankEvents::StepWindow& mark : marks) {
    if (!events.steps.empty() && mark.begin < events.steps.back().end) {
      RankEvents::StepWindow& before = events.steps.back();
      if (mark.number == before.number) continue;  // the same mark, recorded twice
      events.overlaps.emplace_back(before, mark);
      if (mark.begin == before.begin) continue;
      before.end = mark.begin;
    }
    events.steps.push_back(mark);
  }
  if (most_device_time_is_outside(events)) events.steps_ignored = std::exchange(events.steps, {}).size();
  events.marked = !events.steps.empty();
  if (events.marked) return;
  events.step_ranges.clear();
  std::int64_t number = 0;
  for (const auto& [begin, end] : events.trace->windows) events.steps.push_back({number++, begin, end});
}

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
  link_launches(events, rows);
  events.device_clocks = device_clock_offsets(events);
  mend_device_times(events);
  for (std::uint32_t i = 0; i < events.ops.size(); ++i) {
    RankEvents::Stream& stream = events.streams[events.ops[i].stream];
    stream.ops.push_back(i);
    if (stream.first_launched == Time::min() && events.ops[i].call != kNoIndex)
      stream.first_launched = events.ops[i].begin;
  }
  note_communication(events);
  note_loaders(events);
  events.main_thread = find_main_thread(events);
  find_steps(events);
  return events;
}

bool is_host_collective(std::string_view name) noexcept {
  return name.starts_with("gloo:") || name.starts_with("mpi:");
}

std::optional<std::string_view> collective_in(std::string_view name) noexcept {
  if (is_host_collective(name)) return name.substr(name.find(':') + 1);
  const std::optional<CommunicationKernel> kernel = communication_kernel(name);
  return kernel ? std::optional{kernel->operation} : std::nullopt;
}

std::optional<std::int64_t> step_number(std::string_view name) noexcept {
  return name.starts_with(kStepMark) ? parse_number<std::int64_t>(name.substr(kStepMark.size())) : std::nullopt;
}

bool reads_result(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 5> kNames{"aten::_local_scalar_dense", "aten::item", "aten::is_nonzero",
                                                   "aten::nonzero", "aten::equal"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

CallWait wait_of_call(std::string_view name) noexcept {
  // Prefixes of CUDA, HIP, CANN, and of Intel's Unified Runtime, its predecessor and Level Zero.
  for (const std::string_view prefix : {"cuda", "hip", "cu", "aclrt", "ur", "pi", "ze"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    break;
  }
  const auto is_one_of = [name](std::initializer_list<std::string_view> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [name](std::string_view b) { return name.starts_with(b); });
  };
  if (is_one_of({"DeviceSynchronize", "CtxSynchronize", "SynchronizeDevice"})) return CallWait::kDevice;
  if (is_one_of({"StreamSynchronize", "EventSynchronize", "SynchronizeStream", "SynchronizeEvent", "QueueFinish",
                 "EventWait", "EventsWait", "CommandQueueSynchronize", "CommandListHostSynchronize",
                 "EventHostSynchronize", "FenceHostSynchronize"}))
    return CallWait::kStream;
  if (name.starts_with("Memcpy") && name.find("pool") == std::string_view::npos) return CallWait::kOwnWork;
  if (is_one_of({"Memset", "EventRecord", "StreamWaitEvent"})) return CallWait::kRoom;
  if (is_one_of({"FreeAsync", "MemFreeAsync"})) return CallWait::kNothing;  // in the order of a stream
  if (is_one_of({"Free", "HostFree", "MemFree"})) return CallWait::kFree;
  if (is_one_of({"Malloc", "HostAlloc", "MemAlloc"})) return CallWait::kAllocation;
  // CANN's call to launch a kernel has the name "launch".
  return name.find("Launch") != std::string_view::npos || name == "launch" ? CallWait::kLaunch : CallWait::kNothing;
}

}  // namespace stepsim::ingest
