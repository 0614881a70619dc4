#ifndef STEPSIM_SIM_REPORT_FIELD_H
#define STEPSIM_SIM_REPORT_FIELD_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
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

template <class Item>
class Field;
template <class Item>
using Fields = std::span<const Field<Item>>;

namespace field_detail {

/// The columns of a list of fields. They are sorted by `place`; columns with equal places keep their order.
struct Places {
  std::vector<Column> columns;
  std::vector<int> places;
};

template <class Item, class Held>
const Item& item_of(const Held& held) {
  if constexpr (Nullable<Held>) {
    return *held;
  } else {
    return held;
  }
}

}  // namespace field_detail

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

/// A quantity of an Item, or a list or an object in it. A field without a name is for people only; one without a title
/// is for programs only. Functions passed to it must be captureless; their return type is the type of the field.
template <class Item_>
class Field {
 public:
  using Item = Item_;
  template <class Get>
  using Result = std::remove_cvref_t<std::invoke_result_t<Get, const Item&>>;

  /// Makes a field with a value, a list of values, or a list of name-value pairs, which becomes an object.
  template <class Get>
  constexpr Field(std::string_view name, Get /*get*/, Shown<Item> shown = {}, JsonLayout layout = kInLine)
      : name_(name),
        shown_(shown),
        layout_(layout),
        write_(&Field::template write_one<Get>),
        describe_(&Field::template describe_one<Get>),
        cell_(field_detail::Range<Result<Get>> ? nullptr : &Field::template cell_one<Get>),
        numbers_(field_detail::numbers_of<field_detail::Unwrapped<Result<Get>>>(shown.form)),
        unit_(field_detail::unit_of<field_detail::Unwrapped<Result<Get>>>(shown.form)) {}

  /// Makes a field with a list of objects, an object, or null if the pointer or optional that `get` returns is empty.
  /// Without a name, the fields of the object become members of the item's object.
  template <class Get, class Element, std::size_t N>
  constexpr Field(std::string_view name, Get /*get*/, const std::array<Field<Element>, N>& members,
                  JsonLayout layout = kInLine)
      : name_(name),
        layout_(layout),
        members_(members.data()),
        member_count_(N),
        write_(&Field::template write_members_of<Get, Element>),
        describe_(&Field::template describe_members_of<Get, Element>),
        columns_(&Field::template add_columns_of<Get, Element>),
        cells_(&Field::template add_cells_of<Get, Element>) {}

  /// Makes a field for people only.
  constexpr Field(Shown<Item> shown) : shown_(shown) {}  // NOLINT(google-explicit-constructor): an entry of a list

