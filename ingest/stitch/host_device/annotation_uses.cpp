#include "ingest/stitch/host_device/annotation_uses.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace stepsim::ingest {
namespace {

/// An annotation, or a module's call.
struct Span {
  Time begin;
  Time end;
  TextId name;
};

/// What somebody would select by: not the marks of steps, which are selected by number.
bool is_annotation(const RankEvents& events, std::uint32_t event) {
  return events.trace->kind[event] == EventKind::kAnnotation && !step_number(events.name_of(event));
}

/// The annotations around each call that launched device work. Calls within the same ones share a list.
class Annotated {
 public:
  explicit Annotated(const RankEvents& events) : events_(events), list_of_(events.trace->size(), kNoList) {
    lists_.emplace_back();
    std::map<TrackId, std::vector<Span>> modules;
    for (const HostDeviceTrace::ModuleCall& call : events.trace->modules)
      modules[call.track].push_back({call.begin, call.begin + call.length, call.name});
    for (const RankEvents::Thread& thread : events.threads) {
      if (thread.launches) walk(thread, std::move(modules[thread.track]));
    }
  }

  /// The names of what is around a call, the outermost first.
  [[nodiscard]] const std::vector<TextId>& around(std::uint32_t call) const { return lists_[list_of_[call]]; }

 private:
  static constexpr std::uint32_t kNoList = 0;

  void walk(const RankEvents::Thread& thread, std::vector<Span> spans) {
    for (const std::uint32_t event : thread.events) {
      if (is_annotation(events_, event))
        spans.push_back({events_.begin_of(event), events_.end_of(event), events_.trace->name[event]});
    }
    std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
      return std::pair{a.begin, b.end} < std::pair{b.begin, a.end};  // what is around others goes first
    });
    std::vector<Span> open;  // the innermost last
    std::uint32_t list = kNoList;
    std::size_t next = 0;
    for (const std::uint32_t event : thread.events) {
      if (events_.trace->kind[event] != EventKind::kRuntimeCall) continue;
      const Time at = events_.begin_of(event);
      const std::size_t before = next;
      for (; next < spans.size() && spans[next].begin <= at; ++next) open.push_back(spans[next]);
      const auto closed = std::erase_if(open, [at](const Span& span) { return span.end <= at; });
      if (next != before || closed > 0) list = add(open);
      list_of_[event] = list;
    }
  }

  std::uint32_t add(const std::vector<Span>& open) {
    if (open.empty()) return kNoList;
    std::vector<TextId>& names = lists_.emplace_back();
    for (const Span& span : open) names.push_back(span.name);
    return static_cast<std::uint32_t>(lists_.size() - 1);
  }

  const RankEvents& events_;
  std::vector<std::uint32_t> list_of_;      // by event; index into lists_
  std::vector<std::vector<TextId>> lists_;  // the first is empty
};

}  // namespace

void add_annotation_uses(const RankEvents& events, const DeviceTasks& tasks, Assembly& assembly) {
  const Annotated annotated(events);
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
}

}  // namespace stepsim::ingest
