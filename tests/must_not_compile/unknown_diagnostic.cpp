#include "model/base/known_diagnostics.h"

std::string_view name_of_one() {
#ifdef MISTAKE
  return stepsim::diagnostic("bad_recrod").name;
#else
  return stepsim::diagnostic("bad_record").name;
#endif
}
