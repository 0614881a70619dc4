// Reads what a dPRO trial records of communication: spans named after tensors, keys of partitions, and rings of NCCL.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/bytes/text_input.h"
#include "ingest/formats/chrome_spans.h"
#include "ingest/formats/format.h"
#include "ingest/json/json_reader.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/names.h"
#include "model/base/known_diagnostics.h"
#include "model/base/number.h"
#include "model/base/text.h"

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

extern const Format nccl_chunks_format{
    "nccl_chunks", "dPRO trial, comm_detail.json: chunks that NCCL sent and received", kChunkSigns, read_nccl_chunks};

extern const Format byteps_messages_format{
    "byteps_messages", "dPRO trial, comm_timeline.json: messages between BytePS workers and servers", kMessageSigns,
    read_byteps_messages};

extern const Format byteps_servers_format{"byteps_servers",
                                          "dPRO trial, server_timeline.json: copies and sums of BytePS servers",
                                          kServerSigns, read_byteps_servers};

// key_dict.txt of a dPRO trial with BytePS: the keys of each tensor's partitions.
//
//   byteps.gradient_0: 0 1
//   DistributedGradientTape_BytePSPushPull.1_0: 65536

namespace {

constexpr std::size_t kMostKeys = 65'536;  // a key has 16 bits for the partition

class KeyDictReader {
 public:
  KeyDictReader(Input& input, PartSink& sink) : text_(input.stream()), sink_(sink) {}

  [[nodiscard]] KeyTable read() {
    while (text_.peek() != TextInput::kEnd) {
      const InputLocation where = text_.at_line(text_.line());
      const std::string line = text_.next_line("a tensor's name and its keys");
      if (line.find_first_not_of(" \t\r") != std::string::npos) add(line, where);
    }
    if (text_.source().truncated()) {
      sink_.skip(diagnostic("truncated_file"), text_.at_offset(text_.offset()), "the gzip stream is cut short");
    }
    if (table_.tensors.empty())
      throw InputError(text_.at_line(1), "no tensor in the file; expected lines such as 'byteps.gradient_0: 0 1'");
    return std::move(table_);
  }

 private:
  void add(const std::string& line, const InputLocation& where) {
    ++sink_.events;
    const std::size_t colon = line.rfind(':');
    KeyTable::Tensor tensor{line.substr(0, colon), {}};
    const bool usable = colon != std::string::npos && colon > 0 && read_keys(line.substr(colon + 1), tensor);
    if (usable) return table_.tensors.push_back(std::move(tensor));
    sink_.skip(diagnostic("bad_key_line"), where, shown(line, 60));
  }

  static bool read_keys(std::string_view keys, KeyTable::Tensor& tensor) {
    for (std::size_t begin = 0; begin < keys.size();) {
      const std::size_t end = std::min(keys.find_first_of(" \t\r", begin), keys.size());
      if (end > begin) {
        const auto key = parse_number<std::int64_t>(keys.substr(begin, end - begin));
        if (!key.has_value() || tensor.keys.size() == kMostKeys) return false;
        tensor.keys.push_back(*key);
      }
      begin = end + 1;
    }
    return !tensor.keys.empty();
  }

  TextInput text_;
  PartSink& sink_;
  KeyTable table_;
};

constexpr Sign kKeyDictSigns[]{{.sure = 95, .named = {"key_dict.txt", "key_dict.txt.gz"}}};

void read_key_dict(Input& input, PartSink& sink) { sink.add(KeyDictReader(input, sink).read()); }

}  // namespace

extern const Format key_dict_format{"key_dict", "dPRO trial, key_dict.txt: keys of BytePS partitions by tensor",
                                    kKeyDictSigns, read_key_dict};

