#include "sim/export/relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/job/kernel_class.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/task_names.h"

namespace stepsim::sim {
namespace {

/// The common type and unit of a column's cells.
struct Common {
  ValueType type = ValueType::kText;
  Unit unit = Unit::kNone;
};

Common common_of(const Table& table, std::size_t column) {
  const Numbers declared = table.columns()[column].numbers;
  if (declared == Numbers::kNone) return {};
  bool any = declared != Numbers::kPerhaps;
  Common common{declared == Numbers::kReal ? ValueType::kReal : ValueType::kInteger, table.columns()[column].unit};
  for (const std::vector<Cell>& row : table.rows()) {
    const Cell& cell = row[column];
    if (cell.is_absent()) continue;
    if (!cell.is_number() || (any && cell.unit() != common.unit)) return {};
    if (std::holds_alternative<double>(cell.number())) common.type = ValueType::kReal;
    common.unit = cell.unit();
    any = true;
  }
  return any ? common : Common{};
}

std::string_view suffix(Unit unit) {
  static constexpr std::array<std::string_view, 3> kSuffixes{"", " (ns)", " (ratio)"};
  return kSuffixes[static_cast<std::size_t>(unit)];
}

Value value_of(const Cell& cell, ValueType type) {
  if (type == ValueType::kText) return std::string_view{cell.text()};
  if (!cell.is_number()) return {};
  if (const auto* const real = std::get_if<double>(&cell.number())) return *real;
  const std::int64_t integer = std::get<std::int64_t>(cell.number());
  return type == ValueType::kReal ? Value{static_cast<double>(integer)} : Value{integer};
}

/// Makes an identifier from the words of a title before the first punctuation mark, without numbers: "Its 10 longest
/// tasks of 207, in order" gives "its_longest_tasks_of".
std::string identifier(std::string_view title) {
  std::string name;
  for (std::string_view rest = title.substr(0, title.find_first_of("(,;:")); !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    std::string letters;
    for (const char c : word) {
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) letters += c;
    }
    if (!letters.empty()) name += (name.empty() ? "" : "_") + letters;
  }
  constexpr std::size_t kLongest = 60;
  return lower_case(name.substr(0, kLongest));
}

/// Makes names unique.
class Names {
 public:
  explicit Names(std::set<std::string> taken = {}) : taken_(std::move(taken)) {}

  std::string unlike_others(std::string name, const char* if_empty) {
    if (name.empty()) name = if_empty;
    std::string unlike = name;
    for (int count = 2; !taken_.insert(lower_case(unlike)).second; ++count) unlike = fmt::format("{}_{}", name, count);
    return unlike;
  }

 private:
  std::set<std::string> taken_;  ///< names in lower case
};

Relation answer_relation(const Document& document) {
  Table table({{"part", Align::kLeft}, {"text", Align::kLeft}});
  const auto add = [&table](const char* part, const std::string& text) {
    if (!text.empty()) table.add_row({part, text});
  };
  add("warning", document.warning);
  add("headline", document.headline);
  add("caution", document.caution);
  add("trust", document.trust);
  return relation_of("answer", "What is answered", std::move(table));
}

Relation notes_relation(const Document& document) {
  Table table({{"section", Align::kLeft}, {"text", Align::kLeft}, {"detail", Align::kLeft}});
  for (const Section& section : document.sections) {
    if (!section.lead.empty()) table.add_row({section.title, section.lead, ""});
    for (const Sentence& sentence : section.sentences) table.add_row({section.title, sentence.text, sentence.detail});
    if (!section.verbatim.empty()) table.add_row({section.title, section.verbatim, ""});
  }
  return relation_of("notes", "Notes by section", std::move(table));
}

Relation provenance_relation(const Provenance& provenance) {
  Table table({{"what", Align::kLeft}, {"value", Align::kLeft}, {"bytes"}, {"crc64", Align::kLeft}});
  table.add_row({"program", "stepsim", "", ""});
  table.add_row({"version", provenance.version, "", ""});
  table.add_row({"commit", provenance.commit, "", ""});
  table.add_row({"command", provenance.command, "", ""});
  for (const InputFile& input : provenance.inputs)
    table.add_row({"input", input.name, input.size, fmt::format("{:016x}", input.checksum)});
  return relation_of("provenance", "Where this comes from", std::move(table));
}

Relation contents_relation(const std::vector<Relation>& relations) {
  Table table({{"name", Align::kLeft}, {"title", Align::kLeft}, {"rows"}});
  for (const Relation& relation : relations) table.add_row({relation.name, relation.title, relation.rows});
  return relation_of("contents", "What there is", std::move(table));
}

/// A replay and the data that its rows need.
struct ReplayedPart {
  explicit ReplayedPart(const NamedReplay& of, std::size_t first)
      : replay(of), first_row(first), on_path(count()), classes(dag().name_count()) {
    const Summary summary = summarize(of.capture, of.timeline);
    const IterationPath path = iteration_path(of.capture, of.timeline, summary);
    for (const PathTask& task : path.path.tasks) on_path[task.task.index()] = true;
    const std::vector<Time>& start = recording().start;
    if (start.size() == count() && count() > 0) measured_zero = *std::min_element(start.begin(), start.end());
    for (const TaskId task : dag().tasks()) {
      std::optional<NamedClass>& named = classes[dag().name_id(task).index()];
      if (!named && is_device_work(dag().kind(task))) named = NamedClass{dag().kind(task), class_of(task)};
    }
  }

