#include "sim/report/field.h"

#include <fmt/format.h>

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

namespace {

template <class T>
std::vector<T> picked(std::vector<T> all, const std::vector<std::size_t>& order) {
  std::vector<T> made;
  made.reserve(order.size());
  for (const std::size_t place : order) made.push_back(std::move(all[place]));
  return made;
}

}  // namespace

std::vector<Column> in_order(std::vector<Column> columns, const std::vector<std::size_t>& order) {
  return picked(std::move(columns), order);
}
std::vector<Cell> in_order(std::vector<Cell> cells, const std::vector<std::size_t>& order) {
  return picked(std::move(cells), order);
}

}  // namespace stepsim::sim::field_detail

namespace stepsim::sim {

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
    answer.write_properties(json);
    write_schema(json.key("provenance"), Fields<Provenance>(kProvenanceFields));
    json.end_object().key("required").begin_array().value("schema");
    for (const std::string_view name : answer.required) json.value(name);
    json.value("provenance").end_array().key("additionalProperties").value(false).end_object();
  }
  json.end_array().end_object();
}

}  // namespace stepsim::sim
