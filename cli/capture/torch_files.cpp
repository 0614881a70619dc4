#include "cli/capture/torch_files.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/config/job_file.h"
#include "model/base/error.h"
#include "model/base/input_file.h"
#include "model/base/text.h"
#include "model/base/units.h"

namespace stepsim::cli {
namespace {

namespace fs = std::filesystem;

std::string counted_traces(std::uint64_t count) { return fmt::format("{} trace{}", count, count == 1 ? "" : "s"); }

/// ", a step took ..." by the job.yaml beside the traces.
std::string free_step(const fs::path& job_file) {
  std::error_code unknown;
  if (!fs::is_regular_file(job_file, unknown)) return {};
  try {
    std::vector<InputFile> inputs;
    const std::optional<Duration> step = ingest::read_job_file(job_file.string(), inputs).measured_step;
    if (step) return fmt::format("; a step took {} before the profiler started", to_text(*step));
  } catch (const InputError& problem) {
    return fmt::format("\nstepsim: warning: {}", problem.what());
  }
  return {};
}

}  // namespace

TorchFiles::TorchFiles(std::string directory) : directory_(std::move(directory)), before_(traces()) {}

TorchFiles::Times TorchFiles::traces() const {
  Times found;
  std::error_code problem;
  for (fs::directory_iterator at(directory_, problem), end; !problem && at != end; at.increment(problem)) {
    std::error_code unknown;
    const std::string path = at->path().string();
    if (path.ends_with(".pt.trace.json.gz")) found.emplace(path, at->last_write_time(unknown));
  }
  return found;
}

std::string TorchFiles::summary() const {
  std::uint64_t captured = 0;
  std::uint64_t older = 0;
  std::uintmax_t bytes = 0;
  for (const auto& [path, time] : traces()) {
    const auto known = before_.find(path);
    const bool is_new = known == before_.end() || known->second != time;
    (is_new ? captured : older) += 1;
    std::error_code unknown;
    if (is_new) bytes += fs::file_size(path, unknown);
  }
  if (captured == 0) {
    return fmt::format(
        "stepsim: nothing was captured in {}; expected a Python that reads PYTHONPATH, and more steps than are left "
        "out, "
        "each ended by an optimizer of torch.optim or by the function of --step-call\n",
        shown(directory_));
  }
  std::string text = fmt::format("stepsim: captured {}, {} in {}{}\n", counted_traces(captured),
                                 to_text(Bytes{static_cast<std::int64_t>(bytes)}), shown(directory_),
                                 free_step(fs::path(directory_) / "job.yaml"));
  if (older > 0) {
    text += fmt::format("stepsim: warning: {} of before in the folder; expected those of one run: use another --dir\n",
                        counted_traces(older));
  }
  return text + fmt::format("stepsim: next: stepsim replay {}\n", shown(directory_));
}

}  // namespace stepsim::cli
