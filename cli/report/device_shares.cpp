#include "cli/report/device_shares.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "cli/report/json_parts.h"
#include "sim/report/table.h"

namespace stepsim::cli {
namespace {

using scenarios::DeviceShare;
using sim::Align;
using sim::Document;
using sim::JsonWriter;
using sim::Table;
using Part = ScaledShare::Part;

std::string_view in_words(ScaledBy by) {
  static constexpr std::array<std::string_view, kScaledByCount> kWords{"its shapes: the matrix units bound it",
                                                                       "its shapes: memory bounds it",
                                                                       "its shapes: so little that its start bounds it",
                                                                       "its class of kernel, without shapes",
                                                                       "the factor that was given",
                                                                       "left as it was"};
  return kWords[static_cast<std::size_t>(by)];
}

double share_of(const Part& part, const Part& total) {
  return total.before == Duration{}
             ? 0.0
             : static_cast<double>(part.before.count()) / static_cast<double>(total.before.count());
}

/// Calls `take` with the place of each part that holds anything.
template <class Take>
void for_each_part(std::span<const Part> parts, Take take) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].pieces > 0) take(i, parts[i]);
  }
}

template <class Name>
Table table_of(std::string title, std::span<const Part> parts, const Part& total, Name name) {
  Table table({{std::move(title), Align::kLeft}, {"pieces"}, {"share"}, {"before"}, {"after"}});
  for_each_part(parts, [&](std::size_t i, const Part& part) {
    table.add_row({std::string(name(i)), fmt::to_string(part.pieces), sim::percent(share_of(part, total)),
                   to_text(part.before), to_text(part.after)});
  });
  return table;
}

template <class Name>
void write_parts(JsonWriter& json, std::string_view key, std::span<const Part> parts, const Part& total, Name name) {
  json.key(key).begin_array();
  for_each_part(parts, [&](std::size_t i, const Part& part) {
    json.new_line().begin_object().key("name").value(name(i));
    json.key("pieces").value(static_cast<std::int64_t>(part.pieces)).key("share").value(share_of(part, total));
    write_duration(json, "before_ns", part.before);
    write_duration(json, "after_ns", part.after);
    json.end_object();
  });
  json.end_array();
}

}  // namespace

std::vector<Document::Section> share_sections(const std::vector<DeviceShare>& shares) {
  std::vector<Document::Section> sections;
  for (const DeviceShare& found : shares) {
    const Part total = found.share.total();
    Document::Section by_how{
        fmt::format("Device work under {}", found.change),
        table_of("scaled by", found.share.by, total, [](std::size_t i) { return in_words(static_cast<ScaledBy>(i)); }),
        {}};
    if (found.share.by[static_cast<std::size_t>(ScaledBy::kUnchanged)].pieces > 0)
      by_how.sentences.push_back(fmt::format("left as they were: {}", found.kept));
    sections.push_back(std::move(by_how));
    sections.push_back(
        {"The same by class of kernel",
         table_of("class", found.share.kind, total, [](std::size_t i) { return to_text(static_cast<KernelClass>(i)); }),
         {}});
  }
  return sections;
}

void write_shares(JsonWriter& json, const std::vector<DeviceShare>& shares) {
  json.key("device_work").begin_array();
  for (const DeviceShare& found : shares) {
    const Part total = found.share.total();
    json.new_line().begin_object().key("change").value(found.change).key("kept").value(found.kept);
    write_parts(json, "scaled_by", found.share.by, total,
                [](std::size_t i) { return to_text(static_cast<ScaledBy>(i)); });
    write_parts(json, "classes", found.share.kind, total,
                [](std::size_t i) { return to_text(static_cast<KernelClass>(i)); });
    json.end_object();
  }
  json.end_array().new_line();
}

}  // namespace stepsim::cli
