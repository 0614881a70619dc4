#include "scenarios/change/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/pattern.h"
#include "model/base/text.h"
#include "model/job/group.h"
#include "model/job/kernel_class.h"
#include "scenarios/change/plan.h"

namespace stepsim::scenarios {
namespace {

using Test = std::function<bool(TaskId task)>;
using TestFor = std::function<Test(const Capture& capture)>;

/// A list of whole numbers such as "0,2,4-7". It is stored as ranges.
class Numbers {
 public:
  explicit Numbers(const YamlField& field) {
    if (!field.is(YamlValue::Kind::kList)) {
      add(field);
      return;
    }
    for (const YamlField& item : field.list(kForm)) add(item);
    if (ranges_.empty()) field.reject(kForm);
  }

  [[nodiscard]] bool contains(std::int64_t number) const noexcept { return RankSet::any_holds(ranges_, number); }
  [[nodiscard]] const RankSet::Ranges& ranges() const noexcept { return ranges_; }

 private:
  using Range = RankSet::Ranges::value_type;
  static constexpr std::string_view kForm = "whole numbers and ranges such as 0,2,4-7";

  void add(const YamlField& field) {
    for (const std::string_view part : parts_of(field.scalar(kForm), ',')) {
      const auto range = parse(part);
      if (!range) field.reject(kForm);
      ranges_.push_back(*range);
    }
  }

  static std::optional<Range> parse(std::string_view text) {
    const std::size_t dash = text.find('-', 1);
    const auto first = parse_number<std::int64_t>(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number<std::int64_t>(text.substr(dash + 1));
    return first && last && *first <= *last ? std::optional{Range{*first, *last}} : std::nullopt;
  }

  RankSet::Ranges ranges_;
};

/// Parses "1MB-4MB", ">=1MB", ">1MB", "<=1MB", "<1MB" or "4MB". Returns the smallest and the largest number of bytes,
/// both inclusive.
std::pair<std::int64_t, std::int64_t> byte_range(const YamlField& field) {
  constexpr std::string_view kForm = "a size such as 4MB, a range such as 1MB-4MB, or a bound such as >=1MB";
  const std::string& text = field.scalar(kForm);
  const auto size = [&](std::string_view part) {
    try {
      return parse_bytes(part).count();
    } catch (const std::invalid_argument&) {
      field.reject(kForm);
    }
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::string_view rest(text);
  if (rest.starts_with(">=")) return {size(rest.substr(2)), kMost};
  if (rest.starts_with("<=")) return {0, size(rest.substr(2))};
  if (rest.starts_with(">")) return {size(rest.substr(1)) + 1, kMost};
  if (rest.starts_with("<")) return {0, size(rest.substr(1)) - 1};
  const std::size_t dash = rest.find('-');
  if (dash == std::string_view::npos) return {size(rest), size(rest)};
  const std::pair range{size(rest.substr(0, dash)), size(rest.substr(dash + 1))};
  if (range.first > range.second) field.reject(kForm);
  return range;
}

Pattern pattern_of(const YamlField& field) {
  const std::string& text = field.scalar("a regular expression");
  try {
    return Pattern(text);
  } catch (const PatternProblem& problem) {
    field.fail(fmt::format("'{}' is '{}', which is not a regular expression ({}); expected one in the syntax of RE2",
                           field.name, shown(text, 60), problem.what()));
  }
}

/// Returns a function that tests whether `holds` is true for the name of a task. Calls `holds` once for each distinct
/// name, not for each task.
template <class Holds>
auto by_name(const Capture& capture, Holds holds) {
  std::vector<bool> selected(capture.dag.name_count());
  for (std::size_t i = 0; i < selected.size(); ++i) selected[i] = holds(capture.dag.name(NameId{i}));
  return
      [&dag = capture.dag, selected = std::move(selected)](TaskId task) { return selected[dag.name_id(task).index()]; };
}

/// Returns a function that tests whether `holds` is true for the lane of a task. Calls `holds` once for each lane.
template <class Holds>
auto by_lane(const Capture& capture, Holds holds) {
  std::vector<bool> selected;
  for (const Lane& lane : capture.dag.lanes()) selected.push_back(holds(lane));
  return
      [&dag = capture.dag, selected = std::move(selected)](TaskId task) { return selected[dag.lane_id(task).index()]; };
}

bool is_of_layer(std::string_view name, std::string_view layer) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos || name.substr(dot + 1) != layer) return false;
  const std::string_view kind = name.substr(0, dot);
  return kind == "FW" || kind == "BW" || kind.starts_with("UPDATE");
}

/// True for kinds of tasks that have a KernelClass.
bool has_class(TaskKind kind) {
  return kind == TaskKind::kKernel || kind == TaskKind::kCopy || kind == TaskKind::kMemset ||
         kind == TaskKind::kCollective;
}

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kKernelClassCount; ++i) names.emplace_back(to_text(static_cast<KernelClass>(i)));
  return names;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (std::size_t kind = 0; kind < kTaskKindCount; ++kind) names.emplace_back(to_text(static_cast<TaskKind>(kind)));
  return names;
}

