#include "model/job/cluster.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "model/base/error.h"

namespace stepsim {
namespace {

double read_number(const NetworkParameter& parameter, const YamlField& field) {
  if (const auto number = number_of_word(parameter.type, field)) return *number;
  if (field.value->text.find_first_not_of("0123456789.eE+-") != std::string::npos)
    field.reject(text_of(parameter.type));
  const YamlType type = yaml_type(parameter.type);
  return field.number(type.least, type.most);
}

using UplinkPath = Cluster::UplinkPath;

Route joined(Route first, const Route& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Finds the first hop of a path that reaches a given switch. Sorts the hops of a long path, because paths in a file
/// can have any length.
class HopsBySwitch {
 public:
  /// Keeps a reference to `switches`.
  explicit HopsBySwitch(const std::vector<std::uint32_t>& switches) : switches_(switches) {
    if (switches.size() <= kFew) return;
    for (std::size_t hop = 0; hop < switches.size(); ++hop) sorted_.emplace_back(switches[hop], hop);
    std::sort(sorted_.begin(), sorted_.end());
  }

  [[nodiscard]] std::optional<std::size_t> find(std::uint32_t number) const {
    if (sorted_.empty()) {
      const auto found = std::find(switches_.begin(), switches_.end(), number);
      if (found == switches_.end()) return std::nullopt;
      return static_cast<std::size_t>(found - switches_.begin());
    }
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{number, std::size_t{0}});
    if (found == sorted_.end() || found->first != number) return std::nullopt;
    return found->second;
  }

 private:
  static constexpr std::size_t kFew = 16;
  const std::vector<std::uint32_t>& switches_;
  std::vector<std::pair<std::uint32_t, std::size_t>> sorted_;  ///< used only for long paths
};

/// Returns the route up from one endpoint to the first switch that the other's uplink also reaches, then down to the
/// other. `hops_of_to` are the hops of `to`.
std::optional<Route> over_switches(const UplinkPath& from, const UplinkPath& to, const HopsBySwitch& hops_of_to) {
  for (std::size_t hop = 0; hop < from.switches.size(); ++hop) {
    const std::optional<std::size_t> met = hops_of_to.find(from.switches[hop]);
    if (!met) continue;
    const Route up(from.up.begin(), std::next(from.up.begin(), static_cast<std::ptrdiff_t>(hop) + 1));
    const auto hops_down = static_cast<std::ptrdiff_t>(*met) + 1;
    return joined(up, Route(std::prev(to.down.end(), hops_down), to.down.end()));
  }
  return std::nullopt;
}

}  // namespace

ParameterValue NetworkParameter::read(const YamlField& field) const {
  if (std::holds_alternative<Duration>(default_value)) return field.duration();
  if (std::holds_alternative<bool>(default_value)) return field.flag();
  return read_number(*this, field);
}

ParameterValue NetworkParameters::value_of(const NetworkParameter& parameter) const noexcept {
  for (const Entry& entry : entries_) {
    if (entry.parameter == &parameter) return entry.value;
  }
  return parameter.default_value;
}

void NetworkParameters::set_value(const NetworkParameter& parameter, ParameterValue value, bool assumed) {
  STEPSIM_ASSERT(value.index() == parameter.default_value.index(), "a parameter's values are of its type");
  std::erase_if(entries_, [&parameter](const Entry& entry) { return entry.parameter == &parameter; });
  if (value == parameter.default_value) return;
  const auto behind = std::find_if(entries_.begin(), entries_.end(),
                                   [&parameter](const Entry& entry) { return entry.parameter->key > parameter.key; });
  entries_.insert(behind, {&parameter, value, assumed});
}

bool NetworkParameters::is_given(const NetworkParameter& parameter) const noexcept {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&parameter](const Entry& entry) { return entry.parameter == &parameter && !entry.assumed; });
}

bool NetworkParameters::is_assumed(const NetworkParameter& parameter) const noexcept {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&parameter](const Entry& entry) { return entry.parameter == &parameter && entry.assumed; });
}

std::optional<Route> Cluster::route(EndpointId from, EndpointId to) const {
  if (from == to) return Route{};
  if (const auto written = routes.find({from, to}); written != routes.end()) return written->second;
  if (from.index() >= uplinks.size() || to.index() >= uplinks.size()) return std::nullopt;
  const UplinkPath& source = uplinks[from.index()];
  const UplinkPath& target = uplinks[to.index()];
  if (endpoints[from.index()].host == endpoints[to.index()].host) return joined(source.out, target.in);
  const HopsBySwitch hops_of_target(target.switches);
  if (auto direct = over_switches(source, target, hops_of_target)) return direct;
  for (const EndpointId relay : source.relays) {
    const UplinkPath& passes_on = uplinks[relay.index()];
    if (const auto rest = over_switches(passes_on, target, hops_of_target))
      return joined(joined(source.out, passes_on.in), *rest);
  }
  return std::nullopt;
}

}  // namespace stepsim
