#include "ingest/privacy/private_path.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace stepsim::ingest {
namespace {

/// Names of public packages.
constexpr std::string_view kPackages =
    "torch|torchvision|torchaudio|numpy|tensorflow|byteps|horovod|apex|deepspeed|megatron|transformers|accelerate|"
    "triton|nvidia|jax|flash_attn|xformers|torch_npu|torchrec|fbgemm_gpu|pytorch_lightning|lightning|vllm";

/// Names of folders inside public packages. A folder with another name may be somebody's own.
constexpr std::string_view kFolders =
    "_C|_decomp|_dynamo|_export|_functorch|_higher_order_ops|_inductor|_library|_prims|_refs|_subclasses|accelerator|"
    "accelerators|amp|ao|attention|autograd|backends|callbacks|checkpoint|comm|common|communication|compiler|contrib|"
    "core|cpu|cuda|data|datasets|distributed|distributions|elasticity|engine|entrypoints|executor|export|fabric|fft|"
    "func|fusions|futures|fx|generation|inference|integrations|io|jit|keras|language|layers|legacy|lib|linalg|"
    "loggers|loops|lora|losses|ma|masked|metrics|mlp|model_executor|models|modules|moe|monitor|mpi|"
    "multi_tensor_apply|multiprocessing|nested|nn|normalization|onnx|ops|optim|optimizers|package|parallel|pipe|"
    "pipeline_parallel|pipelines|plugins|profiler|prototype|python|pytorch|quantization|random|runtime|signal|sparse|"
    "special|spec_decode|strategies|tensor_parallel|tensorflow|testing|tools|training|transformer|transforms|utils|"
    "v1|worker|xpu|zero";

/// Folders of Python's standard library.
constexpr std::string_view kPythonFolders =
    "asyncio|collections|concurrent|ctypes|email|encodings|http|importlib|json|lib-dynload|logging|multiprocessing|"
    "sqlite3|tkinter|unittest|urllib|wsgiref|xml|zoneinfo";

}  // namespace

std::size_t private_part(std::string_view path) {
  // A file or a known folder of a package, or a schema that YAML files name in their first lines (scenarios/schemas/).
  static const RE2 public_path(
      fmt::format(R"((?:{})/(?:[^/]*|(?:{})/.*)|(?:\.\./)*schemas/(?:scenario|job|cluster|ranges)\.schema\.json)",
                  kPackages, kFolders));
  static const RE2 public_end(
      fmt::format("(.*?(?:site|dist)-packages/)(?:{})(?:/.*)?|(.*?lib/python3[^/]*/)(?:[^/]*|(?:{})/.*)", kPackages,
                  kPythonFolders));
  const re2::StringPiece piece(path.data(), path.size());
  if (RE2::FullMatch(piece, public_path)) return 0;
  re2::StringPiece packages;
  re2::StringPiece python;
  if (!RE2::FullMatch(piece, public_end, &packages, &python)) return path.size();
  return std::max(packages.size(), python.size());
}

std::string_view user_in_path(std::string_view path) noexcept {
  constexpr auto kHomes = std::to_array<std::string_view>({"/home/", "/Users/", ":\\Users\\", "/u/", "torchinductor_"});
  constexpr auto kCommon =
      std::to_array<std::string_view>({"root", "user", "ubuntu", "runner", "jovyan", "admin", "nobody"});
  for (const std::string_view home : kHomes) {
    const std::size_t at = path.find(home);
    if (at == std::string_view::npos) continue;
    const std::size_t begin = at + home.size();
    const std::size_t end = end_of(path, begin, [](char c) { return is_token(c) || c == '.'; });
    const std::string_view name = path.substr(begin, end - begin);
    if (name.empty() || std::find(kCommon.begin(), kCommon.end(), name) != kCommon.end()) continue;
    return name;
  }
  return {};
}

}  // namespace stepsim::ingest
