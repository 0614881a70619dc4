#ifndef STEPSIM_MODEL_COST_DEVICE_DEVICE_WORK_H
#define STEPSIM_MODEL_COST_DEVICE_DEVICE_WORK_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "model/base/units.h"
#include "model/cost/device/accelerator.h"
#include "model/job/kernel_class.h"
#include "model/job/operator_work.h"
#include "model/job/recording.h"
#include "model/job/task_tables.h"

namespace stepsim {

/// One piece of device work, as a model sees it.
struct DeviceWork {
  Duration recorded{};
  KernelClass kind = KernelClass::kUnknown;
  Precision precision = Precision::kFloat32;
  std::optional<Work> work;  ///< its part of its operator's work; absent where the trace does not say
  /// Where `work` is absent: how much there is of what its class is bound by, relative to the recording.
  double amount = 1;
  double row = 0;                      ///< of a norm over rows, the bytes of one: it is gone over twice; 0 for all else
  bool precision_known = false;        ///< from shapes or a kernel's name; else `precision` is a guess
  bool in_optimizer = false;           ///< launched in the optimizer's step, or named as its kernels are
  std::optional<KernelLaunch> launch;  ///< of a kernel, where the trace records it
  std::optional<std::uint32_t> which;  ///< the operator it belongs to: an index into OperatorTable::operators
  /// What the capture's shortest kernels take beyond the floor of their device, 0 where they do not: all its
  /// kernels take that longer, as under a profiler that waits for each, and wherever they run.
  Duration late_start{};
  KernelClass named = KernelClass::kUnknown;  ///< by its name alone, as reports count and selections take it
  const Accelerator* on = nullptr;  ///< the device its rank's trace names, else any rank's first; null: unknown

  [[nodiscard]] bool operator==(const DeviceWork& other) const = default;
};

/// The device work of a capture, ascending by task. Other tasks, most of a trace, take no room.
class DevicePieces {
 public:
  struct Piece {
    TaskId task;
    DeviceWork work;
  };

  /// Precondition: behind all that were added.
  void add(TaskId task, const DeviceWork& work) { pieces_.push_back({task, work}); }
  /// Null for a task that is no device work. O(log pieces).
  [[nodiscard]] const DeviceWork* operator[](std::size_t task) const noexcept;
  [[nodiscard]] DeviceWork* operator[](std::size_t task) noexcept;

  [[nodiscard]] auto begin() const noexcept { return pieces_.begin(); }
  [[nodiscard]] auto end() const noexcept { return pieces_.end(); }
  [[nodiscard]] auto begin() noexcept { return pieces_.begin(); }
  [[nodiscard]] auto end() noexcept { return pieces_.end(); }

 private:
  std::vector<Piece> pieces_;
};

/// The pieces of device work of a capture. What several pieces of one operator's call do of its
/// work goes by their durations. O(tasks + names * their length + uses * log pieces).
[[nodiscard]] DevicePieces device_work(const Capture& capture);

/// The device that the first rank whose trace names one ran on; null if none does, or the
/// library lacks it.
[[nodiscard]] const Accelerator* accelerator_of(const Capture& capture);

/// Whether it shows device work as such: kernels. A framework's own trace has operators instead.
[[nodiscard]] bool has_kernels(const Capture& capture) noexcept;

/// `piece`, done in `to`: what moves floats moves those of the new size, and matrix products have
/// the new arithmetic. Only products are ever done in fp8; what else was wider is then in 16 bits.
/// Unchanged: the optimizer, collectives, memsets, copies between host and device, kernels whose
/// name says nothing, operators that were given no floats, and what does not tell its precision.
/// `table` is what `piece.which` refers to.
[[nodiscard]] DeviceWork in_precision(const DeviceWork& piece, const OperatorTable& table, Precision to);

/// Whether in_precision() changes anything of a piece, its precision being known and another.
[[nodiscard]] bool has_precision(const DeviceWork& piece) noexcept;

/// What device work grows by where a step takes more samples.
///
/// No one dimension is looked for, because products flatten it into others. A tensor carries
/// samples if it has two dimensions or more and is no parameter; a parameter is a tensor of the
/// sizes (in any order: transposed) of one that stands where operators have parameters: the weight
/// of a linear, convolution, embedding or norm, or what AccumulateGrad was given. An operator's
/// bytes grow as the share of its inputs that carries samples, its operations all where any
/// does: a product of a sample with a weight, or of two samples into a weight's gradient. Products of the first kind
/// get more rows or columns, those of the second are longer inside, and batched ones become more.
class SampleGrowth {
 public:
  /// Precondition: factor > 0. O(sizes in the table * log of them).
  SampleGrowth(const OperatorTable& table, double factor);

  /// `piece` on as many samples. Unchanged: the optimizer, collectives, and operators on parameters
  /// alone. Pieces of no known operator grow in proportion.
  [[nodiscard]] DeviceWork grown(const DeviceWork& piece) const;
  [[nodiscard]] std::size_t parameters() const noexcept { return parameters_.size(); }

 private:
  using Sizes = std::vector<std::int64_t>;

  using Dimension = double ProductShape::*;

  [[nodiscard]] bool carries_samples(const TensorShape& tensor) const;
  [[nodiscard]] double share_of(const OperatorTable::Operator& op) const;
  [[nodiscard]] Dimension dimension_of(const OperatorTable::Operator& op) const;

  double factor_;
  std::set<Sizes> parameters_;        ///< sizes in ascending order
  std::vector<double> share_;         ///< of an operator's bytes, what carries samples; by operator
  std::vector<Dimension> dimension_;  ///< of an operator's products, which one samples are counted in; by operator
};

}  // namespace stepsim

#endif
