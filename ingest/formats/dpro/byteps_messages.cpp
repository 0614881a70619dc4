// comm_timeline.json of a dPRO trial with BytePS: the messages between workers and servers.
//
//   {"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "worker_0 -> server_1"}},
//   {"name": "t0~PART1.PUSH", "ph": "B", "pid": 1, "tid": 0, "ts": 3000}, {"name": "t0~PART1.PUSH", "ph": "E", ...}
//
// What a worker sends is a request, what a server sends its response.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/formats/chrome_spans.h"
#include "ingest/formats/format.h"
#include "ingest/parts/byteps_names.h"
#include "ingest/parts/text_table.h"
#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kTo = " -> ";
constexpr std::string_view kWorker = "worker_";
constexpr std::string_view kServer = "server_";

/// Worker, server and direction of "worker_0 -> server_1".
struct Connection {
  std::int32_t worker = 0;
  std::int32_t server = 0;
  bool from_worker = false;
};

std::optional<Connection> connection(std::string_view process) {
  const std::size_t arrow = process.find(kTo);
  if (arrow == std::string_view::npos) return std::nullopt;
  const std::string_view sender = process.substr(0, arrow);
  const std::string_view receiver = process.substr(arrow + kTo.size());
  const bool from_worker = sender.starts_with(kWorker);
  const auto worker = node_number(from_worker ? sender : receiver, kWorker);
  const auto server = node_number(from_worker ? receiver : sender, kServer);
  return worker && server ? std::optional{Connection{*worker, *server, from_worker}} : std::nullopt;
}

std::optional<MessageTrace::Kind> message_kind_of(std::string_view operation, bool request) {
  using Kind = MessageTrace::Kind;
  if (operation == "PUSH") return request ? Kind::kPushRequest : Kind::kPushResponse;
  if (operation == "PULL") return request ? Kind::kPullRequest : Kind::kPullResponse;
  return std::nullopt;
}

MessageTrace messages_of(const NamedSpans& found, const std::string& file, PartSink& sink) {
  MessageTrace trace;
  TextTable tensors;
  for (const NamedSpan& span : found.spans) {
    const auto name = exchange_name(span.name);
    const auto nodes = connection(span.process);
    const auto kind = name && nodes ? message_kind_of(name->operation, nodes->from_worker) : std::nullopt;
    if (!kind) {
      ++sink.skipped;
      sink.diagnostics.count(diagnostic("bad_message"), {file, span.offset, {}}, span.name);
      continue;
    }
    trace.messages.push_back({tensors.intern(name->tensor).value(), name->partition, *kind, nodes->worker,
                              nodes->server, span.start, span.duration});
  }
  trace.tensors = std::move(tensors).take();
  return trace;
}

constexpr Sign kMessageSigns[]{
    {.sure = 97, .named = {"comm_timeline.json", "comm_timeline.json.gz"}, .any = {"[", "{"}},
    {.sure = 85, .all = {"\"worker_", " -> server_", "process_name"}, .any = {"[", "{"}},
};

void read_byteps_messages(Input& input, PartSink& sink) {
  const NamedSpans found = read_named_spans(input, sink);
  MessageTrace trace = messages_of(found, input.name(), sink);
  if (trace.messages.empty()) {
    throw InputError({input.name(), std::uint64_t{0}, {}},
                     "no message in the file; expected spans named <tensor>.PUSH or .PULL in rows called "
                     "'worker_0 -> server_1'");
  }
  sink.add(std::move(trace));
}

}  // namespace

extern const Format byteps_messages_format;
const Format byteps_messages_format{
    "byteps_messages", "comm_timeline.json of a dPRO trial: messages between workers and servers of BytePS",
    kMessageSigns, read_byteps_messages};

}  // namespace stepsim::ingest
