#include "ingest/cut/cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ingest/bytes/input.h"
#include "ingest/chrome/chrome_events.h"
#include "ingest/chrome/trace_copy.h"
#include "ingest/formats/kineto/arguments.h"
#include "ingest/json/json_values.h"
#include "model/base/diagnostics.h"
#include "model/base/error.h"
#include "model/base/pattern.h"
#include "model/base/text.h"
#include "model/job/kernel_class.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// Returns the N of a ProfilerStep#N event, on a host thread or on a device.
std::optional<std::int64_t> step_of(const ChromeEvent& event) {
  return event.name.starts_with(kStepMark) ? as_integer(event.name.substr(kStepMark.size())) : std::nullopt;
}

bool is_flow(const ChromeEvent& event) { return event.phase == "s" || event.phase == "t" || event.phase == "f"; }

std::optional<std::int64_t> argument(const ChromeEvent& event, std::string_view wanted) {
  std::optional<std::int64_t> number;
  event.for_each_argument([&](std::string_view key, std::string_view value) {
    if (key == wanted) number = as_integer(value);
  });
  return number;
}

std::string row_of(const ChromeEvent& event) {
  std::string row(event.process);
  row += '\0';
  row += event.thread;
  return row;
}

/// Hashes an event's process, thread and start time. A flow (arrow) begins or ends on an event if the flow's record and
/// the event have the same hash.
std::size_t place_of(const ChromeEvent& event) {
  return std::hash<std::string>{}(row_of(event) + '\0' + std::to_string(event.start_ns.value_or(0)));
}

/// Calls `take(event)` for each record of the trace, then `end(reader)`. Problems found in the trace are added to
/// `diagnostics`.
template <class Take, class End>
void for_each_event(const OpenTrace& open, const Cut& cut, Diagnostics& diagnostics, Take&& take, End&& end) {
  Input input = open({.stop = cut.stop, .progress = {}});
  ChromeEventReader reader(input.stream(), diagnostics);
  ChromeEvent event;
  while (reader.next(event)) take(event);
  end(reader);
}

template <class Take>
void for_each_event(const OpenTrace& open, const Cut& cut, Take&& take) {
  Diagnostics same_each_time;
  for_each_event(open, cut, same_each_time, take, [](const ChromeEventReader&) {});
}

/// Facts about the whole trace that are needed to decide about each event.
struct Landmarks {
  std::set<std::int64_t> steps;  ///< numbers of all marked steps
  std::int64_t begin = 0;        ///< begin of the first requested step; `end`: end of the last one
  std::int64_t end = 0;
  bool found = false;                                        ///< the trace marks at least one requested step
  std::unordered_map<std::int64_t, std::int64_t> calls;      ///< call start by correlation
  std::unordered_map<std::int64_t, std::int64_t> annotated;  ///< annotation start by External id
};

Landmarks landmarks_of(const OpenTrace& open, const Cut& cut) {
  Landmarks marks;
  for_each_event(open, cut, [&](const ChromeEvent& event) {
    if (event.phase != "X" || !event.start_ns) return;
    const KinetoCategory* const category = find_kineto_category(event.category);
    if (category == nullptr) return;
    const EventKind kind = category->kind;
    if (kind == EventKind::kRuntimeCall) {
      if (const auto correlation = argument(event, "correlation"))
        marks.calls.try_emplace(*correlation, *event.start_ns);
    }
    if (kind == EventKind::kAnnotation) {
      if (const auto id = argument(event, "External id")) marks.annotated.try_emplace(*id, *event.start_ns);
    }
    const std::optional<std::int64_t> step = step_of(event);
    if (!step || kind == EventKind::kDeviceAnnotation) return;
    marks.steps.insert(*step);
    if (!cut.steps || *step < cut.steps->first || *step > cut.steps->second) return;
    std::int64_t end = 0;
    if (__builtin_add_overflow(*event.start_ns, std::max<std::int64_t>(0, event.duration_ns.value_or(0)), &end))
      end = std::numeric_limits<std::int64_t>::max();
    marks.begin = marks.found ? std::min(marks.begin, *event.start_ns) : *event.start_ns;
    marks.end = marks.found ? std::max(marks.end, end) : end;
    marks.found = true;
  });
  return marks;
}

[[noreturn]] void refuse_steps(const std::string& name, const Cut& cut, const Landmarks& marks) {
  const std::string asked = cut.steps->first == cut.steps->second
                                ? std::to_string(cut.steps->first)
                                : fmt::format("{}-{}", cut.steps->first, cut.steps->second);
  const std::string marked =
      marks.steps.empty()
          ? "none; expected a trace with ProfilerStep#N, or cut it by --select or --min-duration"
          : fmt::format("{} to {}; expected some of these", *marks.steps.begin(), *marks.steps.rbegin());
  throw UsageError(fmt::format("--steps {}: {} marks {}", asked, shown(name), marked));
}

/// Decides for each event whether it is kept.
class Judge {
 public:
  Judge(const Cut& cut, const Landmarks& marks) : cut_(cut), marks_(marks) {}

