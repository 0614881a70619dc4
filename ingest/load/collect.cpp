#include "ingest/load/collect.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ingest/bytes/input.h"
#include "ingest/chrome/chrome_events.h"
#include "ingest/combined/combined_trace.h"
#include "ingest/formats/format.h"
#include "ingest/formats/gml.h"
#include "ingest/load/discover.h"
#include "ingest/load/operator_links.h"
#include "ingest/parts/names.h"
#include "ingest/stitch/parameter_server/gpu_passes.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTrace = "bps_trace_final.json";

/// Paths of the files in a GPU's folder that are used; empty for missing files.
struct GpuFiles {
  std::string operators;  ///< temp.json
  std::string comm;
  std::string io;
  std::string merged;
  std::string graph;
  std::string names;

  [[nodiscard]] bool is_gpu() const { return !operators.empty() || !comm.empty() || !merged.empty(); }
};

void note_file(const std::string& path, GpuFiles& files) {
  const std::string name = fs::path(path).filename().string();
  if (name == "temp.json") files.operators = path;
  if (name == "comm.json") files.comm = path;
  if (name == "io.json") files.io = path;
  if (name == "dag.gml") files.graph = path;
  if (name.starts_with("gradient_name_list.")) files.names = path;
  if (name.find("bps_trace") == std::string::npos || !name.ends_with(".json")) return;
  if (!files.merged.empty()) {
    throw InputError({path, {}, {}},
                     fmt::format("the folder has a second merged trace, {}; expected one", shown(files.merged)));
  }
  files.merged = path;
}

/// Returns the files of each GPU's folder below `root`, in natural order of the folders.
std::map<std::string, GpuFiles, bool (*)(std::string_view, std::string_view) noexcept> gpu_files(
    const std::string& root) {
  std::error_code unknown;
  if (fs::exists(root, unknown) && !fs::is_directory(root, unknown))
    throw InputError({root, {}, {}}, "this is a file; expected the folder of a GPU, a worker or a trial");
  std::map<std::string, GpuFiles, bool (*)(std::string_view, std::string_view) noexcept> folders(&natural_less);
  for (const FoundFile& file : discover({root}).files)
    note_file(file.path, folders[fs::path(file.path).parent_path().string()]);
  std::erase_if(folders, [](const auto& entry) { return !entry.second.is_gpu(); });
  if (folders.empty()) {
    throw InputError({root, {}, {}},
                     "no BytePS folder of a GPU found; expected folders with temp.json, comm.json or bps_trace*.json");
  }
  return folders;
}

/// Reads a file of `format` that gives exactly one part, and returns this part.
template <class PartType>
PartType read_part(const std::string& path, std::string_view format) {
  const Format* const known = find_format(format);
  STEPSIM_ASSERT(known != nullptr, "the format is a registered one");
  Input input = Input::open(path);
  PartSink sink;
  known->read(input, sink);
  return std::get<PartType>(std::move(sink.parts.front().part));
}

/// Builds the text of a merged trace.
class MergedTrace {
 public:
  void add(std::string_view record) { (text_ += text_.empty() ? "\n" : ",\n") += record; }
  [[nodiscard]] std::string text() const {
    return fmt::format("{{\"traceEvents\": [{}\n],\n\"displayTimeUnit\": \"ms\"}}\n", text_);
  }

 private:
  std::string text_;
};

std::string inputs_text(const std::vector<std::string>& inputs) {
  std::string out;
  for (std::size_t i = 0; i < inputs.size(); ++i) out += fmt::format(", \"input{}\": {}", i, json_text(inputs[i]));
  return out;
}

bool is_as(const std::string& path, const std::string& text) {
  return fs::exists(path) && read_small_file(path, text.size()).text == text;
}

