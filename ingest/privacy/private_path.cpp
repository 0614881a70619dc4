#include "ingest/privacy/private_path.h"

namespace stepsim::ingest {
namespace {

constexpr auto kPublicPackages = std::to_array<std::string_view>(
    {"torch",     "torchvision", "torchaudio",   "numpy",        "tensorflow", "byteps",     "horovod",
     "apex",      "deepspeed",   "megatron",     "transformers", "accelerate", "triton",     "nvidia",
     "jax",       "flash_attn",  "xformers",     "torch_npu",    "torchrec",   "fbgemm_gpu", "pytorch_lightning",
     "lightning", "vllm",        "site-packages"});

/// Names of folders inside public packages. A folder with another name may be somebody's own.
constexpr auto kPublicFolders = std::to_array<std::string_view>({"_C",
                                                                 "_decomp",
                                                                 "_dynamo",
                                                                 "_export",
                                                                 "_functorch",
                                                                 "_higher_order_ops",
                                                                 "_inductor",
                                                                 "_library",
                                                                 "_prims",
                                                                 "_refs",
                                                                 "_subclasses",
                                                                 "accelerator",
                                                                 "accelerators",
                                                                 "amp",
                                                                 "ao",
                                                                 "attention",
                                                                 "autograd",
                                                                 "backends",
                                                                 "callbacks",
                                                                 "checkpoint",
                                                                 "comm",
                                                                 "common",
                                                                 "communication",
                                                                 "compiler",
                                                                 "contrib",
                                                                 "core",
                                                                 "cpu",
                                                                 "cuda",
                                                                 "data",
                                                                 "datasets",
                                                                 "distributed",
                                                                 "distributions",
                                                                 "elasticity",
                                                                 "engine",
                                                                 "entrypoints",
                                                                 "executor",
                                                                 "export",
                                                                 "fabric",
                                                                 "fft",
                                                                 "func",
                                                                 "fusions",
                                                                 "futures",
                                                                 "fx",
                                                                 "generation",
                                                                 "inference",
                                                                 "integrations",
                                                                 "io",
                                                                 "jit",
                                                                 "keras",
                                                                 "language",
                                                                 "layers",
                                                                 "legacy",
                                                                 "lib",
                                                                 "linalg",
                                                                 "loggers",
                                                                 "loops",
                                                                 "lora",
                                                                 "losses",
                                                                 "ma",
                                                                 "masked",
                                                                 "metrics",
                                                                 "mlp",
                                                                 "model_executor",
                                                                 "models",
                                                                 "modules",
                                                                 "moe",
                                                                 "monitor",
                                                                 "mpi",
                                                                 "multi_tensor_apply",
                                                                 "multiprocessing",
                                                                 "nested",
                                                                 "nn",
                                                                 "normalization",
                                                                 "onnx",
                                                                 "ops",
                                                                 "optim",
                                                                 "optimizers",
                                                                 "package",
                                                                 "parallel",
                                                                 "pipe",
                                                                 "pipeline_parallel",
                                                                 "pipelines",
                                                                 "plugins",
                                                                 "profiler",
                                                                 "prototype",
                                                                 "python",
                                                                 "pytorch",
                                                                 "quantization",
                                                                 "random",
                                                                 "runtime",
                                                                 "signal",
                                                                 "sparse",
                                                                 "special",
                                                                 "spec_decode",
                                                                 "strategies",
                                                                 "tensor_parallel",
                                                                 "tensorflow",
                                                                 "testing",
                                                                 "tools",
                                                                 "training",
                                                                 "transformer",
                                                                 "transforms",
                                                                 "utils",
                                                                 "v1",
                                                                 "worker",
                                                                 "xpu",
                                                                 "zero"});

/// Folders of Python's standard library.
constexpr auto kPythonFolders = std::to_array<std::string_view>(
    {"asyncio", "collections", "concurrent", "ctypes", "email", "encodings", "http", "importlib", "json", "lib-dynload",
     "logging", "multiprocessing", "sqlite3", "tkinter", "unittest", "urllib", "wsgiref", "xml", "zoneinfo"});

/// True for the schemas of stepsim that YAML files name in their first lines (scenarios/schemas/).
bool is_own_schema(std::string_view path) {
  constexpr auto kSchemas =
      std::to_array<std::string_view>({"schemas/scenario.schema.json", "schemas/job.schema.json",
                                       "schemas/cluster.schema.json", "schemas/ranges.schema.json"});
  while (path.starts_with("../")) path.remove_prefix(3);
  return std::find(kSchemas.begin(), kSchemas.end(), path) != kSchemas.end();
}

bool is_public_package(std::string_view name) { return is_one_of(kPublicPackages, name); }

std::string_view first_component(std::string_view path) { return path.substr(0, path.find('/')); }

/// True if `path`, relative to a package, is a file directly in the package or begins with one of `folders`.
template <std::size_t Size>
bool is_within(const std::array<std::string_view, Size>& folders, std::string_view path) {
  return path.find('/') == std::string_view::npos || is_one_of(folders, first_component(path));
}

/// Returns where the public part of `path` begins. This part is a path inside a public package or inside Python's
/// standard library, or that of a schema of stepsim. Returns the path's length if there is no public part.
std::size_t public_part(std::string_view path) {
  if (is_own_schema(path)) return 0;
  for (const std::string_view folder : {"site-packages/", "dist-packages/"}) {
    const std::size_t at = path.find(folder);
    if (at == std::string_view::npos) continue;
    const std::size_t package = at + folder.size();
    return is_public_package(first_component(path.substr(package))) ? package : path.size();
  }
  const std::size_t python = path.find("lib/python3");
  if (python != std::string_view::npos) {
    const std::size_t behind = path.find('/', python + 4);
    if (behind != std::string_view::npos && is_within(kPythonFolders, path.substr(behind + 1))) return behind + 1;
  }
  const std::string_view package = first_component(path);
  const bool is_public = is_public_package(package) && package.size() < path.size() &&
                         is_within(kPublicFolders, path.substr(package.size() + 1));
  return is_public ? 0 : path.size();
}

bool is_source_file(std::string_view path) {
  constexpr auto kExtensions =
      std::to_array<std::string_view>({".py", ".pyx", ".so", ".cpp", ".cc", ".cu", ".cuh", ".h", ".hpp", ".json",
                                       ".yaml", ".yml", ".sh", ".ipynb", ".pt"});
  return std::any_of(kExtensions.begin(), kExtensions.end(),
                     [path](std::string_view extension) { return path.ends_with(extension); });
}

/// Returns the end of the path that begins at `at`. Brackets are part of the path if it continues after them.
std::size_t end_of_path(std::string_view text, std::size_t at) {
  std::size_t end = end_of(text, at, is_path);
  while (end > at && end < text.size() && (text[end] == '(' || text[end] == '[')) {
    const std::size_t close = end_of(text, end + 1, is_path);
    const char wanted = text[end] == '(' ? ')' : ']';
    if (close + 1 >= text.size() || text[close] != wanted || text[close + 1] != '/') break;
    end = end_of(text, close + 1, is_path);
  }
  while (end > at && text[end - 1] == '.') --end;  // a full stop after the path
  return end;
}

/// Like end_of_path(), for a Windows path. A blank is part of the path if the next word continues it.
std::size_t end_of_windows_path(std::string_view text, std::size_t at) {
  constexpr auto is_part = [](char c) { return is_path(c) || c == '\\'; };
  std::size_t end = end_of(text, at, is_part);
  while (end < text.size() && is_blank(text[end])) {
    const std::size_t next = end_of(text, end + 1, is_part);
    const std::string_view word = text.substr(end + 1, next - end - 1);
    if (word.starts_with('\\') || word.find('\\') == std::string_view::npos) break;
    end = next;
  }
  return end;
}

/// True for a top-level folder that is not a usual system folder. Names of operators that begin with a slash continue
/// with a capital letter, so they do not match.
bool is_unusual_top_folder(std::string_view path) {
  constexpr std::size_t kShortest = 5;
  constexpr auto kUsual = std::to_array<std::string_view>(
      {"/bin", "/boot", "/data", "/dev",  "/etc",  "/home", "/lib",      "/lib64",   "/media",
       "/mnt", "/nfs",  "/opt",  "/proc", "/root", "/run",  "/sbin",     "/scratch", "/shared",
       "/srv", "/sys",  "/tmp",  "/usr",  "/var",  "/work", "/workspace"});
  return path.size() >= kShortest && is_lower(path[1]) && !is_one_of(kUsual, path) &&
         std::none_of(path.begin(), path.end(), is_upper);
}

}  // namespace

/// Finds absolute paths, and relative paths of source files.
std::optional<PrivatePiece> private_path_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const bool on_drive = rest.size() > 2 && is_word_character(rest[0]) && rest[1] == ':' && rest[2] == '\\';
  const bool on_server = rest.size() > 2 && rest.starts_with("\\\\") && is_word(rest[2]) &&
                         rest.find('\\', 2) == end_of(rest, 2, is_token) && (at == 0 || text[at - 1] != '\\');
  if (on_server) return PrivatePiece{at, end_of_windows_path(text, at), PrivateKind::kPath, {}};
  if (!is_path(text[at]) || (at > 0 && (is_path(text[at - 1]) || text[at - 1] == '\\'))) return std::nullopt;
  if (on_drive) return PrivatePiece{at, end_of_windows_path(text, at + 2), PrivateKind::kPath, {}};
  const std::size_t end = end_of_path(text, at);
  const std::string_view path = text.substr(at, end - at);
  if (!path.starts_with('/') && !path.starts_with('~') && path.find('.') == std::string_view::npos) return std::nullopt;
  const bool absolute = path.size() > 2 && path[0] == '/' && (is_word_character(path[1]) || path[1] == '.') &&
                        (path.find('/', 1) != std::string_view::npos || is_unusual_top_folder(path));
  const bool from_home = path.starts_with("~/") || path.starts_with("./") || path.starts_with("../");
  if (!absolute && !from_home && !is_source_file(path)) return std::nullopt;
  const std::size_t shared = public_part(path);
  if (shared == 0) return std::nullopt;
  return PrivatePiece{at, at + shared, PrivateKind::kPath, {}};
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
