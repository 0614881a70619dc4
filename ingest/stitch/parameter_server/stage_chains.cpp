#include "ingest/stitch/parameter_server/stage_chains.h"

#include <algorithm>
#include <tuple>

#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

/// All stages, and the totals of those tensors that have no stages, by tensor, key and start.
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

}  // namespace stepsim::ingest
