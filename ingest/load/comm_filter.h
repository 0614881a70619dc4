#ifndef STEPSIM_INGEST_LOAD_COMM_FILTER_H
#define STEPSIM_INGEST_LOAD_COMM_FILTER_H

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/chrome/chrome_events.h"
#include "ingest/load/sources.h"
#include "ingest/stitch/parameter_server/gpu_passes.h"

namespace stepsim::ingest {

/// Which communication of BytePS is kept: what is named "Comm.<tensor>" or "Comm.<tensor>.<STAGE>", as the list of
/// gradients calls the tensor or as it was recorded. All other events are kept.
class CommFilter {
 public:
  /// Throws UsageError if names are given and none of `sources` is a trace of BytePS.
  CommFilter(std::vector<std::string> names, const std::vector<Source>& sources);

  /// Says of an event of `source` whether it is kept; empty where all are. Valid as long as the filter.
  [[nodiscard]] std::function<bool(const ChromeEvent&)> keep_of(const Source& source);

  /// Throws UsageError, with the nearest, for a name that no event had. To be called when all have been seen.
  void refuse_unused() const;

 private:
  struct Gpu {
    explicit Gpu(std::vector<std::string> list) : names(std::move(list)), numbers(names) {}
    std::vector<std::string> names;
    TensorNames numbers;
  };

  [[nodiscard]] bool keeps(std::string_view event_name, const Gpu& gpu);
  [[nodiscard]] bool has(const std::string& name);

  std::vector<std::string> names_;
  std::set<std::string> used_;
  std::set<std::string> seen_;       ///< the tensors of events, with "Comm."
  std::map<std::string, Gpu> gpus_;  ///< by folder
};

}  // namespace stepsim::ingest

#endif
