#include "cli/capture/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "ingest/bytes/file_source.h"
#include "ingest/formats/capture/survey.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/base/units.h"

namespace stepsim::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> capture_files(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code problem;
  for (fs::directory_iterator at(directory, problem), end; !problem && at != end; at.increment(problem)) {
    if (at->path().extension() == ".capture") files.push_back(at->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string lines_of(const std::string& file, const ingest::CaptureSurvey& found) {
  const auto rank = found.session.find("rank");
  const std::string of = rank == found.session.end() ? "" : fmt::format(" of rank {}", shown(rank->second));
  const std::string what = found.marked ? counted(found.active_steps, "step") : "a program without marked steps";
  const std::string nccl =
      found.nccl_operations == 0 ? "" : ", " + counted(found.nccl_operations, "operation") + " of NCCL";
  std::string lines =
      fmt::format("stepsim: captured {}{}: {}{}, {} in {}\n", what, of, counted(found.kernels, "kernel"), nccl,
                  to_text(Bytes{static_cast<std::int64_t>(found.bytes)}), shown(file));
  if (!found.problem.empty()) lines += fmt::format("stepsim: warning: {}\n", shown(found.problem, 1000));
  if (found.lost > 0)
    lines +=
        fmt::format("stepsim: warning: {} lost; expected none: capture fewer steps, or with a larger --buffer-mb\n",
                    counted(found.lost, "record"));
  if (!found.closed) lines += "stepsim: the program did not end in order; what was written until then is there\n";
  return lines;
}

}  // namespace

std::string capture_summary(const std::string& directory, const std::string& run) {
  std::string text;
  for (const std::string& file : capture_files(directory)) {
    try {
      const auto source = ingest::open_file(file);
      const ingest::CaptureSurvey found = ingest::survey_capture(*source);
      const auto of_run = found.session.find("run");
      if (of_run != found.session.end() && of_run->second == run) text += lines_of(file, found);
    } catch (const InputError& problem) {
      text += fmt::format("stepsim: warning: {}\n", problem.what());
    }
  }
  if (text.empty()) {
    return fmt::format("stepsim: nothing was captured: COMMAND used no CUDA, or could not write to {}\n",
                       shown(directory));
  }
  return text + fmt::format("stepsim: next: stepsim replay {}\n", shown(directory));
}

}  // namespace stepsim::cli