TestFor of_rank(const YamlField& value) {
  return [numbers = Numbers(value)](const Capture& capture) {
    return by_lane(capture, [&](const Lane& lane) { return numbers.contains(lane.rank); });
  };
}

TestFor of_worker(const YamlField& value) {
  return [numbers = Numbers(value)](const Capture& capture) {
    const auto gpus = static_cast<Rank>(capture.job.local_size.value_or(1));
    return by_lane(capture, [&](const Lane& lane) {
      return lane.kind != LaneKind::kServerThread && numbers.contains(lane.rank / gpus);
    });
  };
}

TestFor of_host(const YamlField& value) {
  return [host = value.scalar("a host's name")](const Capture& capture) {
    const auto renamed = capture.renamed_hosts.find(host);
    const std::string& name = renamed == capture.renamed_hosts.end() ? host : renamed->second;
    return by_lane(capture, [&](const Lane& lane) { return lane.host == name; });
  };
}

TestFor of_device(const YamlField& value) {
  return [numbers = Numbers(value)](const Capture& capture) {
    return by_lane(capture, [&](const Lane& lane) { return lane.device >= 0 && numbers.contains(lane.device); });
  };
}

TestFor of_stream(const YamlField& value) {
  return [stream = "stream " + value.scalar("a stream's number")](const Capture& capture) {
    return by_lane(capture, [&](const Lane& lane) { return lane.kind == LaneKind::kStream && lane.name == stream; });
  };
}

TestFor of_step(const YamlField& value) {
  return [numbers = Numbers(value)](const Capture& capture) -> Test {
    return [&recording = capture.recording, numbers](TaskId task) {
      const std::int32_t step = recording.step.empty() ? -1 : recording.step[task.index()];
      return step >= 0 && numbers.contains(recording.steps[static_cast<std::size_t>(step)].number);
    };
  };
}

TestFor of_kind(const YamlField& value) {
  return [kind = static_cast<TaskKind>(value.one_of_words(kind_names()))](const Capture& capture) -> Test {
    return [&dag = capture.dag, kind](TaskId task) { return dag.kind(task) == kind; };
  };
}

TestFor of_layer(const YamlField& value) {
  return [layer = value.scalar("a layer's name")](const Capture& capture) {
    return by_name(capture, [&](std::string_view task) { return is_of_layer(task, layer); });
  };
}

TestFor of_name(const YamlField& value) {
  return [pattern = pattern_of(value)](const Capture& capture) {
    return by_name(capture, [&](std::string_view task) { return pattern.matches(task); });
  };
}

