#include "ingest/stitch/host_device/gradients.h"

#include <algorithm>
#include <string_view>

#include "ingest/stitch/host_device/by_name.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kAccumulation = "torch::autograd::AccumulateGrad";

}  // namespace

std::vector<GradientMark> find_gradients(const RankEvents& events, std::vector<HostThread>& threads) {
  std::vector<GradientMark> gradients;
  const ByName accumulates(*events.trace, [](std::string_view name) { return name == kAccumulation; });
  for (std::uint32_t t = 0; t < events.threads.size(); ++t) {
    std::uint32_t around = kNoIndex;  // the event before, which may be the operator around this one
    for (const std::uint32_t event : events.threads[t].events) {
      const EventDetail* const detail = events.trace->detail_of(event);
      const Bytes bytes = detail == nullptr ? Bytes{} : detail->bytes;
      if (accumulates(event)) {
        const bool inside = around != kNoIndex && events.end_of(event) <= events.end_of(around);
        const Time ready = events.end_of(inside ? around : event);
        if (bytes > Bytes{}) threads[t].cuts.push_back(ready);
        gradients.push_back({ready, t, bytes});
      }
      around = event;
    }
  }
  std::stable_sort(gradients.begin(), gradients.end(),
                   [](const GradientMark& a, const GradientMark& b) { return a.ready < b.ready; });
  return gradients;
}

void add_gradients(const std::vector<GradientMark>& gradients, const std::vector<HostThread>& threads,
                   Assembly& assembly) {
  for (const GradientMark& mark : gradients) {
    const TaskId task = threads[mark.thread].task_ending_by(mark.ready);
    if (task.valid()) assembly.gradients.push_back({task, mark.bytes});
  }
}

}  // namespace stepsim::ingest
