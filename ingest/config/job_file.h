#ifndef STEPSIM_INGEST_CONFIG_JOB_FILE_H
#define STEPSIM_INGEST_CONFIG_JOB_FILE_H

#include <string>
#include <string_view>
#include <vector>

#include "model/base/input_file.h"
#include "model/job/job.h"

namespace stepsim::ingest {

/// Reads job.yaml, which says what a trace cannot say about its run, and adds the file to `inputs`. All keys
/// are optional. Sizes, rates and times carry their unit; `partition_bytes`, `bucket_bytes` and
/// `credit_bytes` may also be plain whole numbers.
///
/// Throws InputError, with file and line, for an unknown key (with the nearest known one and the list), a
/// key that is given twice, a value out of range or without its unit, text that is not YAML, nesting deeper
/// than yaml-cpp allows, and a file of more than 1 MiB.
[[nodiscard]] Job read_job_file(const std::string& path, std::vector<InputFile>& inputs);

/// The same from text; `name` stands for the path in messages.
[[nodiscard]] Job parse_job(std::string_view text, const std::string& name);

}  // namespace stepsim::ingest

#endif
