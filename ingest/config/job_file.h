#ifndef STEPSIM_INGEST_CONFIG_JOB_FILE_H
#define STEPSIM_INGEST_CONFIG_JOB_FILE_H

#include <string>
#include <string_view>
#include <vector>

#include "model/base/input_file.h"
#include "model/job/job.h"

namespace stepsim::ingest {

/// Reads job.yaml, what a trace cannot say about the run that made it, and adds it to `inputs`. All keys are
/// optional. Sizes, rates and times carry their unit; only `partition_bytes`,
/// `bucket_bytes` and `credit_bytes` may also be plain whole numbers.
///
/// Throws InputError with file and line: an unknown key (with the nearest known one and the
/// list), a key given twice, a value out of its range or without its unit, text that is no
/// YAML, nesting beyond yaml-cpp's bound, or a file of more than 1 MiB.
[[nodiscard]] Job read_job_file(const std::string& path, std::vector<InputFile>& inputs);

/// The same from text; `name` stands for the path in messages.
[[nodiscard]] Job parse_job(std::string_view text, const std::string& name);

}  // namespace stepsim::ingest

#endif
