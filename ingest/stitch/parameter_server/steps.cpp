#include "ingest/stitch/parameter_server/gpu_passes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/base/known_diagnostics.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// Returns all stages, and the totals of tensors without stages, sorted by tensor, key and start.
std::vector<const StageTrace::Event*> sorted_stages(const StageTrace& trace) {
  std::vector<bool> has_stages(trace.tensors.size(), false);
  for (const StageTrace::Event& event : trace.events) {
    if (event.stage != Stage::kTotal) has_stages[event.tensor] = true;
  }
  std::vector<const StageTrace::Event*> events;
  for (const StageTrace::Event& event : trace.events) {
    if (event.stage != Stage::kTotal || !has_stages[event.tensor]) events.push_back(&event);
  }
  const auto order = [](const StageTrace::Event* event) {
    return std::tuple{event->tensor, event->key, event->start, event->stage, event->duration};
  };
  std::stable_sort(events.begin(), events.end(), [&](const auto* a, const auto* b) { return order(a) < order(b); });
  return events;
}

bool same(const StageTrace::Event& a, const StageTrace::Event& b) noexcept {
  return a.tensor == b.tensor && a.key == b.key && a.stage == b.stage && a.start == b.start && a.duration == b.duration;
}

}  // namespace

const StageSpan* StageChain::find(Stage stage) const noexcept {
  const auto span = std::find_if(stages.begin(), stages.end(),
                                 [stage](const StageSpan& candidate) { return candidate.stage == stage; });
  return span == stages.end() ? nullptr : &*span;
}

std::vector<StageChain> stage_chains(const StageTrace& trace, Diagnostics& diagnostics) {
  std::vector<StageChain> chains;
  const StageTrace::Event* last = nullptr;
  for (const StageTrace::Event* event : sorted_stages(trace)) {
    if (last != nullptr && same(*last, *event)) {
      diagnostics.count(diagnostic("duplicate_record"));
      continue;
    }
    const bool same_key = last != nullptr && last->tensor == event->tensor && last->key == event->key;
    if (!same_key || event->stage <= last->stage) {
      const std::uint32_t occurrence = same_key ? chains.back().occurrence + 1 : 0;
      const std::int64_t key = event->stage == Stage::kTotal ? StageChain::key_of_whole(event->tensor) : event->key;
      chains.push_back({event->tensor, key, occurrence, kNoStep, {}});
    }
    chains.back().stages.push_back({event->stage, event->start, event->start + event->duration});
    last = event;
  }
  std::stable_sort(chains.begin(), chains.end(), [](const StageChain& a, const StageChain& b) {
    return std::tuple{a.stages.front().start, a.key} < std::tuple{b.stages.front().start, b.key};
  });
  return chains;
}

namespace {

void copy_previous_steps(RecordedGpu& gpu, Diagnostics& diagnostics) {
  std::int64_t step = kNoStep;
  for (OperatorRun& run : gpu.operators) {
    if (run.step < 0) {
      run.step = step;
      diagnostics.count(diagnostic("operator_without_step"));
    }
    step = run.step;
  }
}

void start_steps_at_first_forward(RecordedGpu& gpu) {
  if (gpu.operators.empty()) return;
  auto mark = std::find_if(gpu.operators.begin(), gpu.operators.end(),
                           [&](const OperatorRun& run) { return gpu.name(run).starts_with(kForward); });
  if (mark == gpu.operators.end()) mark = gpu.operators.begin();
  const TextId first = mark->name;
  std::int64_t step = kNoStep;
  for (OperatorRun& run : gpu.operators) {
    if (run.name == first) ++step;
    run.step = step;
  }
}

void leave_out_chains_without_step(RecordedGpu& gpu, const std::string& folder, Diagnostics& diagnostics) {
  const std::size_t without = std::erase_if(gpu.chains, [](const StageChain& chain) { return chain.step < 0; });
  if (without == 0) return;
  diagnostics.count(diagnostic("partition_outside_steps"), {folder, {}, {}}, {}, without);
}

}  // namespace

void number_operators(RecordedGpu& gpu, Diagnostics& diagnostics) {
  const bool numbered =
      std::any_of(gpu.operators.begin(), gpu.operators.end(), [](const OperatorRun& run) { return run.step >= 0; });
  if (numbered) {
    copy_previous_steps(gpu, diagnostics);
  } else {
    start_steps_at_first_forward(gpu);
  }
}

void number_chains_by_producer(RecordedGpu& gpu, const std::string& folder, Diagnostics& diagnostics) {
  std::vector<std::vector<std::uint32_t>> runs(gpu.names.size());  // runs by name, each list by start
  for (std::uint32_t i = 0; i < gpu.operators.size(); ++i) runs[gpu.operators[i].name.index()].push_back(i);
  std::vector<std::uint32_t> all(gpu.operators.size());
  std::iota(all.begin(), all.end(), 0U);
  std::set<std::pair<std::int64_t, std::int64_t>> taken;  // (key, step) of each chain whose step is set
  for (StageChain& chain : gpu.chains) {
    const RecordedTensor& tensor = gpu.tensors[chain.tensor];
    const auto& candidates = tensor.producers.empty() ? all : runs[tensor.producers.front().index()];
    const auto next = std::upper_bound(candidates.begin(), candidates.end(), chain.stages.front().start,
                                       [&](Time time, std::uint32_t run) { return time < gpu.operators[run].start; });
    if (next == candidates.begin()) continue;
    const std::int64_t step = gpu.operators[*(next - 1)].step;
    if (step >= 0 && taken.emplace(chain.key, step).second) chain.step = step;
  }
  leave_out_chains_without_step(gpu, folder, diagnostics);
}

