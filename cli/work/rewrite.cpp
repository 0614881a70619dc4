#include "cli/work/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cli/program/output_rule.h"
#include "cli/work/work.h"
#include "ingest/formats/kineto/kineto_text.h"
#include "ingest/load/discover.h"
#include "ingest/load/recognise.h"
#include "ingest/load/recorded_stages.h"
#include "ingest/parts/byteps_names.h"
#include "ingest/privacy/scrubbed_files.h"
#include "ingest/survey/survey.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/export/comm_json.h"
#include "sim/export/exporter.h"
#include "sim/output/write_file.h"

namespace stepsim::cli {

namespace {

namespace fs = std::filesystem;

ingest::LoadOptions reading(const CommonOptions& options, const Session& session) {
  return {
      .job_file = options.job_file, .threads = options.threads, .stop = &session.stop, .progress = {}, .inspect = {}};
}

void refuse_other_options(const CommonOptions& options) {
  const auto refuse = [](std::string_view option) {
    throw UsageError(
        fmt::format("--scrub rewrites all of the text, so {} does not go with it; expected the one and then "
                    "the other",
                    option));
  };
  if (options.steps) refuse("--steps");
  if (!options.ranks.empty()) refuse("--ranks");
  if (options.network_given) refuse("--network");
  if (options.cluster_file) refuse("--cluster");
}

/// What of .gz and .zst the name of the written file keeps: Zstandard is not written.
std::string written_name(const std::string& name) {
  const fs::path path(name);
  return path.extension() == ".zst" ? fs::path(path).replace_extension().string() : name;
}

void refuse_same_names(std::vector<std::string> outputs, std::string_view remedy) {
  std::sort(outputs.begin(), outputs.end());
  const auto same = std::adjacent_find(outputs.begin(), outputs.end());
  if (same == outputs.end()) return;
  throw UsageError(
      fmt::format("two files would be called {}, and one folder cannot hold both; expected {}", shown(*same), remedy));
}

/// Where the cut of each file goes.
std::vector<std::string> outputs_of(const std::vector<ingest::RankFile>& files, const std::string& output) {
  if (!names_folder(output)) {
    if (files.size() == 1) return {output};
    throw UsageError(
        fmt::format("{} files are left, and a trace that is cut out holds one rank; expected --ranks with one "
                    "of them, -o FOLDER/ for a file each, or 'stepsim combine' before it",
                    files.size()));
  }
  std::vector<std::string> outputs;
  outputs.reserve(files.size());
  for (const ingest::RankFile& file : files) {
    outputs.push_back((fs::path(output) / written_name(fs::path(file.file).filename().string())).string());
  }
  refuse_same_names(outputs, "--ranks with one of them");
  return outputs;
}

/// The only file need not be read to learn its rank, if nobody asks for ranks.
std::vector<ingest::RankFile> files_to_cut(const CommonOptions& options, const Session& session) {
  const std::vector<ingest::FoundFile> found = ingest::discover(options.traces).files;
  if (found.size() == 1 && options.ranks.empty()) return {{found.front().path, 0}};
  return ingest::ranks_of_files(options.traces, reading(options, session));
}

/// Whether the inputs are files on disk of this format.
bool all_are(const CommonOptions& options, std::string_view format) {
  const std::vector<ingest::FoundFile> files = ingest::discover(options.traces).files;
  return !files.empty() && std::all_of(files.begin(), files.end(), [format](const ingest::FoundFile& file) {
    return file.path != ingest::kStandardInput && ingest::is_in_format(file.path, format);
  });
}

}  // namespace

sim::Scrubbed scrub(const CommonOptions& options, const Session& session) {
  refuse_other_options(options);
  const std::string& output = *options.output;
  std::error_code ignored;
  const bool several = options.traces.size() > 1 || fs::is_directory(options.traces.front(), ignored);
  if (several && sim::is_standard_output(output))
    throw UsageError("--scrub of several files needs a folder to write to; expected -o FOLDER");
  for (const std::string& trace : options.traces) refuse_input_as_output(output, trace);
  if (!several && !sim::is_standard_output(output)) sim::refuse_unwritable(output);
  sim::Scrubbed scrubbed{.output = output};
  const auto path_of = [&](const std::string& name) {
    return name.empty() || !several ? fs::path(output) : fs::path(output) / written_name(name);
  };
  const auto expect = [&](const std::vector<std::string>& names) {
    std::vector<std::string> outputs;
    outputs.reserve(names.size());
    for (const std::string& name : names) outputs.push_back(path_of(name).string());
    refuse_same_names(std::move(outputs), "the folder that holds both, or each of them into a folder of its own");
  };
  const auto open = [&](const std::string& name) {
    const fs::path path = path_of(name);
    if (several) make_folder_of(path.string());
    ++scrubbed.files;
    const std::shared_ptr<sim::OutputFile> file(new sim::OutputFile(sim::open_output(path.string())));
    return ingest::ScrubTarget{[file](std::string_view text) { file->write(text); }, [file] { file->commit(); }};
  };
  ingest::ScrubbedFiles files = ingest::scrub_files(options.traces, reading(options, session), {expect, open});
  scrubbed.replaced = std::move(files.replaced);
  scrubbed.diagnostics = std::move(files.diagnostics);
  return scrubbed;
}

bool can_be_cut(const CommonOptions& options) { return all_are(options, "kineto"); }

void make_folder_of(const std::string& file) {
  const fs::path folder = fs::path(file).parent_path();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) throw OutputError(fmt::format("{}: cannot make this folder: {}", shown(folder.string()), error.message()));
}

