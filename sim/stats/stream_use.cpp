#include "sim/stats/stream_use.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "sim/stats/measured_work.h"

namespace stepsim::sim {
namespace {

/// A piece of work on a stream.
struct StreamRun {
  Time start;
  Time end;
  std::optional<Time> called;  ///< time at which the launching call began
};

void divide_idle_time(std::vector<StreamRun>& runs, Duration span_of_device, StreamUse& use) {
  sort_unless_sorted(
      runs, [](const StreamRun& a, const StreamRun& b) { return std::tie(a.start, a.end) < std::tie(b.start, b.end); });
  Time ended = runs.front().end;
  for (const StreamRun& run : runs) {
    if (const Duration gap = run.start - ended; gap > Duration{}) {
      const bool host = run.called && *run.called > ended;
      (host ? use.host_wait : gap < StreamUse::kKernelWait ? use.kernel_wait : use.other_wait) += gap;
    }
    ended = std::max(ended, run.end);
  }
  use.outside = span_of_device - (ended - runs.front().start);
}

/// Tracks the length of a queue over time.
class Queue {
 public:
  Queue(Time begin, Time end, StreamUse& use)
      : begin_(begin), since_(begin), width_((end - begin) / StreamUse::kMostPoints + Duration{1}), use_(use) {}

  void change(Time time, bool longer) {
    const Duration passed = time - since_;
    sum_ += static_cast<double>(length_) * static_cast<double>(passed.count());
    if (length_ >= StreamUse::kFullQueue) use_.full += passed;
    since_ = time;
    length_ = longer ? length_ + 1 : length_ - 1;
    if (length_ > use_.longest.length) use_.longest = {time, length_};
    const std::int64_t stretch = (time - begin_) / width_;
    if (stretch != last_stretch_) {
      use_.curve.push_back({time, length_});
    } else if (length_ > use_.curve.back().length) {
      use_.curve.back() = {time, length_};
    }
    last_stretch_ = stretch;
  }

  [[nodiscard]] double sum() const noexcept { return sum_; }

 private:
  Time begin_;
  Time since_;
  Duration width_;
  StreamUse& use_;
  std::size_t length_ = 0;
  double sum_ = 0;  ///< integral of the length over time
  std::int64_t last_stretch_ = -1;
};

/// Measures the queue. If work leaves and enters the queue at the same instant, the departures count first. Work that
/// began no later than its launch was never in the queue.
void measure_queue(const std::vector<StreamRun>& runs, StreamUse& use) {
  std::vector<Time> launched;
  std::vector<Time> begun;
  for (const StreamRun& run : runs) {
    if (!run.called || *run.called >= run.start) continue;
    launched.push_back(*run.called);
    begun.push_back(run.start);
  }
  if (launched.empty()) return;
  sort_unless_sorted(launched, std::less<>());
  Queue queue(launched.front(), begun.back(), use);
  auto next = launched.begin();
  for (const Time start : begun) {
    for (; next != launched.end() && *next < start; ++next) queue.change(*next, true);
    queue.change(start, false);
  }
  const Duration span = begun.back() - launched.front();
  use.mean_queue = queue.sum() / static_cast<double>(span.count());
}

}  // namespace

std::vector<StreamUse> stream_use(const MeasuredWork& work, const std::vector<Launch>& launches,
                                  const std::vector<DeviceUse>& devices) {
  std::vector<std::vector<StreamRun>> of_lane(work.capture.dag.lanes().size());
  auto launch = launches.begin();
  for (std::uint32_t i = 0; i < work.pieces.size() && !work.pieces[i].is_call; ++i) {
    const Piece& piece = work.pieces[i];
    StreamRun run{piece.start, piece.start + piece.length, {}};
    if (launch != launches.end() && launch->piece == i) run.called = work.details.calls[(launch++)->by].start;
    const LaneId lane = work.capture.dag.lane_id(TaskId{piece.index});
    if (work.capture.dag.lane(lane).device >= 0) of_lane[lane.index()].push_back(run);
  }
  std::map<std::tuple<Rank, std::int32_t, std::string>, std::vector<StreamRun>> of_stream;
  for (std::size_t i = 0; i < of_lane.size(); ++i) {
    const Lane& lane = work.capture.dag.lanes()[i];
    std::vector<StreamRun>& runs = of_stream[{lane.rank, lane.device, lane.name}];
    runs.insert(runs.end(), of_lane[i].begin(), of_lane[i].end());
  }
  std::vector<StreamUse> made;
  for (const DeviceUse& device : devices) {
    for (const DeviceUse::Stream& stream : device.streams) {
      const auto found = of_stream.find({device.rank, device.device, stream.name});
      if (found == of_stream.end()) continue;
      std::vector<StreamRun>& runs = found->second;
      StreamUse use{.rank = device.rank, .device = device.device, .stream = stream.name};
      use.launches = static_cast<std::size_t>(
          std::count_if(runs.begin(), runs.end(), [](const StreamRun& run) { return run.called.has_value(); }));
      if (use.launches == 0) continue;
      divide_idle_time(runs, device.use.span, use);
      measure_queue(runs, use);
      made.push_back(std::move(use));
    }
  }
  return made;
}

}  // namespace stepsim::sim
