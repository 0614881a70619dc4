#include "cli/work/host.h"

namespace stepsim::cli {

CaptureStore::Selected CaptureStore::selected(const CommonOptions& options) {
  return {options.traces, options.job_file, options.steps, options.ranks, options.untimed};
}

std::shared_ptr<const Capture> CaptureStore::capture(const CommonOptions& options, const Read& read) {
  const std::lock_guard lock(mutex_);
  if (Selected wanted = selected(options); selected_ != wanted) {
    selected_.reset();
    what_ifs_.clear();
    capture_ = std::make_shared<const Capture>(read());
    selected_ = std::move(wanted);
  }
  return capture_;
}

std::shared_ptr<WhatIfSession> CaptureStore::what_ifs(const CommonOptions& options, bool interference,
                                                      const Prepare& prepare) {
  const std::string network = options.network_given ? std::string(options.network->name) : std::string{};
  const std::pair key{network, interference};
  {
    const std::lock_guard lock(mutex_);
    const auto found = what_ifs_.find(key);
    if (found != what_ifs_.end() && selected_ == selected(options) && !options.cluster_file) return found->second;
  }
  std::shared_ptr<WhatIfSession> prepared = prepare();  // reads the capture, which takes the lock
  const std::lock_guard lock(mutex_);
  if (selected_ == selected(options) && !options.cluster_file) what_ifs_[key] = prepared;
  return prepared;
}

}  // namespace stepsim::cli
