#include "model/base/id.h"

stepsim::TaskId next(stepsim::TaskId task) {
#ifdef MISTAKE
  return task + 1;
#else
  return stepsim::TaskId{task.index() + 1};
#endif
}
