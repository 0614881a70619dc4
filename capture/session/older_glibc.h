#ifndef STEPSIM_CAPTURE_SESSION_OLDER_GLIBC_H
#define STEPSIM_CAPTURE_SESSION_OLDER_GLIBC_H

#include <cstdint>

/// The two functions through which the capture module would need a C library newer than 2.34, which RHEL 9 has. The
/// module contains its own libstdc++ and libgcc, and those of gcc 12 call these functions: nothing else does.
/// Definitions in the module, hidden from the program, take their place.
extern "C" {

struct dl_find_object;

/// Returns 32 random bits from the kernel, as arc4random(3) of glibc 2.36 does. Only std::random_device calls it.
std::uint32_t arc4random() noexcept;

/// Finds the object that contains `address`, as the function of glibc 2.35 does, and sets in `result` what libgcc
/// reads: the object's range of addresses and its table for unwinding. Returns 0 if there is such an object, else -1.
/// O(loaded objects), while the unwinder looks for the handler of an exception.
int _dl_find_object(void* address, struct dl_find_object* result) noexcept;  // NOLINT(readability-identifier-naming)
}

#endif
