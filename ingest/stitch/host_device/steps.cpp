#include "ingest/stitch/host_device/steps.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/parts/step_name.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

using Window = RankEvents::StepWindow;

/// Beginnings of the names of ranges that frameworks open once per step. The rest of the name differs from step to
/// step.
constexpr std::array<std::string_view, 3> kStepRanges{"step[", "execute_", "[pl][profile]run_training_batch"};
constexpr std::string_view kOptimizerStep = "Optimizer.step#";

/// What the name of an annotation says about steps. Of two kinds, the first one marks steps better.
enum class Says : std::uint8_t { kMark, kStep, kOptimizer, kForward, kBackward, kWarmUp, kNothing };

struct MarkName {
  Says says = Says::kNothing;
  std::string family{};  ///< equal for all steps
  std::optional<std::int64_t> number{};
};

MarkName mark_name(std::string_view name) {
  if (name.starts_with(kOptimizerStep)) return {Says::kOptimizer, std::string(name)};
  for (const std::string_view range : kStepRanges) {
    if (name.starts_with(range)) return {Says::kStep, std::string(range)};
  }
  const std::string lower = lower_case(name);
  if (lower.find("warm") != std::string::npos) return {Says::kWarmUp};
  if (auto step = step_name(name)) return {Says::kStep, std::move(step->family), step->number};
  if (lower.starts_with("forward")) return {Says::kForward, lower};
  return {lower.starts_with("backward") ? Says::kBackward : Says::kNothing};
}

/// The annotations of one thread that may mark steps and have the same kind of name.
struct Family {
  Says says = Says::kNothing;
  std::string name;  ///< for people
  std::vector<std::uint32_t> events;
  std::vector<Window> windows;  ///< by begin

  [[nodiscard]] double covered() const {
    double sum = 0;  // in nanoseconds; a double, because a sum of damaged times may not fit in 64 bits
    for (const Window& window : windows) sum += static_cast<double>((window.end - window.begin).count());
    return sum;
  }
};

/// Numbers the steps from 0 if their names do not number them in order.
void number_steps(Family& family, bool any_unnumbered) {
  std::vector<Window>& steps = family.windows;
  const bool out_of_order =
      any_unnumbered || std::adjacent_find(steps.begin(), steps.end(), [](const Window& a, const Window& b) {
                          return a.number >= b.number;
                        }) != steps.end();
  if (!out_of_order) family.name += 'N';
  for (std::size_t i = 0; out_of_order && i < steps.size(); ++i) steps[i].number = static_cast<std::int64_t>(i);
}

/// Changes the ranges of an optimizer's steps so that each reaches from the end of one optimizer step to the end of the
/// next. Drops the first one, because the begin of the first iteration is unknown.
void set_windows_between_ends(std::vector<Window>& windows) {
  for (std::size_t i = windows.size(); i-- > 1;) windows[i].begin = windows[i - 1].end;
  if (!windows.empty()) windows.erase(windows.begin());
}

/// Where a step that another one overlaps ends.
enum class Cut : std::uint8_t { kAtNextBegin, kAtOwnEnd };

/// Returns the steps of marks, without those that were recorded twice. Marks that overlap are added to `overlaps`.
std::vector<Window> in_turn(const std::vector<Window>& marks, Cut cut,
                            std::vector<std::pair<Window, Window>>& overlaps) {
  std::vector<Window> steps;
  for (Window mark : marks) {
    if (!steps.empty() && mark.begin < steps.back().end) {
      Window& before = steps.back();
      if (mark.number == before.number) continue;  // the same mark, recorded twice
      overlaps.emplace_back(before, mark);
      if (mark.begin == before.begin) continue;
      if (cut == Cut::kAtNextBegin || mark.end <= before.end) {
        before.end = mark.begin;
      } else {
        mark.begin = before.end;
      }
    }
    steps.push_back(mark);
  }
  return steps;
}

/// Returns by how much the lengths of steps differ.
Duration spread(const std::vector<Window>& steps) {
  const auto [least, most] = std::minmax_element(
      steps.begin(), steps.end(), [](const Window& a, const Window& b) { return a.end - a.begin < b.end - b.begin; });
  return steps.empty() ? Duration{} : (most->end - most->begin) - (least->end - least->begin);
}

