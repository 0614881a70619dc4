#include "sim/report/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/report/table.h"

namespace stepsim::sim::field_detail {

Cell cell_of(Duration time, Form form) {
  if (form == Form::kNumber) return nanoseconds_cell(time);
  return form == Form::kChange ? signed_time_cell(time) : Cell(time);
}

Cell cell_of(Bytes bytes, Form form) { return form == Form::kNumber ? Cell(bytes.count()) : bytes_cell(bytes); }

Cell cell_of(double number, Form form) {
  switch (form) {
    case Form::kShare: return percent_cell(number);
    case Form::kChange: return signed_percent_cell(number);
    case Form::kFactor: return {fmt::format("{:.2f}x", number), number, Unit::kRatio};
    case Form::kDecimal: return decimal_cell(number);
    case Form::kRounded: return Duration{std::llround(number)};
    case Form::kBytesPerSecond: return rate_cell(number, "B/s");
    case Form::kFlops: return rate_cell(number, "FLOP");
    case Form::kFlopsPerSecond: return rate_cell(number, "FLOP/s");
    case Form::kPlain:
    case Form::kId:
    case Form::kNumber: return number_cell(number);
  }
  return number_cell(number);
}

Cell cell_of(std::string_view text, Form /*form*/) { return std::string(text); }

namespace {

/// Returns the order of the cells of a row, without the columns that are left out.
std::vector<std::size_t> order_of(const Places& places, const TableRows& rows) {
  std::vector<std::size_t> order(places.places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t column) {
    return std::find(rows.without.begin(), rows.without.end(), places.columns[column].title) != rows.without.end();
  });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return places.places[a] < places.places[b]; });
  return order;
}

template <class T>
std::vector<T> picked(std::vector<T> all, const std::vector<std::size_t>& order) {
  std::vector<T> made;
  made.reserve(order.size());
  for (const std::size_t place : order) made.push_back(std::move(all[place]));
  return made;
}

void write_object(JsonWriter& json, FieldList fields, Erased item) {
  json.begin_object();
  write_members(json, fields, item);
  json.end_object();
}

}  // namespace

void write_members(JsonWriter& json, FieldList fields, Erased item) {
  for (std::size_t field = 0; field < fields.size(); ++field) fields[field].write(json, item);
}

Table table_of(FieldList fields, std::span<const Erased> items, const TableRows& rows) {
  Places places;
  for (std::size_t field = 0; field < fields.size(); ++field) fields[field].add_columns(places, rows.for_programs);
  const std::vector<std::size_t> order = order_of(places, rows);
  if (!rows.name.empty()) {
    const auto name = std::find_if(places.columns.begin(), places.columns.end(),
                                   [](const Column& column) { return column.title == "name"; });
    name->title = rows.name;
  }
  Table table(picked(std::move(places.columns), order));
  if (rows.compared) table.compare_times();
  for (const Erased item : items) {
    std::vector<Cell> cells;
    for (std::size_t field = 0; field < fields.size(); ++field) fields[field].add_cells(cells, item, rows.for_programs);
    table.add_row(picked(std::move(cells), order));
  }
  table.drop_unused();
  return table;
}

}  // namespace stepsim::sim::field_detail

