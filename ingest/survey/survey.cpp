#include "ingest/survey/survey.h"

#include "ingest/load/discover.h"
#include "ingest/load/read.h"
#include "ingest/privacy/scrubbed_files.h"
#include "ingest/survey/contents.h"
#include "model/base/error.h"
#include "model/job/dag_builder.h"

namespace stepsim::ingest {
namespace {

void count_inputs(const ReadInputs& read, Survey& survey) {
  survey.diagnostics.merge(read.diagnostics);
  for (const ReadInput& input : read.inputs) {
    survey.contents.sources.push_back(contents_of(input));
    survey.diagnostics.merge(input.sink.diagnostics);
  }
}

/// Reads each file by itself, so that one that cannot be used does not hide the others.
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
  LoadOptions inspecting = options;
  inspecting.inspect = [&result](const ReadInputs& read) { count_inputs(read, result); };
  try {
    result.capture = load_with_details(traces, inspecting).capture;
    result.diagnostics = result.capture->diagnostics;
  } catch (const InputError& error) {
    if (error.where().file == job_file) throw;
    result.problem = error.what();
  } catch (const CycleError& error) {
    result.problem = error.what();
  }
  if (!result.capture && result.contents.sources.empty()) count_one_by_one(traces, options, result);
  result.contents.private_parts = find_private_content(traces, options);
  return result;
}

}  // namespace stepsim::ingest
