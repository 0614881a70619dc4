#ifndef STEPSIM_TESTS_THROWN_BY_H
#define STEPSIM_TESTS_THROWN_BY_H

#include <string>

namespace stepsim::testing {

/// Returns the message of the Error that `act` throws, or `none` if it throws nothing. Other exceptions are passed on.
template <class Error, class Act>
std::string thrown_by(Act act, const char* none = "taken") {
  try {
    static_cast<void>(act());
  } catch (const Error& error) {
    return error.what();
  }
  return none;
}

}  // namespace stepsim::testing

#endif
