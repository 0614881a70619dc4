#ifndef STEPSIM_MODEL_BASE_MISSING_FILE_H
#define STEPSIM_MODEL_BASE_MISSING_FILE_H

#include "model/base/error.h"

namespace stepsim {

/// An input, named by where().file, does not exist.
class MissingFile : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace stepsim

#endif
