#include "sim/export/picture/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "model/base/text.h"
#include "sim/analysis/critical_path.h"
#include "sim/export/tracks.h"
#include "sim/report/class_style.h"
#include "sim/report/terminal_text.h"

namespace stepsim::sim {
namespace {

/// A part of a track that is drawn as one box: one task, or several small ones.
struct Stretch {
  double begin = 0;
  double end = 0;
  std::array<double, kPathClassCount> classes{};  ///< time of each class in the stretch
  std::size_t tasks = 0;
  TaskId first;
};

class TimelinePicture {
 public:
  TimelinePicture(const Answer& answer, OutputFile& out) : tracks_(answer), figures_(answer, kWidth - 20) {
    for (const NamedReplay& replay : answer.replays) note_path(replay);
    for (const TrackProcess& process : tracks_.processes()) note_tracks(process);
    const std::size_t rows = std::min(tracks_count_, kMostTracks) + shown_processes_;
    const std::string title = answer.document == nullptr ? "Timeline" : answer.document->headline;
    picture_.emplace(out, kWidth, kTop + figures_.height() + kRow * static_cast<double>(rows) + 20, title,
                     answer.provenance);
  }

  void draw() {
    draw_head();
    y_ += figures_.height();
    for (const TrackProcess& process : tracks_.processes()) draw(process);
    picture_->finish();
  }

 private:
  using Anchor = SvgPicture::Anchor;

  static constexpr double kWidth = 1200;
  static constexpr double kLeft = 200;
  static constexpr double kRight = kWidth - 20;
  static constexpr double kTop = 70;
  static constexpr double kRow = 16;     // height of a track and of a process's name
  static constexpr double kSmall = 1.0;  // narrower tasks are drawn together
  static constexpr std::size_t kMostTracks = 200;
  static constexpr std::string_view kPathColour = "#000000";

  void note_path(const NamedReplay& replay) {
    std::vector<bool>& path = on_path_.emplace_back(replay.capture.dag.task_count());
    const Summary summary = summarize(replay.capture, replay.timeline);
    for (const PathTask& task : iteration_path(replay.capture, replay.timeline, summary).path.tasks)
      path[task.task.index()] = true;
  }

  void note_tracks(const TrackProcess& process) {
    if (tracks_count_ < kMostTracks) ++shown_processes_;
    tracks_.for_each(
        process, [this](const std::string&, std::size_t) { ++tracks_count_; },
        [&](TaskId task, std::size_t) {
          most_ = std::max(most_, static_cast<double>(process.finish_of(task).count()));
        });
  }

  [[nodiscard]] double x_of(Duration time) const {
    return kLeft + (kRight - kLeft) * static_cast<double>(time.count()) / std::max(most_, 1.0);
  }

  void draw_head() {
    std::string heading = "Timeline";
    if (tracks_count_ > kMostTracks) heading += fmt::format(" (the first {} of {} tracks)", kMostTracks, tracks_count_);
    picture_->heading({10, 24}, heading);
    double x = kLeft;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(PathClass::kHost); ++i, x += 130) {
      picture_->rectangle({x, 14}, 10, 10, kClassStyles[i].colour);
      picture_->text({x + 16, 24}, kClassStyles[i].label);
    }
    picture_->rectangle({x, 20}, 10, 2, kPathColour);
    picture_->text({x + 16, 24}, "on the critical path");
    figures_.draw(*picture_, {10, 44});
    const double axis = 46 + figures_.height();
    for (const double mark : marks(most_)) {
      const double at = x_of(Duration{static_cast<std::int64_t>(mark)});
      picture_->line({at, axis + 4}, {at, axis + 10}, "#444444");
      picture_->text({at, axis}, mark_text(mark, most_), Anchor::kMiddle);
    }
  }

  /// The part of a track that is not drawn yet.
  struct Open {
    double y = 0;
    std::optional<Stretch> tasks{};
    std::optional<Stretch> path{};
  };

  void draw(const TrackProcess& process) {
    if (drawn_ >= kMostTracks) return;
    picture_->text({10, y_ + 12},
                   process.host.empty() ? process.name : fmt::format("{} (host {})", process.name, process.host));
    y_ += kRow;
    std::vector<Open> tracks;
    tracks_.for_each(
        process,
        [&](const std::string& name, std::size_t) {
          if (drawn_ >= kMostTracks) return;
          constexpr std::size_t kLabel = 26;
          picture_->text({24, y_ + 12}, cut_in_middle(shown(name), kLabel));
          tracks.push_back({.y = y_});
          y_ += kRow;
          ++drawn_;
        },
        [&](TaskId task, std::size_t track) {
          if (track < tracks.size()) add(process, task, tracks[track]);
        });
    for (const Open& open : tracks) {
      if (open.tasks) draw(process, *open.tasks, open.y);
      if (open.path) draw_path(*open.path, open.y);
    }
  }

  void add(const TrackProcess& process, TaskId task, Open& open) {
    add(process, task, open.tasks, [&](const Stretch& stretch) { draw(process, stretch, open.y); });
    if (process.replayed && on_path_[process.replay_index][task.index()])
      add(process, task, open.path, [&](const Stretch& stretch) { draw_path(stretch, open.y); });
  }

  /// Adds the task to the open stretch if both are small and touch; otherwise draws the stretch and starts a new one.
  template <class Draw>
  void add(const TrackProcess& process, TaskId task, std::optional<Stretch>& open, Draw draw) {
    const double begin = x_of(process.start_of(task));
    const double end = x_of(process.finish_of(task));
    const bool joins = open && end - begin < kSmall && begin - open->end < kSmall / 2 &&
                       (open->tasks > 1 || open->end - open->begin < kSmall);
    if (!joins) {
      if (open) draw(*open);
      open = Stretch{.begin = begin, .end = begin, .first = task};
    }
    open->end = std::max(open->end, end);
    open->classes[static_cast<std::size_t>(path_class_of(process.replay->capture.dag, task))] += end - begin;
    ++open->tasks;
  }

  void draw(const TrackProcess& process, const Stretch& stretch, double y) {
    const auto* const most = std::max_element(stretch.classes.begin(), stretch.classes.end());
    const Dag& dag = process.replay->capture.dag;
    constexpr double kThin = 0.2;
    picture_->rectangle({stretch.begin, y + 2}, std::max(stretch.end - stretch.begin, kThin), kRow - 5,
                        kClassStyles[static_cast<std::size_t>(most - stretch.classes.begin())].colour,
                        stretch.tasks > 1
                            ? fmt::format("{} short tasks", stretch.tasks)
                            : fmt::format("{}: {}", shown(dag.name(stretch.first)),
                                          to_text(process.finish_of(stretch.first) - process.start_of(stretch.first))));
  }

  void draw_path(const Stretch& stretch, double y) {
    constexpr double kThin = 0.5;
    picture_->rectangle({stretch.begin, y + kRow - 3}, std::max(stretch.end - stretch.begin, kThin), 2, kPathColour);
  }

  Tracks tracks_;
  PictureFigures figures_;
  std::vector<std::vector<bool>> on_path_;  ///< indexed by replay, then task: true if it is on the path
  std::size_t tracks_count_ = 0;
  std::size_t shown_processes_ = 0;
  double most_ = 0;  ///< the end of the last task, in nanoseconds
  std::optional<SvgPicture> picture_;
  double y_ = kTop;
  std::size_t drawn_ = 0;  ///< tracks drawn so far
};

}  // namespace

void draw_timeline(const Answer& answer, OutputFile& out) { TimelinePicture(answer, out).draw(); }

}  // namespace stepsim::sim
