// How changes scaled device work:
//
//     Device work under device.to=H100
//     scaled by                           pieces   share     before      after
//     its shapes: memory bounds it            41  61.0 %   2.440 ms   1.110 ms
//     left as it was                           2   0.4 %  16.000 us  16.000 us
//     - left as they were: collectives, ...
//
// and the same by class of kernel. Times are sums over pieces of work, also of those that ran at the
// same time on two streams; a share is of their sum.

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "scenarios/answer/what_if_document.h"
#include "sim/analysis/intervals.h"

namespace stepsim::scenarios {
namespace {

using Part = ScaledShare::Part;
using sim::Align;
using sim::JsonWriter;
using sim::Section;
using sim::Table;

std::string_view in_words(ScaledBy by) {
  static constexpr std::array<std::string_view, kScaledByCount> kWords{"its shapes: the matrix units bound it",
                                                                       "its shapes: memory bounds it",
                                                                       "its shapes: so little that its start bounds it",
                                                                       "its class of kernel, without shapes",
                                                                       "the factor that was given",
                                                                       "left as it was"};
  return kWords[static_cast<std::size_t>(by)];
}

/// Calls `take` with the place of each part that holds anything.
template <class Take>
void for_each_part(std::span<const Part> parts, Take take) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].pieces > 0) take(i, parts[i]);
  }
}

template <class Name>
Table share_table(std::string title, std::span<const Part> parts, const Part& total, Name name) {
  Table table({{std::move(title), Align::kLeft}, {"pieces"}, {"share"}, {"before"}, {"after"}});
  table.compare_times();
  for_each_part(parts, [&](std::size_t i, const Part& part) {
    table.add_row({std::string(name(i)), part.pieces, sim::percent_cell(sim::ratio(part.before, total.before)),
                   part.before, part.after});
  });
  return table;
}

std::vector<Section> device_work_sections(const WhatIfAnswer& answer) {
  std::vector<Section> sections;
  for (const DeviceShare& found : answer.scenario.prediction.shares) {
    const Part total = found.share.total();
    Section& by_how = sections.emplace_back();
    by_how.title = fmt::format("Device work under {}", found.change);
    by_how.table = share_table("scaled by", found.share.by, total,
                               [](std::size_t i) { return in_words(static_cast<ScaledBy>(i)); });
    if (found.share.by[static_cast<std::size_t>(ScaledBy::kUnchanged)].pieces > 0)
      by_how.sentences.emplace_back(fmt::format("left as they were: {}", found.kept));
    Section& by_class = sections.emplace_back();
    by_class.title = "The same by class of kernel";
    by_class.table = share_table("class", found.share.kind, total,
                                 [](std::size_t i) { return to_text(static_cast<KernelClass>(i)); });
  }
  return sections;
}

template <class Name>
void write_parts(JsonWriter& json, std::string_view key, std::span<const Part> parts, const Part& total, Name name) {
  json.key(key).begin_array();
  for_each_part(parts, [&](std::size_t i, const Part& part) {
    json.new_line().begin_object().key("name").value(name(i)).key("pieces").value(part.pieces);
    json.key("share").value(sim::ratio(part.before, total.before));
    json.key("before_ns").value(part.before).key("after_ns").value(part.after).end_object();
  });
  json.end_array();
}

void device_work_members(JsonWriter& json, const WhatIfAnswer& answer) {
  json.key("device_work").begin_array();
  for (const DeviceShare& found : answer.scenario.prediction.shares) {
    const Part total = found.share.total();
    json.new_line().begin_object().key("change").value(found.change).key("kept").value(found.kept);
    write_parts(json, "scaled_by", found.share.by, total,
                [](std::size_t i) { return to_text(static_cast<ScaledBy>(i)); });
    write_parts(json, "classes", found.share.kind, total,
                [](std::size_t i) { return to_text(static_cast<KernelClass>(i)); });
    json.end_object();
  }
  json.end_array();
}

}  // namespace

extern const WhatIfReport device_work_report;
const WhatIfReport device_work_report{
    .id = "device work", .sections = device_work_sections, .members = device_work_members};

}  // namespace stepsim::scenarios
