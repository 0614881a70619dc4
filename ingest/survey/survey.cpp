#include "ingest/survey/survey.h"

#include <algorithm>
#include <future>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "ingest/load/discover.h"
#include "ingest/load/read.h"
#include "ingest/privacy/scrubbed_files.h"
#include "model/base/error.h"
#include "model/job/capture_contents.h"
#include "model/job/dag_builder.h"

namespace stepsim::ingest {
namespace {

void count_inputs(const ReadInputs& read, Survey& survey) {
  survey.diagnostics.merge(read.diagnostics);
  for (const ReadInput& input : read.inputs) {
    survey.contents.sources.push_back(input.contents);
    survey.diagnostics.merge(input.sink.diagnostics);
  }
}

/// Reads each file separately, so that an unusable file does not hide the others.
void count_one_by_one(const std::vector<std::string>& traces, const LoadOptions& options, Survey& survey) {
  for (const FoundFile& file : discover(traces).files) {
    try {
      count_inputs(read_inputs({file}, options, true), survey);
    } catch (const InputError& error) {
      survey.contents.sources.push_back({.file = file.path, .format = {}, .problem = error.what()});
    }
  }
}

}  // namespace

Survey survey(const std::vector<std::string>& traces, const LoadOptions& options) {
  Survey result;
  const std::optional<std::string> job_file = options.job_file ? options.job_file : find_job_file(traces);
  // Uses std::async and not side_by_side(): inside side_by_side(), each parallel part of loading would create an arena
  // of oneTBB threads.
  std::future<std::vector<PrivateContent>> private_parts;
  if (options.threads > 1) private_parts = std::async(find_private_content, traces, options);
  LoadOptions inspecting = options;
  inspecting.inspect = [&result](const ReadInputs& read) { count_inputs(read, result); };
  try {
    result.capture = load_with_details(traces, inspecting).capture;
    result.diagnostics = result.capture->diagnostics;
    result.contents = result.capture->contents;
  } catch (const InputError& error) {
    if (error.where().file == job_file) throw;
    result.problem = error.what();
  } catch (const CycleError& error) {
    result.problem = error.what();
  }
  if (!result.capture && result.contents.sources.empty()) count_one_by_one(traces, options, result);
  result.contents.private_parts = private_parts.valid() ? private_parts.get() : find_private_content(traces, options);
  return result;
}

namespace {

std::optional<Rank> named_rank(const ReadInput& input) {
  for (const PartSink::Item& item : input.sink.parts) {
    const auto* const trace = std::get_if<HostDeviceTrace>(&item.part);
    if (trace != nullptr && trace->rank && *trace->rank <= std::numeric_limits<Rank>::max())
      return static_cast<Rank>(*trace->rank);
  }
  return std::nullopt;
}

}  // namespace

std::vector<RankFile> ranks_of_files(const std::vector<std::string>& traces, const LoadOptions& options) {
  const ReadInputs read = read_inputs(discover(traces).files, options);
  std::set<Rank> claimed;
  for (const ReadInput& input : read.inputs) {
    if (const auto rank = named_rank(input)) claimed.insert(*rank);
  }
  std::vector<RankFile> files;
  Rank next = 0;
  for (const ReadInput& input : read.inputs) {
    const std::optional<Rank> named = named_rank(input);
    while (!named && claimed.contains(next)) ++next;
    files.push_back({input.name, named ? *named : next++});
  }
  return files;
}

}  // namespace stepsim::ingest
