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

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

/// Returns how many samples a test takes: `all`, or a tenth under a sanitizer, where each takes ten times as long. For
/// samples that all run the same code.
inline unsigned samples(unsigned all) { return kSanitized && !nightly() ? all / 10 : all; }

}  // namespace stepsim::testing

#endif