  [[nodiscard]] const Dag& dag() const noexcept { return replay.capture.dag; }
  [[nodiscard]] const Recording& recording() const noexcept { return replay.capture.recording; }
  [[nodiscard]] std::size_t count() const noexcept { return dag().task_count(); }
  /// Returns the class of device work.
  [[nodiscard]] KernelClass class_of(TaskId task) const {
    const std::optional<NamedClass>& named = classes[dag().name_id(task).index()];
    if (named && named->kind == dag().kind(task)) return named->of;
    return classify_kernel(dag().kind(task), dag().name(task));
  }
  /// Returns the operator that launched the task, or null if that is not recorded.
  [[nodiscard]] const OperatorTable::Operator* operator_of(TaskId task) const {
    const OperatorTable& table = replay.capture.operators;
    const auto use = std::lower_bound(table.uses.begin(), table.uses.end(), task,
                                      [](const OperatorTable::Use& one, TaskId of) { return one.task < of; });
    return use == table.uses.end() || use->task != task ? nullptr : &table.operators[use->which];
  }

  struct NamedClass {
    TaskKind kind;
    KernelClass of;
  };
  const NamedReplay& replay;
  std::size_t first_row;
  std::vector<bool> on_path;
  std::vector<std::optional<NamedClass>> classes;  ///< by NameId: class of the device work with that name
  std::optional<Time> measured_zero;  ///< start of the first task as measured; absent if nothing was measured
};

/// The tasks of all replays, one replay after another.
class ReplayedTasks {
 public:
  explicit ReplayedTasks(const Answer& answer) {
    for (const NamedReplay& replay : answer.replays) rows_ += parts_.emplace_back(replay, rows_).count();
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }

  template <class Get>
  [[nodiscard]] Value at(std::size_t row, Get get) const {
    const ReplayedPart* part = &parts_.front();
    for (const ReplayedPart& next : parts_) {
      if (next.first_row <= row) part = &next;
    }
    return get(*part, TaskId{row - part->first_row});
  }

 private:
  std::vector<ReplayedPart> parts_;
  std::size_t rows_ = 0;
};

Value text(std::string_view value) { return value; }
Value text_or_none(std::string_view text) { return text.empty() ? Value{} : Value{text}; }
Value kernel_class(const ReplayedPart& part, TaskId task) {
  return is_device_work(part.dag().kind(task)) ? text(to_text(part.class_of(task))) : Value{};
}
Value operator_name(const ReplayedPart& part, TaskId task) {
  const OperatorTable::Operator* const launcher = part.operator_of(task);
  return launcher == nullptr ? Value{} : text_or_none(launcher->name);
}
Value operator_shapes(const ReplayedPart& part, TaskId task) {
  const OperatorTable::Operator* const launcher = part.operator_of(task);
  return launcher == nullptr ? Value{} : text_or_none(launcher->shapes);
}
Value step(const ReplayedPart& part, TaskId task) {
  const std::vector<std::int32_t>& steps = part.recording().step;
  if (steps.size() != part.count() || steps[task.index()] < 0) return {};
  return part.recording().steps[static_cast<std::size_t>(steps[task.index()])].number;
}
Value measured_start(const ReplayedPart& part, TaskId task) {
  if (!part.measured_zero) return {};
  return (part.recording().start[task.index()] - *part.measured_zero).count();
}
Value measured_duration(const ReplayedPart& part, TaskId task) {
  if (!part.measured_zero) return {};
  return (part.recording().finish[task.index()] - part.recording().start[task.index()]).count();
}

bool is_of_xml(const Character& character) {
  if (character.code < 0x20) return character.valid && (character.code == '\t' || character.code == '\n');
  return character.valid && character.code != 0xFFFE && character.code != 0xFFFF;
}

}  // namespace

std::size_t place_of(const Relation& relation, std::string_view title) {
  const auto found = std::find_if(relation.columns.begin(), relation.columns.end(),
                                  [title](const RelationColumn& each) { return each.title == title; });
  STEPSIM_ASSERT(found != relation.columns.end(), "a plot names columns of its rows");
  return static_cast<std::size_t>(found - relation.columns.begin());
}

