#include "tests/truth/measured_runs.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace stepsim::testing {
namespace {

std::vector<std::string> next_row(std::ifstream& file) {
  std::string line;
  std::getline(file, line);
  if (line.ends_with('\r')) line.pop_back();
  return split(line, ',');
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<MeasuredRun> measured_runs(const std::filesystem::path& file) {
  std::ifstream rows(file);
  const std::vector<std::string> columns = next_row(rows);
  std::vector<MeasuredRun> runs;
  while (rows) {
    const std::vector<std::string> values = next_row(rows);
    if (values.empty()) continue;
    MeasuredRun& run = runs.emplace_back();
    // split() drops an empty cell at the end of a line.
    for (std::size_t i = 0; i < columns.size(); ++i)
      run[columns[i]] = i == values.size() && i + 1 == columns.size() ? "" : values.at(i);
  }
  return runs;
}

const MeasuredRun& base_of(const std::vector<MeasuredRun>& runs) {
  return *std::find_if(runs.begin(), runs.end(), [](const MeasuredRun& run) { return run.at("is_base") == "1"; });
}

double number(const MeasuredRun& run, const std::string& column) { return std::stod(run.at(column)); }

}  // namespace stepsim::testing
