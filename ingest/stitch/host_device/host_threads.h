#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_THREADS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_THREADS_H

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "ingest/parts/part.h"
#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

/// A stretch of one host thread during which the innermost event stays the same.
struct Segment {
  enum class Kind : std::uint8_t {
    kWork,        ///< inside a framework operator
    kCall,        ///< inside a runtime or driver call
    kCollective,  ///< a host collective, whole: what is nested in it belongs to it
    kQuiet,       ///< under annotations only, or under nothing: Python work, or waiting
  };
  Time begin;
  Time end;
  std::uint32_t event = kNoIndex;  ///< the innermost event; kNoIndex under nothing
  Kind kind = Kind::kQuiet;
  /// The thread waits for a batch that processes of a data loader make: longer than kShortQuiet within such a loader's
  /// __next__, and in no operator or call there.
  bool awaits_batch = false;
};

/// Cuts a thread into segments, without gaps, from the start of its first event to the end of the last
/// one to end, and calls `use` with each, in order of time. Where events overlap in part (a child that ends
/// after its parent), the one that started last is the innermost. No segment is empty, and a host collective
/// has one at most. O(events). Segments are cut again by each who needs them: kept, they would take more
/// memory than all else of a trace of host events.
void cut_thread(const RankEvents& events, const RankEvents::Thread& thread,
                const std::function<void(const Segment&)>& use);

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

/// A stretch of time in which a thread only waits. It becomes no task, because the replay finds
/// the waiting again.
struct ThreadWait {
  Time begin;  ///< the thread has done what it does before waiting
  Time end;    ///< what it waited for has happened
};

/// A host collective: one segment of a thread.
struct HostCollective {
  std::uint32_t event = kNoIndex;
  Time begin;
  Time end;  ///< may be before that of its segment, if its annotation was closed late
};

/// One host thread on its way to tasks: its collectives, the instants at which others depend on it,
/// the stretches in which it waits and, after add_tasks(), its tasks.
struct HostThread {
  struct Task {
    Time begin;
    Time end;
    TaskId task;
    std::uint32_t collective = kNoIndex;  ///< the event, if the task is a host collective
  };

  const RankEvents::Thread* recorded = nullptr;  ///< never null but in an empty one
  std::vector<HostCollective> collectives;       ///< in order of time
  /// Instants that must lie between two tasks, because something depends on what came before. Any order.
  std::vector<Time> cuts;
  std::vector<ThreadWait> waits;  ///< any order; may overlap
  /// Quiet stretches within these are the thread's own work, however long they are.
  std::vector<std::pair<Time, Time>> busy;
  bool quiet_is_work = false;  ///< the main thread: where nothing explains quiet time, Python works
  bool background = false;     ///< nothing depends on it: its pauses come from its own timer
  std::vector<Task> tasks;     ///< by begin

  /// `waits` by begin, those that touch as one. O(waits log waits).
  [[nodiscard]] std::vector<std::pair<Time, Time>> merged_waits() const;
  /// The last task that ends at `time` or earlier; invalid if there is none.
  [[nodiscard]] TaskId task_ending_by(Time time) const noexcept;
  /// The first task that begins at `time` or later; invalid if there is none.
  [[nodiscard]] TaskId task_starting_from(Time time) const noexcept;
};

/// Quiet time of a thread up to this long is its own work between two events. Longer quiet time may
/// be waiting.
inline constexpr Duration kShortQuiet{100'000};

/// Two neighbouring pieces of host work become one task, named after the longest piece, if one of
/// them is shorter than this and there is no cut between them. A task for each operator of a
/// microsecond would double the graph and explain nothing more.
inline constexpr Duration kHostGrain{20'000};

/// The threads of `events`, which must outlive them. O(events), on as many threads of the machine as `threads_at_once`
/// says.
[[nodiscard]] std::vector<HostThread> host_threads(const RankEvents& events, int threads_at_once);

/// Adds the tasks of `thread` to `assembly` in program order, with edges from each to the next, and
/// enters them in thread.tasks.
/// O(n log n) in segments, cuts and waits.
void add_tasks(HostThread& thread, const RankEvents& events, LaneId lane, EventNames& names, Assembly& assembly);

/// Says for each event whether it is an operator that computes on samples, for a rank without a device,
/// which computes on its host. Empty for a rank with device work.
///
/// Operators of the optimizer and of communication do not. Where shapes were recorded, neither do those
/// that take nothing but parameters or gradients: tensors with the shape of something the optimizer was
/// given (transposed or not), or with one dimension, as buckets and shards have. An operator without shapes
/// counts as the one around it does. O(events + operators * length of their shapes).
[[nodiscard]] std::vector<bool> computing_events(const RankEvents& events);

/// One host thread lets another go on: what `to` does from `to_time` on depends on what `from` had done by
/// `from_time`. Threads are indices into RankEvents::threads.
struct HandOff {
  std::uint32_t from = 0;
  Time from_time;
  std::uint32_t to = 0;
  Time to_time;
};

/// Finds where the main thread is silent because other threads work for it: a backward pass on the
/// autograd thread, or collectives on communication threads. Returns the hand-offs to those threads and
/// back, and enters the main thread's wait in each such silence. What lies before the other threads' first
/// start and after their last end stays the main thread's own work.
///
/// A thread explains a silence if the last of its work that ends there is a collective, or if it begins a
/// backward pass there: backward() returns when the pass has ended, however late its thread then wakes up. It
/// also does if its work fills at least a third of the span from its first start to its last end there, and that
/// span is at least half the silence. Short quiet between the calls of a thread that launches device work counts as
/// its work.
/// A host collective whose annotation was closed late is shortened first, to where its waiter went on.
/// Threads on which nothing depends are marked as background threads. O(segments log segments), on as many
/// threads of the machine as `threads_at_once` says.
[[nodiscard]] std::vector<HandOff> explain_silences(const RankEvents& events, std::vector<HostThread>& threads,
                                                    int threads_at_once);

/// What the trace itself says that one thread handed to another through a queue: the taking event depends on the
/// putting one, up to its end or to the moment at which it was taken. Cuts both threads there. O(events).
[[nodiscard]] std::vector<HandOff> recorded_hand_overs(const RankEvents& events, std::vector<HostThread>& threads);

/// Finds the framework call on another thread that submitted each host collective, such as
/// c10d::allreduce_ for gloo:all_reduce. Calls of one operation are served in the order in which they were
/// made. Cuts the calling thread where the submission happened, and adds the number of collectives whose
/// call was not recorded to `unmatched`. O(events log events).
[[nodiscard]] std::vector<HandOff> find_submissions(const RankEvents& events, std::vector<HostThread>& threads,
                                                    std::uint64_t& unmatched);

/// When a gradient is complete, and on which thread.
struct GradientMark {
  Time ready;
  std::uint32_t thread = 0;  ///< index into RankEvents::threads
  Bytes bytes{};             ///< 0 without the shapes of operators
};

/// Finds a rank's gradients, by time, and cuts the threads where they are complete: at the end of the
/// operator around AccumulateGrad, because the framework's hooks, which copy a gradient into its
/// bucket and hand over a full bucket, run inside that operator. Without shapes there are no cuts, because nothing
/// tells what is handed over. O(events + gradients log gradients).
[[nodiscard]] std::vector<GradientMark> find_gradients(const RankEvents& events, std::vector<HostThread>& threads);

/// Enters them in assembly.gradients, once `threads` have their tasks.
void add_gradients(const std::vector<GradientMark>& gradients, const std::vector<HostThread>& threads,
                   Assembly& assembly);

}  // namespace stepsim::ingest

#endif
