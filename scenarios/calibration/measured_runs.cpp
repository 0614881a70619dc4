#include "scenarios/calibration/measured_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string_view>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "scenarios/change/what_if.h"

namespace stepsim::scenarios {
namespace {

constexpr double kLongestStep = 1e6;  // seconds

constexpr auto kOwnColumns =
    std::to_array<std::string_view>({"name", "model", "capture", "gpus", "set", "step", "step_s", "step_ms",
                                     "tokens_per_s", "samples_per_s", "memory_in_use"});
/// Short names of parallel plans, as tables of Megatron-LM and of papers have them.
constexpr auto kShort = std::to_array<std::pair<std::string_view, std::string_view>>({{"dp", "data"},
                                                                                      {"tp", "tensor"},
                                                                                      {"pp", "pipeline"},
                                                                                      {"ep", "expert"},
                                                                                      {"mbs", "micro_batch"},
                                                                                      {"gbs", "global_batch"},
                                                                                      {"seq", "sequence"}});

/// What the columns of a table mean.
class Columns {
 public:
  Columns(const CsvTable& table, std::span<const std::string> model_options) : table_(table) {
    for (const std::string& option : model_options) option_of_[with_underscores(option)] = option;
    for (const WhatIf* const what_if : what_ifs()) {
      const bool has_short_names = what_if->name == "parallel" || what_if->name == "cluster";
      for (const Parameter& parameter : what_if->parameters) {
        const std::string key = fmt::format("{}.{}", what_if->name, parameter.name);
        key_of_.emplace(key, key);
        // `sequence` is the number of tokens of `stepsim model`; only the size of a micro batch is said to both.
        const bool is_of_model = option_of_.contains(std::string(parameter.name)) && parameter.name != "micro_batch";
        if (has_short_names && !is_of_model) key_of_.emplace(parameter.name, key);
      }
    }
    for (const std::string& written : table.columns.cells) names_.push_back(meaning_of(written));
  }

  [[nodiscard]] std::vector<std::string> unused() const {
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i].empty() && !table_.columns.cells[i].empty()) columns.push_back(table_.columns.cells[i]);
    return columns;
  }

  /// Returns the cells of a line that are not empty, by the names of their columns.
  [[nodiscard]] std::map<std::string, std::string> cells(const CsvLine& line) const {
    std::map<std::string, std::string> cells;
    for (std::size_t i = 0; i < line.cells.size(); ++i)
      if (!names_[i].empty() && !line.cells[i].empty()) cells.emplace(names_[i], line.cells[i]);
    return cells;
  }

  /// Returns the option of `stepsim model` of a column, or an empty text.
  [[nodiscard]] std::string option(const std::string& name) const { return found(option_of_, name); }
  /// Returns the what-if and parameter of a column, or an empty text.
  [[nodiscard]] std::string key(const std::string& name) const { return found(key_of_, name); }

 private:
  static std::string with_underscores(std::string text) {
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
  }

  static std::string found(const std::map<std::string, std::string>& map, const std::string& name) {
    const auto place = map.find(name);
    return place == map.end() ? std::string() : place->second;
  }

  /// Returns the name by which cells() has a column, or an empty text if it is not used.
  [[nodiscard]] std::string meaning_of(const std::string& written) const {
    std::string name = with_underscores(written);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    for (const auto& [short_name, long_name] : kShort)
      if (name == short_name) name = long_name;
    std::vector<std::string> known(kOwnColumns.begin(), kOwnColumns.end());
    for (const auto* const map : {&option_of_, &key_of_})
      for (const auto& [one, meaning] : *map) known.push_back(one);
    if (std::find(known.begin(), known.end(), name) != known.end()) return name;
    if (const auto nearest = nearest_name(name, known)) {
      throw InputError({table_.name, {}, table_.columns.number},
                       fmt::format("unknown column '{}'; did you mean '{}'?", shown(written), *nearest));
    }
    return {};
  }

  const CsvTable& table_;
  std::map<std::string, std::string> option_of_;
  std::map<std::string, std::string> key_of_;
  std::vector<std::string> names_;
};

/// Reads one line of a table.
class Line {
 public:
  Line(const std::string& file, const CsvLine& line, const Columns& columns)
      : file_(file), line_(line.number), columns_(columns), cells_(columns.cells(line)) {}

 private:
  [[noreturn]] void fail(const std::string& problem) const { throw InputError({file_, {}, line_}, problem); }
  [[nodiscard]] bool has(const std::string& name) const { return cells_.contains(name); }
  [[nodiscard]] std::string text(const std::string& name) const { return has(name) ? cells_.at(name) : std::string(); }

  template <class Parse>
  [[nodiscard]] auto parsed(const std::string& name, Parse parse) const {
    try {
      return parse(text(name));
    } catch (const std::invalid_argument& problem) {
      fail(fmt::format("{}: {}", name, problem.what()));
    }
  }

  [[nodiscard]] double number(const std::string& name) const {
    const auto value = parse_number<double>(text(name));
    if (!value || !std::isfinite(*value) || *value <= 0)
      fail(fmt::format("{} is '{}'; expected a number above 0", name, shown(text(name))));
    return *value;
  }
  [[nodiscard]] std::uint32_t whole(const std::string& name) const {
    constexpr double kMostOfCell = 1e9;
    const double value = number(name);
    if (std::floor(value) != value || value > kMostOfCell)
      fail(fmt::format("{} is '{}'; expected a whole number", name, shown(text(name))));
    return static_cast<std::uint32_t>(value);
  }
  [[nodiscard]] std::uint32_t whole_or_one(const std::string& name) const { return has(name) ? whole(name) : 1; }

