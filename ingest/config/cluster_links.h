#ifndef STEPSIM_INGEST_CONFIG_CLUSTER_LINKS_H
#define STEPSIM_INGEST_CONFIG_CLUSTER_LINKS_H

#include <vector>

#include "ingest/config/cluster_tables.h"
#include "model/base/yaml_value.h"
#include "model/job/cluster.h"

namespace stepsim::ingest {

/// The keys of a cluster.yaml that lists its links. Null: the file does not have the key.
struct LinkKeys {
  const YamlField* links = nullptr;  ///< never null
  const YamlField* devices = nullptr;
  const YamlField* endpoints = nullptr;
  const YamlField* routes = nullptr;
};

/// The cluster that these keys list link by link. `places` has the hosts; devices are added to it.
/// Without the key `endpoints`, each host is one. Throws InputError with the place of what is wrong.
[[nodiscard]] Cluster read_links(const LinkKeys& keys, std::vector<Host> hosts, Places places);

}  // namespace stepsim::ingest

#endif
