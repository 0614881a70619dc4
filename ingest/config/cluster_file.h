#ifndef STEPSIM_INGEST_CONFIG_CLUSTER_FILE_H
#define STEPSIM_INGEST_CONFIG_CLUSTER_FILE_H

#include <string>
#include <string_view>
#include <vector>

#include "model/base/input_file.h"
#include "model/job/cluster.h"

namespace stepsim::ingest {

/// Reads cluster.yaml, the hardware a job runs on, and adds it to `inputs`. Either by its numbers (`hosts`, `nic`, and
/// where there are such `nics`, `tiers`, `devices`, `nvlink`, `pcie`, `overrides`), or link by
/// link (`hosts`, `links`, `endpoints`, `routes`); `messages` and `rates` with both.
/// docs/cluster.md has every key. Sizes, rates and times carry their unit.
///
/// Throws InputError with file and line: as read_job_file, and for a host, device or link that
/// is not there (with the nearest name), or a file of more than 4 MiB.
[[nodiscard]] Cluster read_cluster_file(const std::string& path, std::vector<InputFile>& inputs);

/// The same from text; `name` stands for the path in messages.
[[nodiscard]] Cluster parse_cluster(std::string_view text, const std::string& name);

}  // namespace stepsim::ingest

#endif