// nccl_rank_graph.json of a dPRO trial: how NCCL connected the ranks.
//
//   {"Ring": {"0": "3[3000] -> 0[2000] [receive] via NET/Socket/0,0[2000] -> 1[3000] [send] via NET/Socket/0"},
//    "RealRing": {...}, "Tree": {"-1": "[0] 1/-1/-1->0->-1|-1->0->1/-1/-1"}}
//
// A channel's hops may also be a list of such texts.

namespace {

constexpr std::size_t kMostHops = 1'000'000;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

/// Returns the rank 3 of "3[3000]".
std::optional<std::int32_t> rank_of(std::string_view text) {
  text = trimmed(text);
  const auto rank = parse_number<std::int32_t>(text.substr(0, text.find('[')));
  return rank.has_value() && *rank >= 0 ? rank : std::nullopt;
}

class RankGraphReader {
 public:
  RankGraphReader(Input& input, PartSink& sink) : json_(input.stream()), file_(input.name()), sink_(sink) {}

  [[nodiscard]] RankGraph read() {
    json_.object([&](const std::string& key) {
      if (key == "Ring") {
        read_channels();
      } else {
        if (key == "Tree") graph_.tree = graph_.tree || json_.peek() == '{';
        json_.skip();
      }
    });
    json_.expect_end();
    std::sort(graph_.ring.begin(), graph_.ring.end());
    graph_.ring.erase(std::unique(graph_.ring.begin(), graph_.ring.end()), graph_.ring.end());
    return std::move(graph_);
  }

 private:
  void read_channels() {
    if (json_.peek() != '{') return json_.skip();
    json_.object([&](const std::string& key) {
      const auto channel = parse_number<std::int32_t>(key);
      if (!channel.has_value() || *channel < 0) {
        bad_hop(fmt_channel(key));
        return json_.skip();
      }
      read_hops(*channel);
    });
  }

  void read_hops(std::int32_t channel) {
    switch (json_.peek()) {
      case '"': add_hops(channel, json_.text()); break;
      case '[': json_.array([&] { json_.peek() == '"' ? add_hops(channel, json_.text()) : json_.skip(); }); break;
      default: bad_hop("a channel whose hops are not text"); json_.skip();
    }
  }

  static std::string fmt_channel(const std::string& key) {
    return std::string{"channel '"}.append(shown(key, 40)) + "'";
  }

  void add_hops(std::int32_t channel, const std::string& text) {
    for (const std::string_view part : parts_of(text, ',')) {
      const std::string_view item = trimmed(part);
      if (!item.empty()) add_hop(channel, item);
    }
  }

  void add_hop(std::int32_t channel, std::string_view item) {
    ++sink_.events;
    const std::size_t arrow = item.find("->");
    const auto from = arrow == std::string_view::npos ? std::nullopt : rank_of(item.substr(0, arrow));
    const auto to = arrow == std::string_view::npos ? std::nullopt : rank_of(item.substr(arrow + 2));
    if (!from.has_value() || !to.has_value()) return bad_hop(shown(item, 60));
    if (graph_.ring.size() >= kMostHops)
      json_.fail(json_.offset(), "more than a million hops; expected those of one job's rings");
    graph_.ring.push_back({channel, *from, *to});
  }

  void bad_hop(std::string_view what) { sink_.skip(diagnostic("bad_hop"), {file_, json_.offset(), {}}, what); }

  JsonReader json_;
  std::string file_;
  PartSink& sink_;
  RankGraph graph_;
};

constexpr Sign kRankGraphSigns[]{
    {.sure = 95, .named = {"nccl_rank_graph.json", "nccl_rank_graph.json.gz"}},
    {.sure = 85, .all = {"\"RealRing\"", "\"Ring\""}},
};

void read_nccl_rank_graph(Input& input, PartSink& sink) { sink.add(RankGraphReader(input, sink).read()); }

}  // namespace

extern const Format nccl_rank_graph_format{"nccl_rank_graph", "dPRO trial, nccl_rank_graph.json: rings that NCCL built",
                                           kRankGraphSigns, read_nccl_rank_graph};

}  // namespace stepsim::ingest
