#include "sim/stats/launches.h"

#include <algorithm>
#include <map>
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

}  // namespace stepsim::sim
