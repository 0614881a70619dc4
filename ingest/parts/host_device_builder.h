#ifndef STEPSIM_INGEST_PARTS_HOST_DEVICE_BUILDER_H
#define STEPSIM_INGEST_PARTS_HOST_DEVICE_BUILDER_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "ingest/parts/part.h"
#include "ingest/parts/text_table.h"
#include "model/job/task_tables.h"

namespace stepsim::ingest {

/// Returns a kernel's launch configuration from what CUPTI recorded: blocks of the grid, threads per block, registers
/// per thread, and bytes of shared memory per block. Returns nullopt if a value is impossible, for example because it
/// was not recorded.
[[nodiscard]] std::optional<KernelLaunch> recorded_launch(std::int64_t blocks, std::int64_t threads,
                                                          std::int64_t registers, std::int64_t shared_memory) noexcept;

/// Start and length of an event, on the clock of its trace.
struct RecordedTime {
  Time start;
  Duration length{};
};

/// Builds a HostDeviceTrace event by event.
class HostDeviceBuilder {
 public:
  using ModuleCall = HostDeviceTrace::ModuleCall;

  /// Adds an event and returns its index.
  std::uint32_t add(EventKind kind, std::string_view name, TrackId track, RecordedTime time,
                    std::int64_t correlation = -1);
  /// Reserves memory for `events` events, assuming that they are like those added so far.
  void reserve(std::size_t events);
  /// Returns the detail of an event, and adds it if the event has none. The reference is valid until the next call.
  [[nodiscard]] EventDetail& detail(std::uint32_t event);
  [[nodiscard]] TextId text(std::string_view text) { return texts_.intern(text); }
  [[nodiscard]] ProcessGroupId group(const ProcessGroup& group);
  /// Returns the group that a text describes (process_groups.h).
  [[nodiscard]] ProcessGroupId group(std::string_view text);
  void set_launch(std::uint32_t event, const KernelLaunch& launch);
  void set_correlation(std::uint32_t event, std::int64_t correlation) { trace_.correlation.set(event, correlation); }
  /// Turns an operator into the runtime call that launches device work, and returns the call's correlation id. For
  /// formats that record operators but no runtime calls.
  std::int64_t launch_from(std::uint32_t op) {
    trace_.kind[op] = EventKind::kRuntimeCall;
    set_correlation(op, op);
    return op;
  }
  void add_step(std::uint32_t event, std::int64_t number) { trace_.steps.push_back({event, number}); }
  void add_overhead(std::string_view kind, RecordedTime time, bool queue_full) {
    trace_.overheads.push_back({texts_.intern(kind), time.start, time.length, queue_full});
  }
  void add_hand_over(std::uint32_t from, std::uint32_t to) { trace_.hand_overs.push_back({from, to}); }
  void add_module(const ModuleCall& call) { trace_.modules.push_back(call); }
  void add_python(const ModuleCall& call) { trace_.python.push_back(call); }
  void add_memory(const HostDeviceTrace::MemoryEvent& memory) { trace_.memory.push_back(memory); }
  /// Sets the operator of an event, as an index into HostDeviceTrace::operators, which the caller fills after take().
  void set_operator(std::uint32_t event, std::uint32_t which) { trace_.operator_of.set(event, which); }
  void set_flops(std::uint32_t event, double flops) { trace_.flops_of.push_back({event, flops}); }

  [[nodiscard]] TrackId thread(std::string_view process, std::string_view thread);
  [[nodiscard]] TrackId stream(std::int32_t device, std::int64_t stream);
  /// Returns the row of a device's stream in a file in which several processes can use devices of one number. `thread`
  /// is the row's tid.
  [[nodiscard]] TrackId stream(std::string_view process, std::string_view thread, std::int32_t device,
                               std::int64_t stream);

  [[nodiscard]] const HostDeviceTrace& trace() const noexcept { return trace_; }
  [[nodiscard]] std::string_view name_of(std::uint32_t event) const { return texts_.text(trace_.name[event]); }
  /// Returns the trace and leaves the builder empty.
  [[nodiscard]] HostDeviceTrace take() &&;

 private:
  [[nodiscard]] bool is_last_stream(std::int32_t device, std::int64_t stream) const noexcept;

  HostDeviceTrace trace_;
  TextTable texts_;
  std::unordered_map<std::string, TrackId> threads_;  ///< by process and thread
  TrackId last_thread_;                               ///< most events are on the row of the event before them
  std::map<std::tuple<std::string, std::int32_t, std::int64_t>, TrackId, std::less<>> streams_;
  TrackId last_stream_;
  std::map<KernelLaunch, std::uint32_t> launches_;
  std::map<ProcessGroup, ProcessGroupId> groups_;
  std::map<std::string, ProcessGroupId, std::less<>> groups_by_text_;
};

}  // namespace stepsim::ingest

#endif
