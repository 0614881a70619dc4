#ifndef STEPSIM_MODEL_JOB_TOPOLOGY_H
#define STEPSIM_MODEL_JOB_TOPOLOGY_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "model/job/cluster.h"

namespace stepsim {

/// Returns the rail of an endpoint, 0 for a host without devices.
[[nodiscard]] std::uint32_t rail_of(const ClusterShape& shape, const Endpoint& endpoint);

/// Returns the endpoints of a cluster with this shape.
[[nodiscard]] std::vector<Endpoint> endpoints_of(const ClusterShape& shape);

/// Builds a cluster with this shape, in which Cluster::uplinks connects every endpoint to every other one. If the
/// listed endpoints are in the default order, the result's shape says that instead. O(hosts * (nics + devices) +
/// endpoints). Precondition: counts, ports and oversubscription are above 0 (devices can be 0), ids exist in their
/// tables, and with several rails every host that has an endpoint has one on each rail in use.
[[nodiscard]] Cluster build_cluster(ClusterShape shape);

/// Builds a cluster with this shape, and with all that is not hosts, links and endpoints from `like`. Precondition:
/// that of build_cluster().
[[nodiscard]] Cluster with_shape(const Cluster& like, ClusterShape shape);

/// Returns `count` hosts with their numbers as names.
[[nodiscard]] std::vector<Host> numbered_hosts(std::size_t count);

/// A change of the number of endpoints of one kind: ranks, workers or servers. Those of a kind are consecutive.
struct Resize {
  std::size_t before = 0;
  std::size_t after = 0;
};

/// A shape does not say what would be needed for a change. what() is the end of a sentence that begins with "the
/// cluster".
class ShapeProblem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the shape with more or fewer endpoints. The first endpoints of each kind keep their hosts, and with them the
/// differences of these from the usual; new hosts are usual ones. If the endpoints are in the order of the captured
/// ranks, no host is removed. Throws ShapeProblem if the shape lists endpoints that are not in the default order and
/// too few of them, or if a host would have no endpoint on a rail that others use.
[[nodiscard]] ClusterShape resized(ClusterShape shape, std::span<const Resize> kinds);

/// Returns the shape of a cluster. Throws ShapeProblem if it was described link by link.
[[nodiscard]] const ClusterShape& shape_of(const Cluster& cluster);

/// Returns a cluster of hosts that are connected to one switch and have one endpoint each. Every host has one link out
/// and one in, with `link`'s bandwidth, efficiency and latency. A message crosses two links.
[[nodiscard]] Cluster star(std::size_t hosts, const Link& link);

}  // namespace stepsim

#endif
