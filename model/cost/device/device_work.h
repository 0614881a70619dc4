#ifndef STEPSIM_MODEL_COST_DEVICE_DEVICE_WORK_H
#define STEPSIM_MODEL_COST_DEVICE_DEVICE_WORK_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "model/cost/device/accelerator.h"
#include "model/job/kernel_class.h"
#include "model/job/operator_work.h"
#include "model/job/recording.h"
#include "model/job/task_tables.h"

namespace stepsim {

/// How training in fp8 scales the operands of products: the traffic of the kernels that quantise them, beside the
/// product's own.
struct Float8Recipe {
  std::string_view name;
  double operand_bytes;  ///< for each number of a product's operands
  double result_bytes;   ///< for each number of its result, which a separate kernel scales if the product cannot
};

/// Bytes that are read and written to quantise a 16-bit tensor without fusion, for each of the two products that use it
/// (torchao's roofline of fp8 linears, torchao/testing/training/roofline_utils.py):
/// - tensorwise: read for the largest value, read again, written in both layouts: 2 + 2 + 2 for two products;
/// - rowwise: read for each of two directions, written in 8 bits for each, and transposed in 16 bits between them:
///   2 + 1 + 2 + 2 + 1. Gradients are accumulated precisely, for which the product has no row-wise scales, so that
///   another kernel scales two of the three results of a layer (pytorch/ao, issue 2184): (2 + 2) * 2 / 3;
/// - mxfp8: read and written for each of two directions: 2 * (2 + 1).
inline constexpr std::array kFloat8Recipes{Float8Recipe{"tensorwise", 3, 0}, Float8Recipe{"rowwise", 4, 8.0 / 3},
                                           Float8Recipe{"mxfp8", 3, 0}};

/// What the rate of a product on matrix units is multiplied by because it runs in a training step. It is used if its
/// time was not recorded but computed.
enum class StepRate : std::uint8_t {
  kNone,   ///< by nothing
  kUsual,  ///< by Accelerator::step_share
  kEarly,  ///< by Accelerator::early_step_share
};

/// A piece of device work, as input of device models.
struct DeviceWork {
  Duration recorded{};
  KernelClass kind = KernelClass::kUnknown;
  Precision precision = Precision::kFloat32;
  std::optional<Work> work;  ///< its part of its operator's work; absent if not in the trace
  /// Used if `work` is absent: the amount of work, relative to the recorded amount, in the unit that limits the
  /// kernel's class (operations or bytes).
  double amount = 1;
  double row = 0;  ///< for a norm over rows, the size of a row in bytes: each row is read twice; 0 for all other work
  bool precision_known = false;  ///< true if from shapes or a kernel's name; otherwise `precision` is a guess
  StepRate step_rate = StepRate::kNone;
  /// True if launched in the optimizer's step, or if it has the name of an optimizer kernel.
  bool in_optimizer = false;
  Divided divided = Divided::kNot;     ///< how tensor-parallel ranks divide the work (OperatorTable::Use)
  std::optional<KernelLaunch> launch;  ///< launch parameters of a kernel, if recorded
  std::optional<std::uint32_t> which;  ///< the operator it belongs to, as an index into OperatorTable::operators
  /// How much longer the capture's shortest kernels take than Accelerator::floor, the usual duration of a kernel with
  /// almost no work; 0 if they take no longer. All kernels of the capture are assumed to take this much longer, on
  /// every device, as under a profiler that waits for each kernel.
  Duration late_start{};
  KernelClass named = KernelClass::kUnknown;  ///< class by its name alone, used by reports and selections
  /// Device named in its rank's trace, or else that of the first rank that has one; null if not known.
  const Accelerator* on = nullptr;
  const Float8Recipe* recipe = nullptr;  ///< for a product in fp8, how its operands are quantised before it

  [[nodiscard]] bool operator==(const DeviceWork& other) const = default;
};

/// The device work of a capture, ordered by task. Other tasks, which are most of a trace, use no memory.
class DevicePieces {
 public:
  struct Piece {
    TaskId task;
    DeviceWork work;
  };

  /// Adds the device work of a task. Precondition: `task` is after all tasks added so far.
  void add(TaskId task, const DeviceWork& work) { pieces_.push_back({task, work}); }
  /// Returns the device work of a task, or null if it has none. O(log pieces).
  [[nodiscard]] const DeviceWork* operator[](std::size_t task) const noexcept;
  [[nodiscard]] DeviceWork* operator[](std::size_t task) noexcept;

  /// Calls visit(use, work) for each use of a table, such as OperatorTable::uses, whose task has device work. O(pieces
  /// + uses).
  template <class Use, class Visit>
  void for_each_use(const std::vector<Use>& uses, Visit visit) {
    auto piece = pieces_.begin();
    for (const Use& use : uses) {
      while (piece != pieces_.end() && piece->task < use.task) ++piece;
      if (piece == pieces_.end()) return;
      if (piece->task == use.task) visit(use, piece->work);
    }
  }

  [[nodiscard]] auto begin() const noexcept { return pieces_.begin(); }
  [[nodiscard]] auto end() const noexcept { return pieces_.end(); }
  [[nodiscard]] auto begin() noexcept { return pieces_.begin(); }
  [[nodiscard]] auto end() noexcept { return pieces_.end(); }

