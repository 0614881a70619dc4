#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_BY_NAME_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_BY_NAME_H

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// What a function says of the names of a trace's events. It is asked once for each name, not for each event.
template <class Function>
class ByName {
 public:
  using Value = std::decay_t<std::invoke_result_t<Function, std::string_view>>;

  /// `trace` must outlive this.
  ByName(const HostDeviceTrace& trace, Function function) : trace_(trace) {
    values_.reserve(trace.texts.size());
    for (const std::string& text : trace.texts) values_.push_back(function(text));
  }

  [[nodiscard]] Value operator()(std::uint32_t event) const noexcept { return values_[trace_.name[event].index()]; }

 private:
  const HostDeviceTrace& trace_;
  std::vector<Value> values_;
};

}  // namespace stepsim::ingest

#endif
