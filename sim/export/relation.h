#ifndef STEPSIM_SIM_EXPORT_RELATION_H
#define STEPSIM_SIM_EXPORT_RELATION_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/export/exporter.h"

/// What an answer says as named tables of typed columns: the sheets of a spreadsheet, the tables of a database, the
/// columns of a column file.
namespace stepsim::sim {

enum class ValueType : std::uint8_t { kText, kInteger, kReal };
/// Nothing, or of its column's type. A text is as it came, perhaps not UTF-8, and lives as long as the relation's
/// source.
using Value = std::variant<std::monostate, std::int64_t, double, std::string_view>;

struct RelationColumn {
  /// With the unit, where it has one: "start_ns", "measured (ns)". Not empty, and unlike the others' even where case
  /// does not count.
  std::string name;
  std::string title;  ///< as in the table that it is of; may be empty, or that of others
  ValueType type = ValueType::kText;
  std::function<Value(std::size_t row)> value;
};

struct Relation {
  std::string name;   ///< letters, digits and underscores, unlike all others of the answer
  std::string title;  ///< for people; may hold anything
  std::vector<RelationColumn> columns;
  std::size_t rows = 0;
};

/// The place of the first column of that title. Precondition: there is one.
[[nodiscard]] std::size_t place_of(const Relation& relation, std::string_view title);

/// The cells of a table. A column is of the type that it declares; one that declares none is of numbers if its cells
/// are numbers or absent, and there is one. The name of a column of numbers has their unit.
[[nodiscard]] Relation relation_of(std::string name, std::string title, Table table);

/// The name of the relation of Document::rows().
inline constexpr std::string_view kRows = "rows";

/// `contents` (which relations there are), `answer` (the sentences at the top), `rows`, one for each section with a
/// table, `notes` (all other sentences) and `provenance`. Names of sections come from their titles. Precondition: there
/// is a document.
[[nodiscard]] std::vector<Relation> document_relations(const Answer& answer);

/// `text` if it is UTF-8, else with U+FFFD for what is not, in `storage`.
[[nodiscard]] std::string_view as_utf8(std::string_view text, std::string& storage);

/// `tasks`: all tasks of all replays, a row each. Times of a replay count from its start, measured ones from the start
/// of the first task; these are absent where nothing was measured. on_critical_path is 1 for tasks on the path of the
/// iteration that reports show. 1 bit a task of memory. Precondition: `answer` outlives the relation.
[[nodiscard]] Relation task_relation(const Answer& answer);

/// `text` as the content of an XML element or attribute. Bytes that are not UTF-8 and what XML 1.0 has no characters
/// for become U+FFFD; of control characters, tab and line feed stay.
[[nodiscard]] std::string xml_escaped(std::string_view text);

}  // namespace stepsim::sim

#endif