void number_chains_by_occurrence(RecordedGpu& gpu, const std::vector<std::int64_t>& numbers, const std::string& folder,
                                 Diagnostics& diagnostics) {
  for (StageChain& chain : gpu.chains) {
    if (numbers.empty()) {
      chain.step = chain.occurrence;
    } else if (chain.occurrence < numbers.size()) {
      chain.step = numbers[chain.occurrence];
    }
  }
  leave_out_chains_without_step(gpu, folder, diagnostics);
}

namespace {

using Releases = std::map<std::uint32_t, Time>;  // release time by tensor

/// Returns the last start at or before `time`; `time` itself if there is none. Precondition: `starts` is sorted.
Time last_start_before(const std::vector<Time>& starts, Time time) {
  const auto next = std::upper_bound(starts.begin(), starts.end(), time);
  return next == starts.begin() ? time : *(next - 1);
}

class OpaqueSegments {
 public:
  OpaqueSegments(RecordedGpu& gpu, Barrier barrier) : gpu_(gpu), barrier_(barrier) {}

  void run(const StageTrace& stages) {
    find_releases();
    move_to_totals(stages);
    Time last = Time::min();
    std::vector<std::uint32_t> waits_for;  // tensors of the step before
    for (const auto& [step, tensors] : releases_) {
      last = add_segments(step, tensors, last, waits_for);
      if (barrier_ == Barrier::kGlobal) last = std::max(last, done_.at(step));
      waits_for.clear();
      for (const auto& [tensor, release] : tensors) waits_for.push_back(tensor);
    }
  }

 private:
  void find_releases() {
    for (const StageChain& chain : gpu_.chains) {
      const Time begin = chain.stages.front().start;
      Time& release = releases_[chain.step].try_emplace(chain.tensor, begin).first->second;
      release = std::min(release, begin);
      Time& end = done_.try_emplace(chain.step, chain.stages.back().finish).first->second;
      end = std::max(end, chain.stages.back().finish);
    }
  }

  void move_to_totals(const StageTrace& stages) {
    std::vector<std::vector<Time>> totals(gpu_.tensors.size());
    for (const StageTrace::Event& event : stages.events) {
      if (event.stage == Stage::kTotal) totals[event.tensor].push_back(event.start);
    }
    for (auto& starts : totals) std::sort(starts.begin(), starts.end());
    for (auto& [step, tensors] : releases_) {
      for (auto& [tensor, release] : tensors) release = last_start_before(totals[tensor], release);
    }
  }

  /// Adds the opaque segments of a step, which stand for its unknown operators. There is one segment for each tensor.
  /// It ends at the tensor's release, when the tensor is ready to be sent. The first segment starts at `begin`, unless
  /// that is later than its end. Returns the last release, but at least `begin`.
  Time add_segments(std::int64_t step, const Releases& tensors, Time begin,
                    const std::vector<std::uint32_t>& waits_for) {
    std::vector<std::pair<Time, std::uint32_t>> order;
    order.reserve(tensors.size());
    for (const auto& [tensor, release] : tensors) order.emplace_back(release, tensor);
    std::sort(order.begin(), order.end());
    bool first = true;
    for (const auto& [release, tensor] : order) {
      const TextId name = gpu_.names.intern((first ? "opaque before " : "opaque up to ") + gpu_.tensors[tensor].name);
      const Time start = begin == Time::min() || begin > release ? release : begin;
      gpu_.operators.push_back({name, 0, step, start, release, {}});
      if (first) add_consumer(name, waits_for);
      gpu_.tensors[tensor].producers.push_back(name);
      sort_unique(gpu_.tensors[tensor].producers);
      begin = std::max(begin, release);
      first = false;
    }
    return begin;
  }

  /// With a global barrier, makes the operator `name` wait for `tensors`. The caller passes the first opaque segment of
  /// a step and all tensors of the step before.
  void add_consumer(TextId name, const std::vector<std::uint32_t>& tensors) {
    if (barrier_ != Barrier::kGlobal) return;
    for (const std::uint32_t tensor : tensors) {
      gpu_.tensors[tensor].consumers.push_back(name);
      sort_unique(gpu_.tensors[tensor].consumers);
    }
  }

  RecordedGpu& gpu_;
  Barrier barrier_;
  std::map<std::int64_t, Releases> releases_;  // by step
  std::map<std::int64_t, Time> done_;          // end of each step's last stage
};

}  // namespace

void add_opaque_segments(RecordedGpu& gpu, const StageTrace& stages, Barrier barrier) {
  OpaqueSegments(gpu, barrier).run(stages);
}

}  // namespace stepsim::ingest
