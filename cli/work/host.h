#ifndef STEPSIM_CLI_WORK_HOST_H
#define STEPSIM_CLI_WORK_HOST_H

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

#include "cli/program/options.h"
#include "cli/program/terminal.h"
#include "cli/work/result.h"
#include "cli/work/what_if_session.h"
#include "model/job/recording.h"

namespace stepsim::cli {

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
  /// TRACE..., --job, --steps, --ranks and whether graphs without events are accepted.
  using Selected = std::tuple<std::vector<std::string>, std::optional<std::string>,
                              std::optional<std::pair<std::int64_t, std::int64_t>>, std::vector<Rank>, bool>;
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
