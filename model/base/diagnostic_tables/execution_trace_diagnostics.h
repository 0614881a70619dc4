#ifndef STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_EXECUTION_TRACE_DIAGNOSTICS_H
#define STEPSIM_MODEL_BASE_DIAGNOSTIC_TABLES_EXECUTION_TRACE_DIAGNOSTICS_H

#include <array>

#include "model/base/diagnostic.h"

namespace stepsim {

/// Of Chakra's and PyTorch's execution traces.
inline constexpr auto kExecutionTraceDiagnostics = std::to_array<Diagnostic>({
    {"bad_node", Severity::kDataLoss, "a node that cannot be decoded is left out: write or convert the trace again",
     "The work of the node is missing from the replay, and what depends on it does not wait for it."},
    {"node_id_again", Severity::kDataLoss,
     "of several nodes with one id the first is used: write or convert the trace again",
     "The work of the others is missing from the replay."},
    {"unknown_dependency", Severity::kNotice,
     "dependencies on nodes that the file does not hold are left out: converters drop nodes that do no work",
     "None, if the nodes did no work. Else what waited for them may begin too early."},
    {"control_dependencies_not_used", Severity::kNotice,
     "control dependencies that form a cycle with the data dependencies are left out, all of the file: they name the "
     "operator around a node and not one that has to end before it",
     "Nodes wait for their data dependencies only. Where these do not say all, a node may begin too early."},
    {"nodes_without_duration", Severity::kNotice,
     "nodes that say neither how long they took nor what they compute take no time: join the trace with one of "
     "torch.profiler",
     "The replay is shorter by what these nodes took."},
    {"communication_order_differs", Severity::kNotice,
     "ranks do not communicate in the same order, so communication is not kept one at a time",
     "Collectives and messages of a rank may run side by side, and share the network, where in truth they queued."},
    {"collectives_differ", Severity::kDataLoss,
     "collectives that should be one differ in operation or size between ranks: pass the traces of one run",
     "These collectives keep their own durations, and ranks do not wait for each other in them."},
    {"unmatched_message", Severity::kNotice,
     "a send without its receive, or a receive without its send: pass the traces of all ranks",
     "It takes the duration that its node has, and waits for nobody."},
    {"unmodelled_operator", Severity::kNotice,
     "operators whose shapes do not say what they have to do take no time: join the trace with one of torch.profiler",
     "The modelled time is too short by what these operators take."},
    {"data_stream_wait", Severity::kInfo, "waits between streams that the tensors in an execution trace show",
     "None: such work starts when what it reads has been written, in what-ifs too."},
    {"operators_not_joined", Severity::kInfo,
     "operators of an execution trace that are no events of the trace of torch.profiler, or not as often",
     "What the execution trace tells of them, their tensors and shapes, is not used."},
    {"execution_trace_not_joined", Severity::kNotice,
     "an execution trace that belongs to no trace of torch.profiler of the input is not used: record both in one run",
     "None for the replay, which has all from the traces of torch.profiler."},
});

}  // namespace stepsim

#endif