  /// Divides a text at blanks. Blanks within single quotes belong to a word: --device 'A100 80GB'.
  static std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> found;
    bool quoted = false;
    bool in_word = false;
    for (const char c : text) {
      if (c == '\'') quoted = !quoted;
      const bool ends = c == ' ' && !quoted;
      if (!ends && !in_word) found.emplace_back();
      in_word = !ends;
      if (in_word && c != '\'') found.back() += c;
    }
    return found;
  }

  void read_model(MeasuredRun& run) const {
    run.model = words(text("model"));
    for (const auto& [name, cell] : cells_) {
      const std::string option = columns_.option(name);
      if (option.empty()) continue;
      if (!run.capture.empty() && columns_.key(name).empty())
        fail(fmt::format("'{}' describes a modelled step, but the line names a capture", name));
      if (run.capture.empty()) run.model.insert(run.model.end(), {"--" + option, cell});
    }
  }

  [[nodiscard]] std::uint32_t replicas() const {
    const std::uint32_t others = whole_or_one("tensor") * whole_or_one("pipeline");
    if (!has("gpus")) return whole_or_one("data");
    const std::uint32_t replicas = whole("gpus") / others;
    if (replicas * others != whole("gpus"))
      fail(fmt::format("{} GPUs are no multiple of tensor x pipeline, {}", whole("gpus"), others));
    if (has("data") && whole("data") != replicas)
      fail(fmt::format("{} GPUs are not data x tensor x pipeline; expected data {}", whole("gpus"), replicas));
    return replicas;
  }

  void read_plan(MeasuredRun& run) const {
    const bool is_divided = has("gpus") || has("data") || has("tensor") || has("pipeline") || has("global_batch");
    if (is_divided) run.sets.push_back(fmt::format("parallel.data={}", replicas()));
    for (const auto& [name, cell] : cells_) {
      const std::string key = columns_.key(name);
      // The size of a micro batch also belongs to a step that is not divided.
      if (key.empty() || name == "data" || (name == "micro_batch" && !is_divided)) continue;
      run.sets.push_back(fmt::format("{}={}", key, cell));
    }
  }

  [[nodiscard]] double samples() const {
    return has("global_batch") ? whole("global_batch") : double{1} * whole_or_one("micro_batch") * replicas();
  }

  [[nodiscard]] Duration step() const {
    double seconds = 0;
    if (has("step")) {
      seconds = static_cast<double>(parsed("step", parse_duration).count()) / 1e9;
    } else if (has("step_s")) {
      seconds = number("step_s");
    } else if (has("step_ms")) {
      seconds = number("step_ms") / 1e3;
    } else if (has("samples_per_s")) {
      seconds = samples() / number("samples_per_s");
    } else if (has("tokens_per_s")) {
      if (!has("sequence")) fail("tokens_per_s: expected the column 'sequence' too: the tokens of a sample");
      seconds = samples() * whole("sequence") / number("tokens_per_s");
    } else {
      fail("expected a measured step: a cell of 'step', 'step_s', 'step_ms', 'tokens_per_s' or 'samples_per_s'");
    }
    if (!(seconds > 0 && seconds <= kLongestStep))
      fail(fmt::format("the step takes {:g} s; expected more than 0 and at most {:g} s", seconds, kLongestStep));
    return Duration{std::llround(seconds * 1e9)};
  }

 public:
  [[nodiscard]] MeasuredRun run() const {
    MeasuredRun run{.line = line_, .name = text("name"), .capture = text("capture")};
    if (text("model").empty() == run.capture.empty())
      fail("expected a cell in one of the columns 'model' and 'capture'");
    read_model(run);
    read_plan(run);
    const std::vector<std::string> sets = words(text("set"));
    run.sets.insert(run.sets.end(), sets.begin(), sets.end());
    run.step = step();
    if (has("memory_in_use")) run.in_use = parsed("memory_in_use", parse_bytes);
    return run;
  }

 private:
  const std::string& file_;
  std::uint32_t line_;
  const Columns& columns_;
  std::map<std::string, std::string> cells_;
};

/// Names runs that have no name by those of their cells that differ from line to line.
void name_by_difference(const CsvTable& table, const Columns& columns, std::vector<MeasuredRun>& runs) {
  std::map<std::string, std::map<std::string, std::size_t>> values;
  for (const CsvLine& line : table.lines)
    for (const auto& [name, cell] : columns.cells(line)) ++values[name][cell];
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].name.empty()) continue;
    for (const auto& [name, cell] : columns.cells(table.lines[i])) {
      const bool is_result = name.starts_with("step") || name.ends_with("_per_s") || name == "memory_in_use";
      if (!is_result && values[name][cell] < runs.size())
        add_item(runs[i].name, fmt::format("{} {}", name, shown(cell, 30)));
    }
    if (runs[i].name.empty()) runs[i].name = fmt::format("line {}", runs[i].line);
  }
}

}  // namespace

MeasuredRuns measured_runs_of(const CsvTable& table, std::span<const std::string> model_options) {
  const Columns columns(table, model_options);
  MeasuredRuns all{.file = table.name, .runs = {}, .unused = columns.unused()};
  for (const CsvLine& line : table.lines) all.runs.push_back(Line(table.name, line, columns).run());
  if (all.runs.empty()) {
    throw InputError({table.name, {}, {}},
                     "the file has no line below the names of its columns; expected measured steps");
  }
  name_by_difference(table, columns, all.runs);
  return all;
}

}  // namespace stepsim::scenarios