/// Builds the graph of a whole job from the graphs of its GPUs, numbered in the order of their folders.
class JobGraph {
 public:
  void add(const std::string& folder, const OperatorGraph& graph) {
    const std::string worker = fs::path(folder).parent_path().string();
    const auto [slot, added] = workers_.try_emplace(worker, workers_.size());
    const std::string prefix = fmt::format("wk{}.rank{}.", slot->second, gpus_[worker]++);
    const auto first = static_cast<std::uint32_t>(all_.nodes.size());
    for (const OperatorGraph::Node& node : graph.nodes) all_.nodes.push_back({prefix + node.label, node.attributes});
    for (const OperatorGraph::Edge& edge : graph.edges)
      all_.edges.push_back({edge.source + first, edge.target + first});
  }
  [[nodiscard]] OperatorGraph take() {
    if (workers_.size() < 2) {
      for (OperatorGraph::Node& node : all_.nodes) node.label = node.label.substr(node.label.find('.') + 1);
    }
    return std::move(all_);
  }

 private:
  OperatorGraph all_;
  std::map<std::string, std::size_t> workers_;
  std::map<std::string, std::size_t> gpus_;  ///< number of GPUs per worker
};

class Collecting {
 public:
  Collecting(const std::string& folder, const GpuFiles& files, Renew renew) : files_(files), renew_(renew) {
    gpu_.folder = folder;
    if (!files.graph.empty()) {
      links_.add(read_part<OperatorGraph>(files.graph, "gml"));
      links_.refuse_cycle(files.graph);
    }
    if (!files.names.empty()) {
      for (const TensorTable::Tensor& tensor : read_part<TensorTable>(files.names, "gradient_names").tensors)
        tensors_.push_back(tensor.name);
    }
  }

  CollectedGpu run() {
    if (renew_ == Renew::kOperators && files_.operators.empty()) {
      throw InputError({gpu_.folder, {}, {}},
                       "there is no temp.json to rebuild the operators from; expected the dump of MXNet's profiler");
    }
    if (!files_.operators.empty()) add_profiled_operators();
    const bool old_communication = renew_ == Renew::kOperators || files_.comm.empty();
    if (!files_.merged.empty()) keep_old(files_.operators.empty(), old_communication);
    if (!old_communication) add_communication();
    if (renew_ == Renew::kAll) add_io();
    note_missing(old_communication);
    const std::string path = files_.merged.empty() ? (fs::path(gpu_.folder) / kTrace).string() : files_.merged;
    put(path, trace_.text());
    if (renew_ == Renew::kAll && links_.grew())
      put((fs::path(gpu_.folder) / "dag.gml").string(), gml_text(links_.graph()));
    return std::move(gpu_);
  }

  [[nodiscard]] const OperatorGraph& graph() const noexcept { return links_.graph(); }

 private:
  void put(const std::string& path, std::string text) {
    if (is_as(path, text)) return;
    gpu_.files.push_back({path, std::move(text)});
  }

  template <class Take>
  void for_each_record(const std::string& path, Take take) {
    Input input = Input::open(path);
    Diagnostics diagnostics;
    ChromeEventReader reader(input.stream(), diagnostics);
    for (ChromeEvent event; reader.next(event);) take(event);
    for (const Diagnostics::Entry& entry : diagnostics.entries()) {
      if (path == files_.merged && entry.severity == Severity::kDataLoss) {
        throw InputError(entry.first, fmt::format("{}: this trace is damaged, and rebuilding it would lose the damaged "
                                                  "part; expected a whole trace, or none next to temp.json",
                                                  entry.name));
      }
      gpu_.notes.push_back(fmt::format("{}: {} ({})", shown(path), entry.name, entry.count));
    }
  }

  void add_profiled_operators() {
    Input input = Input::open(files_.operators);
    for (const ProfiledOperator& op : mxnet_operators(input)) {
      trace_.add(fmt::format(
          R"({{"name": {0}, "cat": "operator", "ph": "X", "ts": {1}, "dur": {2}, "pid": "rank0", "tid": {3}, "args": {{"name": {0}{4}}}}})",
          json_text(op.name), op.start, op.duration, json_text(op.thread), inputs_text(links_.inputs_of(op.name))));
      ++gpu_.operators;
    }
  }