Relation relation_of(std::string name, std::string title, Table table) {
  const auto cells = std::make_shared<const Table>(std::move(table));
  Relation relation{.name = std::move(name), .title = std::move(title), .columns = {}, .rows = cells->rows().size()};
  Names names;
  for (std::size_t column = 0; column < cells->columns().size(); ++column) {
    const Common common = common_of(*cells, column);
    const std::string& title_of_column = cells->columns()[column].title;
    relation.columns.push_back(
        {names.unlike_others(title_of_column + std::string(suffix(common.unit)), "mark"), title_of_column, common.type,
         [cells, column, type = common.type](std::size_t row) { return value_of(cells->rows()[row][column], type); }});
  }
  return relation;
}

std::vector<Relation> document_relations(const Answer& answer) {
  const Document& document = *answer.document;
  Names names({"contents", "answer", std::string(kRows), "notes", "provenance", "tasks"});
  std::vector<Relation> relations{answer_relation(document),
                                  relation_of(std::string(kRows), "All rows", document.rows())};
  for (const Section& section : document.sections) {
    if (!section.table) continue;
    const std::string& title = section.title.empty() ? section.table->columns().front().title : section.title;
    relations.push_back(relation_of(names.unlike_others(identifier(title), "section"), title, *section.table));
  }
  relations.push_back(notes_relation(document));
  relations.push_back(provenance_relation(answer.provenance));
  relations.insert(relations.begin(), contents_relation(relations));
  return relations;
}

std::string_view as_utf8(std::string_view text, std::string& storage) {
  const auto is_valid = [](std::string_view rest) {
    for (; !rest.empty();) {
      const Character next = decode_utf8(rest);
      if (!next.valid) return false;
      rest.remove_prefix(next.length);
    }
    return true;
  };
  if (is_valid(text)) return text;
  storage.clear();
  while (!text.empty()) {
    const Character next = decode_utf8(text);
    next.valid ? storage.append(text.substr(0, next.length)) : storage.append("\xEF\xBF\xBD");
    text.remove_prefix(next.length);
  }
  return storage;
}

Relation task_relation(const Answer& answer) {
  const auto tasks = std::make_shared<const ReplayedTasks>(answer);
  Relation relation{.name = "tasks", .title = "All tasks of the replay", .columns = {}, .rows = tasks->rows()};
  const auto add = [&](const char* name, ValueType type, auto get) {
    relation.columns.push_back({name, name, type, [tasks, get](std::size_t row) { return tasks->at(row, get); }});
  };
  const auto add_text = [&add](const char* name, auto get) { add(name, ValueType::kText, get); };
  const auto add_count = [&add](const char* name, auto get) { add(name, ValueType::kInteger, get); };
  add_text("replay", [](const ReplayedPart& part, TaskId) { return text(part.replay.name); });
  add_count("task", [](const ReplayedPart&, TaskId task) -> Value { return std::int64_t{task.value()}; });
  add_text("name", [](const ReplayedPart& part, TaskId task) { return text(part.dag().name(task)); });
  add_text("kind", [](const ReplayedPart& part, TaskId task) { return text(to_text(part.dag().kind(task))); });
  add_text("class", kernel_class);
  add_text("operator", operator_name);
  add_text("shapes", operator_shapes);
  add_count("rank",
            [](const ReplayedPart& part, TaskId task) -> Value { return std::int64_t{part.dag().lane(task).rank}; });
  add_text("lane", [](const ReplayedPart& part, TaskId task) { return text(part.dag().lane(task).name); });
  add_text("host", [](const ReplayedPart& part, TaskId task) { return text(part.dag().lane(task).host); });
  add_count("step", step);
  add_count("start_ns", [](const ReplayedPart& part, TaskId task) -> Value {
    return part.replay.timeline.start[task.index()].time_since_epoch().count();
  });
  add_count("duration_ns", [](const ReplayedPart& part, TaskId task) -> Value {
    const Timeline& timeline = part.replay.timeline;
    return (timeline.finish[task.index()] - timeline.start[task.index()]).count();
  });
  add_count("measured_start_ns", measured_start);
  add_count("measured_duration_ns", measured_duration);
  add_count("bytes", [](const ReplayedPart& part, TaskId task) -> Value { return part.dag().bytes(task).count(); });
  add_count("on_critical_path",
            [](const ReplayedPart& part, TaskId task) -> Value { return std::int64_t{part.on_path[task.index()]}; });
  return relation;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character next = decode_utf8(text);
    const std::string_view bytes = text.substr(0, next.length);
    text.remove_prefix(next.length);
    switch (next.code) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += is_of_xml(next) ? bytes : "\xEF\xBF\xBD";
    }
  }
  return out;
}

}  // namespace stepsim::sim
