#ifndef STEPSIM_CLI_WORK_RESULT_H
#define STEPSIM_CLI_WORK_RESULT_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/options.h"
#include "cli/program/provenance.h"
#include "cli/program/terminal.h"
#include "model/job/recording.h"
#include "sim/export/exporter.h"
#include "sim/report/document.h"

namespace stepsim::cli {

struct WhatIfSession;  // cli/work/what_if_session.h

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

/// What several commands on the same traces share, so that the traces are read once. Thread-safe.
class CaptureStore {
 public:
  using Read = std::function<Capture()>;
  using Prepare = std::function<std::shared_ptr<WhatIfSession>()>;

  /// Returns the capture that `options` select. Calls `read` if the last call selected another one.
  [[nodiscard]] std::shared_ptr<const Capture> capture(const CommonOptions& options, const Read& read);
  /// Returns the preparation of what-ifs about that capture. Calls `prepare` unless an earlier call had the same
  /// --network and the same `interference`; always with --cluster, whose file may have changed.
  [[nodiscard]] std::shared_ptr<WhatIfSession> what_ifs(const CommonOptions& options, bool interference,
                                                        const Prepare& prepare);

 private:
  /// TRACE..., --job, --steps, --ranks, whether graphs without events are accepted, and --anonymous.
  using Selected = std::tuple<std::vector<std::string>, std::optional<std::string>,
                              std::optional<std::pair<std::int64_t, std::int64_t>>, std::vector<Rank>, bool, bool>;
  [[nodiscard]] static Selected selected(const CommonOptions& options);

  std::mutex mutex_;
  std::optional<Selected> selected_;
  std::shared_ptr<const Capture> capture_;
  std::map<std::pair<std::string, bool>, std::shared_ptr<WhatIfSession>> what_ifs_;
};

/// A program that runs commands in its own process, for example the Python module.
struct Host {
  CaptureStore& captures;
  std::function<void(Result, const CommonOptions&)> take;  ///< receives the result of the command and its options
  Progress::Listener progress;  ///< receives the command's progress, which is not printed; called from any thread
};

}  // namespace stepsim::cli

#endif