bool names_folder(const std::string& output) {
  std::error_code ignored;
  return output.ends_with('/') || fs::is_directory(output, ignored);
}

std::vector<CutAnswer> cut(const CommonOptions& options, ingest::Cut what, const Session& session) {
  std::vector<ingest::RankFile> files = files_to_cut(options, session);
  const std::set<Rank> wanted(options.ranks.begin(), options.ranks.end());
  if (!wanted.empty()) {
    std::erase_if(files, [&wanted](const ingest::RankFile& file) { return !wanted.contains(file.rank); });
    if (files.empty()) throw UsageError("--ranks names none of the input's ranks; 'stepsim check' lists them");
  }
  what.stop = &session.stop;
  what.steps = options.steps;
  const std::vector<std::string> outputs = outputs_of(files, *options.output);
  for (const std::string& output : outputs) {
    for (const ingest::RankFile& file : files) refuse_input_as_output(output, file.file);
  }
  std::vector<CutAnswer> answers;
  for (std::size_t i = 0; i < files.size(); ++i) {
    make_folder_of(outputs[i]);
    sim::OutputFile output = sim::open_output(outputs[i]);
    answers.push_back({.input = files[i].file, .output = outputs[i], .counts = {}});
    answers.back().counts =
        ingest::cut_trace(files[i].file, what, [&output](std::string_view text) { output.write(text); });
    output.commit();
  }
  return answers;
}

bool wants_profiler_trace(const CommonOptions& options) {
  const std::string_view name = *options.output;
  const bool named = name.ends_with(".pt.trace.json") || name.ends_with(".pt.trace.json.gz");
  return named && all_are(options, "capture");
}

sim::ProfilerTrace write_profiler_trace(const CommonOptions& options, const Session& session) {
  const std::vector<ingest::FoundFile> files = ingest::discover(options.traces).files;
  if (files.size() > 1) {
    throw UsageError(fmt::format("{} captures, and a trace of PyTorch's profiler is of one rank; expected one of them",
                                 files.size()));
  }
  const std::string& file = files.front().path;
  refuse_input_as_output(*options.output, file);
  ingest::Input input = ingest::Input::open(file, {.stop = &session.stop, .progress = {}});
  ingest::PartSink sink;
  ingest::recognise(input)->read(input, sink);
  const auto& trace = std::get<ingest::HostDeviceTrace>(sink.parts.front().part);
  sim::OutputFile output = sim::open_output(*options.output);
  ingest::write_kineto(trace, R"("program": "stepsim")", [&output](std::string_view text) { output.write(text); });
  output.commit();
  return {.input = file, .output = *options.output, .events = trace.size(), .diagnostics = std::move(sink.diagnostics)};
}

