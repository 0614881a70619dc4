#include "sim/export/relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::sim {
namespace {

/// What the cells of a column have in common.
struct Common {
  ValueType type = ValueType::kText;
  Unit unit = Unit::kNone;
};

Common common_of(const Table& table, std::size_t column) {
  bool any = false;
  Common common{ValueType::kInteger, Unit::kNone};
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

/// The words of a title up to the first that is explained, without numbers: "Its 10 longest tasks of 207, in order"
/// gives "its_longest_tasks_of".
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

/// Makes names differ.
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
  std::set<std::string> taken_;  ///< in lower case
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

}  // namespace stepsim::sim
