#include "ingest/load/profiles.h"

#include <fmt/format.h>

#include <filesystem>
#include <variant>

#include "ingest/load/discover.h"
#include "ingest/load/read.h"
#include "ingest/load/recognise.h"
#include "model/base/cannot_answer.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kFormat = "inline_profile";

bool is_profile(const FoundFile& file) {
  if (!std::filesystem::is_regular_file(file.path)) return false;
  try {
    return is_in_format(file.path, kFormat);
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

bool are_profiles(const std::vector<std::string>& traces) {
  bool any = false;
  for (const FoundFile& file : discover(traces).files) {
    const bool profile = is_profile(file);
    // What else lies in a folder, such as the schedule, is not used.
    if (file.named && !profile) return false;
    any = any || profile;
  }
  return any;
}

LoadedRun load_run(const std::vector<std::string>& traces, const LoadOptions& options) {
  const FoundFiles found = discover(traces);
  ReadInputs read = read_inputs(found.files, options);
  LoadedRun loaded{.run = {.name = traces.front()}, .diagnostics = found.diagnostics, .inputs = std::move(read.files)};
  loaded.diagnostics.merge(read.diagnostics);
  for (ReadInput& input : read.inputs) {
    loaded.diagnostics.merge(input.sink.diagnostics);
    for (PartSink::Item& item : input.sink.parts) {
      auto* const profile = std::get_if<RangeProfile>(&item.part);
      if (profile == nullptr) {
        throw CannotAnswer(
            {input.name, {}, {}},
            fmt::format("this is a capture in the format {}, and no result of an inline profiler; expected "
                        "one such as HugeCTR's prof.json: 'stepsim replay TRACE -o timeline.svg' draws "
                        "the timeline of a capture",
                        input.format));
      }
      loaded.run.processes.push_back(std::move(*profile));
    }
  }
  if (loaded.run.processes.empty())
    throw InputError({traces.front(), {}, {}}, "no result of an inline profiler was found here; expected *.prof.json");
  return loaded;
}

}  // namespace stepsim::ingest
