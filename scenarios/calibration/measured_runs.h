#ifndef STEPSIM_SCENARIOS_CALIBRATION_MEASURED_RUNS_H
#define STEPSIM_SCENARIOS_CALIBRATION_MEASURED_RUNS_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/base/csv.h"
#include "model/base/units.h"

namespace stepsim::scenarios {

/// A measured step, and how to ask for it: a line of runs.csv (docs/guides/measured-machine.md).
struct MeasuredRun {
  std::uint32_t line = 0;          ///< in the file
  std::string name;                ///< of the column `name`, or what tells the line from the others
  std::string capture;             ///< path of a trace; empty if `model` says what to model
  std::vector<std::string> model;  ///< arguments of `stepsim model`
  std::vector<std::string> sets;   ///< changes of it as --set has them
  Duration step{};                 ///< measured; above 0
  std::optional<Bytes> in_use;     ///< memory in use on the device that is filled most, as nvidia-smi shows it
};

/// The measured steps of a file.
struct MeasuredRuns {
  std::string file;
  std::vector<MeasuredRun> runs;
  std::vector<std::string> unused;  ///< columns that mean nothing to stepsim
};

/// Reads the lines of a table. A column is one of the following, and may be empty in some lines:
///
/// - `model` (words after `stepsim model`) or `capture` (a trace), and `name`;
/// - an option of `stepsim model` such as `layers` or `micro_batch`; `model_options` are their names without dashes;
/// - `gpus`, and `data`, `tensor`, `pipeline` (dp, tp, pp) and other parameters of the what-ifs `parallel` and
///   `cluster`, by their names;
/// - any what-if, such as `network.bandwidth`, and `set` with several of them, separated by blanks;
/// - `step`, `step_s` or `step_ms`, or `tokens_per_s` or `samples_per_s`; and `memory_in_use`.
///
/// Throws InputError with the line for a value that has no meaning, a line without a measured time or without a model,
/// for a column that is similar to one of these, and for a table without lines.
[[nodiscard]] MeasuredRuns measured_runs_of(const CsvTable& table, std::span<const std::string> model_options);

}  // namespace stepsim::scenarios

#endif
