#ifndef STEPSIM_SIM_OUTPUT_CLUSTER_YAML_H
#define STEPSIM_SIM_OUTPUT_CLUSTER_YAML_H

#include <string>

#include "model/job/cluster.h"

namespace stepsim::sim {

/// The cluster as cluster.yaml (docs/cluster.md): by its numbers where every host has one cable
/// to one switch, else link by link. Reading it gives the same cluster if rates are whole bytes a
/// second, as those of files and calibration are, and names are UTF-8.
[[nodiscard]] std::string cluster_yaml(const Cluster& cluster);

}  // namespace stepsim::sim

#endif
