#include "model/base/units.h"

stepsim::Bandwidth rate() {
#ifdef MISTAKE
  return 1e9;
#else
  return stepsim::Bandwidth::from_bytes_per_second(1e9);
#endif
}
