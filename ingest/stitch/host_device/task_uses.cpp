#include "ingest/stitch/host_device/device_tasks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/host_threads.h"
#include "model/base/sort_runs.h"

namespace stepsim::ingest {
namespace {

/// The operator in which a piece of device work was launched.
struct OperatorUse {
  std::uint32_t which = kNoIndex;  ///< index into HostDeviceTrace::operators; kNoIndex if no shape was recorded
  std::uint32_t occurrence = 0;    ///< number of the call, in order of its start
  bool in_optimizer = false;       ///< an "Optimizer." annotation is around the call
  bool in_backward = false;        ///< autograd evaluates a function of the backward pass around the call
};

/// What is around a runtime call or an allocation.
struct Caller {
  std::uint32_t event = kNoIndex;  ///< kNoIndex if no operator with shapes is around it
  bool in_optimizer = false;
  bool in_backward = false;
};

/// Prefix of the range in which PyTorch's autograd evaluates a function of the backward pass.
constexpr std::string_view kEvaluates = "autograd::engine::evaluate_function: ";

/// The operators of a rank's trace that have shapes.
class ShapedOperators {
 public:
  explicit ShapedOperators(const RankEvents& events)
      : events_(events),
        evaluates_(*events.trace, [](std::string_view name) { return name.starts_with(kEvaluates); }),
        optimizes_(*events.trace, [](std::string_view name) { return name.starts_with(kOptimizer); }) {}

  [[nodiscard]] const RankEvents& events() const noexcept { return events_; }
  /// Returns the index of an event's operator in HostDeviceTrace::operators; kNoIndex if it has none.
  [[nodiscard]] std::uint32_t operator[](std::uint32_t event) const noexcept {
    return events_.trace->operator_of[event];
  }
  /// Returns what is around a moment within `event`, directly. `around` is what is around the event.
  [[nodiscard]] Caller inside(std::uint32_t event, Caller around) const noexcept {
    if ((*this)[event] != kNoIndex) around.event = event;
    around.in_optimizer = around.in_optimizer || optimizes_(event);
    around.in_backward = around.in_backward || evaluates_(event);
    return around;
  }

 private:
  const RankEvents& events_;
  ByName<bool (*)(std::string_view)> evaluates_;
  ByName<bool (*)(std::string_view)> optimizes_;
};

/// Stores in `caller`, by event, what is around each runtime call of a thread.
void find_callers(const ShapedOperators& operators, const RankEvents::Thread& thread, std::vector<Caller>& caller) {
  for_each_nested<Caller>(operators.events(), thread, [&](std::uint32_t event, const Caller& around) {
    if (operators.events().trace->kind[event] == EventKind::kRuntimeCall) caller[event] = around;
    return operators.inside(event, around);
  });
}

/// Numbers the operators that launched device work, in the order of their starts. Returns the numbers by event.
std::vector<std::uint32_t> occurrences(const RankEvents& events, std::vector<std::uint32_t> callers) {
  sort_runs(callers, [&](std::uint32_t a, std::uint32_t b) {
    return std::pair{events.begin_of(a), a} < std::pair{events.begin_of(b), b};
  });
  callers.erase(std::unique(callers.begin(), callers.end()), callers.end());
  std::vector<std::uint32_t> number(events.trace->size(), 0);
  for (std::uint32_t i = 0; i < callers.size(); ++i) number[callers[i]] = i;
  return number;
}

/// Returns for each piece of device work the operator that launched it; empty if no shapes were recorded.
std::vector<OperatorUse> find_operator_uses(const RankEvents& events) {
  if (events.trace->operator_of.empty()) return {};
  const ShapedOperators operators(events);
  std::vector<Caller> caller(events.trace->size());
  for (const RankEvents::Thread& thread : events.threads) {
    if (thread.launches) find_callers(operators, thread, caller);
  }

  std::vector<std::uint32_t> callers;
  for (const DeviceOp& op : events.ops) {
    if (op.call != kNoIndex && caller[op.call].event != kNoIndex) callers.push_back(caller[op.call].event);
  }
  const std::vector<std::uint32_t> number = occurrences(events, callers);
  std::vector<OperatorUse> uses(events.ops.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const std::uint32_t call = events.ops[i].call;
    if (call == kNoIndex || caller[call].event == kNoIndex) continue;
    uses[i] = {operators[caller[call].event], number[caller[call].event], caller[call].in_optimizer,
               caller[call].in_backward};
  }
  return uses;
}

}  // namespace

void add_operator_uses(const RankEvents& events, const DeviceTasks& tasks, Assembly& assembly) {
  OperatorTable& table = assembly.operators;
  const auto first = static_cast<std::uint32_t>(table.operators.size());
  const std::uint32_t occurrence = table.occurrences;
  const std::vector<OperatorUse> uses = find_operator_uses(events);
  for (std::uint32_t i = 0; i < uses.size(); ++i) {
    if (uses[i].which == kNoIndex) continue;
    tasks.for_each_task(i, [&](TaskId task) {
      table.uses.push_back(
          {task, first + uses[i].which, occurrence + uses[i].occurrence, uses[i].in_optimizer, uses[i].in_backward});
      table.occurrences = std::max(table.occurrences, table.uses.back().occurrence + 1);
    });
  }
  if (table.uses.empty()) return;
  const auto& operators = events.trace->operators;
  table.operators.insert(table.operators.end(), operators.begin(), operators.end());
}

namespace {

using Allocation = HostDeviceTrace::MemoryEvent;

/// The allocations that the threads of one trace made, in the order in which they are visited.
class AllocationsByThread {
 public:
  explicit AllocationsByThread(const std::vector<Allocation>& all) {
    for (const Allocation& one : all) of_thread_[one.track].push_back(&one);
    for (auto& [track, list] : of_thread_) {
      std::stable_sort(list.begin(), list.end(),
                       [](const Allocation* a, const Allocation* b) { return a->time < b->time; });
    }
  }
  /// Calls visit(allocation, caller) for each allocation; `thread` of a track is null if the track has no events.
  template <class Visit>
  void visit_each(const ShapedOperators& operators, Visit visit) const {
    std::map<TrackId, const RankEvents::Thread*> threads;
    for (const RankEvents::Thread& thread : operators.events().threads) threads.emplace(thread.track, &thread);
    for (const auto& [track, list] : of_thread_) {
      const auto thread = threads.find(track);
      walk(operators, thread == threads.end() ? nullptr : thread->second, list, visit);
    }
  }

