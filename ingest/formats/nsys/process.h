#ifndef STEPSIM_INGEST_FORMATS_NSYS_PROCESS_H
#define STEPSIM_INGEST_FORMATS_NSYS_PROCESS_H

#include <cstdint>
#include <string>

#include "ingest/parts/host_device_builder.h"

namespace stepsim::ingest {

/// Nsight Systems packs ids of the machine, the process and the thread into one number, the thread's into the last 24
/// bits. A process's number has 0 there.
[[nodiscard]] constexpr std::int64_t process_of_nsys_id(std::int64_t id) noexcept { return id >> 24; }
[[nodiscard]] constexpr std::int64_t thread_of_nsys_id(std::int64_t id) noexcept { return id & 0xFFFFFF; }

/// The events of one process, on their way into columns.
class NsysProcess : public HostDeviceBuilder {
 public:
  /// `id`: process_of_nsys_id() of its events.
  explicit NsysProcess(std::int64_t id) : number_(thread_of_nsys_id(id)), text_(std::to_string(number_)) {}

  /// The system's number of the process.
  [[nodiscard]] std::int64_t number() const noexcept { return number_; }
  /// The row of the thread with this globalTid.
  [[nodiscard]] TrackId thread(std::int64_t id) {
    return HostDeviceBuilder::thread(text_, std::to_string(thread_of_nsys_id(id)));
  }

 private:
  std::int64_t number_;
  std::string text_;
};

}  // namespace stepsim::ingest

#endif
