#ifndef STEPSIM_TESTS_NIGHTLY_H
#define STEPSIM_TESTS_NIGHTLY_H

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace stepsim::testing {

/// Whether tests that sample take all of their samples: STEPSIM_NIGHTLY=1, which `./dev nightly` sets.
inline bool nightly() {
  const char* const set = std::getenv("STEPSIM_NIGHTLY");
  return set != nullptr && std::string_view{set} == "1";
}

/// How many seeds a test tries: a few at each commit, all each night.
inline unsigned seeds(unsigned few, unsigned all) { return nightly() ? all : few; }

/// The distance between the positions that a test tries: `far` at each commit, 1 each night.
inline std::size_t stride(std::size_t far) { return nightly() ? 1 : far; }

}  // namespace stepsim::testing

#endif
