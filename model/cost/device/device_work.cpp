#include "model/cost/device/device_work.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace stepsim {
namespace {

bool is_device_work(TaskKind kind, LaneKind lane) noexcept {
  switch (kind) {
    case TaskKind::kKernel:
    case TaskKind::kMemset: return true;
    case TaskKind::kOperator: return lane != LaneKind::kThread;  // on a thread it runs on the host
    case TaskKind::kCollective:
    case TaskKind::kCopy: return lane == LaneKind::kStream || lane == LaneKind::kCopyEngine;
    default: return false;
  }
}

/// Facts derived from the names of kernels, computed once for each name.
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
  std::vector<Fact> facts_;  // indexed by NameId
};

/// Returns the precision in which matrix kernels spend most of their time, according to names that state one. It is
/// assumed for the other kernels, such as "attn_fwd".
std::optional<Precision> usual_precision(const Dag& dag, const DevicePieces& pieces, NameFacts& names) {
  std::array<Duration, kPrecisionCount> time{};
  for (const auto& [task, piece] : pieces) {
    if (limit_of(piece.kind) != Limit::kFlops) continue;
    const std::optional<Precision> precision = names.precision(task);
    if (precision) time[static_cast<std::size_t>(*precision)] += dag.duration(task);
  }
  auto* const most = std::max_element(time.begin(), time.end());
  return *most > Duration{} ? std::optional{static_cast<Precision>(most - time.begin())} : std::nullopt;
}

/// True if a kernel of this class does the main work of an operator's call. The memset that a product launches or the
/// change of layout that a convolution launches, for example, does not.
bool does(const DeviceWork& piece, const Work& work) noexcept {
  if (work.bytes <= 0) return false;
  if (piece.kind == KernelClass::kUnknown) return true;
  return limit_of(piece.kind) == limit_of(work.kind);
}

/// Returns the precision of the operator, or tf32 for an fp32 operator whose kernel is named as tf32: only the kernel's
/// name shows this.
Precision precision_of(const DeviceWork& piece, const Work& work) noexcept {
  const bool rounded = piece.precision == Precision::kTensor32 && work.precision == Precision::kFloat32;
  return rounded ? piece.precision : work.precision;
}

/// Returns for each lane the device of its rank.
std::vector<const Accelerator*> accelerators_of(const Capture& capture) {
  const Accelerator* const usual = accelerator_of(capture);
  std::map<Rank, const Accelerator*> of_rank;
  for (const auto& [rank, name] : capture.devices) of_rank[rank] = find_accelerator(name);
  std::vector<const Accelerator*> of_lane;
  for (const Lane& lane : capture.dag.lanes()) {
    const auto known = of_rank.find(lane.rank);
    of_lane.push_back(known == of_rank.end() ? usual : known->second);
  }
  return of_lane;
}

/// Returns the precision of the operator's first float input, or nothing if it has none.
std::optional<Precision> precision_of(const OperatorTable::Operator& op) {
  const auto found = std::find_if(op.inputs.begin(), op.inputs.end(),
                                  [](const TensorShape& input) { return input.element == ElementKind::kFloat; });
  return found == op.inputs.end() ? std::nullopt : std::optional{found->precision};
}

/// True if the operator is a convolution. Kernels do not show this, because libraries also use the kernels of matrix
/// products for convolutions.
bool convolves(const OperatorTable::Operator& op) { return op.name.find("convolution") != std::string::npos; }

/// Stores the operator and the precision of each piece. The precision in a kernel's name takes precedence over the
/// operator's inputs, because it can be tf32.
void note_operators(const OperatorTable& table, NameFacts& names, DevicePieces& pieces) {
  pieces.for_each_use(table.uses, [&](const OperatorTable::Use& use, DeviceWork& piece) {
    piece.which = use.which;
    piece.in_optimizer = piece.in_optimizer || use.in_optimizer;
    piece.divided = use.divided;
    if (piece.kind == KernelClass::kGemm && convolves(table.operators[use.which]))
      piece.kind = KernelClass::kConvolution;
    const std::optional<Precision> told = precision_of(table.operators[use.which]);
    if (!told || names.precision(use.task)) return;
    piece.precision = *told;
    piece.precision_known = true;
  });
}

void note_launches(const LaunchTable& table, DevicePieces& pieces) {
  pieces.for_each_use(
      table.uses, [&](const LaunchTable::Use& use, DeviceWork& piece) { piece.launch = table.launches[use.which]; });
}

