#ifndef STEPSIM_MODEL_JOB_TASK_H
#define STEPSIM_MODEL_JOB_TASK_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/cluster.h"

namespace stepsim {

/// What a task is. The order is part of no file format.
enum class TaskKind : std::uint8_t {
  kHost,        ///< a host segment: framework or Python work of a thread
  kRuntime,     ///< a call into the device runtime or driver, its waiting not included
  kKernel,      ///< a compute kernel
  kCopy,        ///< a copy between or within memories (memcpy, COPYD2H, COPYH2D)
  kMemset,      ///< a memset on the device
  kCollective,  ///< one rank's part of a collective: a kernel or a gloo call
  kTransfer,    ///< bytes over a link: PUSH, PULL, SEND, RECV
  kOperator,    ///< a framework operator with no finer view of it: FW.x, BW.x, UPDATE
  kServer,      ///< work of a parameter server: a copy or a sum
  kControl,     ///< a message or hand-over without bulk data: COORDINATE_*, acknowledgement
  kLoader,      ///< a host thread waits for a batch that processes of a data loader make
};
inline constexpr std::size_t kTaskKindCount = 11;

/// Where the time of a step goes, as reports break it down. Copies and a server's work count as
/// communication: they move bytes. A wait for a data loader is no work of the host's: no faster processor shortens it.
enum class TaskClass : std::uint8_t { kCompute, kCommunication, kHost, kLoader };

[[nodiscard]] TaskClass class_of(TaskKind kind) noexcept;
[[nodiscard]] std::string_view to_text(TaskKind kind) noexcept;

/// Why a task may start only after another.
enum class EdgeKind : std::uint8_t {
  kProgram,    ///< the next segment of the same host thread
  kStream,     ///< the next work of the same device stream (or copy engine)
  kLaunch,     ///< the launching call before the device work
  kSync,       ///< device work before the end of the host call, or the other stream's work, that waits for it
  kHandOff,    ///< one host thread wakes another
  kData,       ///< a framework data dependency (dag.gml, args.inputN)
  kStage,      ///< the next stage of one partition's communication
  kCrossRank,  ///< between ranks, outside a rendezvous: a message, a server's answer
};

[[nodiscard]] std::string_view to_text(EdgeKind kind) noexcept;

/// What kind of row a lane is.
enum class LaneKind : std::uint8_t { kThread, kStream, kCopyEngine, kLink, kServerThread, kOperators };

/// How tasks of one lane take turns when the edges leave it open.
enum class LaneOrder : std::uint8_t {
  kEdges,  ///< the edges order them already: the engine adds nothing
  kFifo,   ///< `capacity` at a time, in the order they became ready, ties by task id
  /// `capacity` at a time, the one with the smallest priority of those that wait first, ties as kFifo.
  /// A running task is not interrupted.
  kPriority,
};

/// The ordered row a task runs on: a host thread, a device stream, a link's direction.
struct Lane {
  std::string name{};  ///< as shown: "thread 2574", "stream 7", "PUSH"
  std::string host{};  ///< host name; empty if unknown
  Rank rank = 0;
  LaneKind kind = LaneKind::kThread;
  LaneOrder order = LaneOrder::kEdges;
  std::int32_t device = -1;    ///< device index for a stream, -1 for a host lane
  std::uint32_t capacity = 1;  ///< kFifo and kPriority: how many tasks run at once (a pool of threads)
  /// kFifo and kPriority, 0 = without limit: a task takes its bytes from this when it starts, and
  /// waits while too little is left, unless nothing is taken. The task that
  /// Dag::returns_credit_of names gives them back when it ends. While the first of the queue waits
  /// for credit, so do all behind it.
  Bytes credit{};
  /// LaneKind::kLink: the endpoints (Cluster::endpoints) that its messages go from and to;
  /// the network model then says how long they take. Invalid: recorded durations hold.
  EndpointId from{};
  EndpointId to{};

  /// Its tasks are messages between two endpoints.
  [[nodiscard]] bool is_link() const noexcept { return from.valid() && to.valid(); }
};

}  // namespace stepsim

#endif
