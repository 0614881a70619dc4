#ifndef STEPSIM_SIM_OUTPUT_CLUSTER_YAML_H
#define STEPSIM_SIM_OUTPUT_CLUSTER_YAML_H

#include <string>

#include "model/job/cluster.h"

namespace stepsim::sim {

/// Returns the cluster as cluster.yaml (docs/reference/cluster.md): the shape that it was built from, otherwise link by
/// link. Reading it back gives the same cluster if rates are whole bytes per second (as
/// in files and calibration) and names are UTF-8.
[[nodiscard]] std::string cluster_yaml(const Cluster& cluster);

}  // namespace stepsim::sim

#endif
