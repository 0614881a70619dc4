#ifndef STEPSIM_SIM_REPORT_FIELD_H
#define STEPSIM_SIM_REPORT_FIELD_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/output/json_writer.h"
#include "sim/output/provenance.h"
#include "sim/report/document.h"
#include "sim/report/field_value.h"
#include "sim/report/table.h"

/// Each quantity of a report is declared once, as a Field of the struct that contains it. The same list of fields
/// produces JSON objects, tables for people, rows for spreadsheets and the JSON Schema:
///
///     constexpr auto kStraggler = std::to_array<Field<Straggler>>({
///         {"rank", at<&Straggler::rank>, {"rank"}},
///         {"others_waited_ns", at<&Straggler::each>, {"others waited", Use::kHelp}},
///     });
///     write_members(json, kStraggler, straggler);
///     Table table = table_of(kStraggler, stragglers);
namespace stepsim::sim {

/// Follows members: at<&A::b, &B::c> is a function that returns `a.b.c`. Member functions are called without arguments.
/// at<> returns the item itself.
template <auto... Members>
struct At {
  template <class Item>
  [[nodiscard]] constexpr decltype(auto) operator()(const Item& item) const {
    return follow<Item, Members...>(item);
  }

 private:
  template <class Item>
  [[nodiscard]] static constexpr const Item& follow(const Item& item) {
    return item;
  }
  template <class Item, auto First, auto... Rest>
  [[nodiscard]] static constexpr decltype(auto) follow(const Item& item) {
    using Next = std::invoke_result_t<decltype(First), const Item&>;
    if constexpr (sizeof...(Rest) == 0) {
      return std::invoke(First, item);
    } else {
      static_assert(std::is_reference_v<Next> || std::is_pointer_v<Next>, "its member would outlive it");
      return follow<std::remove_cvref_t<Next>, Rest...>(std::invoke(First, item));
    }
  }
};
template <auto... Members>
inline constexpr At<Members...> at{};  // NOLINT(readability-identifier-naming): reads as a function

namespace field_detail {

/// A value, or the item that has it, whose type the functions of a ValueType, a HeldType or a Field know.
using Erased = const void*;

/// A reference to a function of a value that may exist only during the call.
class Visitor {
 public:
  template <class Function>
  Visitor(const Function& function)  // NOLINT(google-explicit-constructor): an argument
      : function_(&function),
        call_([](const void* own, Erased value) { (*static_cast<const Function*>(own))(value); }) {}
  void operator()(Erased value) const { call_(function_, value); }

 private:
  const void* function_;
  void (*call_)(const void* function, Erased value);
};

/// How values of a type are written. There is one for each type, not for each field: most fields share a few types.
struct ValueType {
  bool (*is_nothing)(Erased value);
  void (*write)(JsonWriter& json, Erased value, JsonLayout layout);
  void (*describe)(JsonWriter& json);
  Cell (*cell)(Erased value, Form form);  ///< null for lists, which have no column
};
template <class T>
Cell erased_cell(Erased value, Form form) {
  return cell_of_value(*static_cast<const T*>(value), form);
}
template <class T>
inline constexpr ValueType kValueType{
    .is_nothing = [](Erased value) { return is_nothing(*static_cast<const T*>(value)); },
    .write = [](JsonWriter& json, Erased value,
                JsonLayout layout) { write_value(json, *static_cast<const T*>(value), layout); },
    .describe = [](JsonWriter& json) { describe_value<T>(json); },
    .cell = Range<T> ? nullptr : &erased_cell<T>};

/// How the objects of a value are found: it is an object or a list of objects, or a pointer or an optional of one.
struct HeldType {
  bool nullable;
  bool list;
  bool (*is_nothing)(Erased value);
  void (*each)(Erased value, Visitor visit);  ///< visits each object; the value is not null
};
template <class Element, class T>
void visit_each(const T& value, Visitor visit) {
  if constexpr (Nullable<T>) {
    visit_each<Element>(*value, visit);
  } else if constexpr (std::is_same_v<T, Element>) {
    visit(&value);
  } else {
    for (const auto& held : value) visit_each<Element>(held, visit);
  }
}
template <class T, class Element>
inline constexpr HeldType kHeldType{
    .nullable = Nullable<T>,
    .list = !std::is_same_v<Unwrapped<T>, Element>,
    .is_nothing = [](Erased value) { return is_nothing(*static_cast<const T*>(value)); },
    .each = [](Erased value, Visitor visit) { visit_each<Element>(*static_cast<const T*>(value), visit); }};

/// The columns of a list of fields. They are sorted by `place`; columns with equal places keep their order.
struct Places {
  std::vector<Column> columns;
  std::vector<int> places;
};

}  // namespace field_detail

template <class Item>
class Field;
class AnyField;
template <class Item>
using Fields = std::span<const Field<Item>>;

/// A list of fields of a type that only its items know. The list must outlive it.
class FieldList {
 public:
  constexpr FieldList() = default;
  template <class Item>
  constexpr FieldList(Fields<Item> fields)  // NOLINT(google-explicit-constructor): the same list
      : first_(fields.data()), size_(fields.size()), at_([](const void* first, std::size_t index) -> const AnyField& {
          return static_cast<const Field<Item>*>(first)[index];
        }) {}
  template <class Item, std::size_t N>
  constexpr FieldList(const std::array<Field<Item>, N>& fields)  // NOLINT(google-explicit-constructor): the same list
      : FieldList(Fields<Item>(fields)) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const AnyField& operator[](std::size_t index) const { return at_(first_, index); }

