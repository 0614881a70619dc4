#ifndef STEPSIM_SIM_ENGINE_ENGINE_H
#define STEPSIM_SIM_ENGINE_ENGINE_H

#include <atomic>
#include <functional>
#include <stdexcept>

#include "model/cost/network/network.h"
#include "model/job/dag.h"
#include "sim/engine/machine.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// Limits below which one thread is faster than several; measured in docs/results/threads.csv. They never change
/// the result.
struct Grain {
  std::size_t tasks = std::size_t{1} << 18U;  ///< smaller replays use one thread
  std::size_t round = 4096;                   ///< minimum tasks per round; with fewer, one thread does the rest
};

struct EngineOptions {
  int threads = 1;  ///< number of threads; never changes the result
  Grain grain{};
  const std::atomic<bool>* stop = nullptr;      ///< set by Ctrl-C: replay throws Interrupted
  std::function<void(std::size_t)> progress{};  ///< called at times with the number of finished tasks; may be empty
};

/// Thrown when no task can proceed: collectives occupy lanes that other members need, or credit is never returned. A
/// real machine would hang as well. what() is one line and names up to four of the waiting tasks.
class DeadlockError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown when a rank that is a copy of another one (Group::copy_of) may end a collective at another time than that
/// one: their links differ, or the network serves messages in an order that depends on more than the classes of ranks.
/// The job must then be replayed with tasks for every rank. what() is a clause that says why.
class CopiesDiffer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// True if all members of a collective that has copies end together, with the last of them. No CopiesDiffer is then
/// thrown. For divided jobs, whose copies cannot have tasks.
extern const NetworkParameterOf<bool> kCopiesEndTogether;

/// Replays `dag` on `machine` and returns when every task started and finished.
///
/// * A task is ready when all its predecessors have ended and the lags of their edges have passed. A task without
///   predecessors is ready at machine.origin(task).
/// * On a lane of LaneOrder::kEdges a task starts when it is ready. A lane of LaneOrder::kFifo or kPriority runs as
///   many tasks at a time as its capacity, one by default. When a place is free, it takes the first task of its queue:
///   for kFifo the task that was ready first, for kPriority the one with the smallest priority. Ties go to the task
///   that was ready earlier, then to the smaller id. At an instant, a lane chooses only after all tasks that end then
///   have ended, and after lanes whose first task takes no time have run that task. Tasks that these tasks release are
///   therefore already in the queue. If the lane has too little credit for the first task, that task and all tasks
///   after it wait.
/// * A task ends `duration` after it started. A member of a rendezvous ends its own duration after the last member
///   started, and keeps its place on the lane until then.
/// * Under a network model (Machine::set_network) a task on a lane with endpoints is a message. It ends when its last
///   byte has arrived, and its lane is free when that byte has left. Collectives whose payload is known send their
///   first messages kCollectiveOverhead (model/cost/network/network.h) after the last member started; a member ends
///   with its last round. If NetworkModel::sender_continues_when_sent is set, kProgram and kStream edges out of a
///   message wait only until it has left.
/// * Timeline::released_by is kLane if the task started later than it was ready. It then names the task that last left
///   the lane or returned credit; if several did so at one instant and the lane started no task between them, the one
///   with the largest id. Otherwise it names the predecessor whose end plus lag was latest, the smallest id for ties.
/// * Timeline::last_arrival is the member that started last, the smallest id for ties.
///
/// The result depends only on the arguments, not on the thread count or the host. `dag` and `machine` are only read.
/// Needs 24 bytes per task including the timeline, 16 more for each task that waits for or runs on a lane with a queue,
/// and the network's memory for messages in flight. O(tasks log tasks + edges), plus the network's work. Times beyond
/// 146 years are cut to 146 years.
///
/// Throws Interrupted, UsageError if collectives need too many messages, CopiesDiffer, and DeadlockError (only if
/// rendezvous or credit are combined with lanes that have queues).
[[nodiscard]] Timeline replay(const Dag& dag, const Machine& machine, const EngineOptions& options = {});

}  // namespace stepsim::sim

#endif
