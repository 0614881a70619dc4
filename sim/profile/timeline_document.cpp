#include "sim/profile/timeline_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/report/common_fields.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kMostLevels = 12;  // levels of overlapping bars; all further bars share the last one

const MeasuredRange& range_of(const RangeTimeline& timeline, const RangeSummary& one) {
  return timeline.run.processes[one.process].ranges[one.range];
}

std::string host_of(const RangeProfile& profile) { return profile.host.empty() ? profile.file : profile.host; }

/// The ranges with one label, over all streams.
struct LabelRow {
  std::string label;
  std::size_t streams = 0;
  std::size_t samples = 0;
  std::size_t depth = std::numeric_limits<std::size_t>::max();
  std::optional<Duration> begin;  ///< begin of the earliest of these ranges
  Duration sum{};
  Duration longest{};
  Duration average{};
  std::optional<double> share;  ///< share of an iteration
};
constexpr auto kLabelRow = std::to_array<Field<LabelRow>>({
    {"", at<&LabelRow::label>, {"range"}},
    {"", at<&LabelRow::depth>, {"nested in", Use::kDetail}},
    {"", at<&LabelRow::streams>, {"streams", Use::kHelp}},
    {"", at<&LabelRow::begin>, {"start"}},
    {"", at<&LabelRow::average>, {"duration"}},
    {"", at<&LabelRow::longest>, {"longest"}},
    {"", at<&LabelRow::share>, {"share of step", Use::kMain, Form::kShare}},
    {"", at<&LabelRow::samples>, {"samples", Use::kHelp}},
});

std::vector<LabelRow> rows_by_label(const RangeTimeline& timeline) {
  std::map<std::string, LabelRow> by_label;
  for (const RangeSummary& one : timeline.ranges) {
    LabelRow& row = by_label[one.label];
    ++row.streams;
    row.samples += range_of(timeline, one).lengths.size();
    row.depth = std::min(row.depth, one.depth);
    if (one.begin && (!row.begin || *one.begin < *row.begin)) row.begin = one.begin;
    row.sum = saturated_sum(row.sum, one.length);
    row.longest = std::max(row.longest, one.length);
  }
  const std::optional<Duration> iteration = iteration_of(timeline.run, timeline.means.length);
  std::vector<LabelRow> rows;
  for (auto& [label, row] : by_label) {
    row.label = label;
    row.average = row.sum / static_cast<std::int64_t>(row.streams);
    if (iteration && *iteration > Duration{}) row.share = ratio(row.average, *iteration);
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const LabelRow& a, const LabelRow& b) { return a.begin < b.begin; });
  return rows;
}

Section labels_section(const RangeTimeline& timeline, std::size_t most) {
  const std::vector<LabelRow> rows = rows_by_label(timeline);
  Section section{.title = "Ranges, in order of start time",
                  .table = table_of(kLabelRow, rows, {.most = most, .compared = true})};
  add_more_sentence(section, rows.size(), most);
  section.sentences.emplace_back(
      fmt::format("start: time since the start of the step, {} of the samples, on the stream where it is earliest; "
                  "duration: {} of the samples, averaged over the streams; longest: the same on the slowest stream",
                  in_words(timeline.means.begin), in_words(timeline.means.length)));
  section.sentences.emplace_back("nested in: number of ranges around it, whose durations include it");
  return section;
}

std::string headline_of(const RangeTimeline& timeline) {
  std::set<std::string_view> labels;
  std::size_t samples = 0;
  for (const RangeSummary& one : timeline.ranges) {
    labels.insert(one.label);
    samples += range_of(timeline, one).lengths.size();
  }
  const ProfiledRun& run = timeline.run;
  const std::string where = run.processes.size() == 1 ? shown(host_of(run.processes.front()))
                                                      : fmt::format("{} processes", run.processes.size());
  const std::optional<Duration> iteration = iteration_of(run, timeline.means.length);
  return fmt::format(
      "{} ({} on {} of {}, {} from different steps).",
      iteration ? fmt::format("Step time {}, {}", stepsim::to_text(*iteration), in_words(timeline.means.length))
                : std::string("Step time not measured"),
      counted(labels.size(), "range"), counted(devices_in(run), "device"), where, counted(samples, "sample"));
}

/// Returns a caution if the order of the ranges shows that stalls disturbed the iterations.
std::string caution_of(const RangeTimeline& timeline) {
  const OrderCheck order = order_of(timeline.run, timeline.ranges);
  const double share = order.all == 0 ? 0 : static_cast<double>(order.contradicted) / static_cast<double>(order.all);
  // Share of ranges that may be out of order, because short neighbouring ranges swap by chance.
  constexpr double kFew = 0.02;
  if (share <= kFew) return {};
  return fmt::format(
      "{} of {} ranges end before the start of a range that precedes them in the code: some steps were disturbed, so "
      "the ranges do not fit together.{}",
      order.contradicted, order.all,
      timeline.means.begin == RangeMean::kEarly ? "" : " '--begin early' uses the undisturbed ones.");
}

