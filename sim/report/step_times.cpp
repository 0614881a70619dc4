#include "sim/report/step_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "model/base/text.h"
#include "sim/output/json_writer.h"
#include "sim/report/common_fields.h"
#include "sim/report/headline.h"

namespace stepsim::sim {
namespace {

/// Returns, by iteration number, the part of the rank that took longest.
std::map<std::int64_t, SimulatedSteps::Step> slowest(const SimulatedSteps& steps) {
  std::map<std::int64_t, SimulatedSteps::Step> result;
  for (const SimulatedSteps::Step& step : steps.steps) {
    const auto [slot, added] = result.try_emplace(step.number, step);
    if (!added && step.length > slot->second.length) slot->second = step;
  }
  return result;
}

constexpr auto kSimulatedStep = std::to_array<Field<SimulatedSteps::Step>>({
    {"rank", at<&SimulatedSteps::Step::rank>, {.title = "slowest rank", .form = Form::kId, .place = 1}},
    {"step", at<&SimulatedSteps::Step::number>, {"step", Use::kMain, Form::kId}},
    {"begin_ns", [](const SimulatedSteps::Step& step) { return step.begin - Time{}; }, {"start"}},
    {"replayed_ns", at<&SimulatedSteps::Step::length>, {"step time"}},
});

struct Simulated {
  const SimulatedSteps* steps;
  const Capture* capture;
  std::optional<std::string> output;
};
constexpr auto kSimulated = std::to_array<Field<Simulated>>({
    {"repeated_step", at<&Simulated::steps, &SimulatedSteps::repeated>},
    {"iterations", at<&Simulated::steps, &SimulatedSteps::iterations>},
    {"iteration_ns", at<&Simulated::steps, &SimulatedSteps::iteration>},
    {"span_ns", at<&Simulated::steps, &SimulatedSteps::span>},
    {"output", at<&Simulated::output>, {}, kLineAfter},
    {"steps", at<&Simulated::steps, &SimulatedSteps::steps>, kSimulatedStep, kRowLines},
    {"ingest", at<&Simulated::capture>, kIngest, kLineAfter},
    {"assumptions", [](const Simulated& all) { return sentences_of(all.capture->assumptions); }, {}, kLineAfter},
});

/// Returns the longest time of the forward and backward passes over all ranks; nothing if no rank has such a time.
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
    {"rank", at<&PassTimes::rank>, {"rank", Use::kMain, Form::kId}},
    {"host", at<&PassTimes::host>, {"worker"}},
    {"steps", at<&PassTimes::steps>, {"steps"}},
    {"iteration_ns", at<&PassTimes::iteration>, {"step time"}},
    {"fw_bw_ns", at<&PassTimes::passes>, {"forward + backward"}},
});

struct Collected {
  const std::vector<PassTimes>& times;
  const Capture* capture;
  const std::vector<std::string>& written;
};
const auto& ranks_of(const Collected& all) { return all.times; }
const auto& written_in(const Collected& all) { return all.written; }
constexpr auto kCollected = std::to_array<Field<Collected>>({
    {"iteration_ns", [](const Collected& all) { return longest_iteration_of(all.times); }},
    {"fw_bw_ns", [](const Collected& all) { return longest_passes(all.times); }, {}, kLineAfter},
    {"ranks", at<ranks_of>, kPassTimes, kRowLines},
    {"written", at<written_in>, {}, kLineAfter},
    {"ingest", at<&Collected::capture>, kIngest, kLineAfter},
});

}  // namespace

Document simulated_document(const SimulatedSteps& steps, const Capture& capture, const std::string& output,
                            std::size_t rows, const Provenance& provenance) {
  Document document{.warning = warning_of(capture),
                    .headline = fmt::format("Step time {}: step {} simulated {} in a row, {} in total.",
                                            stepsim::to_text(steps.iteration), steps.repeated,
                                            counted(steps.iterations, "time"), stepsim::to_text(steps.span)),
                    .caution = caution_of(capture.diagnostics)};
  std::vector<SimulatedSteps::Step> iterations;
  for (const auto& [number, step] : slowest(steps)) iterations.push_back(step);
  document.sections.push_back(
      {.title = "Simulated steps", .table = table_of(kSimulatedStep, iterations, {.most = rows, .compared = true})});
  add_more_sentence(document.sections.back(), iterations.size(), rows);
  if (!output.empty()) document.sections.back().sentences.emplace_back(fmt::format("Written to {}", shown(output)));
  if (!capture.assumptions.empty()) document.sections.push_back(assumptions_section(capture.assumptions));
  document.json = [&steps, &capture, &output, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.simulated/1", kSimulated,
                 Simulated{&steps, &capture, output.empty() ? std::nullopt : std::optional{output}}, provenance);
  };
  return document;
}

AnswerSchema simulated_schema() { return schema_of("stepsim.simulated/1", kSimulated); }

Document pass_times_document(const std::vector<PassTimes>& times, const Capture& capture, std::vector<Section> sections,
                             const std::vector<std::string>& written, const Provenance& provenance) {
  const std::optional<Duration> passes = longest_passes(times);
  Document document{
      .warning = warning_of(capture),
      .headline = fmt::format("Measured step time {}{} ({}).", stepsim::to_text(longest_iteration_of(times)),
                              passes ? fmt::format(", forward and backward pass {}", stepsim::to_text(*passes)) : "",
                              counted(times.size(), "rank")),
      .caution = caution_of(capture.diagnostics)};
  document.sections.push_back(
      {.title = "Times of each rank", .table = table_of(kPassTimes, times, {.compared = true})});
  for (Section& section : sections) document.sections.push_back(std::move(section));
  document.rows = [&times] { return rows_table(kPassTimes, times); };
  document.json = [&times, &capture, &written, &provenance](JsonWriter& json) {
    write_answer(json, "stepsim.collect/1", kCollected, Collected{times, &capture, written}, provenance);
  };
  return document;
}

AnswerSchema collect_schema() { return schema_of("stepsim.collect/1", kCollected); }

}  // namespace stepsim::sim