  [[nodiscard]] bool keeps(const ChromeEvent& event) const {
    const std::optional<std::int64_t> step = step_of(event);
    if (step && event.phase == "X") return !cut_.steps || (cut_.steps->first <= *step && *step <= cut_.steps->second);
    if (cut_.steps && !in_steps(event)) return false;
    const bool only_spans = cut_.select || cut_.min_duration > Duration{};
    if (event.phase != "X") return !only_spans;
    return event.duration_ns.value_or(0) >= cut_.min_duration.count() && (!cut_.select || cut_.select->selects(event));
  }

 private:
  [[nodiscard]] bool in_steps(const ChromeEvent& event) const {
    if (!event.start_ns) return false;
    const std::int64_t time = launched_at(event).value_or(*event.start_ns);
    return marks_.begin <= time && time < marks_.end;
  }

  /// Returns when the host call that launched the event began. For a device annotation, returns when the matching host
  /// annotation began.
  [[nodiscard]] std::optional<std::int64_t> launched_at(const ChromeEvent& event) const {
    const KinetoCategory* const category = find_kineto_category(event.category);
    const bool annotation = category != nullptr && category->kind == EventKind::kDeviceAnnotation;
    const std::optional<std::int64_t> id = argument(event, annotation ? "External id" : "correlation");
    if (!id) return std::nullopt;
    const auto& starts = annotation ? marks_.annotated : marks_.calls;
    const auto found = starts.find(*id);
    return found == starts.end() ? std::nullopt : std::optional(found->second);
  }

  const Cut& cut_;
  const Landmarks& marks_;
};

/// The records that are kept.
struct Kept {
  std::vector<RecordSpan> records;
  ChromeFrame frame;
  std::unordered_set<std::string> rows;  ///< process and thread of each kept event
  std::unordered_set<std::string> processes;
  std::unordered_set<std::size_t> places;  ///< place_of() of each kept event that has a duration
};

/// Reads the trace and returns its kept events. Metadata and flows are added later, because they are kept only beside
/// kept events. Sets the number of records in `counts`, and counts the kept events and the problems found.
Kept kept_events(const OpenTrace& open, const Cut& cut, const Landmarks& marks, CutCounts& counts) {
  Kept kept;
  const Judge judge(cut, marks);
  const auto take = [&](const ChromeEvent& event) {
    if (event.phase == "M" || is_flow(event) || !judge.keeps(event)) return;
    kept.records.emplace_back(event);
    kept.rows.insert(row_of(event));
    kept.processes.emplace(event.process);
    if (event.phase == "X") kept.places.insert(place_of(event));
    ++counts.events;
  };
  for_each_event(open, cut, counts.diagnostics, take, [&](const ChromeEventReader& reader) {
    counts.records = reader.records();
    kept.frame = reader.frame();
  });
  return kept;
}

/// Returns a flow's id, qualified by its category: ids are unique only within a category.
std::optional<std::string> arrow_of(const ChromeEvent& event, std::string_view id) {
  if (id.empty()) return std::nullopt;
  return fmt::format("{}\n{}", event.category, id);
}

class Arrows {
 public:
  void add(const ChromeEvent& event, std::string_view id, bool stays) {
    const auto arrow = arrow_of(event, id);
    if (!arrow || !stays) return;
    Ends& ends = ends_[*arrow];
    (event.phase == "s" ? ends.begins : ends.ends) += event.phase == "t" ? 0U : 1U;
  }
  [[nodiscard]] bool whole(const ChromeEvent& event, std::string_view id) const {
    const auto arrow = arrow_of(event, id);
    const auto found = arrow ? ends_.find(*arrow) : ends_.end();
    return found != ends_.end() && found->second.begins > 0 && found->second.ends > 0;
  }

 private:
  struct Ends {
    std::uint32_t begins = 0;
    std::uint32_t ends = 0;
  };
  std::unordered_map<std::string, Ends> ends_;
};

void keep_flows_and_metadata(const OpenTrace& open, const Cut& cut, Kept& kept, CutCounts& counts) {
  Arrows arrows;
  const auto stays = [&kept](const ChromeEvent& event) { return kept.places.contains(place_of(event)); };
  for_each_event(open, cut, [&](const ChromeEvent& event) {
    if (is_flow(event)) arrows.add(event, event.id, stays(event));
  });
  const std::size_t events = kept.records.size();
  for_each_event(open, cut, [&](const ChromeEvent& event) {
    if (is_flow(event) && stays(event) && arrows.whole(event, event.id)) {
      kept.records.emplace_back(event);
      ++counts.flows;
    } else if (event.phase == "M") {
      const bool of_thread = event.name.starts_with("thread_");
      if (!(of_thread ? kept.rows.contains(row_of(event)) : kept.processes.contains(std::string(event.process))))
        return;
      kept.records.emplace_back(event);
      ++counts.metadata;
    }
  });
  std::inplace_merge(kept.records.begin(), kept.records.begin() + static_cast<std::ptrdiff_t>(events),
                     kept.records.end(), [](const RecordSpan& a, const RecordSpan& b) { return a.begin < b.begin; });
}

}  // namespace

