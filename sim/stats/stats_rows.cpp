#include "sim/stats/stats_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/rank_steps.h"
#include "sim/analysis/task_names.h"
#include "sim/stats/call_stacks.h"

namespace stepsim::sim {
namespace {

constexpr std::array<NamedStatsKey, 12> kKeys{{{"name", StatsKey::kName},
                                               {"kind", StatsKey::kKind},
                                               {"class", StatsKey::kClass},
                                               {"operator", StatsKey::kOperator},
                                               {"annotation", StatsKey::kAnnotation},
                                               {"module", StatsKey::kModule},
                                               {"layer", StatsKey::kLayer},
                                               {"tensor", StatsKey::kTensor},
                                               {"stage", StatsKey::kStage},
                                               {"lane", StatsKey::kLane},
                                               {"rank", StatsKey::kRank},
                                               {"step", StatsKey::kStep}}};

constexpr std::array<NamedStatsOrder, 9> kOrders{{{"self", StatsOrder::kSelf},
                                                  {"total", StatsOrder::kTotal},
                                                  {"count", StatsOrder::kCount},
                                                  {"mean", StatsOrder::kMean},
                                                  {"median", StatsOrder::kMedian},
                                                  {"min", StatsOrder::kShortest},
                                                  {"max", StatsOrder::kLongest},
                                                  {"deviation", StatsOrder::kDeviation},
                                                  {"name", StatsOrder::kName}}};

/// Pairs of a group and a piece that belongs to it, as two columns.
struct Membership {
  std::vector<std::uint32_t> group;
  std::vector<std::uint32_t> piece;
};

/// Returns what the capture lacks for grouping by `key`, as the end of an error message.
std::string_view missing(StatsKey key) {
  switch (key) {
    case StatsKey::kOperator: return "does not say which operator launched what; expected shapes (record_shapes=True)";
    case StatsKey::kAnnotation: return "has no annotations; expected some (torch.profiler.record_function)";
    case StatsKey::kModule: return "has no calls of modules; expected them (with_stack=True, or with_modules=True)";
    case StatsKey::kLayer: return "has no layers; expected operators named FW.NAME, BW.NAME or UPDATE.NAME";
    case StatsKey::kTensor:
    case StatsKey::kStage: return "has no stages of tensors; expected BytePS's comm.json";
    case StatsKey::kStep: return "marks no steps; expected ProfilerStep marks or args.step";
    default: return "has nothing to count";
  }
}

[[noreturn]] void refuse(const MeasuredWork& work, StatsKey key) {
  const std::vector<InputFile>& inputs = work.capture.inputs;
  throw CannotAnswer({inputs.empty() ? std::string("the capture") : inputs.front().name, {}, {}},
                     fmt::format("--by {}: this capture {}", to_text(key), missing(key)));
}

Membership members_of(const MeasuredWork& work, StatsKey key, GroupNames& names) {
  const GroupsOf groups_of = grouping_by(key, work, names);
  Membership made;
  made.group.reserve(work.pieces.size());
  made.piece.reserve(work.pieces.size());
  std::vector<std::uint32_t> without;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t i = 0; i < work.pieces.size(); ++i) {
    groups.clear();
    groups_of(work.pieces[i], groups);
    if (groups.empty()) without.push_back(i);
    made.group.insert(made.group.end(), groups.begin(), groups.end());
    made.piece.insert(made.piece.end(), groups.size(), i);
  }
  if (made.group.empty()) refuse(work, key);
  if (without.empty()) return made;
  made.group.insert(made.group.end(), without.size(), names.number_of(kNoGroup));
  made.piece.insert(made.piece.end(), without.begin(), without.end());
  return made;
}

/// Sets the kind, part, self time and time in whole steps of each row.
class RowFiller {
 public:
  RowFiller(const MeasuredWork& work, std::vector<StatsRow>& rows)
      : work_(work), rows_(rows), first_(rows.size()), has_first_(rows.size()), in_steps_(rows.size()) {
    for (const RecordedStep& step : work.capture.recording.steps) used_.push_back(step.marked && is_used(step));
  }

