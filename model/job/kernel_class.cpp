#include "model/job/kernel_class.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/base/text.h"

namespace stepsim {
namespace {

using enum KernelClass;

struct Word {
  std::string_view text;
  KernelClass means;
};

/// Words that show the class of a kernel, in order of precedence: a name can contain several of them, and some, such as
/// "cutlass", say little about the class. Matching ignores case.
constexpr auto kWords = std::to_array<Word>({
    {"nccl", kCollective},  // other kernels that move data between devices: see communication_kernel() below
    {"rccl", kCollective},
    {"msccl", kCollective},
    {"hccl", kCollective},
    {"(pageable ->", kStagedCopy},
    {"-> pageable)", kStagedCopy},
    {"memcpy htod", kHostCopy},
    {"memcpy dtoh", kHostCopy},
    {"memcpy", kCopy},
    {"copybuffer", kCopy},
    {"memset", kMemset},
    {"fillbuffer", kMemset},
    {"fillfunctor", kMemset},
    // Kernels around attention in vLLM, SGLang, FlashInfer and SageAttention: caches of keys and values, their pages,
    // and preparation of operands.
    {"and_cache", kScatter},
    {"kvcache<", kScatter},
    {"kv_indices", kGather},
    {"page_indices", kGather},
    {"quantize_with_block", kElementwise},
    {"sage_quant", kElementwise},
    {"sage_fwd", kAttention},
    {"triton_poi", kElementwise},
    {"flash", kAttention},
    {"fmha", kAttention},
    {"attn", kAttention},
    {"attention", kAttention},
    {"triton_tem", kGemm},
    {"triton_mm", kGemm},
    {"multi_tensor", kOptimizer},
    {"adamfunctor", kOptimizer},
    {"fused_adam", kOptimizer},
    {"fusedadam", kOptimizer},
    {"fusedsgd", kOptimizer},
    {"embedding_backward", kScatter},
    {"embedding_codegen_grad", kScatter},
    {"indexing_backward", kScatter},
    {"index_put", kScatter},
    {"index_add", kScatter},
    {"indexadd", kScatter},
    {"indexfunc", kScatter},
    {"scatter", kScatter},
    {"bounds_check_indices", kGather},
    {"rotary_embedding", kElementwise},
    {"embedding", kGather},
    {"index_select", kGather},
    {"indexselect", kGather},
    {"gather", kGather},
    {"index_elementwise", kGather},
    {"index_kernel", kGather},
    {"permute_indices", kGather},
    {"linearize_index", kGather},
    {"softmax", kSoftmax},
    // Kernels that assign tokens to experts and move them there and back: vLLM, TensorRT-LLM, triton_kernels.
    {"routing", kGather},
    {"moe_align", kGather},
    {"expert_tokens", kGather},
    {"moe::dev::finalize", kGather},
    {"moe_sum", kReduction},
    {"fused_moe", kGemm},
    {"bitmatrix", kReduction},
    {"topk", kReduction},
    {"layer_norm", kNormalisation},
    {"layernorm", kNormalisation},
    {"batch_norm", kNormalisation},
    {"batchnorm", kNormalisation},
    {"bn_fw", kNormalisation},
    {"bn_bw", kNormalisation},
    {"group_norm", kNormalisation},
    {"groupnorm", kNormalisation},
    {"instance_norm", kNormalisation},
    {"rms_norm", kNormalisation},
    {"rmsnorm", kNormalisation},
    {"rowwisemoments", kNormalisation},
    {"gammabeta", kNormalisation},
    {"fusedparams", kNormalisation},  // PyTorch's group norm, like internalgradients
    {"internalgradients", kNormalisation},
    {"submeankernel", kNormalisation},  // SageAttention: subtracts the mean from the keys
    {"meanscalekernel", kNormalisation},
    {"triton_red", kReduction},
    {"triton_per", kReduction},
    {"catarray", kCopy},
    {"direct_copy", kCopy},
    {"copy_kernel", kCopy},
    {"copy_async_kernel", kCopy},
    {"transpose", kCopy},
    {"nchwto", kCopy},
    {"nhwcto", kCopy},
    {"permute", kCopy},
    {"fprop", kConvolution},
    {"dgrad", kConvolution},
    {"wgrad", kConvolution},
    {"convolve", kConvolution},
    {"winograd", kConvolution},
    {"scudnn", kConvolution},
    {"hcudnn", kConvolution},
    {"conv2d", kConvolution},
    {"conv3d", kConvolution},
    {"naive_conv", kConvolution},
    {"convfwd", kConvolution},
    {"convbwd", kConvolution},
    {"conv_fwd", kConvolution},
    {"conv_bwd", kConvolution},
    {"conv_depthwise", kConvolution},
    {"depthwise", kConvolution},
    {"grouped_conv", kConvolution},
    {"igemm_", kConvolution},
    {"miopenconv", kConvolution},
    {"miopensp3", kConvolution},
    {"im2col", kCopy},
    {"im2d2col", kCopy},
    {"col2im", kCopy},
    {"quantize", kElementwise},
    {"quant_kernel", kElementwise},
    {"quantint8", kElementwise},
    {"quant_per", kElementwise},
    {"per_thread_int8", kElementwise},
    {"fp8_quant", kElementwise},
    {"epilogue", kElementwise},
    {"fbgemm", kElementwise},  // the name of a library; the words above say what it does
    {"gemm", kGemm},
    {"gemv", kGemm},
    {"bmm_", kGemm},
    {"marlin", kGemm},
    {"cijk_", kGemm},
    {"splitkreduce", kGemm},
    {"cublas", kGemm},
    {"rocblas", kGemm},
    {"hipblas", kGemm},
    {"matmul", kGemm},
    {"xmma", kGemm},
    {"cutlass", kGemm},
    {"nvjet", kGemm},
    {"wvsplitk", kGemm},
    {"reduce_kernel", kReduction},
    {"reduce", kReduction},
    {"max_pool", kReduction},
    {"avg_pool", kReduction},
    {"average_pool", kReduction},
    {"pooling", kReduction},
    {"argmax", kReduction},
    {"nll_loss", kReduction},
    {"elementwise", kElementwise},
    {"pointwise", kElementwise},
    {"functor", kElementwise},
    {"dropout", kElementwise},
    {"unrolled", kElementwise},
    {"op_tensor", kElementwise},
    {"optensor", kElementwise},
    {"subtensor", kElementwise},
    {"addtensor", kElementwise},
    {"scaletensor", kElementwise},
    {"scalepackedtensor", kElementwise},
    {"distribution", kElementwise},
    {"triu_tril", kElementwise},
    {"act_and_mul", kElementwise},
    {"_to_float", kElementwise},
    {"float_to_", kElementwise},
    {"activation", kElementwise},
    {"triton_", kElementwise},
    // Operators in frameworks' own traces, such as FW.resnet.conv1 and BW.fc.
    {"convert", kCopy},
    {"conv", kConvolution},
    {"dense", kGemm},
    {"linear", kGemm},
    {"lstm", kGemm},
});

/// True if `name` contains the lower-case `word`, ignoring case. Uses no regular expression, so that any name takes at
/// most length * words steps.
bool contains_ignoring_case(std::string_view name, std::string_view word) noexcept {
  return std::search(name.begin(), name.end(), word.begin(), word.end(),
                     [](char a, char b) { return lower_case(a) == b; }) != name.end();
}

bool starts_ignoring_case(std::string_view name, std::string_view word) noexcept {
  return name.size() >= word.size() && std::equal(word.begin(), word.end(), name.begin(),
                                                  [](char a, char b) { return lower_case(a) == lower_case(b); });
}

bool has_any_ignoring_case(std::string_view name, std::initializer_list<std::string_view> words) noexcept {
  return std::any_of(words.begin(), words.end(),
                     [name](std::string_view word) { return contains_ignoring_case(name, word); });
}

/// Parses "Cijk_Alik_Bljk_BBS_BH_...": the third field begins with the type of the operands.
std::optional<Precision> precision_of_tensile(std::string_view name) noexcept {
  const std::size_t begin = name.find("Cijk_");
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t second = name.find('_', begin + 5);
  const std::size_t third = second == std::string_view::npos ? second : name.find('_', second + 1);
  if (third == std::string_view::npos || third + 1 >= name.size()) return std::nullopt;
  const std::string_view type = name.substr(third + 1);
  if (type.starts_with("F8") || type.starts_with("B8")) return Precision::kFloat8;
  switch (type.front()) {
    case 'H':
    case 'B': return Precision::kFloat16;
    case 'X': return Precision::kTensor32;
    case 'S': return Precision::kFloat32;
    case 'D': return Precision::kFloat64;
    default: return std::nullopt;
  }
}

/// How a name identifies the kernels of a library.
enum class Place : std::uint8_t {
  kStart,     ///< the name begins with the word, in any case of its letters; the operation is the next word
  kAnywhere,  ///< the word is a namespace in the name; the operation is the function's own name
  kItself,    ///< the word occurs in the name and is the operation
};

struct Entry {
  std::string_view word;
  Place place;
  std::string_view library;
};

/// The known names. If one word begins with another, the longer one comes first. RCCL's kernels have the same names as
/// NCCL's.
constexpr auto kEntries = std::to_array<Entry>({
    {"ncclDevKernel_", Place::kStart, "NCCL"},
    {"ncclKernel_", Place::kStart, "NCCL"},
    {"ncclDevKernel", Place::kStart, "NCCL"},
    {"ncclKernel", Place::kStart, "NCCL"},
    {"ncclSym", Place::kStart, "NCCL"},
    {"rcclKernel_", Place::kStart, "RCCL"},
    {"rccl", Place::kStart, "RCCL"},
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
    {"userbuffers_", Place::kAnywhere, "Transformer Engine"},
    // All-reduces that inference servers implement themselves: vLLM and SGLang (cross_device_reduce, and AMD's Quick
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
    // The names of operations, as other libraries spell them: AITER, TensorRT-LLM and FlashInfer (moeAllToAll,
    // moe_a2a_combine), pplx (a2a_dispatch_send), MTIA, XLA (all-reduce.3).
    {"AllReduce", Place::kItself, "another library"},
    {"all_reduce", Place::kItself, "another library"},
    {"allreduce", Place::kItself, "another library"},
    {"AllGather", Place::kItself, "another library"},
    {"all_gather", Place::kItself, "another library"},
    {"allgather", Place::kItself, "another library"},
    {"ReduceScatter", Place::kItself, "another library"},
    {"reduce_scatter", Place::kItself, "another library"},
    {"reducescatter", Place::kItself, "another library"},
    {"AllToAll", Place::kItself, "another library"},
    {"Alltoall", Place::kItself, "another library"},
    {"all_to_all", Place::kItself, "another library"},
    {"alltoall", Place::kItself, "another library"},
    {"all-reduce", Place::kItself, "another library"},
    {"all-gather", Place::kItself, "another library"},
    {"reduce-scatter", Place::kItself, "another library"},
    {"all-to-all", Place::kItself, "another library"},
    {"A2A", Place::kItself, "another library"},
    {"a2a_", Place::kItself, "another library"},
});

/// Returns `text` up to the first '_', '(' or '<': "AllReduce" for "AllReduce_Sum_f32_RING_LL(...)".
std::string_view first_word(std::string_view text) noexcept { return text.substr(0, text.find_first_of("_(<")); }

/// Returns "combine" for "void deep_ep::internode::combine<false, 8>(int4*, float*)".
std::string_view function_of(std::string_view name, std::size_t from) noexcept {
  const std::string_view rest = name.substr(from);
  const std::string_view path = rest.substr(0, rest.find_first_of("(< "));
  const std::size_t colons = path.rfind("::");
  return colons == std::string_view::npos ? path : path.substr(colons + 2);
}

}  // namespace

std::string_view to_text(KernelClass kernel_class) noexcept {
  static constexpr std::array<std::string_view, kKernelClassCount> kNames{
      "gemm",    "convolution", "attention", "elementwise", "reduction", "normalisation", "softmax",   "gather",
      "scatter", "copy",        "host copy", "staged copy", "memset",    "collective",    "optimizer", "unknown"};
  return kNames[static_cast<std::size_t>(kernel_class)];
}

Limit limit_of(KernelClass kernel_class) noexcept {
  switch (kernel_class) {
    case kGemm:
    case kConvolution:
    case kAttention: return Limit::kFlops;
    case kHostCopy: return Limit::kHostLink;
    case kStagedCopy:
    case kCollective: return Limit::kNone;
    default: return Limit::kMemory;
  }
}

KernelClass classify_kernel(std::string_view name) noexcept {
  if (communication_kernel(name)) return kCollective;
  // The name of a fused kernel of Inductor lists the operators it contains parts of. Inductor does not fuse attention
  // itself, so words for attention are ignored in these names.
  const bool fused = name.starts_with("triton_red") || name.starts_with("triton_per");
  const auto* const found = std::find_if(kWords.begin(), kWords.end(), [name, fused](const Word& word) {
    return (!fused || word.means != kAttention) && contains_ignoring_case(name, word.text);
  });
  return found == kWords.end() ? kUnknown : found->means;
}

KernelClass classify_kernel(TaskKind kind, std::string_view name) noexcept {
  switch (kind) {
    case TaskKind::kCollective: return kCollective;
    case TaskKind::kMemset: return kMemset;
    case TaskKind::kCopy: {
      const KernelClass by_name = classify_kernel(name);
      return by_name == kHostCopy || by_name == kStagedCopy ? by_name : kCopy;
    }
    default: return classify_kernel(name);
  }
}

std::optional<Precision> precision_in(std::string_view name) noexcept {
  if (const auto tensile = precision_of_tensile(name)) return tensile;
  if (has_any_ignoring_case(name, {"e4m3", "e5m2", "fp8", "float8"})) return Precision::kFloat8;
  // s1688 multiplies tf32 on tensor cores; h1688 and s16816 are half precision.
  if (has_any_ignoring_case(name, {"tf32", "_s1688"})) return Precision::kTensor32;
  if (has_any_ignoring_case(name, {"dgemm", "f64f64", "<double", "d884gemm"})) return Precision::kFloat64;
  if (has_any_ignoring_case(name, {"bf16", "bfloat16", "half", "hgemm", "_h884", "_h1688", "_s884", "_s16816",
                                   "_h16816", "f16", "fp16", "hcudnn"})) {
    return Precision::kFloat16;
  }
  if (has_any_ignoring_case(name, {"sgemm", "scudnn", "f32f32", "fp32", "<float"})) return Precision::kFloat32;
  return std::nullopt;
}

std::optional<CommunicationKernel> communication_kernel(std::string_view name) noexcept {
  for (const Entry& entry : kEntries) {
    const std::size_t at = entry.place != Place::kStart             ? name.find(entry.word)
                           : starts_ignoring_case(name, entry.word) ? 0
                                                                    : std::string_view::npos;
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