CutCounts cut_trace(const std::string& path, const Cut& cut, const std::function<void(std::string_view)>& out) {
  return cut_trace(
      path, [&path](Watch watch) { return Input::open(path, std::move(watch)); }, cut, out);
}

CutCounts cut_trace(const std::string& name, const OpenTrace& open, const Cut& cut,
                    const std::function<void(std::string_view)>& out) {
  const Landmarks marks = landmarks_of(open, cut);
  if (cut.steps && !marks.found) refuse_steps(name, cut, marks);
  CutCounts counts;
  Kept kept = kept_events(open, cut, marks, counts);
  if (counts.events == 0)
    throw UsageError(fmt::format("the cut leaves nothing of {}; expected a wider one", shown(name)));
  keep_flows_and_metadata(open, cut, kept, counts);
  Input input = open({.stop = cut.stop, .progress = {}});
  TraceCopy copy(input.stream(), kept.frame, kept.records);
  std::string piece(std::size_t{64} << 10U, '\0');
  while (const std::size_t size = copy.read(piece)) out(std::string_view(piece).substr(0, size));
  return counts;
}

namespace {

using Test = std::function<bool(const ChromeEvent&)>;

Test named(const std::string& pattern) {
  try {
    return [compiled = Pattern(pattern)](const ChromeEvent& event) { return compiled.matches(event.name); };
  } catch (const PatternProblem& problem) {
    throw UsageError(
        fmt::format("--select: name is '{}', which is not a regular expression ({}); expected one in the "
                    "syntax of RE2",
                    shown(pattern), problem.what()));
  }
}

Test of_class(const std::string& name) {
  std::vector<std::string> known;
  std::optional<KernelClass> wanted;
  for (std::size_t i = 0; i < kKernelClassCount; ++i) {
    const auto one = static_cast<KernelClass>(i);
    known.emplace_back(to_text(one));
    if (known.back() == name) wanted = one;
  }
  if (!wanted) throw UsageError(fmt::format("--select: unknown class '{}'; expected {}", shown(name), one_of(known)));
  return [one = *wanted](const ChromeEvent& event) {
    const KinetoCategory* const category = find_kineto_category(event.category);
    if (category == nullptr) return false;
    switch (category->kind) {
      case EventKind::kKernel: return classify_kernel(event.name) == one;
      case EventKind::kMemcpy: return classify_kernel(TaskKind::kCopy, event.name) == one;
      case EventKind::kMemset: return one == KernelClass::kMemset;
      default: return false;
    }
  };
}

Test with_argument(std::string key, std::string value) {
  return [key = std::move(key), value = std::move(value)](const ChromeEvent& event) {
    bool same = false;
    event.for_each_argument([&](std::string_view name, std::string_view raw) {
      if (name == key) same = as_text(raw) == value;
    });
    return same;
  };
}

Test test_of(const std::string& key, const std::string& value) {
  static const std::vector<std::string> keys{"name", "category", "class", "process", "thread", "stream", "device"};
  if (key == "name") return named(value);
  if (key == "class") return of_class(value);
  if (key == "category") return [value](const ChromeEvent& event) { return event.category == value; };
  if (key == "process") return [value](const ChromeEvent& event) { return event.process == value; };
  if (key == "thread") return [value](const ChromeEvent& event) { return event.thread == value; };
  if (key == "stream" || key == "device") return with_argument(key, value);
  const std::optional<std::string> nearest = nearest_name(key, keys);
  throw UsageError(fmt::format("--select: unknown key '{}'; {}expected {} to cut a trace", shown(key),
                               nearest ? fmt::format("did you mean '{}'? ", *nearest) : "", one_of(keys)));
}

/// Returns where the item that begins at `begin` ends: at the next comma outside brackets.
std::size_t end_of_item(std::string_view typed, std::size_t begin) {
  int open = 0;
  for (std::size_t i = begin; i < typed.size(); ++i) {
    const char c = typed[i];
    if (c == '\\') {
      ++i;
    } else if (c == '(' || c == '[' || c == '{') {
      ++open;
    } else if (c == ')' || c == ']' || c == '}') {
      --open;
    } else if (c == ',' && open <= 0) {
      return i;
    }
  }
  return typed.size();
}

}  // namespace

EventSelector::EventSelector(std::string_view typed) {
  for (std::size_t begin = 0; begin <= typed.size();) {
    const std::size_t end = end_of_item(typed, begin);
    const std::string_view item = typed.substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == item.size()) {
      throw UsageError(fmt::format(
          "--select: '{}' is not KEY=VALUE; expected for example class=gemm or name=ncclDevKernel.*", shown(item)));
    }
    tests_.push_back(test_of(std::string(item.substr(0, equals)), std::string(item.substr(equals + 1))));
    begin = end + 1;
  }
}

bool EventSelector::selects(const ChromeEvent& event) const {
  return std::all_of(tests_.begin(), tests_.end(), [&event](const Test& test) { return test(event); });
}

}  // namespace stepsim::ingest
