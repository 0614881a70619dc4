#ifndef STEPSIM_TESTS_NIGHTLY_H
#define STEPSIM_TESTS_NIGHTLY_H

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace stepsim::testing {

/// Whether sampling tests take all of their samples: true if STEPSIM_NIGHTLY=1, which `./dev nightly` sets.
inline bool nightly() {
  const char* const set = std::getenv("STEPSIM_NIGHTLY");
  return set != nullptr && std::string_view{set} == "1";
}

/// Returns how many seeds a test tries: `few` at each commit, `all` in nightly tests.
inline unsigned seeds(unsigned few, unsigned all) { return nightly() ? all : few; }

/// Returns the distance between the positions that a test tries: `far` at each commit, 1 in nightly tests.
inline std::size_t stride(std::size_t far) { return nightly() ? 1 : far; }

}  // namespace stepsim::testing

#endif
