// server_timeline.json of a dPRO trial with BytePS: what the servers' engine threads did.
//
//   {"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "server_0"}},
//   {"name": "t0~PART1.COPY_FIRST", "ph": "B", "pid": 1, "tid": 1, "ts": 4000}, {"name": ..., "ph": "E", "ts": 4200}
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ingest/formats/dpro/byteps_exchange_names.h"
#include "ingest/formats/format.h"
#include "ingest/formats/named_spans.h"
#include "model/base/known_diagnostics.h"
#include "model/base/number.h"

namespace stepsim::ingest {
namespace {

std::optional<ServerTrace::Kind> kind_of(std::string_view operation) {
  if (operation == "COPY_FIRST") return ServerTrace::Kind::kCopyFirst;
  if (operation == "SUM") return ServerTrace::Kind::kSum;
  if (operation == "COPY_MERGED") return ServerTrace::Kind::kCopyMerged;
  return std::nullopt;
}

ServerTrace work_of(const NamedSpans& found, const std::string& file, PartSink& sink) {
  ServerTrace trace;
  std::unordered_map<std::string, std::uint32_t> tensors;
  for (const NamedSpan& span : found.spans) {
    const auto name = exchange_name(span.name);
    const auto kind = name ? kind_of(name->operation) : std::nullopt;
    const auto server = node_number(span.process, "server_");
    const auto thread = parse_number<std::int32_t>(span.thread);
    if (!kind || !server || !thread || *thread < 0) {
      ++sink.skipped;
      sink.diagnostics.count(diagnostic("bad_server_work"), {file, span.offset, {}}, span.name);
      continue;
    }
    const auto [slot, added] = tensors.try_emplace(name->tensor, static_cast<std::uint32_t>(trace.tensors.size()));
    if (added) trace.tensors.push_back(name->tensor);
    trace.work.push_back({slot->second, name->partition, *kind, *server, *thread, span.start, span.duration});
  }
  return trace;
}

int recognise_byteps_servers(std::string_view file_name, std::string_view head) {
  if (head.find_first_of("[{") == std::string_view::npos) return 0;
  if (file_name == "server_timeline.json" || file_name == "server_timeline.json.gz") return 97;
  const auto has = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
  return has("\"server_") && (has(".COPY_FIRST\"") || has(".COPY_MERGED\"")) ? 84 : 0;
}

void read_byteps_servers(Input& input, PartSink& sink) {
  const NamedSpans found = read_named_spans(input, sink);
  sink.add(work_of(found, input.name(), sink));
}

}  // namespace

extern const Format byteps_servers_format;
const Format byteps_servers_format{"byteps_servers",
                                   "server_timeline.json of a dPRO trial: what the servers of BytePS copied and summed",
                                   recognise_byteps_servers, read_byteps_servers};

}  // namespace stepsim::ingest
