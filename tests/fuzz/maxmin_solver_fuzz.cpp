#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/model/cost/network/solver_case.h"

namespace {

/// Reads one number from each byte of the input, and zeros after its end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool empty() const { return at_ >= size_; }
  std::uint32_t below(std::uint32_t bound) { return (empty() ? 0U : data_[at_++]) % bound; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

/// Reads a sharing factor, links and routes from the input, and then changes of weights. A change has one byte for the
/// class of flows, one for its weight and one that selects whether the rates are checked. A weight is zero, or a power
/// of the sharing factor multiplied by a number of messages from 1 to 4. MaxMin gives such weights to the solver.
void run(Bytes& bytes) {
  constexpr double kSharings[] = {1, 0.5, 0.1, 0.3, 1.0 / 3, 0.9, 0x1p-10, 0x1p-40};
  constexpr std::uint32_t kMostChanges = 400;
  const double sharing = kSharings[bytes.below(8)];
  std::vector<double> capacities(1 + bytes.below(16), 0.119625);
  for (std::uint32_t narrow = bytes.below(4); narrow > 0; --narrow) {
    capacities[bytes.below(static_cast<std::uint32_t>(capacities.size()))] *= 0.25 * (1 + bytes.below(12));
  }
  const auto links = static_cast<std::uint32_t>(capacities.size());
  stepsim::testing::SolverCase one{std::move(capacities)};
  for (std::uint32_t classes = 1 + bytes.below(32); classes > 0; --classes) {
    stepsim::testing::SolverRoute route;
    for (std::uint32_t hops = 1 + bytes.below(3); hops > 0; --hops) route.push_back(bytes.below(links));
    one.add(route, 0);
  }
  for (std::uint32_t change = 0; change < kMostChanges && !bytes.empty(); ++change) {
    const stepsim::FlowClassId id{bytes.below(static_cast<std::uint32_t>(one.routes.size()))};
    const std::uint32_t what = bytes.below(64);
    one.set(id, what < 16 ? 0 : std::pow(sharing, what / 4 - 4) * (1 + what % 4));
    if (bytes.below(2) == 0) continue;
    if (const auto wrong = one.mismatch()) {
      std::fprintf(stderr, "change %u, sharing %g: %s\n", change, sharing, wrong->c_str());
      std::abort();
    }
  }
}

}  // namespace

/// Checks the max-min fair rates while weights change: they must equal the rates of a water filling from scratch.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes{data, size};
  run(bytes);
  return 0;
}
