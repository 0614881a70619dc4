#include "ingest/load/job_parts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "ingest/parts/busy_time.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

using Span = std::pair<Time, Time>;

/// Returns the span from the first start to the last end. Ignores events whose times are outside the range of
/// in_time().
Span span_of(const HostDeviceTrace& trace) {
  Span span{Time::max(), Time::min()};
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (!in_time(trace.start[i], trace.duration[i])) continue;
    span.first = std::min(span.first, trace.start[i]);
    span.second = std::max(span.second, trace.start[i] + trace.duration[i]);
  }
  return span;
}

struct Window {
  std::size_t trace = 0;  ///< index into the traces
  Span span;
};

/// Returns the windows (traces of one process) in order of time. Returns an empty list if two of them overlap, because
/// then they belong to different ranks, or if one has no events.
std::vector<Window> in_order(std::vector<Window> windows) {
  std::sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) { return a.span < b.span; });
  const auto is_empty = [](const Window& window) { return window.span.first > window.span.second; };
  if (std::any_of(windows.begin(), windows.end(), is_empty)) return {};
  for (std::size_t i = 1; i < windows.size(); ++i) {
    if (windows[i].span.first < windows[i - 1].span.second) return {};
  }
  return windows;
}

/// Returns, for each process that wrote more than one trace, its traces in order of time. Leaves out processes whose
/// traces overlap.
std::vector<std::vector<Window>> processes_of(const std::vector<RankTrace>& traces) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::vector<Window>> by_process;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const HostDeviceTrace& trace = traces[i].trace;
    std::string process = process_of(trace);
    if (process.empty()) continue;
    by_process[{trace.host_name, std::move(process), trace.rank.value_or(-1)}].push_back({i, {}});
  }
  std::vector<std::vector<Window>> processes;
  for (auto& [process, windows] : by_process) {
    if (windows.size() < 2) continue;
    for (Window& window : windows) window.span = span_of(traces[window.trace].trace);
    std::vector<Window> ordered = in_order(std::move(windows));
    if (!ordered.empty()) processes.push_back(std::move(ordered));
  }
  return processes;
}

/// Returns, for each k, the time by which the events of the k-th window move to earlier times. It is the sum of the
/// pauses before that window and applies to the k-th windows of all processes.
std::vector<Duration> pauses_before(const std::vector<std::vector<Window>>& processes) {
  std::vector<Span> spans;
  for (const std::vector<Window>& windows : processes) {
    spans.resize(std::max(spans.size(), windows.size()), {Time::max(), Time::min()});
    for (std::size_t k = 0; k < windows.size(); ++k) {
      spans[k].first = std::min(spans[k].first, windows[k].span.first);
      spans[k].second = std::max(spans[k].second, windows[k].span.second);
    }
  }
  std::vector<Duration> pauses(spans.size());
  for (std::size_t k = 1; k < spans.size(); ++k)
    pauses[k] = pauses[k - 1] + std::max(Duration{}, spans[k].first - spans[k - 1].second);
  return pauses;
}

/// Appends the events of one trace to another of the same process.
class Appending {
 public:
  Appending(HostDeviceTrace& to, HostDeviceTrace&& from) : to_(to), from_(std::move(from)) {
    for (std::size_t i = 0; i < to_.texts.size(); ++i) text_ids_.try_emplace(to_.texts[i], TextId{i});
    for (std::size_t i = 0; i < to_.size(); ++i) used_ = std::max(used_, to_.correlation[i]);
  }

  void run(Duration earlier) {
    // Names every member, so that the compiler rejects a new one until it is handled below.
    auto& [start, duration, kind, name, track, correlation, detail_of, details, tracks, texts, operators, operator_of,
           launches, launch_of, modules, memory, python, flops_of, overheads, hand_overs, storage_uses,
           collective_calls, communicators, transports, rank, world_size, ranks_of_batch, backend, host_name, windows,
           device_name, device_memory, modelled, samples, has_base_time, base_time] = from_;
    map_texts();
    map_tracks();
    const auto first_event = static_cast<std::uint32_t>(to_.size());
    const auto first_detail = static_cast<std::uint32_t>(to_.details.size());
    const auto first_launch = static_cast<std::uint32_t>(to_.launches.size());
    const auto first_operator = static_cast<std::uint32_t>(to_.operators.size());
    for (EventDetail& detail : details) add_detail(detail);
    for (std::size_t i = 0; i < from_.size(); ++i) {
      to_.start.push_back(in_time(start[i], duration[i]) ? start[i] - earlier : start[i]);
      to_.duration.push_back(duration[i]);
      to_.kind.push_back(kind[i]);
      to_.name.push_back(texts_[name[i].index()]);
      to_.track.push_back(tracks_[track[i].index()]);
      to_.correlation.push_back(moved(correlation[i]));
      to_.detail.push_back(detail_of[i] == HostDeviceTrace::kNoDetail ? detail_of[i] : detail_of[i] + first_detail);
    }
    to_.launches.insert(to_.launches.end(), launches.begin(), launches.end());
    for (const auto& [event, number] : launch_of)
      to_.launch_of.emplace_back(event + first_event, number + first_launch);
    for (const HostDeviceTrace::ModuleCall& call : modules) to_.modules.push_back(moved(call, earlier));
    for (const HostDeviceTrace::ModuleCall& call : python) to_.python.push_back(moved(call, earlier));
    for (HostDeviceTrace::MemoryEvent event : memory) {
      event.time -= earlier;
      event.track = tracks_[event.track.index()];
      to_.memory.push_back(event);
    }
    for (const auto& [event, flops] : flops_of) to_.flops_of.emplace_back(event + first_event, flops);
    for (auto& one : operators) to_.operators.push_back(std::move(one));
    for (const auto& [from, to] : hand_overs) to_.hand_overs.emplace_back(from + first_event, to + first_event);
    for (const auto& [event, number] : operator_of)
      to_.operator_of.emplace_back(event + first_event, number + first_operator);
    for (const HostDeviceTrace::Communicator& known : communicators)
      to_.communicators.push_back({texts_[known.group.index()], known.rank, known.size, known.nodes});
    for (const HostDeviceTrace::Overhead& one : overheads)
      to_.overheads.push_back({texts_[one.kind.index()], one.start - earlier, one.length});
    for (TransportUse& use : transports) to_.transports.push_back(std::move(use));
    for (HostDeviceTrace::StorageUse use : storage_uses) {
      use.event += first_event;
      to_.storage_uses.push_back(use);
    }
    for (HostDeviceTrace::CollectiveCall call : collective_calls) {
      call.event += first_event;
      to_.collective_calls.push_back(call);
    }
    // Properties of the whole process are taken from its first trace.
    static_cast<void>(std::tie(tracks, texts, rank, world_size, ranks_of_batch, backend, host_name, windows,
                               device_name, device_memory, modelled, samples, has_base_time, base_time));
  }