  void add(std::uint32_t group, const Piece& piece) {
    StatsRow& row = rows_[group];
    if (!has_first_[group]) {
      has_first_[group] = true;
      first_[group] = piece;
      row.kind = work_.kind(piece);
      row.part = piece.part;
    } else if (!row.kind.empty() && is_other_kind(first_[group], piece)) {
      row.kind.clear();
    }
    if (row.part != piece.part) row.part.reset();
    row.self = saturated_sum(row.self, piece.self);
    const std::int32_t step = work_.step(piece);
    if (step >= 0 && used_[static_cast<std::size_t>(step)])
      in_steps_[group] = saturated_sum(in_steps_[group], piece.self);
  }

  void finish() {
    const auto steps = static_cast<std::int64_t>(whole_steps(work_.capture.recording));
    const WorkTotals totals = work_totals(work_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      StatsRow& row = rows_[i];
      row.share = ratio(row.self, row.part ? totals.of_part[static_cast<std::size_t>(*row.part)] : totals.all);
      if (steps > 0) row.per_step = in_steps_[i] / steps;
    }
  }

 private:
  [[nodiscard]] bool is_other_kind(const Piece& a, const Piece& b) const {
    if (a.is_call != b.is_call) return work_.kind(a) != work_.kind(b);
    if (a.is_call) return work_.details.calls[a.index].kind != work_.details.calls[b.index].kind;
    return work_.capture.dag.kind(TaskId{a.index}) != work_.capture.dag.kind(TaskId{b.index});
  }

