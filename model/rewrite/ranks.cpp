#include "model/rewrite/ranks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/cost/collective/algorithm.h"
#include "model/cost/network/network.h"
#include "model/job/group.h"
#include "model/rewrite/capture_edit.h"
#include "model/rewrite/task_copier.h"

namespace stepsim {
namespace {

/// Peak memory per task in bytes, measured in a what-if with 20,000 ranks and 7.5 million tasks.
constexpr double kBytesPerTask = 170;

[[noreturn]] void refuse(std::string_view why) {
  throw CannotAnswer(
      {}, fmt::format("{}; expected a data-parallel job, whose ranks all take part in every collective", why));
}

/// Copies or removes ranks of a capture.
class Resizing {
 public:
  Resizing(const Capture& capture, std::size_t count, const IsRank& differs)
      : capture_(capture), dag_(capture.dag), captured_(known_ranks(capture)), edit_(capture) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_captured = i < captured_.size();
      ranks_.push_back(is_captured ? captured_[i].rank : ranks_.back() + 1);
    }
    find_classes(differs);
  }

  Capture run() && {
    check_size();
    check_collectives();
    check_edges();
    if (ranks_.size() < captured_.size()) remove_from(captured_[ranks_.size()].rank);
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const Rank original = original_of(i);
      if (copy_of_[i] == i && ranks_[i] != original) copy(original, ranks_[i]);
    }
    if (ranks_.size() > captured_.size()) put_into_group();
    for (Group& group : edit_.builder().groups()) {
      group.size = static_cast<std::uint32_t>(ranks_.size());
      group.ranks = ranks_;
      group.copy_of = with_tasks_ < ranks_.size() ? copy_of_ : std::vector<std::uint32_t>{};
    }
    return std::move(edit_).finish();
  }

 private:
  /// What belongs to a rank, by index.
  struct Parts {
    std::vector<TaskId> tasks;
    std::vector<std::size_t> steps;
  };

  [[nodiscard]] Rank rank_of(TaskId task) const { return dag_.lane(task).rank; }

  /// Returns the rank with the tasks of the i-th rank of the result, which is like the captured one whose place it has
  /// modulo their count.
  [[nodiscard]] Rank original_of(std::size_t i) const { return captured_[i % captured_.size()].original; }

  /// Sets copy_of_ and with_tasks_.
  void find_classes(const IsRank& differs) {
    std::map<Rank, std::uint32_t> first;  // of a class, by the rank with its tasks
    for (std::uint32_t i = 0; i < ranks_.size(); ++i) {
      copy_of_.push_back(differs(ranks_[i]) ? i : first.try_emplace(original_of(i), i).first->second);
      if (copy_of_.back() == i) ++with_tasks_;
    }
  }

  void check_size() const {
    const std::size_t tasks =
        dag_.task_count() / std::max<std::size_t>(1, capture_.recording.ranks.size()) * with_tasks_;
    if (tasks <= kMostCopiedTasks) return;
    throw UsageError(fmt::format(
        "{} ranks, of which {} are simulated one by one, would do {} tasks, which take some {:.1f} GB of "
        "memory; expected at most {} tasks: fewer ranks, or fewer --steps",
        ranks_.size(), with_tasks_, tasks, static_cast<double>(tasks) * kBytesPerTask * 1e-9, kMostCopiedTasks));
  }

  void check_collectives() const {
    for (const RendezvousId rendezvous : dag_.all_rendezvous()) {
      if (dag_.members(rendezvous).empty()) continue;  // an all-reduce that new buckets have replaced
      if (dag_.collective(rendezvous).op == CollectiveOp::kSendRecv) refuse("the ranks send messages to each other");
      const std::size_t ranks = capture_.recording.ranks.size();
      if (dag_.members(rendezvous).size() != ranks)
        refuse(fmt::format("a collective has {} members, the job {} ranks", dag_.members(rendezvous).size(), ranks));
    }
  }

  void check_edges() {
    for (const DagBuilder::Edge& edge : edit_.builder().edges()) {
      if (rank_of(edge.from) != rank_of(edge.to)) refuse("ranks depend on each other outside collectives");
    }
  }

  /// Removes the tasks of `first` and of all ranks after it.
  void remove_from(Rank first) {
    for (const TaskId task : dag_.tasks()) {
      if (rank_of(task) >= first) edit_.remove(task);
    }
  }

  void sort_by_rank() {
    for (const TaskId task : dag_.tasks()) parts_[rank_of(task)].tasks.push_back(task);
    const std::vector<RecordedStep>& steps = capture_.recording.steps;
    for (std::size_t i = 0; i < steps.size(); ++i) parts_[steps[i].rank].steps.push_back(i);
  }

  void copy(Rank from, Rank to) {
    if (parts_.empty()) sort_by_rank();
    const Parts& parts = parts_[from];
    std::map<std::int32_t, std::int32_t> steps{{-1, -1}};
    for (const std::size_t i : parts.steps) {
      RecordedStep step = capture_.recording.steps[i];
      step.rank = to;
      steps.emplace(static_cast<std::int32_t>(i), edit_.add_step(step));
    }
    const TaskCopies copies =
        copier_.copy(parts.tasks, {.step_of = [&](Rank, std::int32_t captured) { return steps.at(captured); },
                                   .rank = to,
                                   .rendezvous = [](RendezvousId captured) { return captured; }});
    for (const auto& [captured, made] : steps) {
      if (made < 0) continue;
      TaskId& first = edit_.step(static_cast<std::size_t>(made)).first;
      if (first.valid()) first = copies.at(first);
    }
  }

  /// Makes collectives whose members were not listed a group, so that copies can be members.
  void put_into_group() {
    GroupId all;
    for (const RendezvousId rendezvous : dag_.all_rendezvous()) {
      Collective& collective = edit_.builder().collective(rendezvous);
      if (collective.group.valid()) continue;
      if (!all.valid()) all = edit_.builder().add_group({});
      collective.group = all;
    }
  }

  const Capture& capture_;
  const Dag& dag_;
  std::vector<KnownRank> captured_;     ///< those with tasks, and their copies
  std::vector<Rank> ranks_;             ///< ranks of the result, ascending
  std::vector<std::uint32_t> copy_of_;  ///< as Group::copy_of, for `ranks_`
  std::size_t with_tasks_ = 0;          ///< number of `ranks_` that are not copies
  CaptureEdit edit_;
  TaskCopier copier_{capture_, edit_};
  std::map<Rank, Parts> parts_;  ///< by rank with tasks; empty if none is copied
};

