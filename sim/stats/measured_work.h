#ifndef STEPSIM_SIM_STATS_MEASURED_WORK_H
#define STEPSIM_SIM_STATS_MEASURED_WORK_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/job/recording.h"
#include "model/job/trace_details.h"

namespace stepsim::sim {

/// The kinds of work that time is spent on. A memset counts as a copy here, as in other tools; in a replay it counts as
/// compute, because it moves no data of the job.
enum class WorkPart : std::uint8_t { kCompute, kCommunication, kCopy, kHost, kLoader };
inline constexpr std::size_t kWorkParts = 5;
/// Returns "compute", "communication", "copy", "host", "loader".
[[nodiscard]] std::string_view to_text(WorkPart part) noexcept;

/// A piece of recorded work: a task of the Dag, or a call on a host thread.
struct Piece {
  Time start;
  Duration length{};
  /// Length without the calls that it made. For a task this is its whole length. For an annotation it is 0, because the
  /// time counts for the work inside it.
  Duration self{};
  std::uint32_t index = 0;  ///< the task's id, or the call's index in TraceDetails::calls
  bool is_call = false;
  WorkPart part = WorkPart::kHost;
};

/// The measured work of a capture.
///
/// The Dag splits a host thread into segments, which are not events of the trace. If the calls themselves were read
/// (`details` has some), they replace the segments for their ranks. Tasks that were added to connect the ranks are left
/// out: the times at which servers answer and tensors are complete. Pushes and pulls have the times of the trace, which
/// include waiting in the sender's queue. A kernel that consists of several tasks is one piece. The pieces of a task
/// graph, which never ran, have the lengths that the graph gives and no start.
///
/// If steps were selected (--steps), only work in them counts.
struct MeasuredWork {
  const Capture& capture;
  const TraceDetails& details;
  std::vector<Piece> pieces;  ///< tasks by id, then calls in the order of `details`
  bool measured = true;       ///< false for a task graph

  [[nodiscard]] std::string_view name(const Piece& piece) const;
  [[nodiscard]] std::string_view kind(const Piece& piece) const;  ///< returns "kernel", "operator", "annotation"
  [[nodiscard]] Rank rank(const Piece& piece) const;
  [[nodiscard]] std::string_view lane(const Piece& piece) const;  ///< returns "stream 7"
  /// Returns the index into Recording::steps; -1 if the piece is in no step.
  [[nodiscard]] std::int32_t step(const Piece& piece) const;

  /// True if work in this step counts.
  [[nodiscard]] bool is_asked(std::int32_t step) const;
  /// True if a call is in the selected steps.
  [[nodiscard]] bool counts(std::size_t call) const;

  std::vector<std::int32_t> step_of_call;  ///< indexed by call; empty without calls
  bool chosen_steps = false;               ///< true if only work in the selected steps counts
};

/// True if some steps were selected and others were not.
[[nodiscard]] bool steps_are_chosen(const Recording& recording);

/// Collects the measured work. Only work in selected steps counts if `only_steps` is set or some steps are not
/// selected. Keeps references to its arguments. O(tasks + edges + calls log steps).
[[nodiscard]] MeasuredWork measured_work(const Capture& capture, const TraceDetails& details, bool only_steps = false);

/// Sorts items that are usually sorted already: O(n) if they are, else O(n log n).
template <class Item, class Less>
void sort_unless_sorted(std::vector<Item>& items, Less less) {
  if (!std::is_sorted(items.begin(), items.end(), less)) std::sort(items.begin(), items.end(), less);
}

}  // namespace stepsim::sim

#endif