/// Returns the steps of marks, which end where the next one begins: the time between begins is the time of an
/// iteration. Where marks overlap, they end with their own marks if this makes them more alike.
std::vector<Window> in_turn(const std::vector<Window>& marks, std::vector<std::pair<Window, Window>>& overlaps) {
  std::vector<Window> steps = in_turn(marks, Cut::kAtNextBegin, overlaps);
  if (overlaps.empty()) return steps;
  std::vector<std::pair<Window, Window>> same;
  std::vector<Window> others = in_turn(marks, Cut::kAtOwnEnd, same);
  return spread(others) < spread(steps) ? others : steps;
}

class StepFinder {
 public:
  explicit StepFinder(RankEvents& events) : events_(events), names_(events.trace->texts.size()) {
    for (const TraceTables::Step& step : events.trace->steps) marks_.emplace(step.event, step.number);
  }

  void run() {
    if (events_.threads.empty()) return;
    collect();
    const std::vector<Family> candidates = by_preference();
    if (!candidates.empty()) note_marks(candidates);
    events_.main_thread = find_main_thread();
    for (const Family& family : candidates) {
      events_.overlaps.clear();
      events_.steps = in_turn(family.says == Says::kMark ? marks_by_begin() : family.windows, events_.overlaps);
      events_.marked = !events_.steps.empty() && !most_device_time_is_outside();
      if (events_.marked) {
        if (family.says != Says::kMark) events_.step_ranges = family.name;
        return;
      }
      if (&family == &candidates.front() && family.says <= Says::kStep) events_.steps_ignored = events_.steps.size();
    }
    events_.steps.clear();
    events_.overlaps.clear();
    std::int64_t number = 0;
    for (const auto& [begin, end] : events_.trace->windows) events_.steps.push_back({number++, begin, end});
  }

 private:
  [[nodiscard]] const MarkName& name_of(std::uint32_t event) {
    std::optional<MarkName>& name = names_[events_.trace->name[event].index()];
    if (!name) name = mark_name(events_.name_of(event));
    return *name;
  }

  /// Collects the annotations that may mark steps into families, and when warm-ups run.
  void collect() {
    for (std::size_t t = 0; t < events_.threads.size(); ++t) {
      for (const std::uint32_t event : events_.threads[t].events) {
        if (events_.trace->kind[event] != EventKind::kAnnotation) continue;
        if (marks_.contains(event)) {
          Family& family = families_[{0, Says::kMark, {}}];
          family.says = Says::kMark;
          family.events.push_back(event);
          continue;
        }
        const MarkName& name = name_of(event);
        if (name.says == Says::kNothing) continue;
        if (name.says == Says::kWarmUp) {
          warm_ups_.emplace_back(events_.begin_of(event), events_.end_of(event));
        } else {
          Family& family = families_[{t, name.says, name.family}];
          family.says = name.says;
          family.name = name.family;
          family.events.push_back(event);
        }
      }
    }
    std::sort(warm_ups_.begin(), warm_ups_.end());
    for (std::size_t i = 1; i < warm_ups_.size(); ++i)
      warm_ups_[i].second = std::max(warm_ups_[i].second, warm_ups_[i - 1].second);
  }

  [[nodiscard]] bool is_in_warm_up(Time at) const {
    const auto after = std::partition_point(warm_ups_.begin(), warm_ups_.end(),
                                            [at](const auto& warm_up) { return warm_up.first <= at; });
    return after != warm_ups_.begin() && at < std::prev(after)->second;
  }

  /// Returns the families that have steps, the best first.
  [[nodiscard]] std::vector<Family> by_preference() {
    std::vector<Family> candidates;
    bool trains = false;
    for (auto& [key, family] : families_) {
      bool any_unnumbered = false;
      for (const std::uint32_t event : family.events) {
        const Time begin = events_.begin_of(event);
        if (family.says != Says::kMark && is_in_warm_up(begin)) continue;
        const std::optional<std::int64_t> number =
            family.says == Says::kMark ? marks_.at(event) : name_of(event).number;
        any_unnumbered = any_unnumbered || !number;
        family.windows.push_back({number.value_or(0), begin, events_.end_of(event)});
      }
      if (family.windows.empty()) continue;
      trains = trains || family.says == Says::kBackward;
      if (family.says != Says::kMark) number_steps(family, any_unnumbered);
      if (family.says == Says::kOptimizer) set_windows_between_ends(family.windows);
      candidates.push_back(std::move(family));
    }
    std::erase_if(candidates, [trains](const Family& family) {
      return family.says == Says::kBackward || (family.says == Says::kForward && (trains || family.windows.size() < 2));
    });
    std::stable_sort(candidates.begin(), candidates.end(), [](const Family& a, const Family& b) {
      return std::pair{a.says, -a.covered()} < std::pair{b.says, -b.covered()};
    });
    return candidates;
  }

