#include "sim/export/page/page.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <functional>

#include "model/base/error.h"
#include "sim/export/tracks.h"

namespace stepsim::sim {
namespace {

/// Tasks are not merged across a pause longer than 1/kPausesALane of the replay, so that no box covers visible idle
/// time. A lane has at most kPausesALane such pauses, so they add at most as many spans to it.
constexpr std::int64_t kPausesALane = 4096;

std::vector<bool> always_kept(const Dag& dag, const CriticalPath& path) {
  std::vector<bool> stays(dag.task_count());
  for (std::size_t i = 0; i < stays.size(); ++i) stays[i] = class_of(dag.kind(TaskId{i})) == TaskClass::kCommunication;
  for (const PathTask& task : path.tasks) stays[task.task.index()] = true;
  return stays;
}

}  // namespace

struct PackedColumn::Deflater {
  Deflater() {
    isal_deflate_init(&stream);
    stream.gzip_flag = IGZIP_GZIP;
    // Levels 1 and 2 of ISA-L 2.30 sometimes write different bytes for the same input.
    stream.level = 3;
    stream.level_buf = level_buffer.data();
    stream.level_buf_size = static_cast<std::uint32_t>(level_buffer.size());
  }
  isal_zstream stream{};
  std::array<std::uint8_t, ISAL_DEF_LVL3_DEFAULT> level_buffer{};
  std::array<char, kChunk> out{};
};

PackedColumn::PackedColumn(OutputFile& out) : out_(out), deflater_(std::make_unique<Deflater>()) {}
PackedColumn::~PackedColumn() = default;

void PackedColumn::add(std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) plain_ += static_cast<char>(0x80U | (number & 0x7FU));
  plain_ += static_cast<char>(number);
  if (plain_.size() >= kChunk) deflate(false);
}

void PackedColumn::add_signed(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  add((bits << 1U) ^ (number < 0 ? ~std::uint64_t{0} : 0));
}

void PackedColumn::finish() {
  deflate(true);
  write_base64({}, true);
}

void PackedColumn::deflate(bool is_last) {
  isal_zstream& stream = deflater_->stream;
  stream.next_in = reinterpret_cast<std::uint8_t*>(plain_.data());
  stream.avail_in = static_cast<std::uint32_t>(plain_.size());
  stream.end_of_stream = is_last ? 1 : 0;
  do {
    stream.next_out = reinterpret_cast<std::uint8_t*>(deflater_->out.data());
    stream.avail_out = static_cast<std::uint32_t>(deflater_->out.size());
    STEPSIM_ASSERT(isal_deflate(&stream) == COMP_OK, "a stream that is set up as documented deflates");
    write_base64({deflater_->out.data(), deflater_->out.size() - stream.avail_out}, false);
  } while (stream.avail_out == 0);
  plain_.clear();
}

void PackedColumn::write_base64(std::string_view bytes, bool is_last) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  pending_ += bytes;
  const std::size_t whole = pending_.size() / 3 * 3;
  std::string text;
  text.reserve(whole / 3 * 4 + 4);
  const auto byte = [this](std::size_t i) -> std::uint32_t {
    return i < pending_.size() ? static_cast<unsigned char>(pending_[i]) : 0U;
  };
  const std::size_t end = is_last ? pending_.size() : whole;
  for (std::size_t i = 0; i < end; i += 3) {
    const std::uint32_t group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    for (const std::uint32_t shift : {18U, 12U, 6U, 0U}) text += kDigits[group >> shift & 63U];
  }
  if (end > whole) text.replace(text.size() - (3 - (end - whole)), std::string::npos, 3 - (end - whole), '=');
  pending_.erase(0, end);
  out_.write(text);
}

TimelineSpans::TimelineSpans(const NamedReplay& replay, const CriticalPath& path, std::size_t most) {
  const Dag& dag = replay.capture.dag;
  const Timeline& timeline = replay.timeline;
  std::vector<bool> stays;
  Duration pause{};
  if (dag.task_count() > most) {
    stays = always_kept(dag, path);
    choose_duration(dag, stays, most);
    pause = (*std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{}) / kPausesALane;
  }
  const auto is_short = [&](TaskId task) {
    return below_ != Duration{} && !stays[task.index()] && dag.duration(task) < below_;
  };
  const auto joins = [&](TaskId before, TaskId task) {
    return is_short(before) && is_short(task) &&
           timeline.start[task.index()] - timeline.finish[before.index()] <= pause;
  };
  const TasksByLane by_lane{dag};
  order_.reserve(dag.task_count());
  span_of_.resize(dag.task_count());
  for (std::size_t lane = 0; lane < dag.lanes().size(); ++lane) {
    lane_begin_.push_back(first_.size());
    TaskId before;
    for (const TaskId task : by_lane.of(LaneId{lane})) {
      if (before.valid() && joins(before, task)) {
        ++merged_tasks_;
      } else {
        first_.push_back(static_cast<std::uint32_t>(order_.size()));
      }
      order_.push_back(task);
      span_of_[task.index()] = static_cast<std::uint32_t>(first_.size() - 1);
      before = task;
    }
  }
  lane_begin_.push_back(first_.size());
  first_.push_back(static_cast<std::uint32_t>(order_.size()));
}

/// Sets the limit for merging to the duration of the (most / 2)-th longest task that may be merged.
void TimelineSpans::choose_duration(const Dag& dag, const std::vector<bool>& stays, std::size_t most) {
  std::vector<Duration> durations;
  for (std::size_t i = 0; i < stays.size(); ++i) {
    if (!stays[i]) durations.push_back(dag.duration(TaskId{i}));
  }
  const std::size_t rank = most / 2;
  if (durations.size() <= rank) return;
  const auto nth = durations.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(durations.begin(), nth, durations.end(), std::greater<>{});
  below_ = *nth;
}

}  // namespace stepsim::sim
