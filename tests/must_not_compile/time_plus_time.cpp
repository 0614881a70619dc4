#include "model/base/units.h"

stepsim::Time later(stepsim::Time begin, stepsim::Duration by) {
#ifdef MISTAKE
  return begin + begin;
#else
  return begin + by;
#endif
}