namespace stepsim::sim {

using field_detail::Erased;

void AnyField::write(JsonWriter& json, Erased item) const {
  if (held_ != nullptr) {
    const auto write = [this, &json](Erased value) { write_held(json, value); };
    return read_(item, write);
  }
  if (name_.empty()) return;
  const auto write = [this, &json](Erased value) {
    if (!is_required() && value_->is_nothing(value)) return;
    if ((layout_ & kOnNewLine) != 0) json.new_line();
    value_->write(json.key(name_), value, layout_);
    if ((layout_ & kLineAfter) != 0) json.new_line();
  };
  read_(item, write);
}

void AnyField::write_held(JsonWriter& json, Erased value) const {
  const bool nothing = held_->is_nothing(value);
  if (nothing && !is_required()) return;
  if (!name_.empty()) {
    if ((layout_ & kOnNewLine) != 0) json.new_line();
    json.key(name_);
  }
  const auto write = [this, &json](Erased element) {
    if (held_->list && (layout_ & kItemLines) != 0) json.new_line();
    held_->list || !name_.empty() ? field_detail::write_object(json, members_, element)
                                  : field_detail::write_members(json, members_, element);
  };
  if (nothing && held_->nullable) {
    if (!name_.empty()) json.null();
  } else {
    if (held_->list) json.begin_array();
    held_->each(value, write);
    if (held_->list) json.end_array();
  }
  if ((layout_ & kLineAfter) != 0) json.new_line();
}

void AnyField::describe(JsonWriter& json) const {
  if (held_ == nullptr) {
    if (!name_.empty()) value_->describe(json.key(name_));
    return;
  }
  if (name_.empty()) {
    for (std::size_t field = 0; field < members_.size(); ++field) members_[field].describe(json);
    return;
  }
  json.key(name_);
  if (held_->list) json.begin_object().key("type").value("array").key("items");
  write_schema(json, members_, held_->nullable && is_required());
  if (held_->list) json.end_object();
}

void AnyField::list_required(std::vector<std::string_view>& names) const {
  if (!is_required()) return;
  if (!name_.empty()) return names.push_back(name_);
  for (std::size_t field = 0; field < members_.size(); ++field) members_[field].list_required(names);
}

bool AnyField::is_column(bool for_programs) const noexcept {
  const bool has_cell = value_ != nullptr && value_->cell != nullptr;
  return for_programs ? !name_.empty() && has_cell : !title_.empty() || untitled_;
}

void AnyField::add_columns(field_detail::Places& places, bool for_programs) const {
  if (held_ != nullptr) {
    if (!name_.empty()) return;  // a list or an object has no column
    for (std::size_t field = 0; field < members_.size(); ++field) members_[field].add_columns(places, for_programs);
    return;
  }
  if (!is_column(for_programs)) return;
  const Align align = numbers_ == Numbers::kNone ? Align::kLeft : Align::kRight;
  const bool declared = for_programs || own_cell_ == nullptr;
  places.columns.push_back({.title = std::string(for_programs ? name_ : title_),
                            .align = for_programs ? align : align_.value_or(align),
                            .use = for_programs ? Use::kMain : use_,
                            .sentences = sentences_ && !for_programs,
                            .numbers = declared ? numbers_ : Numbers::kPerhaps,
                            .unit = for_programs || !declared ? Unit::kNone : unit_,
                            .identifies = form_ == Form::kId,
                            .only_if_any = !for_programs && !is_required()});
  places.places.push_back(place_);
}

void AnyField::add_cells(std::vector<Cell>& cells, Erased item, bool for_programs) const {
  if (held_ != nullptr) {
    if (!name_.empty() || held_->list) return;
    const auto add = [&](Erased element) {
      for (std::size_t field = 0; field < members_.size(); ++field)
        members_[field].add_cells(cells, element, for_programs);
    };
    const auto each = [&](Erased value) { held_->each(value, add); };
    return read_(item, each);
  }
  if (!is_column(for_programs)) return;
  if (own_cell_ != nullptr && !for_programs) return cells.push_back(own_cell_(*this, item));
  const auto add = [&](Erased value) { cells.push_back(value_->cell(value, for_programs ? Form::kNumber : form_)); };
  read_(item, add);
}

void write_schema(JsonWriter& json, FieldList fields, bool or_null) {
  std::vector<std::string_view> required;
  for (std::size_t field = 0; field < fields.size(); ++field) fields[field].list_required(required);
  json.begin_object().key("type");
  or_null ? json.begin_array().value("object").value("null").end_array() : json.value("object");
  json.key("properties").begin_object();
  for (std::size_t field = 0; field < fields.size(); ++field) fields[field].describe(json);
  json.end_object().key("required").begin_array();
  for (const std::string_view name : required) json.value(name);
  json.end_array().key("additionalProperties").value(false).end_object();
}

void write_provenance(JsonWriter& json, const Provenance& provenance) {
  json.key("provenance").begin_object();
  write_members(json, kProvenanceFields, provenance);
  json.end_object();
}

void write_schemas(JsonWriter& json, const std::vector<AnswerSchema>& answers) {
  json.begin_object().key("$schema").value("https://json-schema.org/draft/2020-12/schema").new_line();
  json.key("title").value("What 'stepsim ... --json' prints").new_line().key("oneOf").begin_array();
  for (const AnswerSchema& answer : answers) {
    json.new_line().begin_object().key("title").value(answer.id).key("type").value("object").key("properties");
    json.begin_object().key("schema").begin_object().key("const").value(answer.id).end_object();
    std::vector<std::string_view> required;
    for (const FieldList& fields : answer.fields) {
      for (std::size_t field = 0; field < fields.size(); ++field) {
        fields[field].describe(json);
        fields[field].list_required(required);
      }
    }
    write_schema(json.key("provenance"), FieldList(kProvenanceFields));
    json.end_object().key("required").begin_array().value("schema");
    for (const std::string_view name : required) json.value(name);
    json.value("provenance").end_array().key("additionalProperties").value(false).end_object();
  }
  json.end_array().end_object();
}

}  // namespace stepsim::sim