/// True if a group has the ranks 0 to size - 1, as far as known.
bool has_first_ranks(const Group& group) {
  return group.ranks.empty() || (group.ranks.front() == 0 && group.ranks.back() + 1 == static_cast<Rank>(group.size));
}

/// For a capture of one rank, changes the size of the groups of `before` ranks, which have all ranks of the job.
Capture with_absent_ranks(const Capture& capture, std::uint32_t before, std::size_t count) {
  const auto all = capture.dag.all_rendezvous();
  const bool any_message = std::any_of(all.begin(), all.end(), [&dag = capture.dag](RendezvousId rendezvous) {
    return !is_whole(dag, rendezvous) && !is_timed_as_whole(dag.collective(rendezvous));
  });
  if (any_message && count > kMostAbsentMembers) {
    throw UsageError(
        fmt::format("only one rank was captured and stands for all, and its collectives are simulated "
                    "message by message; expected at most {} ranks, or the traces of all ranks",
                    grouped(kMostAbsentMembers)));
  }
  CaptureEdit edit(capture);
  for (Group& group : edit.builder().groups()) {
    if (group.size != before || before == count) continue;
    if (!has_first_ranks(group)) {
      throw CannotAnswer({}, fmt::format("the only captured rank has collectives with the ranks {}, which are not all "
                                         "ranks of the job; expected the traces of all ranks",
                                         fmt::join(group.ranks, ", ")));
    }
    group.size = static_cast<std::uint32_t>(count);
    group.ranks.resize(count);
    std::iota(group.ranks.begin(), group.ranks.end(), 0);
  }
  return std::move(edit).finish();
}

}  // namespace

std::optional<std::uint32_t> group_of_lone_rank(const Capture& capture) {
  if (capture.recording.ranks.size() != 1) return std::nullopt;
  std::uint32_t size = 0;
  for (const RendezvousId rendezvous : capture.dag.all_rendezvous()) {
    if (is_whole(capture.dag, rendezvous)) continue;
    const std::uint32_t own = group_size(capture.dag, rendezvous);
    if (size != 0 && own != size) return std::nullopt;
    size = own;
  }
  return size > 1 ? std::optional{size} : std::nullopt;
}

Capture with_ranks(const Capture& capture, std::size_t count, const IsRank& differs) {
  if (count == 0) throw UsageError("0 ranks found; expected at least 1");
  if (count > kMostCopiedTasks)
    throw UsageError(fmt::format("{} ranks found; expected at most {}", count, kMostCopiedTasks));
  const std::optional<std::uint32_t> group = group_of_lone_rank(capture);
  return group ? with_absent_ranks(capture, *group, count) : Resizing(capture, count, differs).run();
}

}  // namespace stepsim
