#include "model/job/communication_kernel.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace stepsim {
namespace {

/// How a library's kernels are told from others.
enum class Place : std::uint8_t {
  kStart,     ///< the name begins with the word; the operation is the next word
  kAnywhere,  ///< the word is a namespace in the name; the operation is the function's own name
  kItself,    ///< the word occurs in the name and is the operation
};

struct Entry {
  std::string_view word;
  Place place;
  std::string_view library;
};

/// A word that begins with another one stands before it. RCCL calls its kernels as NCCL does.
constexpr auto kEntries = std::to_array<Entry>({
    {"ncclDevKernel_", Place::kStart, "NCCL"},
    {"ncclKernel_", Place::kStart, "NCCL"},
    {"ncclDevKernel", Place::kStart, "NCCL"},
    {"ncclKernel", Place::kStart, "NCCL"},
    {"ncclSym", Place::kStart, "NCCL"},
    {"rcclKernel_", Place::kStart, "RCCL"},
    {"mscclKernel_", Place::kStart, "MSCCL"},
    {"hcom_", Place::kStart, "HCCL"},
    {"hccl", Place::kStart, "HCCL"},
    {"mscclpp::", Place::kAnywhere, "MSCCL++"},
    {"deep_ep::", Place::kAnywhere, "DeepEP"},
    {"dpsk::ep::", Place::kAnywhere, "DeepEP"},
    {"nvshmem", Place::kAnywhere, "NVSHMEM"},
    {"roc_shmem", Place::kAnywhere, "ROC_SHMEM"},
    {"rocshmem", Place::kAnywhere, "ROC_SHMEM"},
    {"oneccl", Place::kAnywhere, "oneCCL"},
    // The all-reduces that inference servers bring along: vLLM and SGLang (cross_device_reduce, and AMD's Quick
    // Reduce), TensorRT-LLM and FlashInfer (allreduce_fusion, AllReduceKernel), PyTorch's symmetric memory.
    {"cross_device_reduce", Place::kItself, "custom all-reduce"},
    {"allreduce_fusion_kernel", Place::kItself, "custom all-reduce"},
    {"allreduce_prototype", Place::kItself, "custom all-reduce"},
    {"oneShotAllReduceKernel", Place::kItself, "custom all-reduce"},
    {"twoShotAllReduceKernel", Place::kItself, "custom all-reduce"},
    {"multimem_all_reduce", Place::kItself, "symmetric memory"},
    {"multimem_one_shot_all_reduce", Place::kItself, "symmetric memory"},
    {"multimem_all_gather", Place::kItself, "symmetric memory"},
    {"one_shot_all_reduce", Place::kItself, "symmetric memory"},
    {"two_shot_all_reduce", Place::kItself, "symmetric memory"},
});

/// The letters and digits that `text` begins with.
std::string_view first_word(std::string_view text) noexcept { return text.substr(0, text.find_first_of("_(<")); }

/// "combine" of "void deep_ep::internode::combine<false, 8>(int4*, float*)".
std::string_view function_of(std::string_view name, std::size_t from) noexcept {
  const std::string_view rest = name.substr(from);
  const std::string_view path = rest.substr(0, rest.find_first_of("(< "));
  const std::size_t colons = path.rfind("::");
  return colons == std::string_view::npos ? path : path.substr(colons + 2);
}

}  // namespace

std::optional<CommunicationKernel> communication_kernel(std::string_view name) noexcept {
  for (const Entry& entry : kEntries) {
    const std::size_t at = entry.place == Place::kStart ? (name.starts_with(entry.word) ? 0 : std::string_view::npos)
                                                        : name.find(entry.word);
    if (at == std::string_view::npos) continue;
    switch (entry.place) {
      case Place::kStart: return CommunicationKernel{entry.library, first_word(name.substr(entry.word.size()))};
      case Place::kAnywhere: return CommunicationKernel{entry.library, function_of(name, at)};
      case Place::kItself: return CommunicationKernel{entry.library, name.substr(at, entry.word.size())};
    }
  }
  return std::nullopt;
}

}  // namespace stepsim
