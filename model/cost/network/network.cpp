#include "model/cost/network/network.h"

namespace stepsim {

const NetworkModel* find_network_model(std::string_view name) noexcept {
  for (const NetworkModel* const model : network_models()) {
    if (model->name == name) return model;
  }
  return nullptr;
}

}  // namespace stepsim
