#include "sim/stats/stage_use.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "sim/analysis/task_names.h"

namespace stepsim::sim {
namespace {

/// One stage of one partition in one step.
struct Run {
  std::size_t stage = 0;
  Time start;
  Time finish;
  TaskId task;
};

/// The durations of one stage.
struct Lengths {
  std::vector<Duration> queued;
  std::vector<Duration> worked;
  std::vector<Duration> in_line;
  std::vector<Duration> waiting;
};

Distribution distribution_of(const std::vector<Duration>& lengths) {
  const std::vector<std::uint32_t> one(lengths.size());
  return distributions(one, lengths, 1).front();
}

class Stages {
 public:
  explicit Stages(const MeasuredWork& work) : work_(work), dag_(work.capture.dag) {}

  std::vector<StageUse> run() {
    for (const Piece& piece : work_.pieces) {
      if (!piece.is_call) add(piece);
    }
    if (chains_.empty()) return {};
    note_releases();
    for (auto& [key, runs] : chains_) measure(key, runs);
    std::vector<StageUse> made;
    for (std::size_t i = 0; i < kPipeline.size(); ++i) {
      const Lengths& lengths = lengths_[i];
      if (lengths.worked.empty()) continue;
      made.push_back({std::string(kPipeline[i]), distribution_of(lengths.queued), distribution_of(lengths.worked),
                      distribution_of(lengths.in_line), distribution_of(lengths.waiting)});
    }
    return made;
  }

 private:
  /// Tensor, partition and step number; the same on all ranks.
  using Partition = std::tuple<std::string_view, std::string_view, std::int64_t>;
  using ChainKey = std::pair<Rank, Partition>;

  void add(const Piece& piece) {
    const StagedTask staged = staged_task(work_.name(piece));
    const auto* const stage = std::find(kPipeline.begin(), kPipeline.end(), staged.stage);
    if (staged.stage.empty() || stage == kPipeline.end()) return;
    const std::int32_t step = work_.step(piece);
    const std::int64_t number = step < 0 ? -1 : work_.capture.recording.steps[static_cast<std::size_t>(step)].number;
    const Partition partition{staged.tensor, staged.partition, number};
    const Run run{static_cast<std::size_t>(stage - kPipeline.begin()), piece.start, piece.start + piece.length,
                  TaskId{piece.index}};
    chains_[{work_.rank(piece), partition}].push_back(run);
    if (*stage != kPush) return;
    Time& last = last_push_.try_emplace(partition, Time::min()).first->second;
    last = std::max(last, run.finish);
  }

  /// Computes when the last operator that a stage waits for ended.
  void note_releases() {
    released_.assign(dag_.task_count(), std::nullopt);
    for (const TaskId task : dag_.tasks()) {
      if (dag_.kind(task) != TaskKind::kOperator) continue;
      const Time finish = work_.capture.recording.finish[task.index()];
      for (const TaskId next : dag_.successors(task)) {
        std::optional<Time>& release = released_[next.index()];
        release = std::max(release.value_or(finish), finish);
      }
    }
  }

  void measure(const ChainKey& key, std::vector<Run>& runs) {
    std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
      return std::tie(a.start, a.stage) < std::tie(b.start, b.stage);
    });
    std::optional<Time> released = released_[runs.front().task.index()];
    for (const Run& run : runs) {
      Lengths& lengths = lengths_[run.stage];
      lengths.worked.push_back(run.finish - run.start);
      const Time turn = work_.capture.recording.start[run.task.index()];
      lengths.in_line.push_back(std::clamp(turn - run.start, Duration{}, run.finish - run.start));
      if (released) lengths.queued.push_back(std::max(Duration{}, run.start - *released));
      released = run.finish;
      const auto last = last_push_.find(key.second);
      if (kPipeline[run.stage] == kPull && last != last_push_.end())
        lengths.waiting.push_back(std::clamp(last->second - run.start, Duration{}, run.finish - run.start));
    }
  }

  const MeasuredWork& work_;
  const Dag& dag_;
  std::map<ChainKey, std::vector<Run>> chains_;
  std::map<Partition, Time> last_push_;
  std::vector<std::optional<Time>> released_;  ///< indexed by task
  std::array<Lengths, kPipeline.size()> lengths_;
};

}  // namespace

std::vector<StageUse> stage_use(const MeasuredWork& work) {
  return work.measured ? Stages(work).run() : std::vector<StageUse>{};
}

}  // namespace stepsim::sim
