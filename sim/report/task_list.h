#ifndef STEPSIM_SIM_REPORT_TASK_LIST_H
#define STEPSIM_SIM_REPORT_TASK_LIST_H

#include <cstddef>
#include <string>

#include "model/job/recording.h"
#include "sim/analysis/task_list.h"
#include "sim/output/provenance.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// Returns the answer of `tasks`, schema stepsim.tasks/1: what can be selected? Prints at most `rows` operators and
/// names; JSON has all. `selection` describes the restriction of the list, if any. Keeps references to its arguments.
[[nodiscard]] Document task_list_document(const TaskList& list, const Capture& capture, std::size_t rows,
                                          const std::string& selection, const Provenance& provenance);

/// Returns the schema of the JSON object.
[[nodiscard]] AnswerSchema tasks_schema();

}  // namespace stepsim::sim

#endif