  const MeasuredWork& work_;
  std::vector<StatsRow>& rows_;
  std::vector<Piece> first_;  ///< indexed by group
  std::vector<bool> has_first_;
  std::vector<Duration> in_steps_;
  std::vector<bool> used_;  ///< indexed by step: true if it is used
};

/// Returns the name of a group for display. The names of StatsKey::kName end with a line break and the kind, which only
/// keep groups of different kinds apart.
std::string shown_name(const std::string& name, StatsKey key) {
  return key == StatsKey::kName ? name.substr(0, name.rfind('\n')) : name;
}

bool comes_before(const StatsRow& a, const StatsRow& b, StatsOrder order) {
  const auto differ = [&a, &b](auto value) { return value(a) != value(b) ? (value(a) > value(b) ? 1 : -1) : 0; };
  int first = 0;
  switch (order) {
    case StatsOrder::kTotal: first = differ([](const StatsRow& row) { return row.times.total; }); break;
    case StatsOrder::kSelf: first = differ([](const StatsRow& row) { return row.self; }); break;
    case StatsOrder::kCount: first = differ([](const StatsRow& row) { return row.times.count; }); break;
    case StatsOrder::kMean: first = differ([](const StatsRow& row) { return row.times.mean_ns; }); break;
    case StatsOrder::kMedian: first = differ([](const StatsRow& row) { return row.times.median; }); break;
    case StatsOrder::kShortest: first = differ([](const StatsRow& row) { return row.times.shortest; }); break;
    case StatsOrder::kLongest: first = differ([](const StatsRow& row) { return row.times.longest; }); break;
    case StatsOrder::kDeviation: first = differ([](const StatsRow& row) { return row.times.deviation_ns; }); break;
    case StatsOrder::kName: break;
  }
  if (first != 0) return first > 0;
  return a.name != b.name ? natural_less(a.name, b.name) : a.kind < b.kind;
}

constexpr std::uint32_t kUnknown = 0xFFFFFFFFU;  // marks a group that is not determined yet
constexpr std::uint32_t kNothing = 0xFFFFFFFEU;  // marks a piece without a value for the key

/// Returns the name of the group that a piece belongs to; empty if it belongs to none.
using NameOf = std::function<std::string(const Piece& piece)>;

/// Returns a function that finds the group of a piece. For all pieces with the same value of `place_of`, the function
/// calls `name_of` only once. Precondition: `place_of` returns values below `places`.
GroupsOf cached(std::size_t places, std::function<std::size_t(const Piece&)> place_of, NameOf name_of,
                GroupNames& names) {
  return [known = std::vector<std::uint32_t>(places, kUnknown), place_of = std::move(place_of),
          name_of = std::move(name_of), &names](const Piece& piece, std::vector<std::uint32_t>& groups) mutable {
    std::uint32_t& group = known[place_of(piece)];
    if (group == kUnknown) {
      const std::string name = name_of(piece);
      group = name.empty() ? kNothing : names.number_of(name);
    }
    if (group != kNothing) groups.push_back(group);
  };
}

/// Groups by name and kind.
GroupsOf by_name(const MeasuredWork& work, NameOf name_of, GroupNames& names) {
  constexpr std::size_t kKinds = 16;
  const Dag& dag = work.capture.dag;
  const auto place = [&dag, &work](const Piece& piece) {
    if (piece.is_call) {
      const TraceDetails::Call& call = work.details.calls[piece.index];
      return (dag.name_count() + call.name) * kKinds + static_cast<std::size_t>(call.kind);
    }
    const TaskId task{piece.index};
    return dag.name_id(task).index() * kKinds + static_cast<std::size_t>(dag.kind(task));
  };
  return cached((dag.name_count() + work.details.names.size()) * kKinds, place, std::move(name_of), names);
}

/// Groups by the thread, stream or link of the piece.
GroupsOf by_row(const MeasuredWork& work, NameOf name_of, GroupNames& names) {
  const std::size_t lanes = work.capture.dag.lanes().size();
  const auto place = [&work, lanes](const Piece& piece) {
    return piece.is_call ? lanes + work.details.calls[piece.index].thread
                         : work.capture.dag.lane_id(TaskId{piece.index}).index();
  };
  return cached(lanes + work.details.threads.size(), place, std::move(name_of), names);
}

/// Groups by the step of the piece.
GroupsOf by_step(const MeasuredWork& work, GroupNames& names) {
  const std::vector<RecordedStep>& steps = work.capture.recording.steps;
  const auto place = [&work](const Piece& piece) {
    return static_cast<std::size_t>(std::int64_t{work.step(piece)} + 1);
  };
  const auto name = [&work, &steps](const Piece& piece) {
    const std::int32_t step = work.step(piece);
    if (step < 0 || !steps[static_cast<std::size_t>(step)].marked) return std::string();
    return fmt::format("step {}", steps[static_cast<std::size_t>(step)].number);
  };
  return cached(steps.size() + 1, place, name, names);
}

std::string name_without_step(const MeasuredWork& work, const Piece& piece) {
  // The kind is part of the group's key, so that a row has only one kind.
  return fmt::format("{}\n{}", without_step_number(work.name(piece)), work.kind(piece));
}

std::string class_of_work(const MeasuredWork& work, const Piece& piece) {
  if (piece.is_call) return std::string(work.kind(piece));
  return std::string(class_name(work.capture.dag.kind(TaskId{piece.index}), work.name(piece)));
}

/// For each task of the Dag, the indices of its entries in another table.
using OfTasks = std::vector<std::vector<std::uint32_t>>;

GroupsOf by_operator(const MeasuredWork& work, GroupNames& names) {
  const OperatorTable& table = work.capture.operators;
  std::vector<std::uint32_t> of_task(work.capture.dag.task_count(), kNothing);
  for (const OperatorTable::Use& use : table.uses) of_task[use.task.index()] = use.which;
  return [of_task = std::move(of_task), &table, &names](const Piece& piece, std::vector<std::uint32_t>& groups) {
    if (piece.is_call || of_task[piece.index] == kNothing) return;
    groups.push_back(names.number_of(table.operators[of_task[piece.index]].name));
  };
}

/// Groups work by annotation or module: device work by those around its launch, and a call by those around it on its
/// own thread.
GroupsOf by_surroundings(const MeasuredWork& work, bool modules, GroupNames& names) {
  const AnnotationTable& table = work.capture.annotations;
  const TraceDetails& details = work.details;
  OfTasks of_task(table.uses.empty() ? 0 : work.capture.dag.task_count());
  for (const AnnotationTable::Use& use : table.uses) {
    if (table.names[use.which].starts_with(kModulePrefix) == modules) of_task[use.task.index()].push_back(use.which);
  }
  std::vector<std::uint32_t> around = nearest_callers(details, [&](const TraceDetails::Call& call) {
    return modules ? is_module_call(details, call)
                   : call.kind == CallKind::kAnnotation && !details.names[call.name].starts_with(kStepMark);
  });
  const auto number = [&names, modules](const std::string& name) {
    return names.number_of(modules ? std::string_view{name}.substr(kModulePrefix.size()) : std::string_view{name});
  };
  return [of_task = std::move(of_task), around = std::move(around), &table, &details, number](
             const Piece& piece, std::vector<std::uint32_t>& groups) {
    constexpr std::size_t kMost = 64;
    if (!piece.is_call) {
      if (of_task.empty()) return;
      for (const std::uint32_t which : of_task[piece.index]) groups.push_back(number(table.names[which]));
      return;
    }
    std::uint32_t call = around[piece.index];
    for (std::size_t i = 0; i < kMost && call != TraceDetails::kNone; ++i, call = around[call]) {
      const std::uint32_t group = number(details.names[details.calls[call].name]);
      if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
    }
  };
}

}  // namespace

