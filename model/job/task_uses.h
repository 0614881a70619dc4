#ifndef STEPSIM_MODEL_JOB_TASK_USES_H
#define STEPSIM_MODEL_JOB_TASK_USES_H

#include <algorithm>
#include <vector>

#include "model/base/id.h"

namespace stepsim {

/// Carries what a table says of tasks (OperatorTable::uses, LaunchTable::uses) over to their new ids: `new_id` is by
/// old id, and invalid for tasks that are gone. The uses are by task again. O(uses * log of them).
template <class Use>
void renumber(std::vector<Use>& uses, const std::vector<TaskId>& new_id) {
  for (Use& use : uses) use.task = new_id[use.task.index()];
  std::erase_if(uses, [](const Use& use) { return !use.task.valid(); });
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.task < b.task; });
}

}  // namespace stepsim

#endif