/// Returns DeviceWork::row: the size of the input's last dimension, over which layers are normalised.
double row_of(const OperatorTable::Operator& op) {
  static constexpr auto kOverRows = std::to_array<std::string_view>(
      {"aten::native_layer_norm", "aten::layer_norm", "aten::_fused_rms_norm", "aten::rms_norm"});
  if (std::find(kOverRows.begin(), kOverRows.end(), op.name) == kOverRows.end()) return 0;
  if (op.inputs.empty() || op.inputs.front().sizes.empty()) return 0;
  const TensorShape& input = op.inputs.front();
  return static_cast<double>(std::max<std::int64_t>(0, input.sizes.back()) * input.element_bytes);
}

/// Finds calls (by occurrence) that launched kernels of matrix products although their operator is not known to compute
/// any, such as a compiled graph, a task graph or a library's whole layer. The inputs of such a call belong to all its
/// kernels together, so they do not describe a single kernel.
std::vector<bool> calls_of_several_operators(const OperatorTable& table, DevicePieces& pieces) {
  std::vector<std::uint32_t> count(table.occurrences);
  std::vector<bool> several(table.occurrences);
  pieces.for_each_use(table.uses, [&](const OperatorTable::Use& use, const DeviceWork& piece) {
    ++count[use.occurrence];
    if (limit_of(piece.kind) == Limit::kFlops && table.operators[use.which].work.flops <= 0)
      several[use.occurrence] = true;
  });
  for (std::size_t i = 0; i < several.size(); ++i) several[i] = several[i] && count[i] > 1;
  return several;
}

void share_out(const OperatorTable& table, DevicePieces& pieces) {
  const std::vector<bool> several = calls_of_several_operators(table, pieces);
  std::vector<Duration> total(table.occurrences);
  const auto works = [&](const OperatorTable::Use& use, const DeviceWork& piece) {
    return piece.which && does(piece, table.operators[use.which].work);
  };
  pieces.for_each_use(table.uses, [&](const OperatorTable::Use& use, DeviceWork& piece) {
    if (several[use.occurrence]) piece.which.reset();
    if (works(use, piece)) total[use.occurrence] += piece.recorded;
  });
  pieces.for_each_use(table.uses, [&](const OperatorTable::Use& use, DeviceWork& piece) {
    if (!works(use, piece) || total[use.occurrence] <= Duration{}) return;
    Work work = table.operators[use.which].work;
    const double part =
        static_cast<double>(piece.recorded.count()) / static_cast<double>(total[use.occurrence].count());
    work.flops *= part;
    work.bytes *= part;
    work.precision = precision_of(piece, work);
    piece.work = work;
    piece.row = row_of(table.operators[use.which]);
  });
}

/// Rates of attention in one kernel, relative to those of large products alone (Accelerator::matrix_share), if all of
/// its scores count. The kernel skips the half of them that a causal mask hides, so it does half of this work at half
/// of this rate. Measured for 4,096 tokens and at least 32 heads, forward and backward: A100 PCIe 1.40 and 1.20, B200
/// 1.14 and 1.08 (SimuMax's tables of both), H800 1.40 and 1.02 (DeepSeek's capture of a training step).
constexpr double kFlashForward = 1.3;
constexpr double kFlashBackward = 1.1;

/// The same of FlashAttention's first version, relative to the products of a step. Fitted to the same steps as
/// Accelerator::early_step_share, with up to 65,536 tokens.
constexpr double kFirstFlashForward = 0.82;
constexpr double kFirstFlashBackward = 0.70;
/// Its function in PyTorch, before "Backward".
constexpr std::string_view kFirstFlash = "FlashAttnFunc";

/// Turns a piece of an operator's work into that of a modelled step.
void model(const OperatorTable::Operator& op, StepRate rate, DeviceWork& piece) {
  piece.step_rate = rate;
  if (!piece.work || piece.work->kind != KernelClass::kAttention) return;
  const bool backward = op.name.ends_with("ackward");
  if (op.name.starts_with(kFirstFlash)) {
    piece.work->flops /= backward ? kFirstFlashBackward : kFirstFlashForward;
  } else {
    piece.step_rate = StepRate::kNone;
    piece.work->flops /= backward ? kFlashBackward : kFlashForward;
  }
}

/// Returns the rate of a modelled step with these operators.
StepRate step_rate_of(const OperatorTable& table) {
  const auto is_early = [](const OperatorTable::Operator& op) { return op.name.starts_with(kFirstFlash); };
  return std::any_of(table.operators.begin(), table.operators.end(), is_early) ? StepRate::kEarly : StepRate::kUsual;
}

