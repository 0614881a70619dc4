#include "ingest/stitch/host_device/thread_cut.h"

#include <algorithm>
#include <vector>

namespace stepsim::ingest {
namespace {

/// Goes through the sorted events of a thread, with those that are still open on a stack.
class Sweep {
 public:
  Sweep(const RankEvents& events, const std::function<void(const Segment&)>& use) : events_(events), use_(use) {}

  void open(std::uint32_t event) {
    const Time begin = events_.begin_of(event);
    close_until(begin);
    if (!open_.empty() && kind_of(open_.back()) == Segment::Kind::kCollective) return;
    emit(begin);
    open_.push_back(event);
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
    use_({now_, until, event, open_.empty() ? Segment::Kind::kQuiet : kind_of(event)});
    now_ = until;
  }

  /// Closes the innermost events that end by `time`. One below them stays open until it is innermost.
  void close_until(Time time) {
    while (!open_.empty() && events_.end_of(open_.back()) <= time) {
      emit(events_.end_of(open_.back()));
      open_.pop_back();
    }
  }

  const RankEvents& events_;
  const std::function<void(const Segment&)>& use_;
  std::vector<std::uint32_t> open_;
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

}  // namespace stepsim::ingest
