#ifndef STEPSIM_INGEST_CONFIG_CLUSTER_FILE_H
#define STEPSIM_INGEST_CONFIG_CLUSTER_FILE_H

#include <string>
#include <string_view>
#include <vector>

#include "model/base/input_file.h"
#include "model/job/cluster.h"

namespace stepsim::ingest {

/// Reads cluster.yaml, which describes the hardware a job runs on, and adds the file to `inputs`. It has one
/// of two forms: by numbers (`hosts` and `nic`, with `nics`, `tiers`, `devices`, `nvlink`, `pcie`,
/// `overrides` and `endpoints` if needed), or link by link (`hosts` and `links`, with `devices`, `endpoints`
/// and `routes`). Both may have `messages` and `rates`. docs/cluster.md describes every key. Sizes, rates
/// and times carry their unit.
///
/// Throws InputError, with file and line, for all that read_job_file refuses, for a host, device or link
/// that does not exist (with the nearest name), and for a file of more than 4 MiB.
[[nodiscard]] Cluster read_cluster_file(const std::string& path, std::vector<InputFile>& inputs);

/// The same from text; `name` stands for the path in messages.
[[nodiscard]] Cluster parse_cluster(std::string_view text, const std::string& name);

}  // namespace stepsim::ingest

#endif