std::span<const NamedStatsKey> stats_keys() noexcept { return kKeys; }
std::span<const NamedStatsOrder> stats_orders() noexcept { return kOrders; }

std::string_view to_text(StatsKey key) noexcept {
  return std::find_if(kKeys.begin(), kKeys.end(), [key](const NamedStatsKey& each) { return each.key == key; })->name;
}
std::string_view to_text(StatsOrder order) noexcept {
  return std::find_if(kOrders.begin(), kOrders.end(),
                      [order](const NamedStatsOrder& each) { return each.order == order; })
      ->name;
}

WorkTotals work_totals(const MeasuredWork& work) {
  WorkTotals totals;
  for (const Piece& piece : work.pieces) {
    Duration& of_part = totals.of_part[static_cast<std::size_t>(piece.part)];
    of_part = saturated_sum(of_part, piece.self);
    totals.all = saturated_sum(totals.all, piece.self);
  }
  return totals;
}

std::size_t whole_steps(const Recording& recording) {
  return static_cast<std::size_t>(std::count_if(recording.steps.begin(), recording.steps.end(),
                                                [](const RecordedStep& step) { return step.marked && is_used(step); }));
}

std::vector<StatsRow> stats_rows(const MeasuredWork& work, StatsKey key, StatsOrder order) {
  GroupNames names;
  const Membership members = members_of(work, key, names);
  std::vector<Duration> lengths;
  lengths.reserve(members.piece.size());
  for (const std::uint32_t piece : members.piece) lengths.push_back(work.pieces[piece].length);
  const std::vector<Distribution> times = distributions(members.group, lengths, names.names().size());
  std::vector<StatsRow> rows(names.names().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].name = shown_name(names.names()[i], key);
    rows[i].times = times[i];
  }
  RowFiller filler(work, rows);
  for (std::size_t i = 0; i < members.piece.size(); ++i) filler.add(members.group[i], work.pieces[members.piece[i]]);
  filler.finish();
  sort_rows(rows, order);
  return rows;
}

void sort_rows(std::vector<StatsRow>& rows, StatsOrder order) {
  std::stable_sort(rows.begin(), rows.end(),
                   [order](const StatsRow& a, const StatsRow& b) { return comes_before(a, b, order); });
}

std::uint32_t GroupNames::number_of(std::string_view name) {
  const auto [known, is_new] = numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return known->second;
}

GroupsOf grouping_by(StatsKey key, const MeasuredWork& work, GroupNames& names) {
  const auto named = [&](auto name_of) {
    return by_name(
        work, [&work, name_of](const Piece& piece) { return std::string(name_of(work.name(piece))); }, names);
  };
  switch (key) {
    case StatsKey::kName:
      return by_name(
          work, [&work](const Piece& piece) { return name_without_step(work, piece); }, names);
    case StatsKey::kKind:
      return by_name(
          work, [&work](const Piece& piece) { return std::string(work.kind(piece)); }, names);
    case StatsKey::kClass:
      return by_name(
          work, [&work](const Piece& piece) { return class_of_work(work, piece); }, names);
    case StatsKey::kLayer: return named(layer_of);
    case StatsKey::kTensor: return named([](std::string_view name) { return staged_task(name).tensor; });
    case StatsKey::kStage: return named([](std::string_view name) { return staged_task(name).stage; });
    case StatsKey::kOperator: return by_operator(work, names);
    case StatsKey::kAnnotation: return by_surroundings(work, false, names);
    case StatsKey::kModule: return by_surroundings(work, true, names);
    case StatsKey::kLane:
      return by_row(
          work, [&work](const Piece& piece) { return fmt::format("rank {}, {}", work.rank(piece), work.lane(piece)); },
          names);
    case StatsKey::kRank:
      return by_row(
          work, [&work](const Piece& piece) { return fmt::format("rank {}", work.rank(piece)); }, names);
    case StatsKey::kStep: break;
  }
  return by_step(work, names);
}

}  // namespace stepsim::sim
