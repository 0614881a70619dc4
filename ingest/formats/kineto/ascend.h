#ifndef STEPSIM_INGEST_FORMATS_KINETO_ASCEND_H
#define STEPSIM_INGEST_FORMATS_KINETO_ASCEND_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/chrome/chrome_events.h"
#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// The parts of torch_npu's trace_view.json that Kineto's files do not have: CANN's calls on the host, work on the NPU,
/// and HCCL's collectives. Each is a separate process, and its events have no category. A flow "HostToDevice" leads
/// from a call to the work that it launched. The framework passes operators to another thread ("Enqueue" to "Dequeue"),
/// and that thread makes the calls. Files of profiling level 0 have no calls of CANN; a flow "async_npu" leads from the
/// operator to the work, and the "Dequeue" of what the operator enqueued counts as the launching call. Source: the
/// files themselves; Ascend's documentation of trace_view.json names the same layers.
class AscendParts {
 public:
  enum class Layer : std::uint8_t {
    kNone,           ///< not a layer of Ascend
    kCann,           ///< calls on the host
    kHardware,       ///< work on the NPU's streams
    kCommunication,  ///< HCCL
    kDerived,        ///< counters, and sums over other layers
  };

  void note_process(std::string_view process, std::string_view name);
  [[nodiscard]] Layer layer_of(std::string_view process) const;

  /// True for flows that lead to work on the NPU.
  [[nodiscard]] static bool is_flow(const ChromeEvent& event);
  void add_flow(const ChromeEvent& flow);  ///< Precondition: is_flow(flow)
  void note_call(std::string_view thread, std::uint32_t event) { calls_[std::string{thread}].push_back(event); }
  void note_work(const ChromeEvent& work, std::uint32_t event);
  /// Notes an "Enqueue" or, if `taken`, a "Dequeue"; both have the same args.correlation_id.
  void note_queued(const ChromeEvent& operation, std::uint32_t event, bool taken);

  /// Gives each call and the work that it launched the same correlation id, and records which operators were passed
  /// between threads.
  void join(HostDeviceTrace& trace);

 private:
  using Place = std::tuple<std::string, std::string, std::int64_t>;  ///< process, thread, time in ns

  void join_operators(HostDeviceTrace& trace, std::int64_t next) const;

  std::map<std::string, Layer, std::less<>> layers_;
  std::map<std::string, std::pair<std::string, std::int64_t>, std::less<>> launched_;  ///< thread and time, by flow
  std::map<std::string, Place, std::less<>> began_;                                    ///< the work, by flow
  std::map<std::string, Place, std::less<>> operators_;                                ///< by flow async_npu
  std::map<std::string, Place, std::less<>> work_of_operators_;                        ///< by flow async_npu
  std::map<std::string, std::vector<std::uint32_t>> calls_;                            ///< by thread
  std::map<Place, std::uint32_t> work_;
  std::map<std::string, std::uint32_t, std::less<>> queued_;
  std::vector<std::pair<std::string, std::uint32_t>> taken_;
};

/// Returns the kind of an event of the NPU or of HCCL; nullopt if it is not work: a wait, a record of an event, or a
/// part of a collective.
[[nodiscard]] std::optional<EventKind> ascend_work(AscendParts::Layer layer, const ChromeEvent& event);

/// A collective as described by its name: "hcom_allReduce__586_0_1" is an all-reduce of group 586 with sequence number
/// 0.
struct AscendCollective {
  std::string operation;  ///< "allreduce"
  std::string group;
  std::int64_t sequence = -1;
  std::int64_t elements = 0;  ///< elements of the whole collective; 0 if only one rank's part is known
  std::int64_t bytes = 0;     ///< size of these elements
  std::string dtype;          ///< c10's name of the type, if known
};
[[nodiscard]] AscendCollective ascend_collective(const ChromeEvent& event);

}  // namespace stepsim::ingest

#endif
