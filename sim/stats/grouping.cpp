#include "sim/stats/grouping.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/analysis/task_names.h"
#include "sim/stats/callers.h"

namespace stepsim::sim {
namespace {

constexpr std::uint32_t kUnknown = 0xFFFFFFFFU;  // not asked for yet
constexpr std::uint32_t kNothing = 0xFFFFFFFEU;  // the key says nothing of it

/// Names a group by what decides it; empty: none.
using NameOf = std::function<std::string(const Piece& piece)>;

/// Asks `name_of` once for each place of a table.
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

/// By what the piece is called and its kind.
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

/// By the thread, stream or link that the piece is on.
GroupsOf by_row(const MeasuredWork& work, NameOf name_of, GroupNames& names) {
  const std::size_t lanes = work.capture.dag.lanes().size();
  const auto place = [&work, lanes](const Piece& piece) {
    return piece.is_call ? lanes + work.details.calls[piece.index].thread
                         : work.capture.dag.lane_id(TaskId{piece.index}).index();
  };
  return cached(lanes + work.details.threads.size(), place, std::move(name_of), names);
}

/// By the step that the piece is in.
GroupsOf by_step(const MeasuredWork& work, GroupNames& names) {
  const std::vector<RecordedStep>& steps = work.capture.recording.steps;
  const auto place = [&work](const Piece& piece) { return static_cast<std::size_t>(work.step(piece) + 1); };
  const auto name = [&work, &steps](const Piece& piece) {
    const std::int32_t step = work.step(piece);
    if (step < 0 || !steps[static_cast<std::size_t>(step)].marked) return std::string();
    return fmt::format("step {}", steps[static_cast<std::size_t>(step)].number);
  };
  return cached(steps.size() + 1, place, name, names);
}

std::string name_without_step(const MeasuredWork& work, const Piece& piece) {
  // Only one kind a row: the kind is part of what makes a group.
  return fmt::format("{}\n{}", without_step_number(work.name(piece)), work.kind(piece));
}

std::string class_of_work(const MeasuredWork& work, const Piece& piece) {
  if (piece.is_call) return std::string(work.kind(piece));
  return std::string(class_name(work.capture.dag.kind(TaskId{piece.index}), work.name(piece)));
}

/// What a table beside the Dag says of each task, by task.
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

/// By what is around the launch of device work, or around a call on its thread.
GroupsOf by_surroundings(const MeasuredWork& work, bool modules, GroupNames& names) {
  const AnnotationTable& table = work.capture.annotations;
  const TraceDetails& details = work.details;
  OfTasks of_task(table.uses.empty() ? 0 : work.capture.dag.task_count());
  for (const AnnotationTable::Use& use : table.uses) {
    if (table.names[use.which].starts_with(kModulePrefix) == modules) of_task[use.task.index()].push_back(use.which);
  }
  std::vector<std::uint32_t> around = nearest_callers(details, [&](const TraceDetails::Call& call) {
    return modules ? is_module_call(details, call)
                   : call.kind == CallKind::kAnnotation && !details.names[call.name].starts_with("ProfilerStep#");
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