Section diagnostics_section(const Diagnostics& diagnostics) {
  Section section{.title = "Input"};
  for (const Diagnostics::Entry& entry : diagnostics.entries())
    section.sentences.emplace_back(fmt::format("{} ({}): {}", entry.name, entry.count, entry.remedy));
  return section;
}

using Lengths = std::vector<Duration>;
template <RangeMean mean>
struct MeanOf {
  std::optional<Duration> operator()(const Lengths& measured) const { return mean_of(measured, mean); }
};
constexpr auto kMeans = std::to_array<Field<Lengths>>({
    {"count", at<&Lengths::size>, {"steps"}},
    {"median", MeanOf<RangeMean::kMedian>{}, {"median"}},
    {"trimmed", MeanOf<RangeMean::kTrimmed>{}, {"trimmed"}},
    {"arithmetic", MeanOf<RangeMean::kArithmetic>{}, {"arithmetic"}},
    {"early", MeanOf<RangeMean::kEarly>{}},
    {"", at<shortest_of>, {"min"}},
    {"", at<longest_of>, {"max"}},
});

constexpr auto kShownProcess = std::to_array<Field<RangeProfile>>({
    {"", at<host_of>, {"host"}},
    {"", at<&RangeProfile::ranges, &std::vector<MeasuredRange>::size>, {"ranges"}},
    {"", at<&RangeProfile::iterations>, kMeans},
});
Section processes_section(const RangeTimeline& timeline) {
  return {.title = "Whole steps", .table = table_of(kShownProcess, timeline.run.processes, {.compared = true})};
}

constexpr auto kProcess = std::to_array<Field<RangeProfile>>({
    {"host", at<&RangeProfile::host>},
    {"file", at<&RangeProfile::file>},
    {"iterations_ns", at<&RangeProfile::iterations>, kMeans},
});

struct RangeLine {
  const RangeSummary* summary;
  const RangeProfile* profile;
  const MeasuredRange* range;

  [[nodiscard]] const std::string& stream() const { return profile->streams[range->stream]; }
  [[nodiscard]] std::string host() const { return host_of(*profile); }
};
std::vector<RangeLine> range_lines(const RangeTimeline& timeline) {
  std::vector<RangeLine> lines;
  for (const RangeSummary& one : timeline.ranges)
    lines.push_back({&one, &timeline.run.processes[one.process], &range_of(timeline, one)});
  return lines;
}

constexpr auto kRange = std::to_array<Field<RangeLine>>({
    {"label", at<&RangeLine::summary, &RangeSummary::label>},
    {"name", at<&RangeLine::range, &MeasuredRange::name>},
    {"layer", at<&RangeLine::range, &MeasuredRange::layer>},
    {"host", at<&RangeLine::profile, &RangeProfile::host>},
    {"device", at<&RangeLine::range, &MeasuredRange::device>},
    {"stream", at<&RangeLine::stream>},
    {"occurrence", at<&RangeLine::range, &MeasuredRange::occurrence>},
    {"depth", at<&RangeLine::summary, &RangeSummary::depth>},
    {"start_index", at<&RangeLine::range, &MeasuredRange::start_index>},
    {"end_index", at<&RangeLine::range, &MeasuredRange::end_index>},
    {"begin_ns", at<&RangeLine::summary, &RangeSummary::begin>},
    {"length_ns", at<&RangeLine::summary, &RangeSummary::length>},
    {"lengths_ns", at<&RangeLine::range, &MeasuredRange::lengths>, kMeans},
    {"offsets_ns", at<&RangeLine::range, &MeasuredRange::offsets>, kMeans},
});

/// Returns the given mean of a range's lengths, for spreadsheets.
template <RangeMean mean>
struct LengthOf {
  Duration operator()(const RangeLine& line) const { return mean_of(line.range->lengths, mean).value_or(Duration{}); }
};
constexpr auto kSheet = std::to_array<Field<RangeLine>>({
    {"host", at<&RangeLine::host>},
    {"device", at<&RangeLine::range, &MeasuredRange::device>},
    {"stream", at<&RangeLine::stream>},
    {"range", at<&RangeLine::summary, &RangeSummary::label>},
    {"layer", at<&RangeLine::range, &MeasuredRange::layer>},
    {"depth", at<&RangeLine::summary, &RangeSummary::depth>},
    {"begin_ns", at<&RangeLine::summary, &RangeSummary::begin>},
    {"length_ns", at<&RangeLine::summary, &RangeSummary::length>},
    {"measured", [](const RangeLine& line) { return line.range->lengths.size(); }},
    {"median_ns", LengthOf<RangeMean::kMedian>{}},
    {"trimmed_ns", LengthOf<RangeMean::kTrimmed>{}},
    {"arithmetic_ns", LengthOf<RangeMean::kArithmetic>{}},
});

