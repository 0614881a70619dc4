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
    kCollective,  ///< a whole host collective, including the events nested in it
    kQuiet,       ///< within annotations only, or covered by no event: Python code runs, or the thread waits
  };
  Time begin;
  Time end;
  std::uint32_t event = kNoIndex;  ///< the innermost event; kNoIndex if no event covers the segment
  Kind kind = Kind::kQuiet;
  /// True if the thread waits for a batch from the processes of a data loader: it is in the loader's __next__ for
  /// longer than kShortQuiet, and in no operator or call inside it.
  bool awaits_batch = false;
};

/// Cuts a thread into segments, without gaps, from the start of its first event to the latest end of an event, and
/// calls `use` with each, in order of time. If a child event ends after its parent, the event that started last is the
/// innermost. No segment is empty, and a host collective has at most one. O(events). Each caller cuts the segments
/// again, because storing them would take more memory than everything else of a trace of host events.
void cut_thread(const RankEvents& events, const RankEvents::Thread& thread,
                const std::function<void(const Segment&)>& use);

/// The names of one trace's events in an Assembly. Each text is interned once, on first use. Both the trace and the
/// Assembly must outlive this.
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

/// A period in which a thread only waits. It does not become a task, because the replay reproduces the wait.
struct ThreadWait {
  Time begin;  ///< when the thread finished its work before the wait
  Time end;    ///< when the event it waited for happened
};

/// A host collective: one segment of a thread.
struct HostCollective {
  std::uint32_t event = kNoIndex;
  Time begin;
  Time end;  ///< may be earlier than the end of its segment, if its annotation was closed late
};

/// An operator that took longer than operators of its kind do, because its thread did not run.
struct PausedOperator {
  std::uint32_t event = kNoIndex;
  Duration excess{};  ///< time beyond the usual one
};

/// One host thread while it is turned into tasks: its collectives, the times at which others depend on it, its waits
/// and pauses and, after add_tasks(), its tasks.
struct HostThread {
  const RankEvents::Thread* recorded = nullptr;  ///< null only in a default-constructed object
  std::vector<HostCollective> collectives;       ///< in order of time
  /// Times that must be boundaries between tasks, because something depends on the work before them. In any order.
  std::vector<Time> cuts;
  std::vector<ThreadWait> waits;       ///< in any order; may overlap
  std::vector<PausedOperator> pauses;  ///< in order of time
  /// Quiet time within these spans is the thread's own work, however long it is.
  std::vector<std::pair<Time, Time>> busy;
  bool quiet_is_work = false;   ///< true for the main thread: its unexplained quiet time is Python work
  bool background = false;      ///< nothing depends on this thread; its own timer causes its pauses
  IdRange<TaskId> tasks{0, 0};  ///< by begin; their times are in the assembly
  std::vector<std::pair<std::uint32_t, TaskId>> collective_tasks;  ///< events of host collectives, and their tasks

  /// Returns `waits` sorted by begin, with touching and overlapping ones merged. O(waits log waits).
  [[nodiscard]] std::vector<std::pair<Time, Time>> merged_waits() const;
  /// Returns the last task that ends at `time` or earlier; invalid if there is none. O(log tasks).
  [[nodiscard]] TaskId task_ending_by(Time time, const Assembly& assembly) const noexcept;
  /// Returns the first task that begins at `time` or later; invalid if there is none. O(log tasks).
  [[nodiscard]] TaskId task_starting_from(Time time, const Assembly& assembly) const noexcept;
};

