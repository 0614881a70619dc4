#ifndef STEPSIM_MODEL_JOB_PRIVATE_CONTENT_H
#define STEPSIM_MODEL_JOB_PRIVATE_CONTENT_H

#include <cstdint>
#include <string>

namespace stepsim {

/// Something in a file that says who made it, or lets others act in their name. Never the thing itself.
struct PrivateContent {
  std::string kind;         ///< "GitHub token", "user name", "environment and metadata"
  bool secret = false;      ///< lets others act
  std::uint64_t count = 0;  ///< places
  std::string first;        ///< the first: "FILE@OFFSET, member args.cmd"
};

}  // namespace stepsim

#endif