TestFor of_class(const YamlField& value) {
  return [wanted = static_cast<KernelClass>(value.one_of_words(class_names()))](const Capture& capture) -> Test {
    const Dag& dag = capture.dag;
    std::vector<bool> kernels(dag.name_count());  // by NameId: true if kernels of this name have the wanted class
    for (std::size_t i = 0; i < kernels.size(); ++i)
      kernels[i] = classify_kernel(TaskKind::kKernel, dag.name(NameId{i})) == wanted;
    return [&dag, wanted, kernels = std::move(kernels)](TaskId task) -> bool {
      const TaskKind kind = dag.kind(task);
      if (kind == TaskKind::kKernel) return kernels[dag.name_id(task).index()];
      return has_class(kind) && classify_kernel(kind, dag.name(task)) == wanted;
    };
  };
}

TestFor of_operator(const YamlField& value) {
  return [pattern = pattern_of(value)](const Capture& capture) -> Test {
    const OperatorTable& table = capture.operators;
    std::vector<bool> meant;
    for (const OperatorTable::Operator& one : table.operators) meant.push_back(pattern.matches(one.name));
    std::vector<bool> selected(capture.dag.task_count(), false);
    for (const OperatorTable::Use& use : table.uses) selected[use.task.index()] = meant[use.which];
    return [selected = std::move(selected)](TaskId task) -> bool { return selected[task.index()]; };
  };
}

/// Returns a function that tests whether device work was launched inside an annotation that matches `pattern`. If
/// `modules` is true, only annotations of modules (nn.Module) count; otherwise, only the other annotations count.
Test annotated_by(const Pattern& pattern, bool modules, const Capture& capture) {
  const AnnotationTable& table = capture.annotations;
  std::vector<bool> meant;
  for (const std::string_view name : table.names) {
    const bool module = name.starts_with(kModulePrefix);
    meant.push_back(module == modules && pattern.matches(name.substr(module ? kModulePrefix.size() : 0)));
  }
  std::vector<bool> selected(capture.dag.task_count(), false);
  for (const AnnotationTable::Use& use : table.uses)
    if (meant[use.which]) selected[use.task.index()] = true;
  return [selected = std::move(selected)](TaskId task) -> bool { return selected[task.index()]; };
}

TestFor of_annotation(const YamlField& value) {
  return [pattern = pattern_of(value)](const Capture& capture) { return annotated_by(pattern, false, capture); };
}

TestFor of_module(const YamlField& value) {
  return [pattern = pattern_of(value)](const Capture& capture) { return annotated_by(pattern, true, capture); };
}

TestFor of_bytes(const YamlField& value) {
  return [range = byte_range(value)](const Capture& capture) -> Test {
    return [&dag = capture.dag, range](TaskId task) {
      const std::int64_t bytes = dag.bytes(task).count();
      return range.first <= bytes && bytes <= range.second;
    };
  };
}

/// Whole numbers: 3, "0,2,4-7", or a list of these.
YamlType numbers_type() {
  const YamlType one{.forms = YamlType::kText | YamlType::kWhole,
                     .pattern = "-?[0-9]+(--?[0-9]+)?(,-?[0-9]+(--?[0-9]+)?)*"};
  return yaml::either(one, yaml::list(one, 1));
}

YamlType text_type() { return yaml::text(); }

YamlType bytes_type() { return yaml::text(fmt::format("[<>]=?({0}|0)|({0}|0)(-({0}|0))?", bytes_pattern())); }