/// Quiet time of a thread up to this length counts as its own work between two events. Longer quiet time may be
/// waiting.
inline constexpr Duration kShortQuiet{100'000};

/// Two neighbouring pieces of host work become one task, named after the longest piece, if one of them is shorter than
/// this and there is no cut between them. A separate task for each operator of a microsecond would double the graph and
/// explain nothing more.
inline constexpr Duration kHostGrain{20'000};

/// Returns the threads of `events`, which must outlive them. O(events), on up to `threads_at_once` CPU threads.
[[nodiscard]] std::vector<HostThread> host_threads(const RankEvents& events, int threads_at_once);

/// Finds the pauses of a rank's threads: the operating system ran something else, a garbage collector ran, or memory
/// was fetched. A pause is an operator that
///
/// * has no events in it, so it launched nothing, and overlaps no wait of its thread;
/// * took at least 50 times the median of the operators of the same name that have no events in them (with the same
///   shapes, if these were recorded), and at least 1 ms more than it;
/// * is of a kind of which at least five were recorded, and whose times hardly vary otherwise: of those that took less
///   than 50 times the median, nine tenths took at most five times it. Then it is not work of another size.
///
/// Precondition: the waits of all threads are known. O(events + long operators * log events).
void find_pauses(const RankEvents& events, std::vector<HostThread>& threads);

/// Adds the tasks of `thread` to `assembly` in program order, with edges from each to the next, and adds them to
/// thread.tasks. O(n log n) in segments, cuts and waits.
void add_tasks(HostThread& thread, const RankEvents& events, LaneId lane, EventNames& names, Assembly& assembly);

/// Returns for each event whether it is an operator that computes on samples. Used for a rank without a device, which
/// computes on its host. Empty for a rank with device work.
///
/// Operators of the optimizer and of communication do not compute. If shapes were recorded, operators whose inputs are
/// all parameters or gradients do not compute either. A tensor counts as a parameter or gradient if it has one
/// dimension, as buckets and shards have, or if it has the shape (transposed or not) of an input of the optimizer. An
/// operator without shapes counts like the one around it. O(events + operators * length of their shapes).
[[nodiscard]] std::vector<bool> computing_events(const RankEvents& events);

/// A dependency between host threads: the work of `to` from `to_time` on depends on the work of `from` up to
/// `from_time`. Threads are indices into RankEvents::threads.
struct HandOff {
  std::uint32_t from = 0;
  Time from_time;
  std::uint32_t to = 0;
  Time to_time;
};

/// Finds the silences of the main thread (quiet times longer than kShortQuiet) in which it waits for other threads: for
/// a backward pass on the autograd thread, or for collectives on communication threads. Returns the hand-offs to those
/// threads and back, and adds a wait to the main thread for each such silence. The time before the other threads' first
/// start and after their last end remains the main thread's own work.
///
/// The main thread is assumed to wait for another thread in three cases:
///
/// * the other thread's last work that ends in the silence is a collective;
/// * the other thread begins a backward pass in the silence: the main thread waits in backward() until the pass has
///   ended, and may wake up late;
/// * the other thread's work fills at least a third of the span from its first start to its last end in the silence,
///   and that span is at least half of the silence.
///
/// If a thread launches device work, gaps of up to kShortQuiet between its calls count as work.
///
/// Before all this, corrects the ends of host collectives whose annotations were closed late: such a collective ends
/// when the main thread continued. At the end, marks threads on which nothing depends as background threads.
/// O(segments log segments), on up to `threads_at_once` CPU threads.
[[nodiscard]] std::vector<HandOff> explain_silences(const RankEvents& events, std::vector<HostThread>& threads,
                                                    int threads_at_once);

/// Returns the hand-overs through queues that the trace itself records. The event that takes an item from a queue
/// depends on the event that put the item there. If the putting event ends after the item was taken, only its part
/// before that time counts. Cuts the putting thread at the end of the event or of that part, and the taking thread at
/// the time when the item is taken. O(events).
[[nodiscard]] std::vector<HandOff> recorded_hand_overs(const RankEvents& events, std::vector<HostThread>& threads);

/// Finds the framework call on another thread that submitted each host collective, such as c10d::allreduce_ for
/// gloo:all_reduce. Calls of one operation are matched in the order in which they were made. Cuts the calling thread at
/// the submission, and adds the number of collectives without a recorded call to `unmatched`. O(events log events).
[[nodiscard]] std::vector<HandOff> find_submissions(const RankEvents& events, std::vector<HostThread>& threads,
                                                    std::uint64_t& unmatched);

/// The time when a gradient is complete, and the thread on which it was accumulated.
struct GradientMark {
  Time ready;
  std::uint32_t thread = 0;  ///< index into RankEvents::threads
  Bytes bytes{};  ///< size of AccumulateGrad's input, or of the operator's inside it; 0 if no shapes were recorded
};

/// Finds a rank's gradients, sorted by time, and cuts the threads where they are complete: at the end of the operator
/// around AccumulateGrad. The framework's hooks, which copy a gradient into its bucket and hand over a full bucket, run
/// inside that operator. Without shapes there are no cuts, because the size of the gradients is unknown. O(events +
/// gradients log gradients).
[[nodiscard]] std::vector<GradientMark> find_gradients(const RankEvents& events, std::vector<HostThread>& threads);

/// Enters the gradients in assembly.gradients. Precondition: `threads` have their tasks.
void add_gradients(const std::vector<GradientMark>& gradients, const std::vector<HostThread>& threads,
                   Assembly& assembly);

}  // namespace stepsim::ingest

#endif