/// Minimum number of kernels: with fewer, the shortest ones are not significant.
constexpr std::size_t kFewest = 20;

/// True if a kernel has so little work that it spends almost all of its time starting.
bool only_starts(const DeviceWork& piece) {
  if (piece.on == nullptr || !piece.work || limit_of(piece.kind) != Limit::kMemory) return false;
  const double nanoseconds = piece.work->bytes / piece.on->bytes_per_second() * 1e9;
  return nanoseconds < static_cast<double>(piece.on->floor.count()) / 2;
}

/// Sets DeviceWork::late_start. For each device, takes the kernels with almost no work (only_starts()) and subtracts
/// the device's floor, which is the usual duration of such a kernel, from the 5th percentile of their recorded
/// durations.
void note_late_starts(DevicePieces& pieces) {
  std::map<const Accelerator*, std::vector<Duration>> starts;
  for (const auto& [task, piece] : pieces) {
    if (only_starts(piece)) starts[piece.on].push_back(piece.recorded);
  }
  std::map<const Accelerator*, Duration> late;
  for (auto& [device, times] : starts) {
    if (times.size() < kFewest) continue;
    const auto shortest = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 20);
    std::nth_element(times.begin(), shortest, times.end());
    late[device] = std::max(Duration{}, *shortest - device->floor);
  }
  for (auto& [task, piece] : pieces) {
    const auto found = late.find(piece.on);
    if (found != late.end()) piece.late_start = found->second;
  }
}

}  // namespace

const DeviceWork* DevicePieces::operator[](std::size_t task) const noexcept {
  const auto found = std::lower_bound(pieces_.begin(), pieces_.end(), task,
                                      [](const Piece& piece, std::size_t at) { return piece.task.index() < at; });
  return found != pieces_.end() && found->task.index() == task ? &found->work : nullptr;
}

DeviceWork* DevicePieces::operator[](std::size_t task) noexcept {
  return const_cast<DeviceWork*>(std::as_const(*this)[task]);
}

const Accelerator* accelerator_of(const Capture& capture) {
  return capture.devices.empty() ? nullptr : find_accelerator(capture.devices.begin()->second);
}

bool is_modelled_step(const Capture& capture) {
  return has_modelled_times(capture) && !capture.recording.start.empty();
}

DeviceWork device_work_of(const OperatorTable::Operator& op, KernelClass kind, StepRate rate) {
  DeviceWork piece{.kind = kind, .precision = op.work.precision, .work = op.work, .row = row_of(op)};
  model(op, rate, piece);
  return piece;
}

DevicePieces device_work(const Capture& capture) {
  const Dag& dag = capture.dag;
  NameFacts names(dag);
  const std::vector<const Accelerator*> accelerators = accelerators_of(capture);
  DevicePieces pieces;
  for (const TaskId task : dag.tasks()) {
    if (!is_device_work(dag.kind(task), dag.lane(task).kind)) continue;
    DeviceWork piece{dag.duration(task), names.kind(task), Precision::kFloat32, {}};
    piece.named = piece.kind;
    piece.in_optimizer = piece.kind == KernelClass::kOptimizer;
    piece.on = accelerators[dag.lane_id(task).index()];
    pieces.add(task, piece);
  }
  const std::optional<Precision> usual = usual_precision(dag, pieces, names);
  for (auto& [task, piece] : pieces) {
    const std::optional<Precision> told = names.precision(task);
    piece.precision = told.value_or(usual.value_or(Precision::kFloat32));
    piece.precision_known = told || (usual && limit_of(piece.kind) == Limit::kFlops);
  }
  note_operators(capture.operators, names, pieces);
  note_launches(capture.launches, pieces);
  share_out(capture.operators, pieces);
  note_late_starts(pieces);
  if (!is_modelled_step(capture)) return pieces;
  const StepRate rate = step_rate_of(capture.operators);
  for (auto& [task, piece] : pieces) {
    if (piece.which) model(capture.operators.operators[*piece.which], rate, piece);
  }
  return pieces;
}

bool has_kernels(const Capture& capture) noexcept {
  const Dag& dag = capture.dag;
  const auto tasks = dag.tasks();
  return std::any_of(tasks.begin(), tasks.end(), [&dag](TaskId task) { return dag.kind(task) == TaskKind::kKernel; });
}

}  // namespace stepsim