  [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
  [[nodiscard]] constexpr bool is_required() const noexcept { return (layout_ & kIfAny) == 0; }

  void write(JsonWriter& json, const Item& item) const {
    if (write_ != nullptr) write_(json, *this, item);
  }
  /// Writes "NAME": schema. For a field without a name, writes the members that replace it.
  void describe(JsonWriter& json) const {
    if (describe_ != nullptr) describe_(json, *this, nullptr);
  }
  /// Appends the names of the members that every JSON object with this field has.
  void list_required(std::vector<std::string_view>& names) const {
    if (!name_.empty() && is_required()) names.push_back(name_);
    if (name_.empty() && describe_ != nullptr && is_required()) {
      JsonWriter unused;
      describe_(unused, *this, &names);
    }
  }

  void add_columns(field_detail::Places& places, bool for_programs) const {
    if (columns_ != nullptr) return columns_(places, *this, for_programs);
    const std::string_view title = for_programs ? name_ : shown_.title;
    if (!is_column(for_programs)) return;
    const Align align = numbers_ == Numbers::kNone ? Align::kLeft : Align::kRight;
    const bool declared = for_programs || shown_.cell == nullptr;
    places.columns.push_back({.title = std::string(title),
                              .align = for_programs ? align : shown_.align.value_or(align),
                              .use = for_programs ? Use::kMain : shown_.use,
                              .sentences = shown_.sentences && !for_programs,
                              .numbers = declared ? numbers_ : Numbers::kPerhaps,
                              .unit = for_programs || !declared ? Unit::kNone : unit_,
                              .identifies = shown_.form == Form::kId,
                              .only_if_any = !for_programs && !is_required()});
    places.places.push_back(shown_.place);
  }
  void add_cells(std::vector<Cell>& cells, const Item& item, bool for_programs) const {
    if (cells_ != nullptr) return cells_(cells, *this, item, for_programs);
    if (!is_column(for_programs)) return;
    if (for_programs) {
      cells.push_back(cell_(item, Form::kNumber));
    } else {
      cells.push_back(shown_.cell != nullptr ? shown_.cell(item) : cell_(item, shown_.form));
    }
  }

 private:
  [[nodiscard]] bool is_column(bool for_programs) const noexcept {
    return for_programs ? !name_.empty() && cell_ != nullptr : !shown_.title.empty() || shown_.untitled;
  }
  template <class Element>
  [[nodiscard]] Fields<Element> members() const noexcept {
    return {static_cast<const Field<Element>*>(members_), member_count_};
  }
  void open(JsonWriter& json) const {
    if ((layout_ & kOnNewLine) != 0) json.new_line();
    json.key(name_);
  }
  void close(JsonWriter& json) const {
    if ((layout_ & kLineAfter) != 0) json.new_line();
  }

  template <class Get>
  static void write_one(JsonWriter& json, const Field& field, const Item& item) {
    if (field.name_.empty()) return;
    const auto& value = Get{}(item);
    if (!field.is_required() && field_detail::is_nothing(value)) return;
    field.open(json);
    field_detail::write_value(json, value, field.layout_);
    field.close(json);
  }
  template <class Element>
  static void write_object(JsonWriter& json, Fields<Element> fields, const Element& element) {
    json.begin_object();
    for (const Field<Element>& field : fields) field.write(json, element);
    json.end_object();
  }
  /// Writes an object, or a list of objects.
  template <class Element, class Value>
  static void write_held(JsonWriter& json, const Field& field, Fields<Element> fields, const Value& value) {
    if constexpr (std::is_same_v<Value, Element>) {
      if (!field.name_.empty()) return write_object(json, fields, value);
      for (const Field<Element>& each : fields) each.write(json, value);
    } else {
      json.begin_array();
      for (const auto& held : value) {
        if ((field.layout_ & kItemLines) != 0) json.new_line();
        write_object(json, fields, field_detail::item_of<Element>(held));
      }
      json.end_array();
    }
  }
  template <class Get, class Element>
  static void write_members_of(JsonWriter& json, const Field& field, const Item& item) {
    const auto& value = Get{}(item);
    const Fields<Element> fields = field.template members<Element>();
    if (!field.is_required() && field_detail::is_nothing(value)) return;
    if (!field.name_.empty()) field.open(json);
    if constexpr (field_detail::Nullable<Result<Get>>) {
      if (value) {
        write_held(json, field, fields, *value);
      } else if (!field.name_.empty()) {
        json.null();
      }
    } else {
      write_held(json, field, fields, value);
    }
    field.close(json);
  }

  template <class Get>
  static void describe_one(JsonWriter& json, const Field& field, std::vector<std::string_view>* /*names*/) {
    if (!field.name_.empty()) field_detail::describe_value<Result<Get>>(json.key(field.name_));
  }
  template <class Get, class Element>
  static void describe_members_of(JsonWriter& json, const Field& field, std::vector<std::string_view>* names) {
    const Fields<Element> fields = field.template members<Element>();
    if (field.name_.empty()) {  // if `names` is not null, only collects required names
      for (const Field<Element>& each : fields) names != nullptr ? each.list_required(*names) : each.describe(json);
      return;
    }
    constexpr bool kNullable = field_detail::Nullable<Result<Get>>;
    constexpr bool kList = !std::is_same_v<field_detail::Unwrapped<Result<Get>>, Element>;
    json.key(field.name_);
    if constexpr (kList) json.begin_object().key("type").value("array").key("items");
    write_schema(json, fields, kNullable && field.is_required());
    if constexpr (kList) json.end_object();
  }

  template <class Get>
  static Cell cell_one(const Item& item, Form form) {
    return field_detail::cell_of_value<Result<Get>>(Get{}(item), form);
  }
  template <class Get, class Element>
  static void add_columns_of(field_detail::Places& places, const Field& field, bool for_programs) {
    if (!field.name_.empty()) return;  // a list or an object has no column
    for (const Field<Element>& each : field.template members<Element>()) each.add_columns(places, for_programs);
  }
  template <class Get, class Element>
  static void add_cells_of(std::vector<Cell>& cells, const Field& field, const Item& item, bool for_programs) {
    if constexpr (std::is_same_v<field_detail::Unwrapped<Result<Get>>, Element>) {
      if (!field.name_.empty()) return;
      const auto& value = Get{}(item);
      const auto& element = field_detail::item_of<Element>(value);
      for (const Field<Element>& each : field.template members<Element>()) each.add_cells(cells, element, for_programs);
    }
  }

  std::string_view name_{};
  Shown<Item> shown_{};
  JsonLayout layout_ = kInLine;
  const void* members_ = nullptr;  ///< Field<Element>; the functions below know the element type
  std::size_t member_count_ = 0;
  void (*write_)(JsonWriter& json, const Field& field, const Item& item) = nullptr;
  void (*describe_)(JsonWriter& json, const Field& field, std::vector<std::string_view>* names) = nullptr;
  Cell (*cell_)(const Item& item, Form form) = nullptr;
  void (*columns_)(field_detail::Places& places, const Field& field, bool for_programs) = nullptr;
  void (*cells_)(std::vector<Cell>& cells, const Field& field, const Item& item, bool for_programs) = nullptr;
  Numbers numbers_ = Numbers::kPerhaps;
  Unit unit_ = Unit::kNone;
};

/// Writes the fields of an item as members of the currently open JSON object.
template <class List, class Item>
void write_members(JsonWriter& json, const List& fields, const Item& item) {
  for (const Field<Item>& field : fields) field.write(json, item);
}

/// Writes the JSON Schema of objects that have `fields` as members.
template <class Item>
void write_schema(JsonWriter& json, Fields<Item> fields, bool or_null = false) {
  std::vector<std::string_view> required;
  for (const Field<Item>& field : fields) field.list_required(required);
  json.begin_object().key("type");
  or_null ? json.begin_array().value("object").value("null").end_array() : json.value("object");
  json.key("properties").begin_object();
  for (const Field<Item>& field : fields) field.describe(json);
  json.end_object().key("required").begin_array();
  for (const std::string_view name : required) json.value(name);
  json.end_array().key("additionalProperties").value(false).end_object();
}

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
  std::string_view id;  ///< for example "stepsim.stats/1"
  std::function<void(JsonWriter& json)> write_properties;
  std::vector<std::string_view> required;
};
template <class Item>
[[nodiscard]] AnswerSchema schema_of(std::string_view id, std::vector<Field<Item>> fields) {
  AnswerSchema schema{.id = id, .write_properties = {}, .required = {}};
  for (const Field<Item>& field : fields) field.list_required(schema.required);
  schema.write_properties = [fields = std::move(fields)](JsonWriter& json) {
    for (const Field<Item>& field : fields) field.describe(json);
  };
  return schema;
}
template <class Item, std::size_t N>
[[nodiscard]] AnswerSchema schema_of(std::string_view id, const std::array<Field<Item>, N>& fields) {
  return schema_of(id, std::vector<Field<Item>>(fields.begin(), fields.end()));
}
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

