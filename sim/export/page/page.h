#ifndef STEPSIM_SIM_EXPORT_PAGE_PAGE_H
#define STEPSIM_SIM_EXPORT_PAGE_PAGE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/analysis/critical_path.h"
#include "sim/export/exporter.h"
#include "sim/output/write_file.h"

namespace stepsim::sim {

/// The page that page/bundle.py makes from page/src during the build (docs/internals/architecture.md), split where the
/// answer is inserted. ASCII.
struct PageTemplate {
  std::string_view head;    ///< the part before the answer
  std::string_view script;  ///< the part between the answer and the timelines
  std::string_view tail;    ///< the part after the timelines
};
[[nodiscard]] PageTemplate page_template() noexcept;

/// Writes the replays of `answer` into a page: a script element with JSON that describes them, then one with a
/// PackedColumn for each quantity. page/src/timeline/columns.js reads them and lists the columns. O(tasks log tasks +
/// edges). Streams to `out` and needs about 50 bytes of memory per task.
void write_page_timelines(const Answer& answer, OutputFile& out);

/// The tasks of a replay as the boxes ("spans") that a page draws, lane by lane, by task within a lane. Each task is a
/// span, unless there are more than `most` tasks. In that case neighbours on a lane that are shorter than
/// merged_below() are merged into one span; that duration is chosen to leave about `most` spans. Tasks on the critical
/// path, communication, and the longest `most` / 2 other tasks are never merged. Takes 12 bytes per task.
class TimelineSpans {
 public:
  static constexpr std::size_t kMost = 3'000'000;

  TimelineSpans(const NamedReplay& replay, const CriticalPath& path, std::size_t most = kMost);

  [[nodiscard]] std::size_t size() const noexcept { return first_.size() - 1; }
  [[nodiscard]] std::span<const TaskId> tasks(std::size_t span) const noexcept {
    return {order_.data() + first_[span], first_[span + 1] - first_[span]};
  }
  [[nodiscard]] std::size_t of(TaskId task) const noexcept { return span_of_[task.index()]; }
  /// Returns the first span of a lane; for the lane after the last one, size().
  [[nodiscard]] std::size_t first_of(LaneId lane) const noexcept { return lane_begin_[lane.index()]; }

  /// Returns the number of tasks that have no span of their own.
  [[nodiscard]] std::size_t merged_tasks() const noexcept { return merged_tasks_; }
  /// Returns the duration below which tasks were merged; 0 if none were.
  [[nodiscard]] Duration merged_below() const noexcept { return below_; }

 private:
  void choose_duration(const Dag& dag, const std::vector<bool>& stays, std::size_t most);

  std::vector<TaskId> order_;
  std::vector<std::uint32_t> first_;    ///< indexed by span: index into order_; one more at the end
  std::vector<std::uint32_t> span_of_;  ///< indexed by task
  std::vector<std::size_t> lane_begin_;
  std::size_t merged_tasks_ = 0;
  Duration below_{};
};

/// Streams whole numbers to a page: LEB128 (seven bits per byte, lowest first), gzip, base64. Small numbers take little
/// space whatever their type, and the size of a number is unlimited. Memory: about half a MiB.
///
///     PackedColumn column{out};
///     for (...) column.add(duration.count());
///     column.finish();
class PackedColumn {
 public:
  explicit PackedColumn(OutputFile& out);
  ~PackedColumn();
  PackedColumn(const PackedColumn&) = delete;
  PackedColumn& operator=(const PackedColumn&) = delete;

  void add(std::uint64_t number);
  /// Adds 0, -1, 1, -2, ... as 0, 1, 2, 3, ... (zigzag).
  void add_signed(std::int64_t number);
  /// Writes the rest. Nothing may be added afterwards.
  void finish();

 private:
  static constexpr std::size_t kChunk = std::size_t{64} << 10U;
  struct Deflater;

  void deflate(bool is_last);
  void write_base64(std::string_view bytes, bool is_last);

  OutputFile& out_;
  std::string plain_;    ///< bytes that are not compressed yet
  std::string pending_;  ///< compressed; fewer than three bytes that have not been written yet
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace stepsim::sim

#endif
