#ifndef STEPSIM_CLI_WORK_RESULT_H
#define STEPSIM_CLI_WORK_RESULT_H

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/provenance.h"
#include "sim/export/exporter.h"
#include "sim/report/document.h"

namespace stepsim::cli {

/// The result of a command and all data that its forms refer to. The program prints it; a Host keeps it, and can write
/// it in any of its forms later.
class Result {
 public:
  /// Moves `value` into the result and returns a reference to it, which stays valid as long as the result exists.
  template <class Value>
  Value& keep(Value value) {
    auto kept = std::make_shared<Value>(std::move(value));
    Value& reference = *kept;
    kept_.push_back(std::move(kept));
    return reference;
  }

  /// Sets the document, and that it is all that the result consists of. `provenance` must be kept.
  void set(sim::Document document, const Provenance& provenance) {
    set(std::move(document), sim::Answer{.provenance = provenance});
  }
  /// Sets the document and the rest of what can be written to -o. What `answer` refers to must be kept; its `document`
  /// is set here.
  void set(sim::Document document, sim::Answer answer);

  /// Preconditions of both: set() was called.
  [[nodiscard]] const sim::Document& document() const noexcept { return *answer_->document; }
  [[nodiscard]] const sim::Answer& answer() const noexcept { return *answer_; }

 private:
  std::vector<std::shared_ptr<void>> kept_;
  std::optional<sim::Answer> answer_;
};

/// Reports the result of a command: writes it to -o FILE, if given, and prints its document unless -o is standard
/// output. If there is a Host, passes the result to it instead.
void report(Result result, const CommonOptions& options, const Session& session);

/// Prints `document` as text, or as one JSON object under --json.
void print_document(const sim::Document& document, const CommonOptions& options, const Session& session);

}  // namespace stepsim::cli

#endif
