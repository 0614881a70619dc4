#include "sim/stats/stats_json.h"

#include <fmt/format.h>

#include <string>

#include "sim/output/json_writer.h"
#include "sim/stats/device_json.h"

namespace stepsim::sim {
namespace {

void write_members(JsonWriter& json, const TimeUse& use) {
  json.key("compute_ns").value(use.compute).key("exposed_communication_ns").value(use.exposed_communication);
  json.key("hidden_communication_ns")
      .value(use.hidden_communication)
      .key("exposed_copies_ns")
      .value(use.exposed_copies);
  json.key("hidden_copies_ns").value(use.hidden_copies).key("idle_ns").value(use.idle);
}

void write_rows(JsonWriter& json, const Statistics& input) {
  json.key("rows").begin_array();
  for (const StatsRow& row : input.rows) {
    json.new_line().begin_object().key("name").value(row.name);
    if (!row.kind.empty()) json.key("kind").value(row.kind);
    if (row.part) json.key("part").value(to_text(*row.part));
    write_members(json, row.times);
    json.key("self_ns").value(row.self).key("share").value(row.share);
    json.key("per_step_ns");
    input.steps > 0 ? json.value(row.per_step) : json.null();
    json.end_object();
  }
  json.end_array().new_line();
}

void write_devices(JsonWriter& json, const Statistics& input) {
  json.key("devices").begin_array();
  for (const DeviceUse& device : input.devices) {
    json.new_line().begin_object().key("rank").value(device.rank).key("device");
    device.device < 0 ? json.null() : json.value(device.device);
    json.key("pieces").value(device.pieces).key("begin_ns").value(device.begin.time_since_epoch());
    json.key("span_ns").value(device.use.span);
    write_members(json, device.use);
    json.key("streams").begin_array();
    for (const DeviceUse::Stream& stream : device.streams) {
      json.new_line().begin_object().key("name").value(stream.name).key("pieces").value(stream.pieces);
      write_members(json, stream.use);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().new_line();
}

void write_stages(JsonWriter& json, const Statistics& input) {
  const auto write = [&json](const char* key, const Distribution& times) {
    json.key(key).begin_object();
    write_members(json, times);
    json.end_object();
  };
  json.key("stages").begin_array();
  for (const StageUse& stage : input.stages) {
    json.new_line().begin_object().key("stage").value(stage.stage);
    write("queued", stage.queued);
    write("worked", stage.worked);
    write("in_line", stage.in_line);
    if (stage.waiting.count > 0) write("waiting", stage.waiting);
    json.end_object();
  }
  json.end_array().new_line();
}

void write_flops(JsonWriter& json, const Statistics& input) {
  json.key("flops").begin_array();
  for (const FlopsUse& use : input.flops) {
    json.new_line().begin_object().key("name").value(use.name).key("on").value(use.on_device ? "device" : "host");
    json.key("calls").value(use.calls).key("flops").value(use.flops).key("time_ns").value(use.time);
    json.key("flops_per_second").value(use.per_second()).end_object();
  }
  json.end_array().new_line();
}

void write_memory(JsonWriter& json, const Statistics& input) {
  json.key("memory").begin_array();
  for (const MemoryUse& use : input.memory) {
    json.new_line().begin_object().key("rank").value(use.rank).key("device").value(use.device);
    json.key("allocations").value(use.allocations).key("releases").value(use.releases);
    json.key("allocated_bytes").value(use.allocated_in_all.count());
    json.key("peak_bytes").value(use.peak.allocated.count()).key("peak_ns").value(use.peak.time.time_since_epoch());
    json.key("most_reserved_bytes").value(use.most_reserved.count());
    json.key("first_bytes").value(use.first.count()).key("last_bytes").value(use.last.count());
    json.key("curve").begin_array();
    for (const TraceDetails::MemoryPoint& point : use.curve) {
      json.new_line().begin_object().key("time_ns").value(point.time.time_since_epoch());
      json.key("allocated_bytes").value(point.allocated.count());
      json.key("reserved_bytes").value(point.reserved.count()).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().new_line();
}

void write_modules(JsonWriter& json, const Statistics& input) {
  json.key("modules").begin_array();
  for (const ModuleUse& use : input.modules) {
    json.new_line().begin_object().key("name").value(use.name).key("calls").value(use.calls);
    json.key("host_ns").value(use.host).key("host_self_ns").value(use.host_self).key("device_ns").value(use.device);
    json.key("flops").value(use.flops).end_object();
  }
  json.end_array().new_line();
}

/// A tree as a list: `parent` and `module` are places in it.
void write_stacks(JsonWriter& json, const Statistics& input) {
  const auto place = [&json](const char* key, std::uint32_t node) {
    json.key(key);
    node == CallStack::kNone ? json.null() : json.value(node);
  };
  json.key("stacks").begin_array();
  for (const CallStack& stack : input.stacks) {
    json.new_line().begin_object().key("name").value(stack.name).key("rank").value(stack.rank);
    place("parent", stack.parent);
    place("module", stack.module);
    json.key("calls").value(stack.calls).key("total_ns").value(stack.total).key("self_ns").value(stack.self);
    json.end_object();
  }
  json.end_array().new_line();
}

void write_transports(JsonWriter& json, const Statistics& input) {
  const auto write = [&json](const char* key, const TransportUse::Direction& pieces) {
    json.key(key).begin_object().key("pieces").value(pieces.pieces).key("bytes").value(pieces.bytes.count());
    json.key("device_wait_ns").value(pieces.device).key("peer_wait_ns").value(pieces.peer);
    json.key("network_ns").value(pieces.network).end_object();
  };
  json.key("transfers").begin_array();
  for (const RankTransport& one : input.transports) {
    const TransportUse& use = one.use;
    json.new_line().begin_object().key("rank").value(one.rank).key("group").value(use.group);
    json.key("operation").value(use.operation).key("algorithm").value(use.algorithm);
    json.key("protocol").value(use.protocol).key("count").value(use.operations);
    json.key("bytes").value(use.bytes.count()).key("channels").value(use.channels);
    json.key("channel_ns").value(use.channel_time);
    write("sent", use.sent);
    write("received", use.received);
    json.end_object();
  }
  json.end_array().new_line();
}

void write_overheads(JsonWriter& json, const Statistics& input) {
  json.key("overhead").begin_array();
  for (const auto& [rank, use] : input.overheads) {
    json.new_line().begin_object().key("rank").value(rank).key("kind").value(use.kind);
    json.key("of").value(use.of_profiler ? "profiler" : "CUDA").key("count").value(use.count);
    json.key("total_ns").value(use.total).key("by_clock_ns").value(use.by_clock);
    json.key("longest_ns").value(use.longest).end_object();
  }
  json.end_array().new_line();
}

void write_input(JsonWriter& json, const Statistics& input) {
  json.new_line().begin_object().key("name").value(input.name).key("by").value(to_text(input.key));
  json.key("pieces").value(input.pieces).key("ranks").value(input.ranks).key("measured").value(input.measured);
  json.key("whole_steps").value(input.steps).key("steps").value(input.step_numbers);
  json.key("only_steps").value(input.chosen_steps).new_line();
  json.key("totals").begin_object();
  for (std::size_t i = 0; i < kWorkParts; ++i)
    json.key(fmt::format("{}_ns", to_text(static_cast<WorkPart>(i)))).value(input.totals.of_part[i]);
  json.end_object().key("warning").value(input.warning).new_line();
  write_rows(json, input);
  write_devices(json, input);
  write_stages(json, input);
  write_device_members(json, input);
  write_flops(json, input);
  write_memory(json, input);
  write_modules(json, input);
  write_stacks(json, input);
  write_transports(json, input);
  write_overheads(json, input);
  json.end_object();
}

}  // namespace

void write_members(JsonWriter& json, const Distribution& times) {
  json.key("count").value(times.count).key("total_ns").value(times.total).key("min_ns").value(times.shortest);
  json.key("max_ns").value(times.longest).key("mean_ns").value(times.mean_ns).key("median_ns").value(times.median);
  json.key("deviation_ns").value(times.deviation_ns);
}

void write_statistics(JsonWriter& json, const std::vector<Statistics>& inputs, const Provenance& provenance) {
  json.begin_object().key("schema").value("stepsim.stats/1").new_line();
  json.key("inputs").begin_array();
  for (const Statistics& input : inputs) write_input(json, input);
  json.end_array().new_line();
  write_provenance(json, provenance);
  json.end_object();
}

Table rows_of(const std::vector<Statistics>& inputs) {
  Table table({{"input", Align::kLeft},
               {"name", Align::kLeft},
               {"kind", Align::kLeft},
               {"part", Align::kLeft},
               {"count"},
               {"total_ns"},
               {"self_ns"},
               {"share"},
               {"mean_ns"},
               {"median_ns"},
               {"min_ns"},
               {"max_ns"},
               {"deviation_ns"},
               {"per_step_ns"}});
  for (const Statistics& input : inputs) {
    for (const StatsRow& row : input.rows) {
      const Distribution& times = row.times;
      table.add_row({input.name, row.name, row.kind, row.part ? std::string(to_text(*row.part)) : std::string(),
                     times.count, nanoseconds_cell(times.total), nanoseconds_cell(row.self), number_cell(row.share),
                     number_cell(times.mean_ns), nanoseconds_cell(times.median), nanoseconds_cell(times.shortest),
                     nanoseconds_cell(times.longest), number_cell(times.deviation_ns),
                     input.steps > 0 ? nanoseconds_cell(row.per_step) : Cell("")});
    }
  }
  return table;
}

}  // namespace stepsim::sim