const auto& run_name(const RangeTimeline& timeline) { return timeline.run.name; }
const auto& processes_of(const RangeTimeline& timeline) { return timeline.run.processes; }
const auto& entries_of(const RangeTimeline& timeline) { return timeline.diagnostics.entries(); }
constexpr auto kTimeline = std::to_array<Field<RangeTimeline>>({
    {"run", at<run_name>},
    {"mean", [](const RangeTimeline& timeline) { return to_text(timeline.means.length); }},
    {"begin", [](const RangeTimeline& timeline) { return to_text(timeline.means.begin); }},
    {"iteration_ns",
     [](const RangeTimeline& timeline) { return iteration_of(timeline.run, timeline.means.length); },
     {},
     kLineAfter},
    {"processes", at<processes_of>, kProcess, kRowLines},
    {"ranges", at<range_lines>, kRange, kRowLines},
    {"diagnostics", at<entries_of>, kDiagnostic, kRowLines},
});

/// Places the bars of a row on levels. Each bar gets the first level, starting with its nesting depth, on which it
/// covers no other bar.
class Levels {
 public:
  std::uint32_t place(Duration begin, Duration end, std::size_t depth) {
    std::size_t level = std::min(depth, kMostLevels - 1);
    while (level + 1 < kMostLevels && ends_[level] > begin) ++level;
    ends_[level] = std::max(ends_[level], end);
    return static_cast<std::uint32_t>(level);
  }

 private:
  std::array<Duration, kMostLevels> ends_{};
};

}  // namespace

Document timeline_document(const RangeTimeline& timeline, std::size_t rows, const Provenance& provenance) {
  Document document{.headline = headline_of(timeline), .caution = caution_of(timeline)};
  document.sections.push_back(labels_section(timeline, rows));
  document.sections.push_back(processes_section(timeline));
  document.sections.push_back(diagnostics_section(timeline.diagnostics));
  std::erase_if(document.sections, [](const Section& section) { return section.empty(); });
  document.rows = [&timeline] { return rows_table(kSheet, range_lines(timeline)); };
  document.json = [&timeline, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.timeline/1", kTimeline, timeline, provenance);
  };
  return document;
}

BarChart chart_of(const RangeTimeline& timeline) {
  BarChart chart{.title = "One step, assembled from ranges of different steps",
                 .axis = "time since the start of the step"};
  std::map<std::string, std::uint32_t> kinds;
  const auto kind_of = [&](const std::string& name) {
    const auto [slot, added] = kinds.try_emplace(name, static_cast<std::uint32_t>(chart.kinds.size()));
    if (added) chart.kinds.push_back(name);
    return slot->second;
  };
  if (const auto iteration = iteration_of(timeline.run, timeline.means.length)) {
    chart.rows.push_back({.name = "whole step",
                          .bars = {{.length = *iteration,
                                    .kind = kind_of("whole step"),
                                    .hint = fmt::format("whole step: {}", stepsim::to_text(*iteration))}}});
  }
  Levels levels;
  const RangeSummary* last = nullptr;
  for (const RangeSummary& one : timeline.ranges) {
    if (!one.begin) continue;
    const RangeProfile& profile = timeline.run.processes[one.process];
    const MeasuredRange& range = range_of(timeline, one);
    const bool same_row = last != nullptr && last->process == one.process &&
                          range_of(timeline, *last).device == range.device &&
                          range_of(timeline, *last).stream == range.stream;
    if (!same_row) {
      chart.rows.push_back({.group = host_of(profile),
                            .name = fmt::format("device {}, {}", range.device, profile.streams[range.stream])});
      levels = {};
    }
    last = &one;
    chart.rows.back().bars.push_back({.begin = *one.begin,
                                      .length = one.length,
                                      .kind = kind_of(range.layer.empty() ? range.name : range.layer),
                                      .level = levels.place(*one.begin, *one.begin + one.length, one.depth),
                                      .hint = fmt::format("{}: {}, from {}", one.label, stepsim::to_text(one.length),
                                                          stepsim::to_text(*one.begin))});
  }
  return chart;
}

AnswerSchema timeline_schema() { return schema_of("stepsim.timeline/1", kTimeline); }

}  // namespace stepsim::sim
