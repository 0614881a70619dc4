// This file reads the formats in which a dPRO trial records communication. Their spans are named after tensors.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/formats/chrome_spans.h"
#include "ingest/formats/format.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/byteps_names.h"
#include "model/base/known_diagnostics.h"
#include "model/base/number.h"

namespace stepsim::ingest {
namespace {

// comm_detail.json of a dPRO trial: the chunks that NCCL sent and received, one file per GPU.
//
//   {"name": "horovod_allreduce.1.SEND", "ts": 6000, "dur": 1500, "ph": "X", "cat": "Comm", "pid": "host0.rank0",
//    "tid": "..", "args": {"name": "horovod_allreduce.1", "loopId": 0, "channelId": 0, "chunkId": 0, "sliceId": 0}}
//
// chunkId is the step of the ring, from 0. If all GPUs are in a single machine, their files contain no chunks.

/// The parts of a name such as "horovod_allreduce.1+2.SEND": the tensors and the direction.
struct ChunkName {
  std::string tensor;
  bool send = false;
};

/// Returns the name without the part in << >>, which does not belong to it.
std::string without_angles(std::string name) {
  const std::size_t begin = name.find("<<");
  const std::size_t end = begin == std::string::npos ? begin : name.find(">>", begin);
  if (end != std::string::npos) name.erase(begin, end + 2 - begin);
  return name;
}

std::optional<ChunkName> chunk_name(const std::string& written) {
  constexpr std::string_view kSend = ".SEND";
  constexpr std::string_view kReceive = ".RECV";
  const std::string name = without_angles(written);
  const bool send = name.ends_with(kSend);
  if (!send && !name.ends_with(kReceive)) return std::nullopt;
  const std::string operation = name.substr(0, name.size() - kSend.size());
  const std::size_t dot = operation.rfind('.');
  const std::string tensor = dot == std::string::npos ? std::string{} : operation.substr(dot + 1);
  const bool usable = !tensor.empty() && tensor.find_first_not_of("0123456789+") == std::string::npos;
  return usable ? std::optional{ChunkName{tensor, send}} : std::nullopt;
}

/// Reads loopId, channelId, chunkId and sliceId; false if one is missing or is not a valid index.
bool read_indices(const std::string& arguments, ChunkEvent& chunk) {
  const std::pair<std::string_view, std::int32_t*> wanted[] = {
      {"loopId", &chunk.loop}, {"channelId", &chunk.channel}, {"chunkId", &chunk.chunk}, {"sliceId", &chunk.slice}};
  std::size_t found = 0;
  ItemCursor members{arguments};
  for (std::string_view key, value; members.next(key, value);) {
    for (const auto& [name, index] : wanted) {
      if (key != name) continue;
      const auto number = as_integer(value);
      if (!number.has_value() || *number < 0 || *number > std::numeric_limits<std::int32_t>::max()) return false;
      *index = static_cast<std::int32_t>(*number);
      ++found;
    }
  }
  return found == std::size(wanted);
}

/// Reads a span with a name such as "horovod_allreduce.1+2.SEND". Sets the direction and the indices of `chunk` and
/// returns the names of the tensors ("1+2"). Returns nullopt for other spans.
std::optional<std::string> read_chunk(const NamedSpan& span, ChunkEvent& chunk) {
  std::optional<ChunkName> name = chunk_name(span.name);
  if (!name || !read_indices(span.arguments, chunk)) return std::nullopt;
  chunk.send = name->send;
  return std::move(name->tensor);
}

constexpr Sign kChunkSigns[]{
    {.sure = 97, .named = {"comm_detail.json", "comm_detail.json.gz"}, .any = {"[", "{"}},
    {.sure = 85, .all = {"\"chunkId\"", "\"sliceId\""}, .any = {".SEND\"", ".RECV\""}},
};

void read_nccl_chunks(Input& input, PartSink& sink) {
  sink.add(read_tensor_trace<ChunkEvent>(input, sink, read_chunk, diagnostic("bad_chunk")));
}

// comm_timeline.json of a dPRO trial with BytePS: the messages between workers and servers.
//
//   {"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "worker_0 -> server_1"}},
//   {"name": "t0~PART1.PUSH", "ph": "B", "pid": 1, "tid": 0, "ts": 3000}, {"name": "t0~PART1.PUSH", "ph": "E", ...}
//
// Messages from a worker are requests, messages from a server are the responses.

constexpr std::string_view kTo = " -> ";
constexpr std::string_view kWorker = "worker_";
constexpr std::string_view kServer = "server_";

/// The worker, server and direction of "worker_0 -> server_1".
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

std::optional<MessageEvent::Kind> message_kind_of(std::string_view operation, bool request) {
  using Kind = MessageEvent::Kind;
  if (operation == "PUSH") return request ? Kind::kPushRequest : Kind::kPushResponse;
  if (operation == "PULL") return request ? Kind::kPullRequest : Kind::kPullResponse;
  return std::nullopt;
}

std::optional<std::string> read_message(const NamedSpan& span, MessageEvent& message) {
  auto name = exchange_name(span.name);
  const auto nodes = connection(span.process);
  const auto kind = name && nodes ? message_kind_of(name->operation, nodes->from_worker) : std::nullopt;
  if (!kind) return std::nullopt;
  message.partition = name->partition;
  message.kind = *kind;
  message.worker = nodes->worker;
  message.server = nodes->server;
  return std::move(name->tensor);
}

constexpr Sign kMessageSigns[]{
    {.sure = 97, .named = {"comm_timeline.json", "comm_timeline.json.gz"}, .any = {"[", "{"}},
    {.sure = 85, .all = {"\"worker_", " -> server_", "process_name"}, .any = {"[", "{"}},
};

void read_byteps_messages(Input& input, PartSink& sink) {
  MessageTrace trace = read_tensor_trace<MessageEvent>(input, sink, read_message, diagnostic("bad_message"));
  if (trace.events.empty()) {
    throw InputError({input.name(), std::uint64_t{0}, {}},
                     "no message in the file; expected spans named <tensor>.PUSH or .PULL in rows called "
                     "'worker_0 -> server_1'");
  }
  sink.add(std::move(trace));
}

// server_timeline.json of a dPRO trial with BytePS: the work of the servers' engine threads.
//
//   {"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "server_0"}},
//   {"name": "t0~PART1.COPY_FIRST", "ph": "B", "pid": 1, "tid": 1, "ts": 4000}, {"name": ..., "ph": "E", "ts": 4200}

std::optional<ServerEvent::Kind> server_kind_of(std::string_view operation) {
  if (operation == "COPY_FIRST") return ServerEvent::Kind::kCopyFirst;
  if (operation == "SUM") return ServerEvent::Kind::kSum;
  if (operation == "COPY_MERGED") return ServerEvent::Kind::kCopyMerged;
  return std::nullopt;
}

std::optional<std::string> read_work(const NamedSpan& span, ServerEvent& work) {
  auto name = exchange_name(span.name);
  const auto kind = name ? server_kind_of(name->operation) : std::nullopt;
  const auto server = node_number(span.process, "server_");
  const auto thread = parse_number<std::int32_t>(span.thread);
  if (!kind || !server || !thread || *thread < 0) return std::nullopt;
  work.partition = name->partition;
  work.kind = *kind;
  work.server = *server;
  work.thread = *thread;
  return std::move(name->tensor);
}

constexpr Sign kServerSigns[]{
    {.sure = 97, .named = {"server_timeline.json", "server_timeline.json.gz"}, .any = {"[", "{"}},
    {.sure = 84, .all = {"\"server_", "{"}, .any = {".COPY_FIRST\"", ".COPY_MERGED\""}},
};

void read_byteps_servers(Input& input, PartSink& sink) {
  sink.add(read_tensor_trace<ServerEvent>(input, sink, read_work, diagnostic("bad_server_work")));
}

}  // namespace

extern const Format nccl_chunks_format;
const Format nccl_chunks_format{"nccl_chunks", "dPRO trial, comm_detail.json: chunks that NCCL sent and received",
                                kChunkSigns, read_nccl_chunks};

extern const Format byteps_messages_format;
const Format byteps_messages_format{"byteps_messages",
                                    "dPRO trial, comm_timeline.json: messages between BytePS workers and servers",
                                    kMessageSigns, read_byteps_messages};

extern const Format byteps_servers_format;
const Format byteps_servers_format{"byteps_servers",
                                   "dPRO trial, server_timeline.json: copies and sums of BytePS servers", kServerSigns,
                                   read_byteps_servers};

}  // namespace stepsim::ingest
