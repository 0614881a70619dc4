#include "sim/report/pass_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/base/text.h"
#include "sim/output/json_writer.h"
#include "sim/report/cautions.h"
#include "sim/report/common_fields.h"

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

constexpr auto kPassTimes = std::to_array<Field<PassTimes>>({
    {"rank", at<&PassTimes::rank>, {"rank"}},
    {"host", at<&PassTimes::host>, {"worker"}},
    {"steps", at<&PassTimes::steps>, {"steps"}},
    {"iteration_ns", at<&PassTimes::iteration>, {"iteration"}},
    {"fw_bw_ns", at<&PassTimes::passes>, {"FW + BW"}},
});

struct Collected {
  const std::vector<PassTimes>& times;
  const Capture* capture;
  const std::vector<std::string>& written;
};
constexpr auto kCollected = std::to_array<Field<Collected>>({
    {"iteration_ns", [](const Collected& all) {
  return longest_iteration_of(all.times); }},
    {"fw_bw_ns", [](const Collected& all) {
  return longest_passes(all.times); }, {}, kLineAfter},
    {"ranks", [](const Collected& all) -> auto& { return all.times;
}  // namespace
, kPassTimes, kRowLines
}  // namespace stepsim::sim
, {"written", [](const Collected& all) -> auto& {return all.written;
}
, {}, kLineAfter
}
, {"ingest", at<&Collected::capture>, kIngest, kLineAfter},
});

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
  document.sections.push_back({.title = "Times of each rank", .table = table_of(kPassTimes, times)});
  document.sections.back().table->compare_times();
  for (Section& section : sections) document.sections.push_back(std::move(section));
  document.rows = [&times] { return rows_table(kPassTimes, times); };
  document.json = [&times, &capture, &written, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.collect/1", kCollected, Collected{times, &capture, written}, provenance);
  };
  return document;
}

AnswerSchema collect_schema() { return schema_of("stepsim.collect/1", kCollected); }

}  // namespace stepsim::sim
