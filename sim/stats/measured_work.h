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

/// What time is spent on. Unlike in a replay a memset is a copy here, as in other tools: it moves no data of the job's.
enum class WorkPart : std::uint8_t { kCompute, kCommunication, kCopy, kHost, kLoader };
inline constexpr std::size_t kWorkParts = 5;
/// "compute", "communication", "copy", "host", "loader".
[[nodiscard]] std::string_view to_text(WorkPart part) noexcept;

/// A piece of work as it was recorded: a task of the Dag, or a call on a host thread.
struct Piece {
  Time start;
  Duration length{};
  /// Without the calls that it made; of a task its length; of an annotation 0, because what is in it counts for those
  /// who do it.
  Duration self{};
  std::uint32_t index = 0;  ///< of the task, or in TraceDetails::calls
  bool is_call = false;
  WorkPart part = WorkPart::kHost;
};

/// The measured work of a capture.
///
/// The Dag cuts a host thread into segments, which are no events of the trace. Where the calls themselves were read
/// (`details` has some) they stand for what host threads of their ranks did. What stitching added is left out: the
/// instants at which servers answer and tensors are complete. Pushes and pulls have the times of the trace, which begin
/// when they were handed over, though they may then stand in line; a kernel that is several tasks is one piece. Pieces
/// of a task graph, which nobody ran, have the lengths that the graph gives them and no start.
///
/// Where steps were asked for (--steps), only work in them counts.
struct MeasuredWork {
  const Capture& capture;
  const TraceDetails& details;
  std::vector<Piece> pieces;  ///< tasks by id, then calls as in `details`
  bool measured = true;       ///< false for a task graph

  [[nodiscard]] std::string_view name(const Piece& piece) const;
  [[nodiscard]] std::string_view kind(const Piece& piece) const;  ///< "kernel", "operator", "annotation"
  [[nodiscard]] Rank rank(const Piece& piece) const;
  [[nodiscard]] std::string_view lane(const Piece& piece) const;  ///< "stream 7"
  /// Index into Recording::steps; -1: it is in no step.
  [[nodiscard]] std::int32_t step(const Piece& piece) const;

  /// Whether work in a step counts.
  [[nodiscard]] bool is_asked(std::int32_t step) const;
  /// Whether a call is in the steps that were asked for.
  [[nodiscard]] bool counts(std::size_t call) const;

  std::vector<std::int32_t> step_of_call;  ///< by call; empty without calls
  bool chosen_steps = false;               ///< only work in steps that were asked for counts
};

/// With `only_steps`, or where some steps are not asked for, only work in steps that are counts. Refers to its
/// arguments. O(tasks + edges + calls log steps).
[[nodiscard]] MeasuredWork measured_work(const Capture& capture, const TraceDetails& details, bool only_steps = false);

/// Sorts what is in order as a rule. O(n) if it is, else O(n log n).
template <class Item, class Less>
void sort_unless_sorted(std::vector<Item>& items, Less less) {
  if (!std::is_sorted(items.begin(), items.end(), less)) std::sort(items.begin(), items.end(), less);
}

}  // namespace stepsim::sim

#endif
