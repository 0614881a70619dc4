#include "ingest/stitch/host_device/whole_steps.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "model/base/known_diagnostics.h"
#include "model/base/median.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// Marks the first and the last step as not whole if they have less than a quarter of the median number of tasks of the
/// other steps. The recording then began or ended within them.
void mark_cut_edge_steps(const std::vector<std::size_t>& tasks, std::vector<bool>& whole) {
  if (tasks.size() < 2) return;
  for (const std::size_t edge : {std::size_t{0}, tasks.size() - 1}) {
    std::vector<std::size_t> others = tasks;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(edge));
    whole[edge] = 4 * tasks[edge] >= upper_median(std::move(others));
  }
}

/// The amount of device work that a step should have, and how much of it was not recorded.
struct DeviceWork {
  std::uint64_t expected = 0;
  std::uint64_t lost = 0;
  std::uint64_t not_run = 0;  ///< work that had not run when the recording ended
  [[nodiscard]] bool lacks_too_much() const noexcept {
    constexpr std::uint64_t kOneOf = 100;
    return (lost + not_run) * kOneOf > expected;
  }
};

/// Computes the expected work of each step from its calls that launch kernels. Calls that start copies and memsets do
/// not count, because those of zero bytes, or of host memory, leave no device record.
std::vector<DeviceWork> work_launched(const RankEvents& events) {
  std::vector<bool> worked(events.trace->size(), false);
  Time last = Time::min();
  for (const DeviceOp& op : events.ops) {
    if (op.call == kNoIndex) continue;
    worked[op.call] = true;
    last = std::max(last, events.begin_of(op.call));
  }
  const ByName launches_kernel(
      *events.trace, [](std::string_view name) { return name.find("LaunchKernel") != std::string_view::npos; });
  std::vector<DeviceWork> steps(events.steps.size());
  for (const auto& [correlation, call] : events.calls) {
    const std::int32_t step = launches_kernel(call) ? events.step_at(events.begin_of(call)) : -1;
    if (step < 0) continue;
    DeviceWork& work = steps[static_cast<std::size_t>(step)];
    ++work.expected;
    if (!worked[call]) ++(events.begin_of(call) > last ? work.not_run : work.lost);
  }
  return steps;
}

/// Computes the expected work of each step by comparing the steps. For each name of device work, a step is expected to
/// have as many pieces as the step that has the most of them.
std::vector<DeviceWork> work_of_other_steps(const RankEvents& events) {
  std::map<TextId, std::vector<std::uint64_t>> by_name;
  for (const DeviceOp& op : events.ops) {
    const std::int32_t step = events.step_of(op);
    if (step < 0) continue;
    std::vector<std::uint64_t>& counts = by_name[events.trace->name[op.event]];
    counts.resize(events.steps.size());
    ++counts[static_cast<std::size_t>(step)];
  }
  std::vector<DeviceWork> steps(events.steps.size());
  for (const auto& [name, counts] : by_name) {
    const std::uint64_t most = *std::max_element(counts.begin(), counts.end());
    for (std::size_t s = 0; s < steps.size(); ++s) {
      steps[s].expected += most;
      steps[s].lost += most - counts[s];
    }
  }
  return steps;
}

void set_aside(const RankEvents& events, const std::vector<DeviceWork>& works, std::vector<bool>& whole,
               Diagnostics& diagnostics) {
  std::uint64_t lost = 0;
  std::string steps;
  for (std::size_t s = 0; s < works.size(); ++s) {
    lost += works[s].lost;
    if (works[s].lost > 0 && events.marked) add_item(steps, std::to_string(events.steps[s].number));
    whole[s] = whole[s] && !works[s].lacks_too_much();
  }
  if (lost > 0) diagnostics.count(diagnostic("lost_kernels"), {}, steps.empty() ? "" : "in steps " + steps, lost);
}

}  // namespace

std::vector<bool> whole_steps(const RankEvents& events, const std::vector<std::size_t>& tasks,
                              Diagnostics& diagnostics) {
  std::vector<bool> whole(tasks.size(), true);
  mark_cut_edge_steps(tasks, whole);
  // Either the capture lacks device work, which is reported as "launches_without_device_work", or the job has no
  // devices.
  if (events.ops.empty()) return whole;
  const bool cut = diagnostics.count_of("truncated_file") > 0;
  set_aside(events, cut ? work_of_other_steps(events) : work_launched(events), whole, diagnostics);
  return whole;
}

}  // namespace stepsim::ingest