 private:
  const void* first_ = nullptr;
  std::size_t size_ = 0;
  const AnyField& (*at_)(const void* first, std::size_t index) = nullptr;
};

/// The column of a field in a table for people.
template <class Item>
struct Shown {
  std::string_view title{};
  Use use = Use::kMain;
  Form form = Form::kPlain;
  int place = 0;                             ///< sort key, if the table has another order than the JSON object
  bool sentences = false;                    ///< see Column::sentences
  bool untitled = false;                     ///< true if the column has an empty title
  std::optional<Align> align{};              ///< alignment; by default names are aligned left and numbers right
  Cell (*cell)(const Item& item) = nullptr;  ///< makes the cell, if people read something different from programs
};

/// A field without the type of the items that have it. All of its functions that take an item expect that type.
class AnyField {
 public:
  [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
  [[nodiscard]] constexpr bool is_required() const noexcept { return (layout_ & kIfAny) == 0; }

  void write(JsonWriter& json, field_detail::Erased item) const;
  /// Writes "NAME": schema. For a field without a name, writes the members that replace it.
  void describe(JsonWriter& json) const;
  /// Appends the names of the members that every JSON object with this field has.
  void list_required(std::vector<std::string_view>& names) const;
  void add_columns(field_detail::Places& places, bool for_programs) const;
  void add_cells(std::vector<Cell>& cells, field_detail::Erased item, bool for_programs) const;

 protected:
  using Read = void (*)(field_detail::Erased item, field_detail::Visitor visit);

  template <class Item>
  constexpr AnyField(std::string_view name, const Shown<Item>& shown, JsonLayout layout)
      : name_(name),
        title_(shown.title),
        use_(shown.use),
        form_(shown.form),
        sentences_(shown.sentences),
        untitled_(shown.untitled),
        layout_(layout),
        place_(shown.place),
        align_(shown.align) {}

  Read read_ = nullptr;                                                          ///< visits the value of an item
  const field_detail::ValueType* value_ = nullptr;                               ///< null for a field of objects
  const field_detail::HeldType* held_ = nullptr;                                 ///< set for a field of objects
  FieldList members_{};                                                          ///< fields of these objects
  Cell (*own_cell_)(const AnyField& self, field_detail::Erased item) = nullptr;  ///< calls Shown::cell, if there is one
  Numbers numbers_ = Numbers::kPerhaps;
  Unit unit_ = Unit::kNone;

 private:
  [[nodiscard]] bool is_column(bool for_programs) const noexcept;
  void write_held(JsonWriter& json, field_detail::Erased value) const;

  std::string_view name_;
  std::string_view title_;
  Use use_;
  Form form_;
  bool sentences_;
  bool untitled_;
  JsonLayout layout_;
  int place_;
  std::optional<Align> align_;
};

/// A quantity of an Item, or a list or an object in it. A field without a name is for people only; one without a title
/// is for programs only. Functions passed to it must be captureless; their return type is the type of the field.
template <class Item_>
class Field : public AnyField {
 public:
  using Item = Item_;
  template <class Get>
  using Result = std::remove_cvref_t<std::invoke_result_t<Get, const Item&>>;

  /// Makes a field with a value, a list of values, or a list of name-value pairs, which becomes an object.
  template <class Get>
  constexpr Field(std::string_view name, Get /*get*/, Shown<Item> shown = {}, JsonLayout layout = kInLine)
      : Field(name, shown, layout) {
    read_ = &Field::template read_value<Get>;
    value_ = &field_detail::kValueType<Result<Get>>;
    numbers_ = field_detail::numbers_of<field_detail::Unwrapped<Result<Get>>>(shown.form);
    unit_ = field_detail::unit_of<field_detail::Unwrapped<Result<Get>>>(shown.form);
  }

  /// Makes a field with a list of objects, an object, or null if the pointer or optional that `get` returns is empty.
  /// Without a name, the fields of the object become members of the item's object.
  template <class Get, class Element, std::size_t N>
  constexpr Field(std::string_view name, Get /*get*/, const std::array<Field<Element>, N>& members,
                  JsonLayout layout = kInLine)
      : AnyField(name, Shown<Item>{}, layout) {
    read_ = &Field::template read_value<Get>;
    held_ = &field_detail::kHeldType<Result<Get>, Element>;
    members_ = members;
  }

