#include "ingest/load/profiles.h"

#include <fmt/format.h>

#include <string_view>
#include <variant>

#include "ingest/load/discover.h"
#include "ingest/load/read.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// Thrown to stop load() when the inputs are profiles, not a capture.
struct IsProfile {};

/// True if the inputs are profiles and nothing else.
bool are_profiles(const ReadInputs& read) {
  bool any = false;
  for (const ReadInput& input : read.inputs) {
    for (const PartSink::Item& item : input.sink.parts) {
      if (!std::holds_alternative<RangeProfile>(item.part)) return false;
      any = true;
    }
  }
  return any;
}

/// Builds a run from its profiles. Precondition: are_profiles().
LoadedRun run_of(const ReadInputs& read, const std::string& name) {
  LoadedRun loaded{.run = {.name = name}, .diagnostics = read.diagnostics, .inputs = read.files};
  for (const ReadInput& input : read.inputs) {
    loaded.diagnostics.merge(input.sink.diagnostics);
    for (const PartSink::Item& item : input.sink.parts)
      loaded.run.processes.push_back(std::get<RangeProfile>(item.part));
  }
  return loaded;
}

}  // namespace

std::variant<LoadedRun, DetailedCapture> load_measured(const std::vector<std::string>& traces,
                                                       const LoadOptions& options) {
  LoadedRun loaded;
  LoadOptions looking = options;
  looking.inspect = [&](const ReadInputs& read) {
    if (options.inspect) options.inspect(read);
    if (!are_profiles(read)) return;
    loaded = run_of(read, traces.front());
    throw IsProfile{};
  };
  try {
    return load_with_details(traces, looking);
  } catch (const IsProfile&) {
    return loaded;
  }
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
            fmt::format("this is a {} capture; expected a result of an inline profiler such as HugeCTR's prof.json (to "
                        "draw a capture's timeline: 'stepsim replay TRACE -o timeline.svg')",
                        input.format));
      }
      loaded.run.processes.push_back(std::move(*profile));
    }
  }
  if (loaded.run.processes.empty())
    throw InputError({traces.front(), {}, {}}, "no result of an inline profiler found; expected *.prof.json");
  return loaded;
}

}  // namespace stepsim::ingest
