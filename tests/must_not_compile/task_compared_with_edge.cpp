#include "model/base/id.h"

bool same(stepsim::TaskId task, stepsim::EdgeId edge) {
#ifdef MISTAKE
  return task == edge;
#else
  return task.index() == edge.index();
#endif
}