  /// Copies events of the existing merged trace: operators and communication as the arguments state, and I/O unless
  /// io.json replaces it.
  void keep_old(bool operators, bool communication) {
    for_each_record(files_.merged, [&](const ChromeEvent& event) {
      const std::string_view name = split_process(event.name).name;
      const bool of_tensor = name.starts_with(kComm);
      const bool io = event.category == "I/O";
      if (io && renew_ == Renew::kAll && !files_.io.empty()) return;
      if (!io && !(of_tensor ? communication : operators)) return;
      trace_.add(event.record);
      ++(io ? gpu_.io : of_tensor ? gpu_.communication : gpu_.operators);
      if (!of_tensor && !io) links_.add_inputs(name, event);
    });
  }

  void add_communication() {
    const TensorNames names(tensors_);
    for_each_record(files_.comm, [&](const ChromeEvent& event) {
      const std::string_view name = split_process(event.name).name;
      if (event.phase != "X" || !name.starts_with(kComm) || !event.start_ns || !event.duration_ns) return;
      const StagedName staged = split_stage(name.substr(kComm.size()));
      const auto number = names.find(staged.tensor);
      const std::string tensor = number && !tensors_[*number].empty() ? tensors_[*number] : std::string(staged.tensor);
      const std::string node = std::string(kComm) + tensor;
      const std::string stage = staged.stage == Stage::kTotal ? "" : fmt::format(".{}", stage_name(staged.stage));
      trace_.add(fmt::format(
          R"({{"name": {}, "cat": "Comm", "ph": "X", "ts": {}, "dur": {}, "pid": {}, "tid": {}, "args": {{"name": {}{}}}}})",
          json_text(node + stage), short_microseconds(Duration{*event.start_ns}),
          short_microseconds(Duration{*event.duration_ns}), json_text(node), json_text(event.thread), json_text(node),
          inputs_text(links_.inputs_of(node))));
      ++gpu_.communication;
    });
  }

  void add_io() {
    if (files_.io.empty()) return;
    for_each_record(files_.io, [&](const ChromeEvent& event) {
      trace_.add(event.record);
      ++gpu_.io;
    });
  }

  void note_missing(bool old_communication) {
    if (files_.operators.empty()) {
      gpu_.notes.emplace_back(files_.merged.empty() ? "no operators: there is no temp.json"
                                                    : "operators as they were: there is no temp.json");
    }
    if (renew_ == Renew::kAll && old_communication)
      gpu_.notes.emplace_back("communication as it was: there is no comm.json");
    if (files_.graph.empty() && !links_.grew())
      gpu_.notes.emplace_back("no dag.gml: the operators have no recorded inputs, and symbol dumps are not read");
    if (!files_.comm.empty() && files_.names.empty())
      gpu_.notes.emplace_back("tensors keep BytePS's names: there is no gradient_name_list");
  }

  const GpuFiles& files_;
  Renew renew_;
  OperatorLinks links_;
  std::vector<std::string> tensors_;
  MergedTrace trace_;
  CollectedGpu gpu_;
};

}  // namespace

Collected collect(const std::string& root, Renew renew) {
  Collected collected;
  JobGraph graph;
  for (const auto& [folder, files] : gpu_files(root)) {
    Collecting collecting(folder, files, renew);
    collected.gpus.push_back(collecting.run());
    graph.add(folder, collecting.graph());
  }
  if (collected.gpus.size() < 2 || renew == Renew::kOperators) return collected;
  CollectedFile file{(fs::path(root) / "combined.gml").string(), std::string(kGmlCreator) + gml_text(graph.take())};
  if (!is_as(file.path, file.text)) collected.job_graph = std::move(file);
  return collected;
}

}  // namespace stepsim::ingest
