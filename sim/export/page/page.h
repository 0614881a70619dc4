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

/// The page that page/bundle.py makes of page/src when stepsim is built (docs/page.md), cut where an answer goes.
/// ASCII.
struct PageTemplate {
  std::string_view head;    ///< up to the answer
  std::string_view script;  ///< behind the answer, up to the timelines
  std::string_view tail;    ///< behind the timelines
};
[[nodiscard]] PageTemplate page_template() noexcept;

/// Writes the replays of `answer` into a page: one script element with JSON that says what there is, then one with a
/// PackedColumn for each quantity. page/src/timeline/columns.js reads them and lists the columns.
/// O(tasks log tasks + edges); streams to `out`, with about 50 bytes a task beside it.
void write_page_timelines(const Answer& answer, OutputFile& out);

/// The tasks of a replay as the boxes that a page draws: lane after lane, those of a lane by task. Each task is a
/// span, unless there are more than `most`. Then neighbours on a lane become one span if they are shorter than
/// merged_below(), the duration that leaves about `most` spans. Tasks on the critical path and communication always
/// stay, and so do the longest `most` / 2 others. 12 bytes a task.
class TimelineSpans {
 public:
  static constexpr std::size_t kMost = 3'000'000;

  TimelineSpans(const NamedReplay& replay, const CriticalPath& path, std::size_t most = kMost);

  [[nodiscard]] std::size_t size() const noexcept { return first_.size() - 1; }
  [[nodiscard]] std::span<const TaskId> tasks(std::size_t span) const noexcept {
    return {order_.data() + first_[span], first_[span + 1] - first_[span]};
  }
  [[nodiscard]] std::size_t of(TaskId task) const noexcept { return span_of_[task.index()]; }
  /// The first span of a lane; that of the lane behind the last one is size().
  [[nodiscard]] std::size_t first_of(LaneId lane) const noexcept { return lane_begin_[lane.index()]; }

  [[nodiscard]] std::size_t merged_tasks() const noexcept { return merged_tasks_; }  ///< those that are no span
  [[nodiscard]] Duration merged_below() const noexcept { return below_; }            ///< 0 if all are

 private:
  void choose_duration(const Dag& dag, const std::vector<bool>& stays, std::size_t most);

  std::vector<TaskId> order_;
  std::vector<std::uint32_t> first_;    ///< by span, into order_; one more at the end
  std::vector<std::uint32_t> span_of_;  ///< by task
  std::vector<std::size_t> lane_begin_;
  std::size_t merged_tasks_ = 0;
  Duration below_{};
};

/// Streams whole numbers to a page: LEB128 (seven bits a byte, the lowest first), gzip, base64. Small numbers take
/// little room whatever their type, and none is too large. Memory: about half a MiB.
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
  /// 0, -1, 1, -2, ... are added as 0, 1, 2, 3, ...
  void add_signed(std::int64_t number);
  /// Writes what is left. Nothing may be added after that.
  void finish();

 private:
  static constexpr std::size_t kChunk = std::size_t{64} << 10U;
  struct Deflater;

  void deflate(bool is_last);
  void write_base64(std::string_view bytes, bool is_last);

  OutputFile& out_;
  std::string plain_;    ///< not yet deflated
  std::string pending_;  ///< deflated; fewer than three bytes that are not yet written
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace stepsim::sim

#endif
