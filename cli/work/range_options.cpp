#include "cli/work/range_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/program/named_values.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

std::function<sim::RangeMean()> add_option(CLI::App& app, const char* name, sim::RangeMean otherwise,
                                           std::string_view what) {
  const auto* option = app.add_option(name)->type_name("KEY")->description(fmt::format(
      "{}: {} of the measurements (default: {})", what, one_of(words_of(sim::kRangeMeans)), sim::to_text(otherwise)));
  return [option, otherwise, name] {
    return option->count() > 0 ? chosen(fmt::format("key of {}", name), sim::kRangeMeans, option->results()).mean
                               : otherwise;
  };
}

}  // namespace

std::function<sim::RangeMean()> add_mean_option(CLI::App& app) {
  return add_option(app, "--mean", sim::RangeMean::kMedian, "how long a range and an iteration take");
}

std::function<sim::RangeMean()> add_begin_option(CLI::App& app) {
  return add_option(app, "--begin", sim::RangeMean::kEarly, "when a range begins");
}

}  // namespace stepsim::cli
