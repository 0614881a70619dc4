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

/// The kind of a task. No file format depends on the order.
enum class TaskKind : std::uint8_t {
  kHost,        ///< a segment of a host thread: framework or Python work
  kRuntime,     ///< a call of the device runtime or driver, without its waiting
  kKernel,      ///< a compute kernel
  kCopy,        ///< a copy between or within memories (memcpy, COPYD2H, COPYH2D)
  kMemset,      ///< a memset on the device
  kCollective,  ///< one rank's part of a collective: a kernel or a gloo call
  kTransfer,    ///< bytes sent over a link: PUSH, PULL, SEND, RECV
  kOperator,    ///< a framework operator without finer detail: FW.x, BW.x, UPDATE
  kServer,      ///< work of a parameter server: a copy or a sum
  kControl,     ///< a message or signal without bulk data: COORDINATE_*, acknowledgement
  kLoader,      ///< a host thread waiting for a batch from the processes of a data loader
};
inline constexpr std::size_t kTaskKindCount = 11;

/// The category of a task's time in reports. Copies and a server's work count as communication, because they move
/// bytes. A wait for a data loader is not host work, because a faster processor would not shorten it.
enum class TaskClass : std::uint8_t { kCompute, kCommunication, kHost, kLoader };

[[nodiscard]] TaskClass class_of(TaskKind kind) noexcept;
[[nodiscard]] std::string_view to_text(TaskKind kind) noexcept;

/// Why a task can start only after another.
enum class EdgeKind : std::uint8_t {
  kProgram,    ///< from a segment to the next one of the same host thread
  kStream,     ///< from one piece of work to the next on the same device stream (or copy engine)
  kLaunch,     ///< from the launching call to the device work
  kSync,       ///< from device work to the end of the host call, or to the other stream's work, that waits for it
  kHandOff,    ///< from one host thread to another that it wakes
  kData,       ///< a data dependency of the framework (dag.gml, args.inputN)
  kStage,      ///< from a stage of one partition's communication to the next
  kCrossRank,  ///< between ranks without a rendezvous: a message, a server's answer
};

[[nodiscard]] std::string_view to_text(EdgeKind kind) noexcept;

/// The kind of a lane.
enum class LaneKind : std::uint8_t { kThread, kStream, kCopyEngine, kLink, kServerThread, kOperators };

/// How a lane chooses between tasks that the edges do not order.
enum class LaneOrder : std::uint8_t {
  kEdges,  ///< the edges already define an order: the engine adds nothing
  kFifo,   ///< `capacity` at a time, in the order in which they became ready; ties are broken by task id
  /// `capacity` at a time; of the waiting tasks, the one with the smallest priority goes first, ties as in kFifo. A
  /// running task is not interrupted.
  kPriority,
};

/// An ordered row that tasks run on: a host thread, a device stream, one direction of a link.
struct Lane {
  std::string name{};  ///< display name: "thread 2574", "stream 7", "PUSH"
  std::string host{};  ///< name of the host; empty if unknown
  Rank rank = 0;
  LaneKind kind = LaneKind::kThread;
  LaneOrder order = LaneOrder::kEdges;
  std::int32_t device = -1;    ///< device index for a stream, -1 otherwise
  std::uint32_t capacity = 1;  ///< for kFifo and kPriority: number of tasks that can run concurrently
  /// For kFifo and kPriority: the bytes that running tasks can take in total; 0 = no limit. A task takes its bytes from
  /// this credit when it starts. It waits while too little is left, unless no other task has taken any. Another task
  /// returns the bytes when it ends (Dag::returns_credit_of()). While the first task of the queue waits for credit, all
  /// tasks after it wait too.
  Bytes credit{};
  /// For LaneKind::kLink: the endpoints (Cluster::endpoints) its messages are sent from and to. The network model
  /// determines their duration. If invalid, recorded durations are used.
  EndpointId from{};
  EndpointId to{};

  /// True if its tasks are messages between two endpoints.
  [[nodiscard]] bool is_link() const noexcept { return from.valid() && to.valid(); }
};

}  // namespace stepsim

#endif
