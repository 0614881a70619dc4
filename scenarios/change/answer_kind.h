#ifndef STEPSIM_SCENARIOS_CHANGE_ANSWER_KIND_H
#define STEPSIM_SCENARIOS_CHANGE_ANSWER_KIND_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepsim::scenarios {

/// What an answer is about, as the ledger of measured answers counts it (docs/internals/evidence.md). A job that is
/// divided in several ways is of the first kind from kExperts on.
enum class AnswerKind : std::uint8_t {
  kReplay,  ///< nothing changes
  kNetworkRate,
  kRanks,
  kBuckets,
  kStraggler,
  kDevice,
  kPrecision,
  kBatch,
  kLoader,
  kOther,        ///< settings of communication without a kind of their own, and overlap
  kMemory,       ///< the peak of memory
  kNotMeasured,  ///< none of such changes was ever compared with measured runs
  kExperts,
  kPipeline,
  kTensorParallel,
  kZero,
  kDataParallel,
  kRecomputation,
};

/// The names of a kind.
struct AnswerKindName {
  std::string_view question;  ///< in the ledger; empty if it has none of that kind
  std::string_view words;     ///< for people; may be empty
};
inline constexpr std::array kAnswerKinds{
    AnswerKindName{"replay", "no change"},
    AnswerKindName{"network rate", "another network"},
    AnswerKindName{"ranks", "another number of ranks"},
    AnswerKindName{"buckets and partitions", "buckets and partitions"},
    AnswerKindName{"straggler", "slower or faster work"},
    AnswerKindName{"device", "another GPU"},
    AnswerKindName{"precision", "another precision"},
    AnswerKindName{"batch", "another batch"},
    AnswerKindName{"loader", "another loader"},
    AnswerKindName{"other", "other changes"},
    AnswerKindName{"memory", "memory"},
    AnswerKindName{"", ""},
    AnswerKindName{"experts", "experts"},
    AnswerKindName{"pipeline", "a pipeline"},
    AnswerKindName{"tensor parallel", "tensor parallelism"},
    AnswerKindName{"ZeRO", "ZeRO"},
    AnswerKindName{"data parallel", "data parallelism"},
    AnswerKindName{"recomputation", "recomputation"},
};
[[nodiscard]] constexpr const AnswerKindName& name_of(AnswerKind kind) noexcept {
  return kAnswerKinds[static_cast<std::size_t>(kind)];
}

}  // namespace stepsim::scenarios

#endif
