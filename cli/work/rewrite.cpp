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
#include "ingest/load/store.h"
#include "ingest/parts/names.h"
#include "ingest/privacy/scrubbed_files.h"
#include "ingest/survey/survey.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/export/comm_json.h"
#include "sim/export/exporter.h"
#include "sim/output/write_file.h"

namespace stepsim::cli {

namespace {

constexpr std::string_view kKineto = "kineto";

namespace fs = std::filesystem;

ingest::LoadOptions reading(const CommonOptions& options, const Session& session) {
  return {
      .job_file = options.job_file, .threads = options.threads, .stop = &session.stop, .progress = {}, .inspect = {}};
}

/// Throws UsageError if an option selects or changes data. `what` begins the message: "--scrub rewrites the whole
/// trace".
void refuse_other_options(const CommonOptions& options, std::string_view what) {
  const auto refuse = [what](std::string_view option) {
    throw UsageError(fmt::format("{} and cannot be combined with {}; run one command for each", what, option));
  };
  if (options.steps) refuse("--steps");
  if (!options.ranks.empty()) refuse("--ranks");
  if (options.network_given) refuse("--network");
  if (options.cluster_file) refuse("--cluster");
  if (options.anonymous) refuse("--anonymous");
}

/// Returns the name of the output file for the input file `name`. Keeps the extension .gz, but removes .zst, because
/// stepsim cannot write Zstandard.
std::string written_name(const std::string& name) {
  const fs::path path(name);
  return path.extension() == ".zst" ? fs::path(path).replace_extension().string() : name;
}

void refuse_same_names(std::vector<std::string> outputs, std::string_view remedy) {
  std::sort(outputs.begin(), outputs.end());
  const auto same = std::adjacent_find(outputs.begin(), outputs.end());
  if (same == outputs.end()) return;
  throw UsageError(fmt::format("two files would both be written as {}; expected {}", shown(*same), remedy));
}

/// Returns the output path for each of `files`. Throws UsageError if `output` is not a folder and there are several
/// files, or if two files would have the same path.
std::vector<std::string> outputs_of(const std::vector<ingest::RankFile>& files, const std::string& output) {
  if (!names_folder(output)) {
    if (files.size() == 1) return {output};
    throw UsageError(
        fmt::format("{} files are left, but an output trace has one rank; expected --ranks with one of them, -o "
                    "FOLDER/ for one file each, or 'stepsim combine' first",
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

/// The inputs of a conversion that accepts only one format.
struct InputFiles {
  std::vector<std::string> in_format;  ///< files in the format
  std::vector<std::string> no_traces;  ///< files of a job that are not its traces: job.yaml, execution traces, others
  bool others = false;                 ///< true if there are traces in other formats, or standard input
};

InputFiles files_by_format(const CommonOptions& options, std::string_view format) {
  InputFiles files;
  for (const ingest::FoundFile& file : ingest::discover(options.traces).files) {
    const bool is_on_disk = file.path != ingest::kStandardInput;
    const std::string_view found = is_on_disk ? ingest::format_of_file(file.path) : std::string_view();
    if (found == format) {
      files.in_format.push_back(file.path);
    } else if (is_on_disk && !file.named && (found.empty() || found == "execution_trace")) {
      files.no_traces.push_back(file.path);
    } else {
      files.others = true;
    }
  }
  return files;
}

/// True if there are traces among the inputs and all of them are files on disk in `format`.
bool all_are(const CommonOptions& options, std::string_view format) {
  const InputFiles files = files_by_format(options, format);
  return !files.in_format.empty() && !files.others;
}

}  // namespace

sim::Scrubbed scrub(const CommonOptions& options, const Session& session) {
  refuse_other_options(options, "--scrub rewrites the whole trace");
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
    refuse_same_names(std::move(outputs), "their common folder, or a separate -o folder for each");
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

bool can_be_cut(const CommonOptions& options) { return all_are(options, kKineto); }

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

CutAnswers cut(const CommonOptions& options, ingest::Cut what, const Session& session) {
  InputFiles inputs = files_by_format(options, kKineto);
  const std::vector<std::string>& found = inputs.in_format;
  // A single file is not read to find its rank unless --ranks is given.
  std::vector<ingest::RankFile> files = found.size() == 1 && options.ranks.empty()
                                            ? std::vector<ingest::RankFile>{{found.front(), 0}}
                                            : ingest::ranks_of_files(found, reading(options, session));
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
  CutAnswers answers{.parts = {}, .left_out = std::move(inputs.no_traces)};
  for (std::size_t i = 0; i < files.size(); ++i) {
    make_folder_of(outputs[i]);
    sim::OutputFile output = sim::open_output(outputs[i]);
    answers.parts.push_back({.input = files[i].file, .output = outputs[i], .counts = {}});
    answers.parts.back().counts =
        ingest::cut_trace(files[i].file, what, [&output](std::string_view text) { output.write(text); });
    output.commit();
  }
  return answers;
}

bool names_part(const CommonOptions& options) { return options.output->ends_with(".stepsim"); }

sim::WrittenPart write_part(const CommonOptions& options, const Session& session) {
  refuse_other_options(options, "-o OUT.stepsim stores whole traces");
  for (const ingest::FoundFile& file : ingest::discover(options.traces).files)
    refuse_input_as_output(*options.output, file.path);
  sim::refuse_unwritable(*options.output);
  const ingest::StoredPart part = ingest::read_part(options.traces, reading(options, session));
  const std::string bytes = ingest::to_bytes(part);
  sim::OutputFile output = sim::open_output(*options.output);
  output.write(bytes);
  output.commit();
  sim::WrittenPart written{.output = *options.output, .files = part.files.size(), .bytes = bytes.size()};
  for (const InputFile& file : part.files) written.bytes_of_files += file.size;
  written.diagnostics = part.diagnostics;
  for (const ingest::StoredInput& input : part.inputs) {
    written.events += input.sink.events;
    written.diagnostics.merge(input.sink.diagnostics);
  }
  return written;
}

bool wants_profiler_trace(const CommonOptions& options) {
  const std::string_view name = *options.output;
  const bool named = name.ends_with(".pt.trace.json") || name.ends_with(".pt.trace.json.gz");
  return named && all_are(options, "capture");
}

sim::ProfilerTrace write_profiler_trace(const CommonOptions& options, const Session& session) {
  const std::vector<ingest::FoundFile> files = ingest::discover(options.traces).files;
  if (files.size() > 1) {
    throw UsageError(
        fmt::format("{} captures, but a trace of PyTorch's profiler has one rank; expected one of them", files.size()));
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

/// Converts the recorded stages of BytePS to the type that is written, with unchanged values.
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
                                    total ? std::string_view{} : ingest::stage_name(event.stage), event.start,
                                    event.duration});
  }
  return communication;
}

/// Removes the stages of ranks that are not in `ranks`, the value of --ranks. An empty list means all ranks.
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

/// The communication that was read, in the order of ranks.
struct Found {
  sim::Communication communication;
  std::optional<std::string> job_text;  ///< set for a BytePS job
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
  if (options.steps) throw UsageError("--steps: these BytePS files do not distinguish steps; leave it out");
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
        fmt::format("{} ranks communicate, but a comm.json has one; expected --ranks with one of them, or --comm-json "
                    "-o FOLDER/ for FOLDER/worker0/0/comm.json, ...",
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