namespace {

/// BytePS's own words, as they were recorded.
sim::RankCommunication as_recorded(const ingest::RecordedStages& recorded) {
  sim::RankCommunication communication{.rank = recorded.rank, .worker = recorded.worker, .gpu = recorded.gpu};
  std::vector<std::optional<std::uint32_t>> tensor_of(recorded.stages.tensors.size());
  for (const ingest::StageTrace::Event& event : recorded.stages.events) {
    std::optional<std::uint32_t>& tensor = tensor_of[event.tensor];
    if (!tensor) {
      tensor = static_cast<std::uint32_t>(communication.tensors.size());
      communication.tensors.push_back(recorded.stages.tensors[event.tensor]);
    }
    const bool total = event.stage == ingest::Stage::kTotal;
    communication.events.push_back({*tensor, total ? -1 : event.key,
                                    total ? std::string_view{} : ingest::to_text(event.stage), event.start,
                                    event.duration});
  }
  return communication;
}

/// --ranks, as load() understood it.
void keep_ranks(std::vector<ingest::RecordedStages>& recorded, const std::vector<Rank>& ranks) {
  if (ranks.empty()) return;
  std::erase_if(recorded, [&ranks](const ingest::RecordedStages& one) {
    return std::find(ranks.begin(), ranks.end(), one.rank) == ranks.end();
  });
}

std::string path_in(const std::string& folder, const sim::RankCommunication& rank) {
  return (fs::path(folder) / fmt::format("worker{}", rank.worker) / std::to_string(rank.gpu) / "comm.json").string();
}

sim::CommJson::File write_one(const sim::RankCommunication& rank, const std::string& path) {
  sim::OutputFile out = sim::open_output(path);
  sim::write_comm_json(rank, out);
  out.commit();
  const auto totals = static_cast<std::uint64_t>(
      std::count_if(rank.events.begin(), rank.events.end(), [](const auto& event) { return event.stage.empty(); }));
  return {.output = path,
          .rank = rank.rank,
          .tensors = rank.tensors.size(),
          .steps = rank.steps(),
          .stages = rank.events.size() - totals,
          .totals = totals,
          .tensors_in_some_steps = rank.tensors_in_some_steps()};
}

/// What was read, in the order of ranks.
struct Found {
  sim::Communication communication;
  std::optional<std::string> job_text;  ///< of a BytePS job
  std::vector<InputFile> inputs;
  Diagnostics diagnostics;
};

Found find(const CommonOptions& options, const Session& session) {
  Found found;
  StagedCapture loaded = load_staged_capture(options, session);
  found.inputs = loaded.capture.inputs;
  found.diagnostics = loaded.capture.diagnostics;
  keep_ranks(loaded.stages, options.ranks);
  if (loaded.stages.empty()) {
    found.communication = sim::communication_of(loaded.capture, loaded.details);
    return found;
  }
  if (options.steps)
    throw UsageError("--steps: BytePS's files have no steps that could be told from each other; expected all of them");
  for (const ingest::RecordedStages& recorded : loaded.stages)
    found.communication.ranks.push_back(as_recorded(recorded));
  found.job_text = std::move(loaded.job_text);
  return found;
}

}  // namespace

bool names_comm_json(const CommonOptions& options) {
  std::string name = fs::path(*options.output).filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name == "comm.json" || name.ends_with(".comm.json");
}

sim::CommJson write_comm_json(const CommonOptions& options, const Session& session) {
  const std::string& output = *options.output;
  const bool to_folder = names_folder(output);
  if (!to_folder) {
    check_output(options);
    const sim::Exporter* const exporter = sim::find_exporter(output);
    if (!names_comm_json(options) && (exporter == nullptr || exporter->extension != "json")) {
      throw UsageError(
          fmt::format("--comm-json writes JSON, and not '{}'; expected -o NAME.json, or -o FOLDER/", shown(output)));
    }
  }
  const Found found = find(options, session);
  const std::vector<sim::RankCommunication>& ranks = found.communication.ranks;
  if (!to_folder && ranks.size() > 1) {
    throw UsageError(
        fmt::format("{} ranks communicate here, and a comm.json is of one; expected --ranks with one of them, or "
                    "--comm-json -o FOLDER/ for FOLDER/worker0/0/comm.json and so on",
                    ranks.size()));
  }
  sim::CommJson written{
      .input = options.traces.size() == 1 ? options.traces.front() : counted(options.traces.size(), "input"),
      .output = output,
      .left_out = found.communication.left_out,
      .of_copies = found.communication.of_copies,
      .diagnostics = found.diagnostics};
  for (const sim::RankCommunication& rank : ranks) {
    const std::string path = to_folder ? path_in(output, rank) : output;
    if (to_folder) {
      refuse_input_as_output(path, found.inputs);
      make_folder_of(path);
    }
    written.files.push_back(write_one(rank, path));
  }
  if (to_folder && found.job_text) {
    const std::string path = (fs::path(output) / "job.yaml").string();
    refuse_input_as_output(path, found.inputs);
    sim::write_file(path, *found.job_text);
  }
  return written;
}

}  // namespace stepsim::cli
