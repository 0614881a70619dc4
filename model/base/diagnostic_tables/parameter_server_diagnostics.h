#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_PARAMETER_SERVER_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_PARAMETER_SERVER_DIAGNOSTICS_H

#include <array>

#include "model/base/diagnostic.h"

namespace stepsim {

/// Of BytePS and ByteProfile: comm.json, traces of operators, dag.gml and gradient lists, and the jobs made of them.
inline constexpr auto kParameterServerDiagnostics = std::to_array<Diagnostic>({
    {"not_a_span", Severity::kDataLoss,
     "an event that is no span is left out: stages and operators are complete events (ph X), operators also B and E "
     "pairs",
     "What the event stands for is missing from the replay."},
    {"not_a_stage", Severity::kDataLoss, "events of comm.json are named Comm.<tensor>.<stage>",
     "The event is left out. If it was communication, it takes no time in the replay."},
    {"bad_time", Severity::kDataLoss, "an event needs ts and dur in microseconds, from 0 on; record again",
     "The event is left out: a stage or an operator is missing from the replay."},
    {"bad_partition_key", Severity::kDataLoss, "tid is \"total\" or the partition's key in decimal",
     "The stage is left out: a partition is not sent, or not pulled, in the replay."},
    {"unknown_stage", Severity::kDataLoss, "the text behind the last dot is none of BytePS's 12 stages",
     "The stage is left out of its partition's chain, and takes no time in the replay."},
    {"instant_event", Severity::kInfo, "instant and debug events carry no work and are left out", "None."},
    {"unknown_operator", Severity::kDataLoss,
     "operators are named FW.<op>, BW.<op>, UPDATE, STEP, OUTPUT, I/O or Comm.<tensor>",
     "The event is left out: its compute is missing from the replay."},
    {"unmatched_begin", Severity::kDataLoss, "a B event needs its E event; the recording was cut",
     "The operator is left out: its compute is missing from the replay.",
     "Record a step more than is needed, and stop between steps."},
    {"unmatched_end", Severity::kDataLoss, "an E event needs its B event on the same row",
     "The operator is left out: its compute is missing from the replay.",
     "Start recording between steps; merged files must keep pid and tid."},
    {"second_graph", Severity::kDataLoss, "a dag.gml holds one graph; split the file",
     "Dependencies of the further graphs are missing from the replay."},
    {"node_without_id", Severity::kDataLoss, "give every node an integer id",
     "The operator's dependencies are missing from the replay."},
    {"duplicate_node", Severity::kDataLoss, "give every node an id of its own",
     "Dependencies go to the first node of this id, and the others have none."},
    {"edge_without_ends", Severity::kDataLoss, "give every edge an integer source and target",
     "This dependency is missing from the replay: an operator or a tensor may begin too early."},
    {"edge_to_unknown_node", Severity::kDataLoss, "the graph names a node it does not hold; write it again",
     "This dependency is missing from the replay: an operator or a tensor may begin too early."},
    {"edge_to_next_iteration", Severity::kInfo,
     "an edge from UPDATE or STEP to FW leads to the next iteration, and a graph shows one",
     "None: the graph of one iteration has no such edge."},
    {"gradient_without_name", Severity::kDataLoss, "every line begins with the gradient's name",
     "The gradient of this number keeps its number as name, so the operator that makes it may not be found."},
    {"unknown_tensor_size", Severity::kDataLoss, "write shape=(a, b) and a numpy dtype such as float32",
     "The tensor's size is not known from this list; what-ifs on partitions have to take it from its transfers."},
    {"clock_unmatched", Severity::kNotice,
     "a worker shares no key with the first one, so its clock is not aligned: record comm.json on every worker",
     "The worker keeps its own clock: if that is off, its pushes seem early or late by as much beside the others'."},
    {"operator_without_step", Severity::kNotice,
     "operators without args.step are taken to belong to the step of the operator before them",
     "At the border of two steps, an operator may count for the wrong one."},
    {"partition_outside_steps", Severity::kDataLoss,
     "partitions that belong to no recorded step are left out: record operators and communication over the same steps",
     "This communication is missing from the replay. Steps that have operators are replayed whole."},
    {"incomplete_step", Severity::kNotice,
     "a step that the capture cut is replayed but not compared: record whole steps",
     "The step has no measured time to be compared with, so fewer steps say how far the replay can be trusted."},
    {"duplicate_record", Severity::kNotice, "a stage is recorded twice: one of the two records is used",
     "None, if both records are of one transfer."},
    {"release_by_time", Severity::kNotice,
     "no operator is known to make a gradient, so the one that ended last before it was sent is taken: record dag.gml, "
     "or inputs (args.inputN) of the operators",
     "In a what-if, a gradient may be sent too late or too early where its operator was guessed wrongly."},
    {"dependency_against_time", Severity::kNotice,
     "a dependency that names suggest is left out, because the recorded times show the reverse order",
     "If the dependency was real and the times are wrong, the later task may begin too early."},
    {"dependency_cycle", Severity::kDataLoss,
     "the recording contradicts itself, and dependencies form a cycle: those of them that run against recorded time "
     "are "
     "left out",
     "Tasks of the cycle may begin too early in a what-if.", "Record dag.gml and traces in one run."},
});

}  // namespace stepsim

#endif
