#include "ingest/load/store.h"

#include <optional>
#include <utility>

#include "ingest/bytes/input.h"
#include "ingest/config/config.h"
#include "ingest/load/discover.h"
#include "ingest/load/read.h"

namespace stepsim::ingest {

StoredPart read_part(const std::vector<std::string>& traces, const LoadOptions& options) {
  const FoundFiles found = discover(traces);
  ReadInputs read = read_inputs(found.files, options, true);
  refuse_empty(read, traces);
  StoredPart part;
  part.diagnostics = found.diagnostics;
  part.diagnostics.merge(read.diagnostics);
  part.files = std::move(read.files);
  const std::optional<std::string> job_path = options.job_file ? options.job_file : find_job_file(traces);
  if (read.job && !options.job_file) {
    part.job_name = std::move(read.job->name);
    part.job_text = std::move(read.job->text);
  } else if (job_path) {
    part.job_name = *job_path;
    part.job_text = read_small_file(*job_path, kLargestJobFile).text;
    (void)parse_job(part.job_text, part.job_name);  // refuses a wrong file now, not where the part is used
  }
  for (ReadInput& one : read.inputs) {
    part.inputs.push_back({std::move(one.name), std::move(one.gpu_folder), std::move(one.worker_folder),
                           std::string(one.format), std::move(one.sink)});
  }
  return part;
}

}  // namespace stepsim::ingest
