#ifndef STEPSIM_SCENARIOS_ANSWER_MEMORY_NEED_H
#define STEPSIM_SCENARIOS_ANSWER_MEMORY_NEED_H

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/assumption.h"
#include "model/cost/device/peak_memory.h"
#include "model/job/recording.h"
#include "model/rewrite/parallel/divided_step.h"
#include "scenarios/answer/range.h"
#include "scenarios/change/plan.h"
#include "sim/report/field.h"

namespace stepsim::scenarios {

/// Memory of a device that the framework's allocator does not hold: the driver's own (0.56 GiB of an A100's 40 GiB,
/// truth/gpu/pairs), the CUDA context with its kernels (0.3 to 1.3 GiB; the latter in Hugging Face's documentation,
/// "Model training anatomy"), and buffers of communication libraries.
constexpr Bytes kLeastOutsideOfAllocator{std::int64_t{1} << 29U};
constexpr Bytes kMostOutsideOfAllocator{std::int64_t{1} << 31U};
/// Share by which an allocator's peak of held memory exceeds its peak of allocated memory, because blocks do not fill
/// its segments. 0.02 to 0.04 in the traces of truth/gpu/pairs with peaks above 0.4 GB.
constexpr double kFragmentation = 0.05;

/// Whether a job fits into a device's memory.
enum class Fit : std::uint8_t {
  kYes,     ///< it fits even at the upper end of the range
  kUnsure,  ///< it depends on the error of the peak, on fragmentation, or on what lies outside of the allocator
  kNo,      ///< it does not fit even at the lower end of the range
};
[[nodiscard]] std::string_view word_of(Fit fit) noexcept;

/// The largest number of bytes that a framework's allocator hands out on one device.
struct MemoryNeed {
  Rank rank = 0;
  std::string device;             ///< name of the device, or "CPU"
  Range<Bytes> peak{};            ///< of no width if the job is as captured
  std::optional<Bytes> capacity;  ///< memory of the device, if known
  /// What it holds at its peak, if that is estimated from shapes. Of recorded allocations, only the sum is known.
  std::optional<MemoryParts> parts;
  /// Memory of the device that the allocator does not hold, if it was measured (MeasuredMachine::outside_allocator).
  std::optional<Bytes> outside;

  /// Returns nothing if the capacity is not known.
  [[nodiscard]] std::optional<Fit> fits() const noexcept;
  friend bool operator==(const MemoryNeed&, const MemoryNeed&) = default;
};

/// Id of the assumption that a larger batch fits in memory, about which nothing is known.
inline constexpr std::string_view kBatchFits = "batch_memory";

/// The memory that the job of a plan needs, or why it is not known.
struct MemoryAnswer {
  std::optional<MemoryNeed> need;  ///< of the device that is filled most
  std::string why_none;            ///< reason as a sentence without the period; empty if there is a need
  bool may_differ = false;         ///< true if the plan changes how much memory is needed or available
};

/// Returns "25.3 GiB", because the memory of devices is sold by GiB; "26.1 MiB" below a GiB.
[[nodiscard]] std::string in_gib(Bytes size);

/// Returns "rank 0 allocates at most 25.3 GiB (24.8 GiB to 25.9 GiB); the 40.0 GiB of NVIDIA A100-PCIE-40GB suffice".
[[nodiscard]] std::string sentence_of(const MemoryNeed& need);

/// Returns "estimated from the shapes of operators: parameters 2.9 GiB, ..."; empty if there are no parts.
[[nodiscard]] std::string parts_text(const MemoryNeed& need);

/// Returns "does not fit in memory (41.5 GiB allocated, NVIDIA A100-PCIE-40GB has 40.0 GiB)", or "may not fit in memory
/// (...)"; empty if the job fits or the capacity is not known.
[[nodiscard]] std::string doubt_text(const MemoryNeed& need);

/// Predicts the memory of jobs: from the allocations of a capture if they were recorded, else from the shapes of its
/// operators (DividedStep::memory()). Thread-safe.
class MemoryNeeds {
 public:
  /// `step` is of the capture (Plan::divided_step). O(operators log operators + calls * calls of a layer).
  explicit MemoryNeeds(std::shared_ptr<DividedStep> step);

  /// Returns the memory for a plan of the capture. O(allocations + layers * stages).
  [[nodiscard]] MemoryAnswer of(const Plan& plan) const;
  /// Returns what is assumed of the memory for a plan: the optimizer's states if it is estimated, and that a larger
  /// batch fits (kBatchFits) if no allocations were recorded and it cannot be estimated. O(1).
  [[nodiscard]] std::optional<Assumption> assumption_for(const Plan& plan) const;

 private:
  struct OfDevice {
    Rank rank = 0;
    std::string device;
    RecordedMemory recorded;
    bool has_totals = false;    ///< the trace states how much is allocated in all
    bool names_blocks = false;  ///< result of RecordedMemory::names_blocks()
  };

  [[nodiscard]] std::string_view unknown_because(const Plan& plan) const;
  [[nodiscard]] MemoryNeed from_allocations(const OfDevice& device, const Plan& plan) const;
  [[nodiscard]] MemoryNeed from_shapes(const Plan& plan) const;

  std::shared_ptr<DividedStep> step_;
  double factor_ = 1;              ///< Range::factor of all answers
  std::string why_no_estimate_;    ///< why the memory of step_ is not known, as a sentence without the period; or empty
  std::vector<OfDevice> devices_;  ///< of a job without devices, the host's memory
};

template <Bytes MemoryParts::*kPart>
inline constexpr auto kPartOfNeed =
    [](const MemoryNeed& need) { return need.parts ? std::optional{*need.parts.*kPart} : std::nullopt; };

inline constexpr auto kFitOfNeed = [](const MemoryNeed& need) {
  const std::optional<Fit> fit = need.fits();
  return fit ? std::optional{word_of(*fit)} : std::nullopt;
};

/// The fields of a need in JSON.
inline constexpr auto kMemoryNeed = std::to_array<sim::Field<MemoryNeed>>({
    {"rank", sim::at<&MemoryNeed::rank>},
    {"device", sim::at<&MemoryNeed::device>},
    {"peak_bytes", sim::at<&MemoryNeed::peak, &Range<Bytes>::mid>},
    {"low_bytes", sim::at<&MemoryNeed::peak, &Range<Bytes>::low>},
    {"high_bytes", sim::at<&MemoryNeed::peak, &Range<Bytes>::high>},
    {"range_factor", sim::at<&MemoryNeed::peak, &Range<Bytes>::factor>},
    {"capacity_bytes", sim::at<&MemoryNeed::capacity>},
    {"parameters_bytes", kPartOfNeed<&MemoryParts::parameters>},
    {"gradients_bytes", kPartOfNeed<&MemoryParts::gradients>},
    {"optimizer_bytes", kPartOfNeed<&MemoryParts::optimizer>},
    {"activations_bytes", kPartOfNeed<&MemoryParts::activations>},
    {"working_bytes", kPartOfNeed<&MemoryParts::working>},
    {"fits", kFitOfNeed},
});

}  // namespace stepsim::scenarios

#endif
