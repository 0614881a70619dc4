#include "sim/stats/device_json.h"

#include "sim/output/json_writer.h"
#include "sim/stats/stats_json.h"

namespace stepsim::sim {
namespace {

/// A list of objects.
template <class Item, class WriteMembers>
void write_list(JsonWriter& json, const char* key, const std::vector<Item>& items, WriteMembers write) {
  json.key(key).begin_array();
  for (const Item& item : items) {
    json.new_line().begin_object();
    write(item);
    json.end_object();
  }
  json.end_array().new_line();
}

void write_times(JsonWriter& json, const char* key, const Distribution& times) {
  json.key(key).begin_object();
  write_members(json, times);
  json.end_object();
}

void write_stream(JsonWriter& json, const StreamUse& use) {
  json.key("rank").value(use.rank).key("device").value(use.device).key("stream").value(use.stream);
  json.key("launches").value(use.launches).key("mean_queue").value(use.mean_queue);
  json.key("longest_queue").value(use.longest.length).key("longest_ns").value(use.longest.time.time_since_epoch());
  json.key("full_ns").value(use.full).key("host_wait_ns").value(use.host_wait);
  json.key("kernel_wait_ns").value(use.kernel_wait).key("other_wait_ns").value(use.other_wait);
  json.key("outside_ns").value(use.outside);
  write_list(json, "curve", use.curve, [&json](const StreamUse::QueuePoint& point) {
    json.key("time_ns").value(point.time.time_since_epoch()).key("queue").value(point.length);
  });
}

void write_launch(JsonWriter& json, const LaunchUse& use) {
  json.key("name").value(use.name).key("short").value(use.short_ones);
  write_times(json, "call", use.call);
  write_times(json, "delay", use.delay);
  write_times(json, "work", use.work);
}

void write_copy(JsonWriter& json, const CopyUse& use) {
  json.key("rank").value(use.rank).key("name").value(use.name).key("count").value(use.count);
  json.key("total_bytes").value(use.total.count()).key("min_bytes").value(use.smallest.count());
  json.key("median_bytes").value(use.median.count()).key("max_bytes").value(use.largest.count());
  json.key("time_ns").value(use.time).key("bytes_per_second").value(use.rate());
  json.key("highest_bytes_per_second").value(use.highest_rate);
  write_list(json, "curve", use.curve, [&json](const CopyUse::RatePoint& point) {
    json.key("time_ns").value(point.time.time_since_epoch()).key("bytes_per_second").value(point.bytes_per_second);
  });
}

void write_sequence(JsonWriter& json, const KernelSequence& sequence) {
  json.key("name").value(sequence.name).key("calls").value(sequence.calls);
  json.key("device_ns").value(sequence.device).key("host_ns").value(sequence.host).key("kernels").begin_array();
  for (const std::string& kernel : sequence.kernels) json.value(kernel);
  json.end_array();
}

void write_device_occupancy(JsonWriter& json, const DeviceOccupancy& use) {
  json.key("rank").value(use.rank).key("device").value(use.device).key("name").value(use.name);
  json.key("time_ns").value(use.time).key("occupancy").value(use.occupancy).key("efficiency").value(use.efficiency);
  json.key("matrix_share").value(use.matrix_share);
}

void write_kernel_occupancy(JsonWriter& json, const KernelOccupancy& use) {
  json.key("name").value(use.name).key("count").value(use.count).key("time_ns").value(use.time);
  json.key("blocks").value(use.blocks).key("warps").value(use.warps).key("occupancy").value(use.occupancy);
}

}  // namespace

void write_device_members(JsonWriter& json, const Statistics& input) {
  const auto list = [&json](const char* key, const auto& items, auto write) {
    write_list(json, key, items, [&](const auto& item) { write(json, item); });
  };
  list("streams", input.streams, write_stream);
  list("launches", input.launches, write_launch);
  list("copies", input.copies, write_copy);
  list("sequences", input.sequences, write_sequence);
  list("device_occupancy", input.occupancy.devices, write_device_occupancy);
  list("kernel_occupancy", input.occupancy.kernels, write_kernel_occupancy);
}

}  // namespace stepsim::sim
