#include "ingest/stitch/host_device/host_threads.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/base/side_by_side.h"
#include "model/base/sort_runs.h"

namespace stepsim::ingest {
namespace {

/// Walks through the sorted events of a thread, with the open ones on a stack.
class Sweep {
 public:
  Sweep(const RankEvents& events, const std::function<void(const Segment&)>& use) : events_(events), use_(use) {}

  void open(std::uint32_t event) {
    const Time begin = events_.begin_of(event);
    close_until(begin);
    if (!open_.empty() && kind_of(open_.back()) == Segment::Kind::kCollective) return;
    emit(begin);
    open_.push_back(event);
    if (events_.awaits_batch(event)) ++asking_;
  }

  void finish() {
    Time last = now_;
    for (const std::uint32_t event : open_) last = std::max(last, events_.end_of(event));
    close_until(last);
  }

  void start_at(Time time) { now_ = time; }

 private:
  [[nodiscard]] Segment::Kind kind_of(std::uint32_t event) const {
    switch (events_.trace->kind[event]) {
      case EventKind::kRuntimeCall: return Segment::Kind::kCall;
      case EventKind::kOp: return Segment::Kind::kWork;
      default: return is_host_collective(events_.name_of(event)) ? Segment::Kind::kCollective : Segment::Kind::kQuiet;
    }
  }

  void emit(Time until) {
    if (until <= now_) return;
    const std::uint32_t event = open_.empty() ? kNoIndex : open_.back();
    const Segment::Kind kind = open_.empty() ? Segment::Kind::kQuiet : kind_of(event);
    use_({now_, until, event, kind, awaits_batch(kind, event) && until - now_ > kShortQuiet});
    now_ = until;
  }

  /// Returns true if the thread waits for a batch in this segment. The oldest traces record the annotation of a loader
  /// as an operator.
  [[nodiscard]] bool awaits_batch(Segment::Kind kind, std::uint32_t event) const {
    if (asking_ == 0) return false;
    return kind == Segment::Kind::kQuiet || (kind == Segment::Kind::kWork && events_.awaits_batch(event));
  }

  /// Closes the innermost events that end by `time`. An event further out stays open until it is the innermost.
  void close_until(Time time) {
    while (!open_.empty() && events_.end_of(open_.back()) <= time) {
      emit(events_.end_of(open_.back()));
      if (events_.awaits_batch(open_.back())) --asking_;
      open_.pop_back();
    }
  }

  const RankEvents& events_;
  const std::function<void(const Segment&)>& use_;
  std::vector<std::uint32_t> open_;
  std::size_t asking_ = 0;  ///< number of open events that ask a data loader for a batch
  Time now_{};
};

}  // namespace

void cut_thread(const RankEvents& events, const RankEvents::Thread& thread,
                const std::function<void(const Segment&)>& use) {
  Sweep sweep(events, use);
  if (!thread.events.empty()) sweep.start_at(events.begin_of(thread.events.front()));
  for (const std::uint32_t event : thread.events) sweep.open(event);
  sweep.finish();
}

namespace {

template <class Interval>
std::vector<std::pair<Time, Time>> merged(const std::vector<Interval>& intervals) {
  std::vector<std::pair<Time, Time>> sorted;
  for (const auto& [begin, end] : intervals) {
    if (begin < end) sorted.emplace_back(begin, end);
  }
  sort_runs(sorted);
  std::vector<std::pair<Time, Time>> out;
  for (const auto& interval : sorted) {
    if (!out.empty() && interval.first <= out.back().second) {
      out.back().second = std::max(out.back().second, interval.second);
    } else {
      out.push_back(interval);
    }
  }
  return out;
}

TaskKind kind_of(const Segment& segment, const RankEvents& events) {
  if (segment.awaits_batch) return TaskKind::kLoader;
  switch (segment.kind) {
    case Segment::Kind::kCall: return TaskKind::kRuntime;
    case Segment::Kind::kCollective: return TaskKind::kCollective;
    case Segment::Kind::kQuiet: return TaskKind::kHost;
    case Segment::Kind::kWork: break;
  }
  return !events.computes.empty() && events.computes[segment.event] ? TaskKind::kOperator : TaskKind::kHost;
}

/// Returns true for work of the framework, whose segments may be too short for separate tasks.
bool is_framework_work(TaskKind kind) { return kind == TaskKind::kHost || kind == TaskKind::kOperator; }

/// Walks through the segments, cuts and waits of one thread together, and makes tasks.
class TaskMaker {
 public:
  TaskMaker(HostThread& thread, const RankEvents& events, LaneId lane, EventNames& names, Assembly& assembly)
      : thread_(thread),
        events_(events),
        lane_(lane),
        names_(names),
        assembly_(assembly),
        waits_(thread.merged_waits()),
        busy_(merged(thread.busy)) {
    // A step may begin within an event: where marks overlap.
    if (thread.recorded == &events.threads[events.main_thread]) {
      for (const RankEvents::StepWindow& step : events.steps) thread.cuts.push_back(step.begin);
    }
    sort_runs(thread.cuts);
  }

