#ifndef STEPSIM_SIM_REPORT_TASK_LIST_H
#define STEPSIM_SIM_REPORT_TASK_LIST_H

#include <cstddef>
#include <string>

#include "model/job/recording.h"
#include "sim/analysis/task_list.h"
#include "sim/output/provenance.h"
#include "sim/report/field.h"

namespace stepsim::sim {

/// What can be selected? {"schema":"stepsim.tasks/1", ...} Prints `rows` operators and names at most; JSON has all.
/// `selection` says what the list was restricted to; it may be empty. Refers to its arguments.
[[nodiscard]] Document task_list_document(const TaskList& list, const Capture& capture, std::size_t rows,
                                          const std::string& selection, const Provenance& provenance);

/// The schema of its JSON object.
[[nodiscard]] AnswerSchema tasks_schema();

}  // namespace stepsim::sim

#endif
