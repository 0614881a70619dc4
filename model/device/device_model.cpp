#include "model/device/device_model.h"

#include <algorithm>
#include <cmath>

namespace stepsim {
namespace {

bool is_device_work(TaskKind kind, LaneKind lane) noexcept {
  switch (kind) {
    case TaskKind::kKernel:
    case TaskKind::kMemset: return true;
    case TaskKind::kOperator: return lane != LaneKind::kThread;  // there it runs on the host
    case TaskKind::kCollective:
    case TaskKind::kCopy: return lane == LaneKind::kStream || lane == LaneKind::kCopyEngine;
    default: return false;
  }
}

/// What kernels' names tell, found once a name.
class NameFacts {
 public:
  explicit NameFacts(const Dag& dag) : dag_(dag), facts_(dag.name_count()) {}

  KernelClass kind(TaskId task) {
    const TaskKind kind = dag_.kind(task);
    const bool kernel = kind == TaskKind::kKernel || kind == TaskKind::kOperator;
    return kernel ? of(task).kind : classify_kernel(kind, dag_.name(task));
  }
  std::optional<Precision> precision(TaskId task) { return of(task).precision; }

 private:
  struct Fact {
    bool known = false;
    KernelClass kind = KernelClass::kUnknown;
    std::optional<Precision> precision;
  };

  const Fact& of(TaskId task) {
    Fact& fact = facts_[dag_.name_id(task).index()];
    if (!fact.known) fact = {true, classify_kernel(dag_.name(task)), precision_in(dag_.name(task))};
    return fact;
  }

  const Dag& dag_;
  std::vector<Fact> facts_;  // by NameId
};

/// The arithmetic that matrix kernels spend most time in, of those whose names tell: taken for
/// the others, "attn_fwd" say.
Precision usual_precision(const Dag& dag, const std::vector<std::optional<DeviceWork>>& pieces, NameFacts& names) {
  std::array<Duration, kPrecisionCount> time{};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!pieces[i] || limit_of(pieces[i]->kind) != Limit::kFlops) continue;
    const std::optional<Precision> precision = names.precision(TaskId{i});
    if (precision) time[static_cast<std::size_t>(*precision)] += dag.duration(TaskId{i});
  }
  const auto most = std::max_element(time.begin(), time.end());
  return *most > Duration{} ? static_cast<Precision>(most - time.begin()) : Precision::kFloat32;
}

/// True if a kernel of this class is the part of an operator's call that does its work: a
/// product's memset or a convolution's change of layout is not.
bool does(const DeviceWork& piece, const Work& work) noexcept {
  if (work.bytes <= 0) return false;
  if (piece.kind == KernelClass::kUnknown) return true;
  return limit_of(piece.kind) == limit_of(work.kind);
}

/// An operator on fp32 may be done in tf32: only the kernel's name tells.
Precision precision_of(const DeviceWork& piece, const Work& work) noexcept {
  const bool rounded = piece.precision == Precision::kTensor32 && work.precision == Precision::kFloat32;
  return rounded ? piece.precision : work.precision;
}

void share_out(const OperatorTable& table, std::vector<std::optional<DeviceWork>>& pieces) {
  std::vector<Duration> total(table.occurrences);
  const auto worker = [&](const OperatorTable::Use& use) -> DeviceWork* {
    std::optional<DeviceWork>& piece = pieces[use.task.index()];
    return piece && does(*piece, table.operators[use.which].work) ? &*piece : nullptr;
  };
  for (const OperatorTable::Use& use : table.uses) {
    if (const DeviceWork* const piece = worker(use)) total[use.occurrence] += piece->recorded;
  }
  for (const OperatorTable::Use& use : table.uses) {
    DeviceWork* const piece = worker(use);
    if (piece == nullptr || total[use.occurrence] <= Duration{}) continue;
    Work work = table.operators[use.which].work;
    const double part =
        static_cast<double>(piece->recorded.count()) / static_cast<double>(total[use.occurrence].count());
    work.flops *= part;
    work.bytes *= part;
    work.precision = precision_of(*piece, work);
    piece->work = work;
  }
}

bool is_meant(const DeviceChange& change, std::size_t task, KernelClass kind) {
  const bool kind_meant =
      change.kinds.empty() || std::find(change.kinds.begin(), change.kinds.end(), kind) != change.kinds.end();
  return kind_meant && (change.selected.empty() || change.selected[task]);
}

Duration rounded(double nanoseconds) { return Duration{std::llround(std::max(0.0, nanoseconds))}; }

void count(ScaledShare::Part& part, Duration before, Duration after) {
  part.before += before;
  part.after += after;
  ++part.pieces;
}

}  // namespace

std::string_view to_text(ScaledBy by) noexcept {
  static constexpr std::array<std::string_view, kScaledByCount> kNames{"flops", "bytes",  "overhead",
                                                                       "class", "factor", "unchanged"};
  return kNames[static_cast<std::size_t>(by)];
}

const DeviceModel* find_device_model(std::string_view name) noexcept {
  for (const DeviceModel* const model : device_models()) {
    if (model->name == name) return model;
  }
  return nullptr;
}

ScaledShare::Part ScaledShare::total() const noexcept {
  Part total;
  for (const Part& part : by) {
    total.before += part.before;
    total.after += part.after;
    total.pieces += part.pieces;
  }
  return total;
}

const Accelerator* accelerator_of(const Capture& capture) {
  return capture.devices.empty() ? nullptr : find_accelerator(capture.devices.begin()->second);
}

std::vector<std::optional<DeviceWork>> device_work(const Capture& capture) {
  const Dag& dag = capture.dag;
  NameFacts names(dag);
  std::vector<std::optional<DeviceWork>> pieces(dag.task_count());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const TaskId task{i};
    if (!is_device_work(dag.kind(task), dag.lane(task).kind)) continue;
    pieces[i] = DeviceWork{dag.duration(task), names.kind(task), Precision::kFloat32, {}};
  }
  const Precision usual = usual_precision(dag, pieces, names);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i]) pieces[i]->precision = names.precision(TaskId{i}).value_or(usual);
  }
  share_out(capture.operators, pieces);
  return pieces;
}

ScaledDurations scaled_durations(const Capture& capture, const DeviceModel& model, const DeviceChange& change) {
  const std::vector<std::optional<DeviceWork>> pieces = device_work(capture);
  ScaledDurations out;
  out.duration.reserve(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Duration recorded = capture.dag.duration(TaskId{i});
    out.duration.push_back(recorded);
    if (!pieces[i]) continue;
    ScaledBy by = ScaledBy::kUnchanged;
    if (is_meant(change, i, pieces[i]->kind)) {
      const Scaled scaled = model.scale(*pieces[i], change);
      by = scaled.by;
      if (by != ScaledBy::kUnchanged) out.duration.back() = rounded(scaled.nanoseconds);
    }
    count(out.share.by[static_cast<std::size_t>(by)], recorded, out.duration.back());
    count(out.share.kind[static_cast<std::size_t>(pieces[i]->kind)], recorded, out.duration.back());
  }
  return out;
}

}  // namespace stepsim
