#include "model/cost/network/network.h"

#include <algorithm>
#include <vector>

namespace stepsim {
namespace {

std::vector<const NetworkParameter*> all_parameters() {
  std::vector<const NetworkParameter*> all{&kMessageOverhead, &kCollectiveOverhead};
  for (const NetworkModel* const model : network_models())
    all.insert(all.end(), model->parameters.begin(), model->parameters.end());
  std::stable_partition(all.begin(), all.end(),
                        [](const NetworkParameter* one) { return parts_of_key(*one).map.empty(); });
  return all;
}

}  // namespace

const NetworkModel* find_network_model(std::string_view name) noexcept {
  for (const NetworkModel* const model : network_models()) {
    if (model->name == name) return model;
  }
  return nullptr;
}

constinit const NetworkParameterOf<Duration> kMessageOverhead{{
    .key = "overhead",
    .json = "overhead_ns",
    .what_if = "overhead",
    .form = "a time such as 5us",
    .summary = "time per message before its bytes move",
    .default_value = Duration{},
}};

constinit const NetworkParameterOf<Duration> kCollectiveOverhead{{
    .key = "collective_overhead",
    .json = "collective_overhead_ns",
    .form = "a time such as 5us",
    .summary = "time between the last arrival at a collective and its first message",
    .default_value = Duration{},
}};

constinit const NetworkParameterOf<double> kCollectiveSide{{.default_value = 0.0}};
constinit const NetworkParameterOf<bool> kMeasuredInCapture{{.default_value = false}};

std::span<const NetworkParameter* const> network_parameters() {
  static const std::vector<const NetworkParameter*> all = all_parameters();
  return all;
}

const NetworkParameter* find_network_parameter(std::string_view key) {
  for (const NetworkParameter* const parameter : network_parameters()) {
    if (parameter->key == key) return parameter;
  }
  return nullptr;
}

ParameterKey parts_of_key(const NetworkParameter& parameter) noexcept {
  const std::size_t dot = parameter.key.find('.');
  if (dot == std::string_view::npos) return {{}, parameter.key};
  return {parameter.key.substr(0, dot), parameter.key.substr(dot + 1)};
}

}  // namespace stepsim
