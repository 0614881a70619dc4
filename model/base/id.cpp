#include "model/base/id.h"

#include "model/base/error.h"

namespace stepsim {

void id_out_of_range() { throw InternalError("an index does not fit into a 32-bit id"); }

}  // namespace stepsim