 private:
  template <class Visit>
  static void walk(const ShapedOperators& operators, const RankEvents::Thread* thread,
                   const std::vector<const Allocation*>& list, Visit& visit) {
    OpenEvents<Caller> open(operators.events());
    const auto inside = [&](std::uint32_t event, const Caller& around) { return operators.inside(event, around); };
    std::size_t next = 0;
    for (const Allocation* const one : list) {
      while (thread != nullptr && next < thread->events.size() &&
             operators.events().begin_of(thread->events[next]) <= one->time)
        open.open(thread->events[next++], inside);
      visit(*one, open.at(one->time));
    }
  }

  std::map<TrackId, std::vector<const Allocation*>> of_thread_;
};

}  // namespace

void add_allocations(const RankEvents& events, Rank rank, Assembly& assembly) {
  const HostDeviceTrace& trace = *events.trace;
  if (trace.memory.empty()) return;
  AllocationTable& table = assembly.allocations;
  const auto first = static_cast<std::uint32_t>(table.operators.size());
  const ShapedOperators operators(events);
  std::map<std::int32_t, std::size_t> counts;
  for (const Allocation& one : trace.memory) ++counts[one.device];
  std::map<std::int32_t, std::vector<AllocationTable::Event>> of_device;
  for (const auto& [device, count] : counts) of_device[device].reserve(count);
  AllocationsByThread(trace.memory).visit_each(operators, [&](const Allocation& one, const Caller& caller) {
    of_device[one.device].push_back(
        {one.time, one.block, one.change, one.allocated, one.reserved,
         caller.event == kNoIndex ? AllocationTable::kNone : first + operators[caller.event], caller.in_optimizer,
         caller.in_backward});
  });
  table.operators.insert(table.operators.end(), trace.operators.begin(), trace.operators.end());
  for (auto& [device, list] : of_device) {
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    table.memories.push_back({rank, device, std::move(list)});
  }
}

namespace {

/// An annotation or a call of a module.
struct Span {
  Time begin;
  Time end;
  TextId name;
};

/// Returns true for annotations by which a user may select tasks. The profiler's step marks are not among them, because
/// steps are selected by number.
bool is_annotation(const RankEvents& events, std::uint32_t event) {
  return events.trace->kind[event] == EventKind::kAnnotation && !events.trace->marks_step(event);
}

/// Sorts spans so that each comes before the spans inside it.
void sort_outermost_first(std::vector<Span>& spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return std::pair{a.begin, b.end} < std::pair{b.begin, a.end};
  });
}

void add_annotations(const RankEvents& events, const RankEvents::Thread& thread, std::vector<Span>& spans) {
  for (const std::uint32_t event : thread.events) {
    if (is_annotation(events, event))
      spans.push_back({events.begin_of(event), events.end_of(event), events.trace->name[event]});
  }
}

/// The spans that are open at a time, the outermost first. Programs nest a few dozen; at most kMost are kept, because
/// the memory for the annotations of all calls would otherwise grow with the square of the depth.
class OpenSpans {
 public:
  static constexpr std::size_t kMost = 64;

  void open(const Span& span) {
    if (spans_.size() < kMost) {
      spans_.push_back(span);
    } else {
      ++left_out_;
    }
  }
  /// Removes the spans that end at `at` or before, and returns how many.
  std::size_t close(Time at) {
    return std::erase_if(spans_, [at](const Span& span) { return span.end <= at; });
  }
  [[nodiscard]] const std::vector<Span>& spans() const noexcept { return spans_; }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  std::vector<Span> spans_;
  std::uint64_t left_out_ = 0;
};

