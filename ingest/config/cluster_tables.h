#ifndef STEPSIM_INGEST_CONFIG_CLUSTER_TABLES_H
#define STEPSIM_INGEST_CONFIG_CLUSTER_TABLES_H

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/yaml_value.h"
#include "model/job/cluster.h"

namespace stepsim::ingest {

/// The hosts, or links, of a cluster.yaml, referred to by name or by number from 0. What
/// consists of digits is a number.
class NameTable {
 public:
  /// `what`: "host", for messages.
  explicit NameTable(std::string what) : what_(std::move(what)) {}

  void add(const std::string& name);
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] bool has(const std::string& name) const { return number_.contains(name); }
  /// The number of what `text`, a part of `field`, refers to. Throws InputError if it is not
  /// there, or if several have that name.
  [[nodiscard]] std::size_t find(const YamlField& field, const std::string& text) const;
  [[nodiscard]] std::size_t find(const YamlField& field) const;

 private:
  std::string what_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::vector<std::size_t>> number_;
};

/// What endpoints are made of: hosts and their devices.
struct Places {
  NameTable hosts{"host"};
  std::map<std::pair<HostId, std::int32_t>, DeviceId> devices;

  /// "node-a", or "node-a/3" for its device 3.
  [[nodiscard]] Endpoint find(const YamlField& field) const;
  [[nodiscard]] DeviceId device(const YamlField& field, HostId host, std::int32_t index) const;
};

/// `hosts: 4`, whose names are their numbers, or `hosts: [a, b]`.
[[nodiscard]] std::vector<Host> read_hosts(const YamlField& field, NameTable& names);

}  // namespace stepsim::ingest

#endif
