#include "sim/stats/stats_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/rank_steps.h"
#include "sim/stats/grouping.h"

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

/// Which pieces are in which groups: two columns.
struct Membership {
  std::vector<std::uint32_t> group;
  std::vector<std::uint32_t> piece;
};

/// What `key` needs of a capture, and this one lacks.
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

/// Enters kind, part, self time and time in whole steps.
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
  std::vector<Piece> first_;  ///< by group
  std::vector<bool> has_first_;
  std::vector<Duration> in_steps_;
  std::vector<bool> used_;  ///< by step
};

/// A name as it is shown; the kind behind the line's end only made the group.
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

}  // namespace stepsim::sim
