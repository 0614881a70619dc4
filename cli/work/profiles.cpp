#include "cli/work/profiles.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/program/arguments.h"
#include "cli/work/work.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::cli {

namespace {

std::function<sim::RangeMean()> add_option(CLI::App& app, const char* name, sim::RangeMean otherwise,
                                           std::string_view what) {
  const auto* option = app.add_option(name)->type_name("KEY")->description(fmt::format(
      "{}: {} of its measurements (default: {})", what, one_of(words_of(sim::kRangeMeans)), sim::to_text(otherwise)));
  return [option, otherwise, name] {
    return option->count() > 0 ? chosen(fmt::format("key of {}", name), sim::kRangeMeans, option->results()).mean
                               : otherwise;
  };
}

}  // namespace

std::function<sim::RangeMean()> add_mean_option(CLI::App& app) {
  return add_option(app, "--mean", sim::RangeMean::kMedian, "Take as duration of a range");
}

std::function<sim::RangeMean()> add_begin_option(CLI::App& app) {
  return add_option(app, "--begin", sim::RangeMean::kEarly, "Take as start of a range");
}

namespace {

void refuse(bool given, std::string_view option) {
  if (given) {
    throw UsageError(
        fmt::format("{} cannot be used with an inline profile, which has no steps, ranks or links", option));
  }
}

void refuse_options_of_captures(const CommonOptions& options) {
  refuse(options.job_file.has_value(), "--job");
  refuse(options.steps.has_value(), "--steps");
  refuse(!options.ranks.empty(), "--ranks");
  refuse(options.network_given, "--network");
  refuse(options.cluster_file.has_value(), "--cluster");
}

}  // namespace

std::variant<ingest::LoadedRun, ingest::DetailedCapture> load_measured(const std::vector<std::string>& traces,
                                                                       const CommonOptions& options,
                                                                       const Session& session) {
  const auto read = [&](const ingest::LoadOptions& loading) {
    auto measured = ingest::load_measured(traces, loading);
    if (std::holds_alternative<ingest::LoadedRun>(measured)) refuse_options_of_captures(options);
    return measured;
  };
  return loaded(options, session, read, [](const auto& measured) {
    const auto* const run = std::get_if<ingest::LoadedRun>(&measured);
    return run != nullptr ? &run->inputs : &std::get<ingest::DetailedCapture>(measured).capture.inputs;
  });
}

ingest::LoadedRun load_profiled_run(const std::vector<std::string>& traces, const CommonOptions& options,
                                    const Session& session) {
  refuse_options_of_captures(options);
  return loaded(
      options, session, [&](const ingest::LoadOptions& loading) { return ingest::load_run(traces, loading); },
      [](const ingest::LoadedRun& run) { return &run.inputs; });
}

}  // namespace stepsim::cli
