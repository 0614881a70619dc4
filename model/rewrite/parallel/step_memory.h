#ifndef STEPSIM_MODEL_REWRITE_PARALLEL_STEP_MEMORY_H
#define STEPSIM_MODEL_REWRITE_PARALLEL_STEP_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "model/job/recording.h"
#include "model/rewrite/parallel/model_calls.h"
#include "model/rewrite/parallel/parallelism.h"

/// The memory of a training step by what it holds, as the shapes of operators and the rules of PyTorch's autograd give
/// it (docs/internals/models.md, "Memory of a divided job").
namespace stepsim {

/// What one device's memory holds at its fullest.
struct MemoryParts {
  Bytes parameters{};
  Bytes gradients{};
  Bytes optimizer{};    ///< the states that an optimizer keeps of each parameter
  Bytes activations{};  ///< kept from the forward pass for the backward pass
  Bytes working{};      ///< read and written by one call or layer, and buffers of collectives

  [[nodiscard]] Bytes total() const noexcept { return parameters + gradients + optimizer + activations + working; }
  friend bool operator==(const MemoryParts&, const MemoryParts&) = default;
};

/// What an optimizer keeps of each parameter. Which of it is used depends on settings that no trace has.
struct OptimizerStates {
  std::string name;  ///< "Adam"; empty if no optimizer was captured
  double least = 2;  ///< tensors of the parameter's size
  double usual = 2;
  double most = 2;
  /// True if the step's update is a modelled one, which moves these states and, of parameters with fewer bits, a copy
  /// in 32 bits.
  bool modelled = false;
};

/// Returns the states of the optimizer that the capture's annotations name ("Optimizer.step#AdamW.step"); those of Adam
/// if they name none. O(annotations).
[[nodiscard]] OptimizerStates optimizer_states_of(const Capture& capture);

/// Of an uncertain amount, the end of the range to take.
enum class MemorySide : std::uint8_t { kLeast, kUsual, kMost };

/// Estimates the memory of a captured training step, and of jobs that divide it. Thread-safe.
class StepMemory {
 public:
  /// Throws CannotAnswer if the capture has no whole step with a forward and a backward pass, if most of its work is of
  /// operators without shapes, or if what the two passes show of parameters does not agree. Precondition: one rank.
  /// O(calls * calls of a layer).
  explicit StepMemory(const Capture& capture);

  /// Returns the memory of the stage that needs most. `samples` is the number of samples of a replica's step, relative
  /// to the captured one, and `activation_bytes` the size of an element of what products read (0 = as captured); other
  /// elements that are captured with another size keep it. Parameters keep their precision; if activations have fewer
  /// bits, the parameters are cast in each forward pass, and the copies are kept until the backward pass, as PyTorch's
  /// autocast does. Gradients of several microbatches are summed in 32 bits, as Megatron-LM does; the least need has
  /// them in the precision of the parameters. Precondition: Parallelism::split has the layers of each part of a
  /// pipeline, as DividedStep::cut() gives them. O(layers * stages).
  [[nodiscard]] MemoryParts of(const Parallelism& parallelism, double samples, MemorySide side,
                               double activation_bytes = 0) const;

  [[nodiscard]] const OptimizerStates& optimizer() const noexcept { return optimizer_; }
  /// True if the gradients of the step before still exist when a step begins.
  [[nodiscard]] bool keeps_gradients() const noexcept { return keeps_gradients_; }

 private:
  /// Something of which tensor-parallel ranks divide a part among themselves.
  struct Amount {
    double whole = 0;
    double divided = 0;

    /// Returns what each rank has. With sequence parallelism, the whole is divided as well.
    [[nodiscard]] double of_rank(const Parallelism& parallelism) const noexcept {
      return (parallelism.sequence ? whole / parallelism.tensor : whole) + divided / parallelism.tensor;
    }
    void add(double amount, bool is_divided) noexcept { (is_divided ? divided : whole) += amount; }
  };
  /// Bytes of samples.
  struct Samples {
    Amount cast;   ///< with elements of the products' size: they change if the job is cast
    Amount fixed;  ///< others: masks, and what a loss computes in 32 bits

    /// Returns the bytes of each rank if cast elements have `casting` times the captured size.
    [[nodiscard]] double of_rank(const Parallelism& parallelism, double casting) const noexcept {
      return casting * cast.of_rank(parallelism) + fixed.of_rank(parallelism);
    }
    void add(double amount, bool is_cast, bool is_divided) noexcept {
      (is_cast ? cast : fixed).add(amount, is_divided);
    }
    [[nodiscard]] double captured() const noexcept { return cast.whole + cast.divided + fixed.whole + fixed.divided; }
  };
  /// A repeated layer, or what comes before or after them.
  struct Part {
    Amount parameters;   ///< bytes
    double experts = 0;  ///< of `parameters`, bytes of experts
    Samples saved;       ///< kept for the backward pass, of all samples
    Samples attention;   ///< of `saved`, what lies between the products of attention
    Samples largest;     ///< the largest tensor that a call of the forward pass reads
    Samples input;       ///< what the first call reads
  };
  /// The parts that one part of the pipeline has.
  struct Range {
    std::size_t first = 0;
    std::size_t end = 0;
  };
  class Finder;

  void compare_with_gradients(const Capture& capture);
  [[nodiscard]] std::vector<Range> ranges_of(const Parallelism& parallelism) const;
  [[nodiscard]] MemoryParts of_stage(const Parallelism& parallelism, const std::vector<Range>& ranges,
                                     std::size_t stage, double samples, MemorySide side, double activation_bytes) const;
  [[nodiscard]] double kept(const Part& part, const Parallelism& parallelism, double casting) const noexcept;
  [[nodiscard]] double working(const Part& part, const Parallelism& parallelism, double casting) const noexcept;
  [[nodiscard]] double states(double parameters, MemorySide side) const noexcept;

  OptimizerStates optimizer_;
  std::vector<Part> parts_;       ///< what comes before the layers, the layers, what comes after them
  double activation_bytes_ = 4;   ///< of an element that the largest product reads
  double bytes_per_element_ = 4;  ///< of parameters
  double table_ = 0;              ///< bytes of the table that is also the last layer; 0 if it is not
  double once_ = 1;               ///< parameters, relative to those of all parts, with the table once
  bool keeps_gradients_ = false;
  bool updates_in_lists_ = false;  ///< the optimizer's operators work on lists of all parameters
};

}  // namespace stepsim

#endif