struct Key {
  std::string_view name;
  TestFor (*make)(const YamlField& value);
  YamlType (*type)();
  std::string_view summary;
  bool selects_work = false;
};
constexpr std::array kKeys{
    Key{"rank", of_rank, numbers_type, "Ranks: 0,2,4-7"},
    Key{"worker", of_worker, numbers_type, "Workers: 0,2,4-7; a worker is local_size ranks"},
    Key{"host", of_host, text_type, "Name of a host"},
    Key{"device", of_device, numbers_type, "Numbers of devices on their hosts"},
    Key{"stream", of_stream, text_type, "Number of a stream"},
    Key{"step", of_step, numbers_type, "Steps, as the trace numbers them: 4-6"},
    Key{"kind", of_kind, []() -> YamlType { return yaml::one_of(kind_names()); }, "Kind of the tasks", true},
    Key{"class", of_class, []() -> YamlType { return yaml::one_of(class_names()); }, "Class of device work", true},
    Key{"operator", of_operator, text_type, "Regular expression: the operator that launched device work", true},
    Key{"annotation", of_annotation, text_type, "Regular expression: an annotation around the launch", true},
    Key{"module", of_module, text_type, "Regular expression: the module (nn.Module) of the forward pass", true},
    Key{"layer", of_layer, text_type, "Layer: tasks named FW.NAME, BW.NAME or UPDATE.NAME", true},
    Key{"name", of_name, text_type, "Regular expression that matches in the names of tasks", true},
    Key{"bytes", of_bytes, bytes_type, "Bytes that a task moves: 4MB, 1MB-4MB or >=1MB"}};

/// True if the value of a selector's key is matched with names, so that similar names can be suggested.
bool is_name(std::string_view key) {
  constexpr std::array<std::string_view, 5> kNames{"name", "layer", "operator", "annotation", "module"};
  return std::find(kNames.begin(), kNames.end(), key) != kNames.end();
}

/// Returns the ranks and some names that could be selected, for an error message. The names are similar to `typed`, if
/// there are any such names.
std::string selectable_items(const Capture& capture, std::string_view typed) {
  constexpr std::size_t kNames = 3;
  constexpr std::size_t kLongest = 60;
  std::vector<std::string> names = similar_names(typed, capture, kNames);
  if (names.empty() && capture.dag.name_count() > 0) names.emplace_back(capture.dag.name(NameId{0}));
  const std::string some =
      joined(names, [](const std::string& name) { return fmt::format("'{}'", shown(name, kLongest)); });
  const std::string list = some.empty() ? some : " and names such as " + some + " (stepsim tasks lists all)";
  const std::vector<KnownRank> ranks = known_ranks(capture);
  if (ranks.empty()) return "the capture's own" + list;
  return ranks.size() == 1 ? fmt::format("rank {}{}", ranks.front().rank, list)
                           : fmt::format("ranks {} to {}{}", ranks.front().rank, ranks.back().rank, list);
}

/// Returns a value, or the elements of a list separated by commas, in the form of the command line.
std::string in_line(const YamlValue& value) {
  std::string text = value.text;
  for (const YamlValue& item : value.items) text += (text.empty() ? "" : ",") + item.text;
  return text;
}

}  // namespace

Selector Selector::of_all(const YamlField& place) {
  Selector all;
  all.place_ = place;
  return all;
}

Selector::Selector(const YamlField& map) : place_(map) {
  if (!map.is(YamlValue::Kind::kMap)) map.reject("keys such as {worker: 1}");
  std::vector<std::string> names;
  names.reserve(kKeys.size());
  for (const Key& key : kKeys) names.emplace_back(key.name);
  map.for_each_entry(names, [&](std::size_t key, const YamlField& value) {
    tests_.push_back(kKeys[key].make(value));
    values_.emplace_back(kKeys[key].name, scalars_of(*value.value));
    text_ += fmt::format("{}{}={}", text_.empty() ? "" : ",", names[key], in_line(*value.value));
    selects_work_ = selects_work_ || kKeys[key].selects_work;
    if (names[key] == "rank") ranks_ = Numbers(value).ranges();
    if (names[key] == "worker") workers_ = Numbers(value).ranges();
    if (is_name(names[key])) typed_ += value.value->text + " ";
  });
  text_ = "{" + text_ + "}";
}

YamlType Selector::type() {
  YamlType type{.is_map = true, .definition = "select"};
  for (const Key& key : kKeys) type.entries.push_back({std::string(key.name), key.type(), std::string(key.summary)});
  return type;
}

RankSet Selector::named_ranks(std::uint32_t gpus) const {
  constexpr std::int64_t kMost = std::numeric_limits<Rank>::max();
  const std::int64_t count = gpus;
  RankSet::Ranges ranges = ranks_;
  for (const auto& [first, last] : workers_)
    ranges.emplace_back(std::min(first, kMost) * count, std::min(last, kMost) * count + count - 1);
  return RankSet(std::move(ranges));
}

