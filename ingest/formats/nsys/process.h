#ifndef STEPSIM_INGEST_FORMATS_NSYS_PROCESS_H
#define STEPSIM_INGEST_FORMATS_NSYS_PROCESS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "ingest/parts/part.h"
#include "ingest/parts/text_table.h"

namespace stepsim::ingest {

/// Nsight Systems packs ids of the machine, the process and the thread into one number, the thread's into the last 24
/// bits. A process's number has 0 there.
[[nodiscard]] constexpr std::int64_t process_of_nsys_id(std::int64_t id) noexcept { return id >> 24; }
[[nodiscard]] constexpr std::int64_t thread_of_nsys_id(std::int64_t id) noexcept { return id & 0xFFFFFF; }

/// When something ran, on the clock of the trace.
struct NsysTime {
  Time start;
  Duration length{};
};

/// The events of one process, on their way into columns.
class NsysProcess {
 public:
  /// `id`: process_of_nsys_id() of its events.
  explicit NsysProcess(std::int64_t id) : id_(id) {}

  /// The system's number of the process.
  [[nodiscard]] std::int64_t number() const noexcept { return thread_of_nsys_id(id_); }

  /// Adds an event and returns its index.
  std::uint32_t add(EventKind kind, std::string_view name, TrackId track, NsysTime time, std::int64_t correlation = -1);
  /// The detail of an event, made if it has none. Valid until the next call.
  [[nodiscard]] EventDetail& detail(std::uint32_t event);
  [[nodiscard]] TextId text(std::string_view text) { return texts_.intern(text); }
  void set_launch(std::uint32_t event, const KernelLaunch& launch);

  [[nodiscard]] TrackId thread(std::int64_t id);
  void name_thread(std::int64_t id, std::string_view name);
  [[nodiscard]] TrackId stream(std::int32_t device, std::int64_t stream);

  [[nodiscard]] const HostDeviceTrace& trace() const noexcept { return trace_; }
  [[nodiscard]] std::string_view name_of(std::uint32_t event) const { return texts_.text(trace_.name[event]); }
  /// The device on which most kernels and copies ran; nothing if there are none.
  [[nodiscard]] std::optional<std::int32_t> device() const;
  [[nodiscard]] HostDeviceTrace take() &&;

 private:
  std::int64_t id_;
  HostDeviceTrace trace_;
  TextTable texts_;
  std::map<std::int64_t, TrackId> threads_;
  std::map<std::pair<std::int32_t, std::int64_t>, TrackId> streams_;
  std::map<KernelLaunch, std::uint32_t> launches_;
};

}  // namespace stepsim::ingest

#endif
