// comm_detail.json of a dPRO trial: the chunks that NCCL sent and received, one file a GPU.
//
//   {"name": "horovod_allreduce.1.SEND", "ts": 6000, "dur": 1500, "ph": "X", "cat": "Comm", "pid": "host0.rank0",
//    "tid": "..", "args": {"name": "horovod_allreduce.1", "loopId": 0, "channelId": 0, "chunkId": 0, "sliceId": 0}}
//
// chunkId is the step of the ring, from 0. A file without chunks is one of GPUs within one machine.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/formats/chrome_spans.h"
#include "ingest/formats/format.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/text_table.h"
#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

/// A name such as "horovod_allreduce.1+2.SEND", divided: the tensors and the direction.
struct ChunkName {
  std::string tensor;
  bool send = false;
};

/// A part in << >> is no part of the name.
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

/// loopId, channelId, chunkId and sliceId; false if one is not there or no index.
bool read_indices(const std::string& arguments, ChunkTrace::Chunk& chunk) {
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

ChunkTrace chunks_of(const NamedSpans& found, const std::string& file, PartSink& sink) {
  ChunkTrace trace;
  TextTable tensors;
  for (const NamedSpan& span : found.spans) {
    const std::optional<ChunkName> name = chunk_name(span.name);
    ChunkTrace::Chunk chunk;
    if (!name.has_value() || !read_indices(span.arguments, chunk)) {
      ++sink.skipped;
      sink.diagnostics.count(diagnostic("bad_chunk"), {file, span.offset, {}}, span.name);
      continue;
    }
    chunk.tensor = tensors.intern(name->tensor).value();
    chunk.send = name->send;
    chunk.start = span.start;
    chunk.duration = span.duration;
    trace.chunks.push_back(chunk);
  }
  trace.tensors = std::move(tensors).take();
  return trace;
}

constexpr Sign kChunkSigns[]{
    {.sure = 97, .named = {"comm_detail.json", "comm_detail.json.gz"}, .any = {"[", "{"}},
    {.sure = 85, .all = {"\"chunkId\"", "\"sliceId\""}, .any = {".SEND\"", ".RECV\""}},
};

void read_nccl_chunks(Input& input, PartSink& sink) {
  const NamedSpans found = read_named_spans(input, sink);
  sink.add(chunks_of(found, input.name(), sink));
}

}  // namespace

extern const Format nccl_chunks_format;
const Format nccl_chunks_format{"nccl_chunks",
                                "comm_detail.json of a dPRO trial: the chunks that NCCL sent and received", kChunkSigns,
                                read_nccl_chunks};

}  // namespace stepsim::ingest
