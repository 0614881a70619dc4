#include "model/calibration/measured_machine.h"

namespace stepsim {
namespace {

struct PartWords {
  std::string_view name;
  std::string_view description;
};
constexpr std::array<PartWords, kMachineParts> kWords{
    PartWords{"kernels", "kernels"},          {"products", "products and convolutions, besides that"},
    {"attention", "attention, besides that"}, {"calls", "work of the CPU"},
    {"inside", "transfers inside a host"},    {"between", "transfers between hosts"}};

}  // namespace

std::string_view to_text(MachinePart part) noexcept { return kWords[static_cast<std::size_t>(part)].name; }

std::string_view description_of(MachinePart part) noexcept {
  return kWords[static_cast<std::size_t>(part)].description;
}

}  // namespace stepsim