/// Returns the parts of `spans` that lie within `windows`, in the order of the windows. Precondition: `spans` are
/// sorted by begin.
std::vector<Span> parts_within(const std::vector<Span>& spans, std::vector<std::pair<Time, Time>> windows) {
  std::sort(windows.begin(), windows.end());
  std::vector<Span> parts;
  OpenSpans open;
  std::size_t next = 0;
  for (const auto& [begin, end] : windows) {
    for (; next < spans.size() && spans[next].begin < end; ++next) open.open(spans[next]);
    open.close(begin);
    for (const Span& span : open.spans())
      parts.push_back({std::max(span.begin, begin), std::min(span.end, end), span.name});
  }
  return parts;
}

/// The annotations around each call that launched device work. Calls within the same annotations share a list. While
/// the main thread waits for another thread that works for it, such as the autograd thread (explain_silences()), its
/// annotations also apply to that thread's calls.
class Annotated {
  static constexpr std::uint32_t kNoList = 0;

 public:
  Annotated(const RankEvents& events, const std::vector<HostThread>& threads) : events_(events) {
    lists_.emplace_back();
    std::map<TrackId, std::vector<Span>> modules;
    for (const HostDeviceTrace::ModuleCall& call : events.trace->modules)
      modules[call.track].push_back({call.begin, call.begin + call.length, call.name});
    std::vector<Span> of_main;
    if (!events.threads.empty()) add_annotations(events, events.threads[events.main_thread], of_main);
    sort_outermost_first(of_main);
    for (std::size_t t = 0; t < events.threads.size(); ++t) {
      const RankEvents::Thread& thread = events.threads[t];
      if (!thread.launches) continue;
      std::vector<Span> spans = parts_within(of_main, threads[t].busy);
      std::vector<Span>& of_modules = modules[thread.track];
      spans.insert(spans.end(), of_modules.begin(), of_modules.end());
      walk(thread, std::move(spans));
    }
  }

  /// Returns the names of the spans around a call, the outermost first.
  [[nodiscard]] const std::vector<TextId>& around(std::uint32_t call) const { return lists_[list_of_[call]]; }
  /// Number of spans that are in no list, because too many were open around them.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  void walk(const RankEvents::Thread& thread, std::vector<Span> spans) {
    add_annotations(events_, thread, spans);
    sort_outermost_first(spans);
    OpenSpans open;
    std::uint32_t list = kNoList;
    std::size_t next = 0;
    for (const std::uint32_t event : thread.events) {
      if (events_.trace->kind[event] != EventKind::kRuntimeCall) continue;
      const Time at = events_.begin_of(event);
      const std::size_t before = next;
      for (; next < spans.size() && spans[next].begin <= at; ++next) open.open(spans[next]);
      const std::size_t closed = open.close(at);
      if (next != before || closed > 0) list = add(open.spans());
      list_of_.set(event, list);
    }
    left_out_ += open.left_out();
  }

  std::uint32_t add(const std::vector<Span>& open) {
    if (open.empty()) return kNoList;
    std::vector<TextId>& names = lists_.emplace_back();
    for (const Span& span : open) names.push_back(span.name);
    return static_cast<std::uint32_t>(lists_.size() - 1);
  }

  const RankEvents& events_;
  OptionalColumn<std::uint32_t, kNoList> list_of_;  // index into lists_, by event
  std::vector<std::vector<TextId>> lists_;          // the first list is empty
  std::uint64_t left_out_ = 0;
};

}  // namespace

std::uint64_t add_annotation_uses(const RankEvents& events, const std::vector<HostThread>& threads,
                                  const DeviceTasks& tasks, Assembly& assembly) {
  const Annotated annotated(events, threads);
  AnnotationTable& table = assembly.annotations;
  std::map<TextId, std::uint32_t> places;
  for (std::uint32_t i = 0; i < events.ops.size(); ++i) {
    const std::uint32_t call = events.ops[i].call;
    if (call == kNoIndex) continue;
    for (const TextId name : annotated.around(call)) {
      const auto [place, is_new] = places.try_emplace(name, static_cast<std::uint32_t>(table.names.size()));
      if (is_new) table.names.push_back(events.trace->text(name));
      tasks.for_each_task(i, [&table, which = place->second](TaskId task) { table.uses.push_back({task, which}); });
    }
  }
  return annotated.left_out();
}

void add_kernel_launches(const RankEvents& events, const DeviceTasks& tasks, Assembly& assembly) {
  const HostDeviceTrace& trace = *events.trace;
  if (trace.launch_of.empty()) return;
  LaunchTable& table = assembly.launches;
  const auto first = static_cast<std::uint32_t>(table.launches.size());
  for (std::uint32_t i = 0; i < events.ops.size(); ++i) {
    const std::uint32_t which = trace.launch_of[events.ops[i].event];
    if (which == kNoIndex) continue;
    tasks.for_each_task(i, [&](TaskId task) { table.uses.push_back({task, first + which}); });
  }
  table.launches.insert(table.launches.end(), trace.launches.begin(), trace.launches.end());
}

}  // namespace stepsim::ingest
