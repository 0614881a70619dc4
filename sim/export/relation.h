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

/// An answer as named tables with typed columns, for spreadsheets (sheets), databases (tables) and column files.
namespace stepsim::sim {

enum class ValueType : std::uint8_t { kText, kInteger, kReal };
/// Empty, or a value of its column's type. A text is unchanged, may be invalid UTF-8, and lives as long as the
/// relation's source.
using Value = std::variant<std::monostate, std::int64_t, double, std::string_view>;

struct RelationColumn {
  /// The column's name, including the unit if there is one: "start_ns", "measured (ns)". It is not empty, and it is
  /// unique even if case is ignored.
  std::string name;
  std::string title;  ///< title in the original table; may be empty or not unique
  ValueType type = ValueType::kText;
  std::function<Value(std::size_t row)> value;
};

struct Relation {
  std::string name;   ///< letters, digits and underscores; unique in the answer
  std::string title;  ///< title for people; may contain any text
  std::vector<RelationColumn> columns;
  std::size_t rows = 0;
};

/// Returns the index of the first column with that title. Precondition: there is one.
[[nodiscard]] std::size_t place_of(const Relation& relation, std::string_view title);

/// Makes a relation from a table. A column has the type that it declares; without a declaration it is numeric if each
/// cell is a number or absent and at least one is a number. The name of a numeric column includes the unit.
[[nodiscard]] Relation relation_of(std::string name, std::string title, Table table);

/// The name of the relation made from Document::rows().
inline constexpr std::string_view kRows = "rows";

/// Returns the relations of a document: `contents` (the list of relations), `answer` (the sentences at the top),
/// `rows`, one for each section with a table (named after its title), `notes` (all other sentences) and `provenance`.
/// Precondition: answer.document is not null.
[[nodiscard]] std::vector<Relation> document_relations(const Answer& answer);

/// Returns `text` if it is valid UTF-8; otherwise a copy in `storage` with U+FFFD in place of invalid bytes.
[[nodiscard]] std::string_view as_utf8(std::string_view text, std::string& storage);

/// Returns the relation `tasks`, with one row for each task of each replay. Times of a replay are relative to its
/// start. Measured times are relative to the start of the first task, and absent if nothing was measured.
/// on_critical_path is 1 for tasks on the path of the iteration that reports show. class is the class of device work;
/// operator and shapes are those of the framework's operator that launched it. They are absent for other tasks, and if
/// they were not recorded. Takes 1 bit of memory per task, and 2 bytes per name.
/// Precondition: `answer` outlives the relation.
[[nodiscard]] Relation task_relation(const Answer& answer);

/// Escapes `text` for an XML element or attribute. Invalid UTF-8 and characters that XML 1.0 does not allow become
/// U+FFFD; of the control characters, only tab and line feed are kept.
[[nodiscard]] std::string xml_escaped(std::string_view text);

}  // namespace stepsim::sim

#endif