 private:
  std::vector<Piece> pieces_;
};

/// Returns the device work of a capture. The work of an operator's call is divided among its pieces in proportion to
/// their durations. O(tasks + names * their length + uses).
[[nodiscard]] DevicePieces device_work(const Capture& capture);

/// True if a capture is a step that `stepsim model` made, so that the times of its device work are those of
/// roofline_time().
[[nodiscard]] bool is_modelled_step(const Capture& capture);

/// Returns the piece of device work of a modelled step that does all of an operator's work, by a kernel of class
/// `kind`.
[[nodiscard]] DeviceWork device_work_of(const OperatorTable::Operator& op, KernelClass kind, StepRate rate);

/// Returns the device of the first rank whose trace names one, or null if no trace does or the device is unknown.
[[nodiscard]] const Accelerator* accelerator_of(const Capture& capture);

/// True if the capture shows kernels. A framework's own trace has operators instead.
[[nodiscard]] bool has_kernels(const Capture& capture) noexcept;

/// Returns `piece` as computed in precision `to`: floats have the new size, and matrix products use the new arithmetic.
/// Only single products use fp8, if `recipe` is not null: their operands have 8 bits and their results 16. All other
/// work, such as attention and batched products, is then reduced to 16 bits. Does not change the optimizer,
/// collectives, memsets, copies between host and device, kernels whose name is not recognised, operators without float
/// inputs, or pieces whose precision is not known. `table` is the one that `piece.which` refers to.
[[nodiscard]] DeviceWork in_precision(const DeviceWork& piece, const OperatorTable& table, Precision to,
                                      const Float8Recipe* recipe = nullptr);

/// True if in_precision() applies to this kind of work. It does not apply to collectives, memsets, copies between host
/// and device, the optimizer, and kernels whose name is not recognised. The piece's own precision may be unknown.
[[nodiscard]] bool has_precision(const DeviceWork& piece) noexcept;

/// Returns the part of `piece` that each of `ranks` tensor-parallel ranks does, as DeviceWork::divided says. The work
/// of an optimizer is always divided, because the parameters are. Of a product, the bytes are those of its own inputs
/// and result. Precondition: ranks > 0.
[[nodiscard]] DeviceWork part_of_rank(const DeviceWork& piece, std::uint32_t ranks) noexcept;

/// Returns the number of elements that products read and write, without caches.
[[nodiscard]] double elements_of(const ProductShape& shape) noexcept;

/// Returns the size of a number in bytes.
[[nodiscard]] double size_of(Precision precision);

/// True if an operator adds its first input to the product of the second and the third.
[[nodiscard]] bool adds_to_product(std::string_view name) noexcept;

/// The sizes of a model's parameters. A parameter is a tensor with the sizes (in any order, since it may be transposed)
/// of one used as a parameter by an operator: the weight of a linear, convolution, embedding or norm, or the input of
/// AccumulateGrad. If a step has as many tokens as a layer has features, tensors of samples have such sizes, too. Their
/// place among the operands then tells which is which.
class ParameterSizes {
 public:
  /// Finds the parameters among the inputs of operators. O(n log n) for n sizes.
  explicit ParameterSizes(std::span<const OperatorTable::Operator> operators);

  [[nodiscard]] std::size_t size() const noexcept { return sizes_.size(); }
  /// True if an operator's input holds samples: it has at least two dimensions and is not a parameter. Products flatten
  /// the batch dimension into others, so it is not searched for. If both factors of a product have the sizes of
  /// parameters, the second is the weight, as in a layer and in the gradient of its input; the gradient of its weight
  /// cannot be told from these. Other operators work on samples if factors or results of layers have the input's sizes,
  /// unless the operator is one that updates gradients or copies.
  [[nodiscard]] bool holds_samples(const OperatorTable::Operator& op, std::size_t input) const;
  /// True if a tensor has the sizes of a parameter.
  [[nodiscard]] bool is_parameter(const TensorShape& tensor) const;
  /// True if a tensor has the sizes of a parameter and of what a layer reads or computes.
  [[nodiscard]] bool may_be_either(const TensorShape& tensor) const;
  /// Returns the numbers of elements of the parameters, in ascending order.
  [[nodiscard]] const std::set<std::int64_t>& elements() const noexcept { return elements_; }

 private:
  using Sizes = std::vector<std::int64_t>;
  /// By sizes in ascending order: the orders in which parameters are stored; none if only transposed views were seen.
  std::map<Sizes, std::set<Sizes>> sizes_;
  std::set<Sizes> samples_;  ///< sizes of first factors and results of products with a parameter
  std::set<std::int64_t> elements_;
};

/// How device work grows when a step has more samples (ParameterSizes shows which tensors hold samples).
///
/// An operator's bytes grow in proportion to the share of its inputs that carries samples. All of its operations grow
/// if any input does: it is a product of samples with a weight, or of two sample tensors into a weight's gradient.
/// Products of the first kind get more rows or columns, those of the second a larger inner dimension, and batched
/// products a larger count.
class SampleGrowth {
 public:
  /// Finds the parameters in a table of operators. Precondition: factor > 0. O(n log n) for n sizes in the table.
  SampleGrowth(const OperatorTable& table, double factor);

  /// Returns `piece` with the new number of samples. Does not change the optimizer, collectives, or operators whose
  /// inputs are all parameters. Pieces without a known operator grow in proportion to the samples.
  [[nodiscard]] DeviceWork grown(const DeviceWork& piece) const;
  [[nodiscard]] std::size_t parameters() const noexcept { return parameters_.size(); }

 private:
  using Dimension = double ProductShape::*;

  [[nodiscard]] double share_of(const OperatorTable::Operator& op) const;
  [[nodiscard]] Dimension dimension_of(const OperatorTable::Operator& op) const;

  double factor_;
  ParameterSizes parameters_;
  std::vector<double> share_;         ///< for each operator, the share of its bytes that carries samples
  std::vector<Dimension> dimension_;  ///< for each operator, the dimension of its product that grows with the samples
};

}  // namespace stepsim

#endif