  void run() {
    const std::size_t first = assembly_.start.size();
    cut_thread(events_, *thread_.recorded, [this](Segment segment) {
      if (segment.kind == Segment::Kind::kCollective) segment.end = thread_.collectives[collective_at_++].end;
      if (is_work(segment)) add_around_waits(segment);
    });
    flush();
    thread_.tasks = {first, assembly_.start.size()};
  }

 private:
  bool is_work(const Segment& segment) {
    if (segment.kind != Segment::Kind::kQuiet || thread_.quiet_is_work) return true;
    if (segment.end - segment.begin <= kShortQuiet) return true;
    while (busy_at_ < busy_.size() && busy_[busy_at_].second < segment.end) ++busy_at_;
    return busy_at_ < busy_.size() && busy_[busy_at_].first <= segment.begin;
  }

  void add_around_waits(const Segment& segment) {
    Time at = segment.begin;
    while (wait_at_ < waits_.size() && waits_[wait_at_].second <= at) ++wait_at_;
    std::size_t wait = wait_at_;
    while (at < segment.end) {
      const bool waits_ahead = wait < waits_.size() && waits_[wait].first < segment.end;
      const Time until = waits_ahead ? std::max(at, waits_[wait].first) : segment.end;
      add_between_cuts(segment, at, until);
      at = waits_ahead ? std::max(at, waits_[wait++].second) : segment.end;
    }
  }

  void add_between_cuts(const Segment& segment, Time begin, Time end) {
    if (segment.kind == Segment::Kind::kCollective) return add(segment, begin, end);
    while (cut_at_ < thread_.cuts.size() && thread_.cuts[cut_at_] <= begin) {
      if (thread_.cuts[cut_at_++] == begin) flush();
    }
    while (begin < end) {
      const bool cut = cut_at_ < thread_.cuts.size() && thread_.cuts[cut_at_] < end;
      const Time until = cut ? thread_.cuts[cut_at_++] : end;
      add(segment, begin, until);
      if (cut) flush();
      begin = until;
    }
  }

  /// Work that is not a task yet, because the next segment may still be added to it.
  struct Pending {
    Time begin;
    Time end;
    TaskKind kind = TaskKind::kHost;
    std::uint32_t event = kNoIndex;  ///< event of its longest piece
    bool silent = false;             ///< no event covers its longest piece
    Duration longest{};
    std::int32_t step = -1;
    Duration paused{};  ///< time of pauses in it
  };

  void add(const Segment& segment, Time begin, Time end) {
    if (begin >= end) return;
    const Pending piece{begin,
                        end,
                        kind_of(segment, events_),
                        segment.event,
                        is_silent(segment),
                        end - begin,
                        step_at(begin),
                        paused_within(segment.event, begin, end)};
    if (!joins(piece)) {
      flush();
      pending_ = piece;
      return;
    }
    if (piece.longest > pending_.longest) {
      std::tie(pending_.event, pending_.silent, pending_.longest, pending_.kind) =
          std::tuple{piece.event, piece.silent, piece.longest, piece.kind};
    }
    pending_.end = end;
    pending_.paused += piece.paused;
  }

  /// Returns the part of [begin, end), in which `event` is the innermost, that is a pause. Calls are in order of time.
  Duration paused_within(std::uint32_t event, Time begin, Time end) {
    const std::vector<PausedOperator>& pauses = thread_.pauses;
    while (pause_at_ < pauses.size() && events_.end_of(pauses[pause_at_].event) <= begin) ++pause_at_;
    if (pause_at_ == pauses.size() || pauses[pause_at_].event != event) return {};
    const Duration whole = events_.end_of(event) - events_.begin_of(event);
    const Duration excess = pauses[pause_at_].excess;
    if (end - begin == whole) return excess;
    const double share = static_cast<double>((end - begin).count()) / static_cast<double>(whole.count());
    return Duration{static_cast<std::int64_t>(share * static_cast<double>(excess.count()))};
  }

  /// Returns the step at `time`. A background thread is in no step, because no step waits for it.
  [[nodiscard]] std::int32_t step_at(Time time) const { return thread_.background ? -1 : events_.step_at(time); }

  /// True for a quiet segment that no event covers, or whose innermost event is the mark of a step.
  [[nodiscard]] bool is_silent(const Segment& segment) const {
    if (segment.kind != Segment::Kind::kQuiet) return false;
    return segment.event == kNoIndex || events_.marks_step(segment.event);
  }

