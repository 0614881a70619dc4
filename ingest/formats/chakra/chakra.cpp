#include "ingest/formats/chakra/json.h"
#include "ingest/formats/chakra/messages.h"
#include "ingest/formats/chakra/node.h"
#include "ingest/formats/chakra/protobuf.h"
#include "ingest/formats/execution_trace/process_groups.h"
#include "ingest/formats/format.h"
#include "ingest/parts/execution_graph_builder.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"

// Chakra execution traces (mlcommons/chakra): what one rank computes and communicates, as a graph. Files *.et hold
// Protobuf messages (schema/protobuf/et_def.proto): a GlobalMetadata, then the Nodes, each with its length before it.
// There is a form in JSON, too.

namespace stepsim::ingest {
namespace {

bool is_chakra_json(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && head[first] == '{';
}

int recognise_chakra(std::string_view file_name, std::string_view head) {
  constexpr int kSure = 96;
  constexpr int kByName = 65;
  if (is_chakra_json(head)) return head.find("\"workload_graph\"") != std::string_view::npos ? kSure : 0;
  const int sure = looks_like_chakra(head);
  return sure == 0 && file_name.ends_with(".et") && !head.empty() ? kByName : sure;
}

void read_protobuf(Input& input, PartSink& sink, ExecutionGraphBuilder& graph) {
  DelimitedMessages messages{input.stream()};
  ChakraNode node;
  bool is_first = true;
  while (const auto message = messages.next()) {
    // Its first field is a text or a message, and that of a Node its id.
    const bool is_metadata = is_first && (message->empty() || message->front() != '\x08');
    is_first = false;
    if (is_metadata) continue;
    ++sink.events;
    if (read_chakra_node(*message, node)) {
      add_chakra_node(node, messages.offset(), input.name(), sink, graph);
    } else {
      ++sink.skipped;
      sink.diagnostics.count(diagnostic("bad_node"), {input.name(), messages.offset(), {}});
    }
  }
  const std::string& problem = messages.problem();
  if (problem.empty() && !input.stream().truncated()) return;
  if (graph.empty()) throw InputError({input.name(), messages.offset(), {}}, problem);
  sink.diagnostics.count(diagnostic("truncated_file"), {input.name(), messages.offset(), {}}, problem);
}

void read_chakra(Input& input, PartSink& sink) {
  ExecutionGraphBuilder graph{sink, input.name()};
  graph.graph().rank = rank_in_file_name(input.name());
  if (is_chakra_json(input.head())) {
    read_chakra_json(input.stream(), input.name(), sink, graph);
  } else {
    read_protobuf(input, sink, graph);
  }
  sink.add(std::move(graph).finish());
}

}  // namespace

extern const Format chakra_format;
const Format chakra_format{
    .name = "chakra",
    .summary =
        "Chakra execution trace (Protobuf or JSON): what a rank computes and communicates, and what waits for what",
    .recognise = recognise_chakra,
    .read = read_chakra,
};

}  // namespace stepsim::ingest