std::vector<TaskId> Selector::select(const Capture& capture) const {
  std::vector<Test> tests;
  for (const TestFor& test : tests_) tests.push_back(test(capture));
  std::vector<TaskId> selected;
  for (const TaskId task : capture.dag.tasks()) {
    if (std::all_of(tests.begin(), tests.end(), [task](const Test& test) { return test(task); })) {
      selected.push_back(task);
    }
  }
  if (selected.empty()) fail(capture, fmt::format("none of the {} tasks", capture.dag.task_count()));
  return selected;
}

void Selector::fail(const Capture& capture, std::string_view problem) const {
  if (is_all()) cannot_answer(place_, fmt::format("the change applies to {}; expected a capture with more", problem));
  place_.fail(fmt::format("{} matches {}; expected {}", text_, problem, selectable_items(capture, typed_)));
}

namespace {

/// Minimum length of a word, in letters. Shorter words are ignored, because they occur in too many names.
constexpr std::size_t kShortestWord = 3;
/// Maximum number of distinct words to compare. Only damaged input has more.
constexpr std::size_t kMostWords = 20'000;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/// Calls `use` with each word of `text`. A word is a sequence of at least kShortestWord letters and digits.
template <class Use>
void for_each_word(std::string_view text, Use use) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_letter_or_digit(text[end])) ++end;
    if (end - begin >= kShortestWord) use(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::vector<std::string_view> all_names(const Capture& capture) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < capture.dag.name_count(); ++i) names.push_back(capture.dag.name(NameId{i}));
  for (const OperatorTable::Operator& one : capture.operators.operators) names.push_back(one.name);
  for (const std::string& annotation : capture.annotations.names) names.push_back(annotation);
  return names;
}

/// Returns how many names contain `word`.
std::size_t holders(const std::vector<std::string>& names, std::string_view word) {
  return static_cast<std::size_t>(std::count_if(
      names.begin(), names.end(), [word](const std::string& name) { return name.find(word) != std::string::npos; }));
}

/// Returns the word of `pattern` that occurs in the fewest names, because a common word such as "aten" would not help.
/// A word that occurs in no name is replaced by the one with the most similar spelling. Returns an empty text if there
/// is none.
std::string meant_word(std::string_view pattern, const std::vector<std::string>& names) {
  std::set<std::string> known;
  for (const std::string& name : names) {
    for_each_word(name, [&known](std::string_view word) {
      if (known.size() < kMostWords) known.emplace(word);
    });
  }
  const std::vector<std::string> list(known.begin(), known.end());
  std::string meant;
  std::size_t fewest = names.size() + 1;
  for_each_word(pattern, [&](std::string_view word) {
    std::string spelled(word);
    if (holders(names, word) == 0) spelled = nearest_name(word, list).value_or("");
    const std::size_t count = spelled.empty() ? 0 : holders(names, spelled);
    if (count == 0 || count >= fewest) return;
    fewest = count;
    meant = spelled;
  });
  return meant;
}

}  // namespace

std::vector<std::string> similar_names(std::string_view pattern, const Capture& capture, std::size_t most) {
  const std::vector<std::string_view> names = all_names(capture);
  std::vector<std::string> lower;
  lower.reserve(names.size());
  for (const std::string_view name : names) lower.push_back(lower_case(name));
  const std::string word = meant_word(lower_case(pattern), lower);
  std::vector<std::string> similar;
  if (word.empty()) return similar;
  for (std::size_t i = 0; i < names.size() && similar.size() < most; ++i) {
    if (lower[i].find(word) == std::string::npos) continue;
    if (std::find(similar.begin(), similar.end(), names[i]) == similar.end()) similar.emplace_back(names[i]);
  }
  return similar;
}

}  // namespace stepsim::scenarios
