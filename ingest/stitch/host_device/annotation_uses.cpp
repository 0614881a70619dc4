#include "ingest/stitch/host_device/annotation_uses.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepsim::ingest {
namespace {

/// What somebody would select by: not the marks of steps, which are selected by number.
bool is_annotation(const RankEvents& events, std::uint32_t event) {
  const std::string_view name = events.name_of(event);
  if (events.trace->kind[event] == EventKind::kOp) return name.starts_with(kModulePrefix);
  return events.trace->kind[event] == EventKind::kAnnotation && !step_number(name);
}

/// The annotations around each call that launched device work. Calls within the same ones share a list.
class Annotated {
 public:
  explicit Annotated(const RankEvents& events) : events_(events), list_of_(events.trace->size(), kNoList) {
    lists_.emplace_back();
    for (const RankEvents::Thread& thread : events.threads) {
      if (thread.launches) walk(thread);
    }
  }

  /// The events that are annotations around a call, the outermost first.
  [[nodiscard]] const std::vector<std::uint32_t>& around(std::uint32_t call) const { return lists_[list_of_[call]]; }

 private:
  static constexpr std::uint32_t kNoList = 0;

  void walk(const RankEvents::Thread& thread) {
    std::vector<std::uint32_t> open;  // the innermost last
    std::uint32_t list = kNoList;     // that holds what is open
    for (const std::uint32_t event : thread.events) {
      while (!open.empty() && events_.end_of(open.back()) <= events_.begin_of(event)) {
        open.pop_back();
        list = kChanged;
      }
      if (is_annotation(events_, event)) {
        open.push_back(event);
        list = kChanged;
      } else if (events_.trace->kind[event] == EventKind::kRuntimeCall) {
        if (list == kChanged) list = add(open);
        list_of_[event] = list;
      }
    }
  }

  std::uint32_t add(const std::vector<std::uint32_t>& open) {
    if (open.empty()) return kNoList;
    lists_.push_back(open);
    return static_cast<std::uint32_t>(lists_.size() - 1);
  }

  static constexpr std::uint32_t kChanged = kNoIndex;

  const RankEvents& events_;
  std::vector<std::uint32_t> list_of_;             // by event; index into lists_
  std::vector<std::vector<std::uint32_t>> lists_;  // the first is empty
};

}  // namespace

void add_annotation_uses(const RankEvents& events, const DeviceTasks& tasks, Assembly& assembly) {
  const Annotated annotated(events);
  AnnotationTable& table = assembly.annotations;
  std::map<std::string_view, std::uint32_t> places;
  for (std::uint32_t i = 0; i < events.ops.size(); ++i) {
    const std::uint32_t call = events.ops[i].call;
    if (call == kNoIndex) continue;
    for (const std::uint32_t event : annotated.around(call)) {
      const auto [place, is_new] =
          places.try_emplace(events.name_of(event), static_cast<std::uint32_t>(table.names.size()));
      if (is_new) table.names.emplace_back(place->first);
      tasks.for_each_task(i, [&](TaskId task) { table.uses.push_back({task, place->second}); });
    }
  }
}

}  // namespace stepsim::ingest
