#include "sim/report/pass_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/base/text.h"
#include "sim/output/json_writer.h"
#include "sim/report/cautions.h"
#include "sim/report/members.h"

namespace stepsim::sim {
namespace {

/// The longest over ranks; nothing if none has any.
std::optional<Duration> longest_passes(const std::vector<PassTimes>& times) {
  std::optional<Duration> longest;
  for (const PassTimes& one : times) {
    if (one.passes) longest = std::max(longest.value_or(Duration{}), *one.passes);
  }
  return longest;
}

Duration longest_iteration_of(const std::vector<PassTimes>& times) {
  Duration longest{};
  for (const PassTimes& one : times) longest = std::max(longest, one.iteration);
  return longest;
}

Table table_of(const std::vector<PassTimes>& times) {
  Table table{{{"rank"}, {"worker", Align::kLeft}, {"steps"}, {"iteration"}, {"FW + BW"}}};
  table.compare_times();
  for (const PassTimes& one : times)
    table.add_row({one.rank, one.host, one.steps, one.iteration, one.passes ? Cell{*one.passes} : Cell{"-"}});
  return table;
}

Table rows_of(const std::vector<PassTimes>& times) {
  Table table({{"rank"}, {"worker", Align::kLeft}, {"steps"}, {"iteration_ns"}, {"fw_bw_ns"}});
  for (const PassTimes& one : times)
    table.add_row({one.rank, one.host, one.steps, nanoseconds_cell(one.iteration),
                   one.passes ? nanoseconds_cell(*one.passes) : Cell{""}});
  return table;
}

void write_json(JsonWriter& json, const std::vector<PassTimes>& times, const Capture& capture,
                const std::vector<std::string>& written, const Provenance& provenance) {
  json.begin_object().key("schema").value("stepsim.collect/1").new_line();
  json.key("iteration_ns").value(longest_iteration_of(times)).key("fw_bw_ns").value(longest_passes(times));
  json.new_line().key("ranks").begin_array();
  for (const PassTimes& one : times) {
    json.new_line().begin_object().key("rank").value(one.rank).key("host").value(one.host).key("steps").value(
        one.steps);
    json.key("iteration_ns").value(one.iteration).key("fw_bw_ns").value(one.passes).end_object();
  }
  json.end_array().new_line().key("written").begin_array();
  for (const std::string& file : written) json.value(file);
  json.end_array().new_line();
  write_input(json, capture);
  json.new_line();
  write_provenance(json, provenance);
  json.end_object();
}

}  // namespace

Document pass_times_document(const std::vector<PassTimes>& times, const Capture& capture, std::vector<Section> sections,
                             const std::vector<std::string>& written, const Provenance& provenance) {
  const std::optional<Duration> passes = longest_passes(times);
  Document document{
      .warning = warning_of(capture),
      .headline = fmt::format("An iteration takes {} as measured{}: {}.", stepsim::to_text(longest_iteration_of(times)),
                              passes ? fmt::format(", forward and backward pass {}", stepsim::to_text(*passes)) : "",
                              counted(times.size(), "rank")),
      .caution = caution_of(capture.diagnostics)};
  document.sections.push_back({.title = "Times of each rank", .table = table_of(times)});
  for (Section& section : sections) document.sections.push_back(std::move(section));
  document.rows = [&times] { return rows_of(times); };
  document.json = [&times, &capture, &written, &provenance](JsonWriter& json) {
    write_json(json, times, capture, written, provenance);
  };
  return document;
}

}  // namespace stepsim::sim
