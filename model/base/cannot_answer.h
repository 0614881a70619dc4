#ifndef STEPSIM_MODEL_BASE_CANNOT_ANSWER_H
#define STEPSIM_MODEL_BASE_CANNOT_ANSWER_H

#include "model/base/error.h"

namespace stepsim {

/// The question is well put, and this capture lacks what its answer needs: launches, gradients, links, shapes, ranks
/// (exit 5). The place is that of the question, where it has one. what() says what the capture lacks and what to
/// record.
class CannotAnswer : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace stepsim

#endif
