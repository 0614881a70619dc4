#include "model/job/dag.h"

std::string_view name(const stepsim::Dag& dag) {
#ifdef MISTAKE
  const unsigned task = 0;
#else
  const stepsim::TaskId task{0};
#endif
  return dag.name(task);
}
