#include "sim/stats/launches.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "sim/analysis/intervals.h"
#include "sim/stats/measured_work.h"

namespace stepsim::sim {
namespace {

/// Returns, by call, the outermost operator around it, which may be the call itself.
std::vector<std::uint32_t> outermost_operators(const TraceDetails& details) {
  std::vector<std::uint32_t> outermost(details.calls.size(), TraceDetails::kNone);
  for (std::uint32_t i = 0; i < outermost.size(); ++i) {
    const TraceDetails::Call& call = details.calls[i];
    if (call.caller != TraceDetails::kNone) outermost[i] = outermost[call.caller];
    if (outermost[i] == TraceDetails::kNone && call.kind == CallKind::kOperator) outermost[i] = i;
  }
  return outermost;
}

/// A piece of device work within an operator.
struct Kernel {
  std::uint32_t call = 0;  ///< call of the operator
  std::uint32_t piece = 0;
};

/// An operator's name, as its number, and the names of the device work that its call launches.
using Names = std::pair<std::uint32_t, std::vector<NameId>>;

struct Sum {
  std::size_t calls = 0;
  Duration device{};
  Duration host{};
};

}  // namespace

std::vector<Launch> launches(const MeasuredWork& work) {
  std::vector<Launch> found;
  const std::vector<TraceDetails::Launch>& known = work.details.launches;
  found.reserve(known.size());
  auto next = known.begin();
  for (std::uint32_t i = 0; i < work.pieces.size() && !work.pieces[i].is_call; ++i) {
    const TaskId task{work.pieces[i].index};
    while (next != known.end() && next->task < task) ++next;
    if (next != known.end() && next->task == task) found.push_back({i, next->call});
  }
  return found;
}

std::vector<LaunchUse> launch_use(const MeasuredWork& work, const std::vector<Launch>& launches) {
  constexpr std::uint32_t kNew = 0xFFFFFFFFU;
  const Dag& dag = work.capture.dag;
  std::vector<std::uint32_t> group_of_name(dag.name_count(), kNew);
  std::vector<LaunchUse> made;
  std::vector<std::uint32_t> group;
  std::vector<Duration> calls;
  std::vector<Duration> delays;
  std::vector<Duration> works;
  for (const Launch& launch : launches) {
    const Piece& piece = work.pieces[launch.piece];
    const TraceDetails::Call& call = work.details.calls[launch.by];
    std::uint32_t& number = group_of_name[dag.name_id(TaskId{piece.index}).index()];
    if (number == kNew) {
      number = static_cast<std::uint32_t>(made.size());
      made.push_back({.name = std::string(work.name(piece)), .call = {}, .delay = {}, .work = {}});
    }
    group.push_back(number);
    calls.push_back(call.duration);
    delays.push_back(std::max(Duration{}, piece.start - (call.start + call.duration)));
    works.push_back(piece.length);
    if (piece.length < call.duration) ++made[number].short_ones;
  }
  const std::vector<Distribution> of_calls = distributions(group, calls, made.size());
  const std::vector<Distribution> of_delays = distributions(group, delays, made.size());
  const std::vector<Distribution> of_works = distributions(group, works, made.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].call = of_calls[i];
    made[i].delay = of_delays[i];
    made[i].work = of_works[i];
  }
  std::sort(made.begin(), made.end(), [](const LaunchUse& a, const LaunchUse& b) {
    return a.work.total != b.work.total ? a.work.total > b.work.total : a.name < b.name;
  });
  return made;
}

std::vector<KernelSequence> kernel_sequences(const MeasuredWork& work, const std::vector<Launch>& launches) {
  const Dag& dag = work.capture.dag;
  const std::vector<std::uint32_t> outermost = outermost_operators(work.details);
  std::vector<Kernel> kernels;
  for (const Launch& launch : launches) {
    if (outermost[launch.by] != TraceDetails::kNone) kernels.push_back({outermost[launch.by], launch.piece});
  }
  sort_unless_sorted(kernels, [&work](const Kernel& a, const Kernel& b) {
    return std::tuple(a.call, work.pieces[a.piece].start, a.piece) <
           std::tuple(b.call, work.pieces[b.piece].start, b.piece);
  });
  std::map<Names, Sum> sums;
  for (std::size_t begin = 0, end = 0; begin < kernels.size(); begin = end) {
    Sum one{.calls = 1};
    const TraceDetails::Call& call = work.details.calls[kernels[begin].call];
    Names names{call.name, {}};
    for (end = begin; end < kernels.size() && kernels[end].call == kernels[begin].call; ++end) {
      const Piece& piece = work.pieces[kernels[end].piece];
      names.second.push_back(dag.name_id(TaskId{piece.index}));
      one.device = saturated_sum(one.device, piece.length);
    }
    if (end - begin < KernelSequence::kFewest) continue;
    Sum& sum = sums[std::move(names)];
    ++sum.calls;
    sum.device = saturated_sum(sum.device, one.device);
    sum.host = saturated_sum(sum.host, call.duration);
  }
  std::vector<KernelSequence> made;
  for (const auto& [names, sum] : sums) {
    KernelSequence sequence{work.details.names[names.first], {}, sum.calls, sum.device, sum.host};
    for (const NameId name : names.second) sequence.kernels.emplace_back(dag.name(name));
    made.push_back(std::move(sequence));
  }
  std::sort(made.begin(), made.end(), [](const KernelSequence& a, const KernelSequence& b) {
    return std::tie(b.calls, b.device, a.name, a.kernels) < std::tie(a.calls, a.device, b.name, b.kernels);
  });
  return made;
}

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
