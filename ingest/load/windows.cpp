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
#include "ingest/parts/tables.h"
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

/// Appends the tables of one trace to another of the same process. The properties are those of the first.
class Appending {
 public:
  Appending(HostDeviceTrace& to, HostDeviceTrace&& from) : to_(to), from_(std::move(from)) {
    for (std::size_t i = 0; i < to_.texts.size(); ++i) text_ids_.try_emplace(to_.texts[i], TextId{i});
    for (std::size_t i = 0; i < to_.size(); ++i) used_ = std::max(used_, to_.correlation[i]);
  }

  void run(Duration earlier) {
    earlier_ = earlier;
    first_event_ = static_cast<std::uint32_t>(to_.size());
    first_detail_ = static_cast<std::uint32_t>(to_.details.size());
    first_operator_ = static_cast<std::uint32_t>(to_.operators.size());
    first_launch_ = static_cast<std::uint32_t>(to_.launches.size());
    map_texts();
    map_tracks();
    map_groups();
    for_each_table(*this, to_, from_);
  }

  template <Role kRole, class Column>
  void column(Field<kRole, Column> to, Field<kRole, Column> from) const {
    for (std::size_t i = 0, events = from_.size(); i < events; ++i)
      append(to.value, first_event_ + i, moved<kRole>(from.value[i]));
  }
  void rows(std::vector<std::string>& /*to*/, std::vector<std::string>& /*from*/) const {}    // in map_texts()
  void rows(std::vector<Track>& /*to*/, std::vector<Track>& /*from*/) const {}                // in map_tracks()
  void rows(std::vector<ProcessGroup>& /*to*/, std::vector<ProcessGroup>& /*from*/) const {}  // in map_groups()
  template <class Row>
  void rows(std::vector<Row>& to, std::vector<Row>& from) const {
    for (Row& row : from) {
      for_each_in([&](auto field) { field.value = moved<decltype(field)::kRole>(std::move(field.value)); },
                  fields(row));
      to.push_back(std::move(row));
    }
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

  void map_groups() {
    std::map<ProcessGroup, ProcessGroupId> known;
    for (std::size_t i = 0; i < to_.groups.size(); ++i) known.try_emplace(to_.groups[i], ProcessGroupId{i});
    for (ProcessGroup& group : from_.groups) {
      group.name = moved<Role::kText>(group.name);
      const auto [slot, added] = known.try_emplace(group, ProcessGroupId{to_.groups.size()});
      if (added) to_.groups.push_back(group);
      groups_.push_back(slot->second);
    }
  }

  /// Returns the value of a field of the appended trace in the joined one.
  template <Role kRole, class Value>
  [[nodiscard]] Value moved(Value value) const {
    if constexpr (kRole == Role::kTime) {
      return in_time(value) ? value - earlier_ : value;
    } else if constexpr (kRole == Role::kText) {
      return value.valid() ? texts_[value.index()] : value;
    } else if constexpr (kRole == Role::kTrack) {
      return tracks_[value.index()];
    } else if constexpr (kRole == Role::kEvent) {
      return value + first_event_;
    } else if constexpr (kRole == Role::kGroup) {
      return value.valid() ? groups_[value.index()] : value;
    } else if constexpr (kRole == Role::kDetail) {
      return moved_index(value, first_detail_);
    } else if constexpr (kRole == Role::kOperator) {
      return moved_index(value, first_operator_);
    } else if constexpr (kRole == Role::kLaunch) {
      return moved_index(value, first_launch_);
    } else if constexpr (kRole == Role::kCorrelation) {
      // The new id is not yet in use. The old one may be, because a restarted profiler may count from the start again.
      // Negative ids, and ids that would overflow, stay as they are.
      return value < 0 || value > std::numeric_limits<Value>::max() - used_ - 1 ? value : value + used_ + 1;
    } else {
      return value;
    }
  }
  [[nodiscard]] static std::uint32_t moved_index(std::uint32_t index, std::uint32_t first) {
    return index == HostDeviceTrace::kNone ? index : index + first;
  }

  HostDeviceTrace& to_;
  HostDeviceTrace from_;
  Duration earlier_{};
  std::uint32_t first_event_ = 0;
  std::uint32_t first_detail_ = 0;
  std::uint32_t first_operator_ = 0;
  std::uint32_t first_launch_ = 0;
  std::unordered_map<std::string, TextId> text_ids_;
  std::int64_t used_ = -1;  ///< largest correlation id
  std::vector<TextId> texts_;
  std::vector<TrackId> tracks_;
  std::vector<ProcessGroupId> groups_;
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
    first.trace.windows.push_back({windows.front().span.first, windows.front().span.second});
    for (std::size_t k = 1; k < windows.size(); ++k) {
      const TraceTables::Window window{windows[k].span.first - pauses[k], windows[k].span.second - pauses[k]};
      Appending(first.trace, std::move(traces[windows[k].trace].trace)).run(pauses[k]);
      first.trace.windows.push_back(window);
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