/// Returns the order of the cells of a row, without the columns that are left out.
[[nodiscard]] std::vector<std::size_t> order_of(const Places& places, const TableRows& rows);
[[nodiscard]] std::vector<Column> in_order(std::vector<Column> columns, const std::vector<std::size_t>& order);
[[nodiscard]] std::vector<Cell> in_order(std::vector<Cell> cells, const std::vector<std::size_t>& order);

}  // namespace field_detail

/// Makes a table of the fields that have a title, one row per item.
template <class List, class Items>
[[nodiscard]] Table table_of(const List& fields, const Items& items, const TableRows& rows = {}) {
  using Item = typename List::value_type::Item;
  field_detail::Places places;
  for (const Field<Item>& field : fields) field.add_columns(places, rows.for_programs);
  const std::vector<std::size_t> order = field_detail::order_of(places, rows);
  if (!rows.name.empty()) {
    const auto name = std::find_if(places.columns.begin(), places.columns.end(),
                                   [](const Column& column) { return column.title == "name"; });
    name->title = rows.name;
  }
  Table table(field_detail::in_order(std::move(places.columns), order));
  if (rows.compared) table.compare_times();
  std::size_t number = 0;
  for (const auto& held : items) {
    if (number++ >= rows.most) break;
    std::vector<Cell> cells;
    const Item& item = field_detail::item_of<Item>(held);
    for (const Field<Item>& field : fields) field.add_cells(cells, item, rows.for_programs);
    table.add_row(field_detail::in_order(std::move(cells), order));
  }
  table.drop_unused();
  return table;
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