  /// Makes a field for people only.
  constexpr Field(Shown<Item> shown)  // NOLINT(google-explicit-constructor): an entry of a list
      : Field({}, shown, kInLine) {}

 private:
  constexpr Field(std::string_view name, const Shown<Item>& shown, JsonLayout layout)
      : AnyField(name, shown, layout), cell_(shown.cell) {
    if (shown.cell == nullptr) return;
    own_cell_ = [](const AnyField& self, field_detail::Erased item) {
      return static_cast<const Field&>(self).cell_(*static_cast<const Item*>(item));
    };
  }

  template <class Get>
  static void read_value(field_detail::Erased item, field_detail::Visitor visit) {
    const auto& value = Get{}(*static_cast<const Item*>(item));
    visit(&value);
  }

  Cell (*cell_)(const Item& item) = nullptr;
};

namespace field_detail {

void write_members(JsonWriter& json, FieldList fields, Erased item);

}  // namespace field_detail

/// Writes the fields of an item as members of the currently open JSON object.
template <class List, class Item>
void write_members(JsonWriter& json, const List& fields, const Item& item) {
  static_assert(std::is_same_v<typename List::value_type::Item, Item>);
  field_detail::write_members(json, FieldList(fields), &item);
}

/// Writes the JSON Schema of objects that have `fields` as members.
void write_schema(JsonWriter& json, FieldList fields, bool or_null = false);

inline constexpr auto kInputFile = std::to_array<Field<InputFile>>({
    {"path", at<&InputFile::name>},
    {"bytes", at<&InputFile::size>},
    {"crc64", at<checksum_text>},
});
inline constexpr auto kProvenanceFields = std::to_array<Field<Provenance>>({
    {"version", at<&Provenance::version>},
    {"commit", at<&Provenance::commit>},
    {"command", at<&Provenance::command>},
    {"inputs", at<&Provenance::inputs>, kInputFile, kItemLines},
});
/// Writes "provenance":{...}, a member of every answer.
void write_provenance(JsonWriter& json, const Provenance& provenance);

/// Writes {"schema":..., the fields, "provenance":...}.
template <class List, class Item>
void write_answer(JsonWriter& json, std::string_view schema, const List& fields, const Item& item,
                  const Provenance& provenance) {
  json.begin_object().key("schema").value(schema).new_line();
  write_members(json, fields, item);
  write_provenance(json, provenance);
  json.end_object();
}

/// The JSON Schema of one answer.
struct AnswerSchema {
  std::string_view id;            ///< for example "stepsim.stats/1"
  std::vector<FieldList> fields;  ///< of its object, in order
};
[[nodiscard]] inline AnswerSchema schema_of(std::string_view id, FieldList fields) { return {id, {fields}}; }
/// Writes one JSON Schema for all answers; their member "schema" distinguishes them.
void write_schemas(JsonWriter& json, const std::vector<AnswerSchema>& answers);

struct TableRows {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  std::string_view option = "--rows";       ///< the option that sets `most`
  std::vector<std::string_view> without{};  ///< titles of columns to leave out
  std::string_view name{};                  ///< title that replaces that of the column "name"
  bool compared = false;                    ///< see Table::compare_times()
  bool for_programs = false;
};

namespace field_detail {

[[nodiscard]] Table table_of(FieldList fields, std::span<const Erased> items, const TableRows& rows);

}  // namespace field_detail

/// Makes a table of the fields that have a title, one row per item.
template <class List, class Items>
[[nodiscard]] Table table_of(const List& fields, const Items& items, const TableRows& rows = {}) {
  using Item = typename List::value_type::Item;
  std::vector<field_detail::Erased> shown;
  for (const auto& held : items) {
    if (shown.size() >= rows.most) break;
    field_detail::visit_each<Item>(held, [&shown](field_detail::Erased item) { shown.push_back(item); });
  }
  return field_detail::table_of(FieldList(fields), shown, rows);
}

/// Makes a section with a table of the first items and the number of further ones; empty if there are no items.
template <class List, class Items>
// NOLINTNEXTLINE(performance-unnecessary-value-param): `title` is moved
[[nodiscard]] Section section_of(std::string title, const List& fields, const Items& items,
                                 const TableRows& rows = {}) {
  if (items.empty()) return {};
  Section section{.title = std::move(title), .table = table_of(fields, items, rows)};
  add_more_sentence(section, items.size(), rows.most, rows.option);
  return section;
}

/// Makes a table for spreadsheets: all fields that have a name, with names as titles and values in whole base units, in
/// the order of the table for people.
template <class List, class Items>
[[nodiscard]] Table rows_table(const List& fields, const Items& items) {
  return table_of(fields, items, {.for_programs = true});
}

}  // namespace stepsim::sim

#endif
