#ifndef STEPSIM_CLI_PROGRAM_STAGES_H
#define STEPSIM_CLI_PROGRAM_STAGES_H

#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"
#include "model/base/units.h"

namespace stepsim::cli {

/// Measures the stages of a command, for --verbose: the time that passed, and the processor time of all threads. One
/// thread calls it. Stages do not overlap: a stage lasts until the next one begins.
class Stages {
 public:
  /// The time and processor time at one moment, since any fixed moment.
  struct Moment {
    Duration wall{};
    Duration processor{};
  };
  [[nodiscard]] static Moment now();

  /// Begins the stage "starting".
  explicit Stages(const Moment& at = now());
  /// Ends the current stage and begins `name`. A stage that begins again continues.
  void begin(std::string_view name, const Moment& at = now());
  /// Ends the last stage, and returns one line per stage, in the order in which they last began, and their total:
  /// "reading      812.0 ms   processor 801.3 ms".
  [[nodiscard]] std::string end(const Moment& at = now());

 private:
  struct Stage {
    std::string name;
    Moment spent;
  };
  void close(const Moment& at);

  std::vector<Stage> stages_;  ///< the last one is the current stage
  Moment began_;               ///< when the current stage began
};

/// Begins a stage of the session's command, if anybody measures them.
inline void begin_stage(const Session& session, std::string_view name) {
  if (session.stages != nullptr) session.stages->begin(name);
}

}  // namespace stepsim::cli

#endif
