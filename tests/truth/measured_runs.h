#ifndef STEPSIM_TESTS_TRUTH_MEASURED_RUNS_H
#define STEPSIM_TESTS_TRUTH_MEASURED_RUNS_H

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stepsim::testing {

/// The settings and measurements of one run, by column of the CSV file.
using MeasuredRun = std::map<std::string, std::string>;

/// Returns the rows of a CSV file of measured runs, or nothing if the file is absent. Quotes are not supported.
[[nodiscard]] std::vector<MeasuredRun> measured_runs(const std::filesystem::path& file);

/// Returns the captured run of a group, which is the base of predictions. Precondition: there is one.
[[nodiscard]] const MeasuredRun& base_of(const std::vector<MeasuredRun>& runs);

[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);
[[nodiscard]] double number(const MeasuredRun& run, const std::string& column);

}  // namespace stepsim::testing

#endif
