#include "model/base/id.h"

stepsim::TaskId task_of(stepsim::LaneId lane) {
#ifdef MISTAKE
  return stepsim::TaskId{lane};
#else
  return stepsim::TaskId{lane.index()};
#endif
}
