#ifndef STEPSIM_TESTS_TRUTH_MEASURED_RUNS_H
#define STEPSIM_TESTS_TRUTH_MEASURED_RUNS_H

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stepsim::testing {

/// The folder `truth` of what is shared, beside the sources. There may be none.
[[nodiscard]] std::filesystem::path truth_folder();

/// One run: its settings and what was measured, by column.
using MeasuredRun = std::map<std::string, std::string>;

/// The rows of a CSV file without quotes, as the measured runs are kept in; none if it is absent.
[[nodiscard]] std::vector<MeasuredRun> measured_runs(const std::filesystem::path& file);

/// The captured one of a group's runs. Precondition: there is one.
[[nodiscard]] const MeasuredRun& base_of(const std::vector<MeasuredRun>& runs);

[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);
[[nodiscard]] double number(const MeasuredRun& run, const std::string& column);

}  // namespace stepsim::testing

#endif
