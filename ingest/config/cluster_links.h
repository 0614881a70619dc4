#ifndef STEPSIM_INGEST_CONFIG_CLUSTER_LINKS_H
#define STEPSIM_INGEST_CONFIG_CLUSTER_LINKS_H

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/yaml.h"
#include "model/job/cluster.h"

namespace stepsim::ingest {

/// The hosts or the links of a cluster.yaml. A file refers to them by name or by number, from 0. Text of
/// digits only is a number. Names need not be unique, but then only numbers can be used.
class NameTable {
 public:
  /// `what`: what the table holds, in the singular, for messages: "host".
  explicit NameTable(std::string what) : what_(std::move(what)) {}

  /// Adds the next one. Its name may be empty.
  void add(const std::string& name);
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] bool has(const std::string& name) const { return number_.contains(name); }
  /// The number of the one to which `text`, a part of `field`, refers. Throws InputError if there is none
  /// (with the nearest name), or if several have that name.
  [[nodiscard]] std::size_t find(const YamlField& field, const std::string& text) const;
  /// The same for the whole text of `field`.
  [[nodiscard]] std::size_t find(const YamlField& field) const;

 private:
  std::string what_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::vector<std::size_t>> number_;
};

/// Where endpoints can be: hosts and their devices.
struct Places {
  NameTable hosts{"host"};
  std::map<std::pair<HostId, std::int32_t>, DeviceId> devices;  ///< (host, index on it)

  /// The endpoint that `field` names: "node-a", or "node-a/3" for its device 3. Throws InputError if
  /// there is no such place.
  [[nodiscard]] Endpoint find(const YamlField& field) const;
  /// Device `index` of `host`. Throws InputError, with the place of `field`, if there is none.
  [[nodiscard]] DeviceId device(const YamlField& field, HostId host, std::int32_t index) const;
};

/// Reads `hosts: 4`, whose names are their numbers, or `hosts: [a, b]`, and adds them to `names`. At most
/// 100,000 hosts. Throws InputError if two have one name.
[[nodiscard]] std::vector<Host> read_hosts(const YamlField& field, NameTable& names);

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