 private:
  void map_texts() {
    for (std::string& text : from_.texts) {
      const auto [slot, added] = text_ids_.try_emplace(text, TextId{to_.texts.size()});
      if (added) to_.texts.push_back(text);
      texts_.push_back(slot->second);
    }
  }

  void map_tracks() {
    const auto key = [](const Track& track) {
      return std::tuple{track.on_device, track.device, track.stream, track.process, track.thread};
    };
    std::map<decltype(key(Track{})), TrackId> known;
    for (std::size_t i = 0; i < to_.tracks.size(); ++i) known.try_emplace(key(to_.tracks[i]), TrackId{i});
    for (Track& track : from_.tracks) {
      const auto [slot, added] = known.try_emplace(key(track), TrackId{to_.tracks.size()});
      if (added) to_.tracks.push_back(std::move(track));
      tracks_.push_back(slot->second);
    }
  }

  void add_detail(EventDetail& detail) {
    for (TextId* const text : {&detail.collective, &detail.group, &detail.dtype}) {
      if (text->valid()) *text = texts_[text->index()];
    }
    detail.wait_correlation = moved(detail.wait_correlation);
    to_.details.push_back(detail);
  }

  [[nodiscard]] HostDeviceTrace::ModuleCall moved(const HostDeviceTrace::ModuleCall& call, Duration earlier) const {
    return {tracks_[call.track.index()], texts_[call.name.index()], call.begin - earlier, call.length};
  }

  /// Returns the correlation id that replaces `correlation` in the joined trace. The new id is not yet in use. The old
  /// one may be, because a restarted profiler may count from the start again. Negative ids, and ids that would
  /// overflow, stay as they are.
  [[nodiscard]] std::int64_t moved(std::int64_t correlation) const {
    return correlation < 0 || correlation > std::numeric_limits<std::int64_t>::max() - used_ - 1
               ? correlation
               : correlation + used_ + 1;
  }

  HostDeviceTrace& to_;
  HostDeviceTrace from_;
  std::unordered_map<std::string, TextId> text_ids_;
  std::int64_t used_ = -1;  ///< largest correlation id
  std::vector<TextId> texts_;
  std::vector<TrackId> tracks_;
};

}  // namespace

std::string process_of(const HostDeviceTrace& trace) {
  const auto host = std::find_if(trace.tracks.begin(), trace.tracks.end(),
                                 [](const Track& track) { return !track.on_device && !track.process.empty(); });
  return host == trace.tracks.end() ? std::string{} : host->process;
}

void join_windows(std::vector<RankTrace>& traces, Assembly& assembly) {
  const std::vector<std::vector<Window>> processes = processes_of(traces);
  if (processes.empty()) return;
  const std::vector<Duration> pauses = pauses_before(processes);
  std::vector<bool> joined(traces.size(), false);
  for (const std::vector<Window>& windows : processes) {
    RankTrace& first = traces[windows.front().trace];
    first.trace.windows.push_back(windows.front().span);
    for (std::size_t k = 1; k < windows.size(); ++k) {
      const Span span{windows[k].span.first - pauses[k], windows[k].span.second - pauses[k]};
      Appending(first.trace, std::move(traces[windows[k].trace].trace)).run(pauses[k]);
      first.trace.windows.push_back(span);
      joined[windows[k].trace] = true;
    }
    assembly.assumptions.push_back(
        {"windows", fmt::format("{} and {} after it are from one process: they are joined, and the pauses between them "
                                "are left out.",
                                shown(first.file),
                                windows.size() == 2 ? std::string{"another trace"}
                                                    : fmt::format("{} others", windows.size() - 1))});
  }
  std::size_t at = 0;
  std::erase_if(traces, [&](const RankTrace&) { return joined[at++]; });
}

}  // namespace stepsim::ingest
