#ifndef STEPSIM_INGEST_CONFIG_CLUSTER_LINKS_H
#define STEPSIM_INGEST_CONFIG_CLUSTER_LINKS_H

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/yaml.h"
#include "model/base/yaml_keys.h"
#include "model/job/cluster.h"

namespace stepsim::ingest {

/// The hosts or the links of a cluster.yaml by name. A file refers to them by name or by number, counted from 0. Text
/// of digits only is a number. If several entries have the same name, they can be referred to only by number.
class NameTable {
 public:
  /// `what` names one entry in messages, in the singular: "host".
  explicit NameTable(std::string what) : what_(std::move(what)) {}

  /// Adds the next entry. Its name may be empty.
  void add(const std::string& name);
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] bool has(const std::string& name) const { return number_.contains(name); }
  /// Returns the number of the entry that `text`, a part of `field`, refers to. Throws InputError if there is no such
  /// entry (the message gives the most similar name), or if several entries have that name.
  [[nodiscard]] std::size_t find(const YamlField& field, const std::string& text) const;
  /// Returns the number of the entry that the whole text of `field` refers to; see find(field, text).
  [[nodiscard]] std::size_t find(const YamlField& field) const;

 private:
  std::string what_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::vector<std::size_t>> number_;
};

/// The hosts and devices that endpoints can be on.
struct Places {
  NameTable hosts{"host"};
  std::map<std::pair<HostId, std::int32_t>, DeviceId> devices;  ///< (host, index on it)

  /// Returns the endpoint that `field` names: "node-a", or "node-a/3" for its device 3. Throws InputError if there is
  /// no such host or device.
  [[nodiscard]] Endpoint find(const YamlField& field) const;
  /// Returns device `index` of `host`. Throws InputError, with the place of `field`, if there is none.
  [[nodiscard]] DeviceId device(const YamlField& field, HostId host, std::int32_t index) const;
};

/// Reads `hosts: 4` (each host's name is its number) or `hosts: [a, b]`, and adds the names to `names`. Accepts at most
/// 100,000 hosts. Throws InputError if two have the same name.
[[nodiscard]] std::vector<Host> read_hosts(const YamlField& field, NameTable& names);

/// Return the types of the values that these functions read.
[[nodiscard]] YamlType hosts_type();
[[nodiscard]] YamlType link_list_type();
[[nodiscard]] YamlType device_list_type();
[[nodiscard]] YamlType endpoint_list_type();
[[nodiscard]] YamlType route_list_type();

/// Stores the rate of a cable or a link.
template <class Connection>
void set_rate(const YamlField& field, Connection& to) {
  const LinkRate rate = field.link_rate();
  to.bandwidth = rate.rate;
  to.is_bus = rate.is_bus;
}

/// Checks a cable or a link that was read from `field`. Throws InputError if it has no bandwidth, or an efficiency
/// besides a bus bandwidth.
template <class Connection>
void check_rate(const YamlField& field, const Connection& read) {
  if (read.bandwidth <= Bandwidth{})
    field.fail("'" + field.name + "' has no 'bandwidth'; expected a rate, for example 25Gb/s");
  if (read.is_bus && read.efficiency != 1) {
    field.fail("'" + field.name +
               "' has a bus bandwidth, which is all payload, and an efficiency below 1; expected one of them");
  }
}

/// The keys of a cluster.yaml that lists its links. A null pointer means that the file lacks the key.
struct LinkKeys {
  const YamlField* links = nullptr;  ///< never null
  const YamlField* devices = nullptr;
  const YamlField* endpoints = nullptr;
  const YamlField* routes = nullptr;
};

/// Builds the cluster that `keys` describe link by link. `places` must contain the hosts; the devices are read from the
/// keys. Without the key `endpoints`, each host is one endpoint. Throws InputError with the place of the problem.
[[nodiscard]] Cluster read_links(const LinkKeys& keys, std::vector<Host> hosts, Places places);

}  // namespace stepsim::ingest

#endif
