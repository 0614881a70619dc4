#ifndef STEPSIM_INGEST_CONFIG_CLUSTER_MEASURED_H
#define STEPSIM_INGEST_CONFIG_CLUSTER_MEASURED_H

#include <vector>

#include "model/base/yaml_value.h"
#include "model/job/measured_collective.h"

namespace stepsim::ingest {

/// The key `collectives` of cluster.yaml: a list of maps such as {op: all_reduce, ranks: 4, link: 240GB/s,
/// bytes: [1MiB, 8MiB], times: [60us, 120us]}. Throws InputError with the place of what is wrong.
[[nodiscard]] std::vector<MeasuredCollective> read_measured(const YamlField& field);

}  // namespace stepsim::ingest

#endif
