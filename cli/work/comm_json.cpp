#include "cli/work/comm_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cli/program/output_rule.h"
#include "cli/work/rewrite.h"
#include "cli/work/work.h"
#include "ingest/load/recorded_stages.h"
#include "ingest/parts/byteps_names.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/export/comm_json.h"
#include "sim/export/exporter.h"

namespace stepsim::cli {
namespace {

namespace fs = std::filesystem;

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
  sim::OutputFile out(sim::is_standard_output(path) ? std::string(sim::kStandardOutput) : path,
                      sim::is_gzipped(path) ? sim::Compression::kGzip : sim::Compression::kNone);
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
};

Found find(const CommonOptions& options, const Session& session) {
  Found found;
  StagedCapture loaded = load_staged_capture(options, session);
  found.inputs = loaded.capture.inputs;
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
      .of_copies = found.communication.of_copies};
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