  [[nodiscard]] bool joins(const Pending& piece) const {
    const bool host = is_framework_work(pending_.kind) && is_framework_work(piece.kind);
    const bool small = piece.end - piece.begin < kHostGrain || pending_.end - pending_.begin < kHostGrain;
    return host && small && pending_.end == piece.begin && pending_.begin < pending_.end && pending_.step == piece.step;
  }

  void flush() {
    if (pending_.begin >= pending_.end) return;
    const std::uint32_t event = pending_.event;
    const NameId name = event == kNoIndex ? assembly_.builder.intern("(no operator)") : names_.of(event);
    const EventDetail* const detail = event == kNoIndex ? nullptr : events_.trace->detail_of(event);
    const TaskId task = assembly_.add_task(pending_.kind, name, lane_, pending_.begin, pending_.end, pending_.step,
                                           detail == nullptr ? Bytes{} : detail->bytes);
    if (pending_.silent && pending_.longest > kShortQuiet) assembly_.silences.push_back(task);
    if (pending_.paused > Duration{}) assembly_.pauses.push_back({task, pending_.paused});
    assembly_.events[task.index()] = events_begun_by(pending_.end);
    if (last_.valid()) {
      const Duration pause = thread_.background ? pending_.begin - assembly_.finish[last_.index()] : Duration{};
      assembly_.add_edge(last_, task, EdgeKind::kProgram, pause);
    }
    last_ = task;
    if (pending_.kind == TaskKind::kCollective) thread_.collective_tasks.emplace_back(event, task);
    pending_ = {};
  }

  /// Counts the thread's events that begin before `time` and were not counted by an earlier call. So events that began
  /// while the thread waited belong to its next work.
  std::uint32_t events_begun_by(Time time) {
    const std::vector<std::uint32_t>& recorded = thread_.recorded->events;
    const std::size_t before = counted_;
    while (counted_ < recorded.size() && events_.begin_of(recorded[counted_]) < time) ++counted_;
    return static_cast<std::uint32_t>(counted_ - before);
  }

  HostThread& thread_;
  const RankEvents& events_;
  LaneId lane_;
  EventNames& names_;
  Assembly& assembly_;
  Pending pending_;
  TaskId last_;
  std::vector<std::pair<Time, Time>> waits_;
  std::vector<std::pair<Time, Time>> busy_;
  std::size_t collective_at_ = 0;
  std::size_t wait_at_ = 0;
  std::size_t busy_at_ = 0;
  std::size_t cut_at_ = 0;
  std::size_t pause_at_ = 0;
  std::size_t counted_ = 0;  ///< number of the thread's events that already belong to a task
};

}  // namespace

std::vector<std::pair<Time, Time>> HostThread::merged_waits() const { return merged(waits); }

TaskId HostThread::task_ending_by(Time time, const Assembly& assembly) const noexcept {
  const auto first = assembly.finish.begin() + static_cast<std::ptrdiff_t>((*tasks.begin()).index());
  const auto after = std::upper_bound(first, first + static_cast<std::ptrdiff_t>(tasks.size()), time);
  return after == first ? TaskId{} : TaskId{std::prev(after) - assembly.finish.begin()};
}

TaskId HostThread::task_starting_from(Time time, const Assembly& assembly) const noexcept {
  const auto first = assembly.start.begin() + static_cast<std::ptrdiff_t>((*tasks.begin()).index());
  const auto last = first + static_cast<std::ptrdiff_t>(tasks.size());
  const auto at = std::lower_bound(first, last, time);
  return at == last ? TaskId{} : TaskId{at - assembly.start.begin()};
}

std::vector<HostThread> host_threads(const RankEvents& events, int threads_at_once) {
  std::vector<HostThread> threads(events.threads.size());
  const std::vector<std::string>& names = events.trace->texts;
  const bool any = std::any_of(names.begin(), names.end(), is_host_collective);
  side_by_side(threads_at_once, threads.size(), [&](std::size_t t) {
    threads[t].recorded = &events.threads[t];
    if (!any) return;
    cut_thread(events, events.threads[t], [&](const Segment& segment) {
      if (segment.kind != Segment::Kind::kCollective) return;
      threads[t].collectives.push_back({segment.event, segment.begin, segment.end});
    });
  });
  if (!threads.empty()) threads[events.main_thread].quiet_is_work = true;
  return threads;
}

void add_tasks(HostThread& thread, const RankEvents& events, LaneId lane, EventNames& names, Assembly& assembly) {
  TaskMaker(thread, events, lane, names, assembly).run();
}

}  // namespace stepsim::ingest
