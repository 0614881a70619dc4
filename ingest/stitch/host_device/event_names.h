#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_EVENT_NAMES_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_EVENT_NAMES_H

#include <cstdint>
#include <vector>

#include "ingest/parts/part.h"
#include "ingest/stitch/assembly.h"

namespace stepsim::ingest {

/// The names of one trace's events in an Assembly. Each text is interned once, when it is first
/// asked for. Both must outlive this.
class EventNames {
 public:
  EventNames(const HostDeviceTrace& trace, Assembly& assembly)
      : trace_(trace), assembly_(assembly), names_(trace.texts.size()) {}

  [[nodiscard]] NameId of(std::uint32_t event) {
    NameId& name = names_[trace_.name[event].index()];
    if (!name.valid()) name = assembly_.builder.intern(trace_.text(trace_.name[event]));
    return name;
  }

 private:
  const HostDeviceTrace& trace_;
  Assembly& assembly_;
  std::vector<NameId> names_;  // by TextId
};

}  // namespace stepsim::ingest

#endif
