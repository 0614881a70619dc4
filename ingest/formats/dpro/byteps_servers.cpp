// server_timeline.json of a dPRO trial with BytePS: what the servers' engine threads did.
//
//   {"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "server_0"}},
//   {"name": "t0~PART1.COPY_FIRST", "ph": "B", "pid": 1, "tid": 1, "ts": 4000}, {"name": ..., "ph": "E", "ts": 4200}
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/formats/chrome_spans.h"
#include "ingest/formats/format.h"
#include "ingest/parts/byteps_names.h"
#include "ingest/parts/text_table.h"
#include "model/base/known_diagnostics.h"
#include "model/base/number.h"

namespace stepsim::ingest {
namespace {

std::optional<ServerTrace::Kind> server_kind_of(std::string_view operation) {
  if (operation == "COPY_FIRST") return ServerTrace::Kind::kCopyFirst;
  if (operation == "SUM") return ServerTrace::Kind::kSum;
  if (operation == "COPY_MERGED") return ServerTrace::Kind::kCopyMerged;
  return std::nullopt;
}

ServerTrace work_of(const NamedSpans& found, const std::string& file, PartSink& sink) {
  ServerTrace trace;
  TextTable tensors;
  for (const NamedSpan& span : found.spans) {
    const auto name = exchange_name(span.name);
    const auto kind = name ? server_kind_of(name->operation) : std::nullopt;
    const auto server = node_number(span.process, "server_");
    const auto thread = parse_number<std::int32_t>(span.thread);
    if (!kind || !server || !thread || *thread < 0) {
      ++sink.skipped;
      sink.diagnostics.count(diagnostic("bad_server_work"), {file, span.offset, {}}, span.name);
      continue;
    }
    trace.work.push_back(
        {tensors.intern(name->tensor).value(), name->partition, *kind, *server, *thread, span.start, span.duration});
  }
  trace.tensors = std::move(tensors).take();
  return trace;
}

constexpr Sign kServerSigns[]{
    {.sure = 97, .named = {"server_timeline.json", "server_timeline.json.gz"}, .any = {"[", "{"}},
    {.sure = 84, .all = {"\"server_", "{"}, .any = {".COPY_FIRST\"", ".COPY_MERGED\""}},
};

void read_byteps_servers(Input& input, PartSink& sink) {
  const NamedSpans found = read_named_spans(input, sink);
  sink.add(work_of(found, input.name(), sink));
}

}  // namespace

extern const Format byteps_servers_format;
const Format byteps_servers_format{"byteps_servers",
                                   "server_timeline.json of a dPRO trial: what the servers of BytePS copied and summed",
                                   kServerSigns, read_byteps_servers};

}  // namespace stepsim::ingest
