#include "ingest/stitch/host_device/host_device.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stepsim::ingest {
namespace {

using Indices = std::vector<std::uint32_t>;

class Joiner {
 public:
  Joiner(const ExecutionTrace& execution, HostDeviceTrace& trace) : execution_(execution), trace_(trace) {}

  JoinedOperators run() {
    const std::vector<Indices> events = events_by_name();
    JoinedOperators joined{.joined = 0, .all = execution_.runs.size()};
    for (const Indices& runs : runs_by_name()) {
      if (runs.empty()) continue;
      const auto name = ids_.find(execution_.texts[execution_.runs[runs.front()].name]);
      if (name == ids_.end() || events[name->second].size() != runs.size()) continue;
      for (std::size_t k = 0; k < runs.size(); ++k) join(runs[k], events[name->second][k]);
      joined.joined += runs.size();
    }
    sort();
    return joined;
  }

 private:
  /// Returns operators and annotations by name, in the order of their begins, enclosing ones first.
  std::vector<Indices> events_by_name() {
    for (std::uint32_t i = 0; i < trace_.texts.size(); ++i) ids_.emplace(trace_.texts[i], i);
    std::vector<Indices> events(trace_.texts.size());
    for (std::uint32_t i = 0; i < trace_.size(); ++i) {
      if (trace_.kind[i] == EventKind::kOp || trace_.kind[i] == EventKind::kAnnotation)
        events[trace_.name[i].index()].push_back(i);
    }
    const auto order = [this](std::uint32_t event) {
      return std::tuple{trace_.start[event], -trace_.duration[event], event};
    };
    for (Indices& of_name : events) {
      std::sort(of_name.begin(), of_name.end(), [&](std::uint32_t a, std::uint32_t b) { return order(a) < order(b); });
    }
    return events;
  }

  [[nodiscard]] std::vector<Indices> runs_by_name() const {
    std::vector<Indices> runs(execution_.texts.size());
    for (std::uint32_t i = 0; i < execution_.runs.size(); ++i) runs[execution_.runs[i].name].push_back(i);
    return runs;
  }

  void join(std::uint32_t run, std::uint32_t event) {
    const ExecutionTrace::Operator& op = execution_.runs[run];
    for (const ExecutionTrace::Use& use : execution_.uses_of(run))
      trace_.storage_uses.push_back({event, use.written, use.storage});
    const bool waits = op.role == ExecutionTrace::Role::kWait;
    if ((waits || op.role == ExecutionTrace::Role::kCollective) && op.sequence >= 0)
      trace_.collective_calls.push_back({event, waits, op.sequence});
    if (op.which != ExecutionTrace::kNone && trace_.operators.empty()) {
      trace_.operator_of.set(event, op.which);
      has_shapes_ = true;
    }
  }

  void sort() {
    const auto by_event = [](const auto& a, const auto& b) { return a.event < b.event; };
    std::stable_sort(trace_.storage_uses.begin(), trace_.storage_uses.end(), by_event);
    std::stable_sort(trace_.collective_calls.begin(), trace_.collective_calls.end(), by_event);
    if (has_shapes_) trace_.operators = execution_.operators;
  }

  const ExecutionTrace& execution_;
  HostDeviceTrace& trace_;
  std::unordered_map<std::string_view, std::uint32_t> ids_;  ///< ids of the trace's texts; never iterated
  bool has_shapes_ = false;                                  ///< of the execution trace
};

}  // namespace

JoinedOperators join_execution_trace(const ExecutionTrace& execution, HostDeviceTrace& trace) {
  return Joiner(execution, trace).run();
}

}  // namespace stepsim::ingest
