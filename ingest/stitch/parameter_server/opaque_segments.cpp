#include "ingest/stitch/parameter_server/opaque_segments.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace stepsim::ingest {
namespace {

using Releases = std::map<std::uint32_t, Time>;  // by tensor

/// The last start at or before `time`; `time` itself if there is none. Precondition: sorted.
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
    std::vector<std::uint32_t> waits_for;  // the tensors of the step before
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

  /// One segment up to each release of a step, the first from `begin` on. Returns the last release.
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

  /// Behind a global barrier a step's first segment waits for every tensor of the step before.
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
  std::map<std::int64_t, Time> done_;          // by step: the end of its last stage
};

}  // namespace

void add_opaque_segments(RecordedGpu& gpu, const StageTrace& stages, Barrier barrier) {
  OpaqueSegments(gpu, barrier).run(stages);
}

}  // namespace stepsim::ingest