  /// Remembers which names mark steps: those of the profiler's marks, or of the best family.
  void note_marks(const std::vector<Family>& candidates) {
    events_.step_marks.resize(events_.trace->texts.size(), false);
    for (const std::uint32_t event : candidates.front().events)
      events_.step_marks[events_.trace->name[event].index()] = true;
  }

  [[nodiscard]] std::size_t marks_on(const RankEvents::Thread& thread) const {
    return static_cast<std::size_t>(std::count_if(thread.events.begin(), thread.events.end(),
                                                  [&](std::uint32_t event) { return events_.marks_step(event); }));
  }

  [[nodiscard]] std::size_t find_main_thread() const {
    std::size_t busiest = 0;
    for (const RankEvents::Thread& thread : events_.threads) busiest = std::max(busiest, thread.events.size());
    std::size_t best = 0;
    std::pair<std::size_t, Duration> best_score{0, Duration::min()};
    for (std::size_t t = 0; t < events_.threads.size(); ++t) {
      const RankEvents::Thread& thread = events_.threads[t];
      const std::size_t marks = marks_on(thread);
      if (10 * thread.events.size() < busiest && marks == 0) continue;
      const std::pair score{marks, -events_.begin_of(thread.events.front()).time_since_epoch()};
      if (score > best_score) std::tie(best, best_score) = std::pair{t, score};
    }
    return best;
  }

  /// Returns the profiler's marks, sorted by their begins: those of the main thread, and those of each other thread
  /// whose numbers do not occur on an earlier thread.
  [[nodiscard]] std::vector<Window> marks_by_begin() {
    std::vector<const RankEvents::Thread*> threads{&events_.threads[events_.main_thread]};
    for (const RankEvents::Thread& thread : events_.threads) {
      if (&thread != threads.front()) threads.push_back(&thread);
    }
    std::vector<Window> marks;
    std::set<std::int64_t> known;
    for (const RankEvents::Thread* const thread : threads) {
      const std::size_t before = marks.size();
      for (const std::uint32_t event : thread->events) {
        const auto mark = marks_.find(event);
        if (mark != marks_.end() && !known.contains(mark->second))
          marks.push_back({mark->second, events_.begin_of(event), events_.end_of(event)});
      }
      for (std::size_t i = before; i < marks.size(); ++i) known.insert(marks[i].number);
    }
    std::stable_sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    return marks;
  }

  /// Returns true if less device time was launched in the steps than outside them. If several steps have device work,
  /// only work between steps counts as outside, and not work before the first step or after the last, such as a
  /// warm-up.
  [[nodiscard]] bool most_device_time_is_outside() const {
    std::set<std::int32_t> busy;
    double inside = 0;
    double between = 0;
    double around = 0;
    for (const DeviceOp& op : events_.ops) {
      const auto duration = static_cast<double>((op.end - op.begin).count());
      const Time launch = events_.launch_of(op);
      if (const std::int32_t step = events_.step_at(launch); step >= 0) {
        busy.insert(step);
        inside += duration;
      } else if (launch >= events_.steps.front().begin && launch < events_.steps.back().end) {
        between += duration;
      } else {
        around += duration;
      }
    }
    return between + (busy.size() > 1 ? 0 : around) > inside;
  }

  RankEvents& events_;
  std::map<std::uint32_t, std::int64_t> marks_;  ///< numbers of the format's marks, by event
  std::vector<std::optional<MarkName>> names_;   ///< by TextId; set when first asked for
  std::map<std::tuple<std::size_t, Says, std::string>, Family> families_;
  std::vector<std::pair<Time, Time>> warm_ups_;  ///< by begin; the end is the latest so far
};

}  // namespace

void find_steps(RankEvents& events) { StepFinder(events).run(); }

}  // namespace stepsim::ingest
