#include "model/base/units.h"

stepsim::Duration time_of(stepsim::Bytes bytes) {
#ifdef MISTAKE
  return bytes;
#else
  return stepsim::Duration{bytes.count()};
#endif
}
