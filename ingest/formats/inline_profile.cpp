// Measurements of HugeCTR's inline profiler and of stepsim's own (capture/inline.h):
//
//   {"events": [{"device_id": 0, "end_index": 1, "iter_start_to_event_start_times_ms": [0.0958, ...],
//                "layer_name": "BottomMLP.fc1", "measured_times_ms": [0.3432, ...], "name": "fprop",
//                "same_name_events_occured_order_in_code": 0, "start_index": 0, "stream": "0x7f7cf66c3d20"}, ...],
//    "host_name": "luna-0173", "iter_time_ms": [3.87, ...]}
//
// This is version V1 of HugeCTR's format. V0 is only the list of events, without offsets. V2 calls the name
// "event_name" and the occurrence "met_times_within_this_stream", and has no layers. V3 writes two files:
// "<host>.fine_grained.json" with the fields of V2, and "<host>.one_shot.json", in which all ranges were measured in
// the same iterations. The latter has no iter_time_ms, but a range "iteration" on each device, and lists of lists for
// the data reader's copies.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/formats/format.h"
#include "ingest/json/json_reader.h"
#include "ingest/json/json_values.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::int64_t kLongest = 86'400'000'000'000;  // one day
constexpr int kMillisecond = 6;                        // 1 ms = 10^6 ns
constexpr std::string_view kIteration = "iteration";

/// Returns "luna-0173" for "runs/luna-0173.prof.json.gz"; empty if the file has another name.
std::string host_in(std::string_view path) {
  const std::string_view name = file_name_of(path);
  for (const std::string_view end : {".prof.json", ".fine_grained.json", ".one_shot.json"}) {
    if (const std::size_t at = name.find(end); at != std::string_view::npos) return std::string(name.substr(0, at));
  }
  return {};
}

class InlineProfileReader {
 public:
  InlineProfileReader(Input& input, PartSink& sink) : json_(input.stream()), sink_(sink) {
    profile_.file = input.name();
  }

  [[nodiscard]] RangeProfile read() {
    try {
      read_document();
    } catch (const InputError& error) {
      if (!json_.ended() || profile_.ranges.empty()) throw;
      sink_.diagnostics.count(diagnostic("truncated_file"), error.where());
    }
    if (profile_.host.empty()) profile_.host = host_in(profile_.file);
    take_iterations();
    if (profile_.ranges.empty())
      json_.fail(0, "the profile has no measured range; expected 'events' with 'measured_times_ms'");
    note_counts();
    return std::move(profile_);
  }

 private:
  using Times = std::vector<Duration>;

  void read_document() {
    if (json_.peek() == '[') {
      json_.array([this] { read_range(); });
    } else {
      json_.object([this](const std::string& key) {
        if (key == "events" && json_.peek() == '[') {
          json_.array([this] { read_range(); });
        } else if (key == "host_name" && json_.peek() == '"') {
          profile_.host = json_.text();
        } else if (key == "iter_time_ms") {
          profile_.iterations = times();
        } else {
          json_.skip();
        }
      });
    }
    json_.expect_end();
  }

  void read_range() {
    ++sink_.events;
    const std::uint64_t offset = json_.offset();
    if (json_.peek() != '{') {
      json_.skip();
      return leave_out(offset, "no object");
    }
    MeasuredRange range;
    std::string stream;
    std::optional<std::int64_t> device = 0;
    json_.object([&](const std::string& key) {
      if (key == "name" || key == "event_name") {
        range.name = word();
      } else if (key == "layer_name") {
        range.layer = word();
      } else if (key == "stream") {
        stream = word();
      } else if (key == "device_id") {
        device = as_integer(json_.raw());
      } else if (key == "start_index") {
        range.start_index = as_integer(json_.raw()).value_or(-1);
      } else if (key == "end_index") {
        range.end_index = as_integer(json_.raw()).value_or(-1);
      } else if (key == "same_name_events_occured_order_in_code" || key == "met_times_within_this_stream") {
        range.occurrence = as_integer(json_.raw()).value_or(0);
      } else if (key == "measured_times_ms") {
        range.lengths = times();
      } else if (key == "iter_start_to_event_start_times_ms") {
        range.offsets = times();
      } else {
        json_.skip();
      }
    });
    if (range.name.empty()) return leave_out(offset, "no name");
    if (!device || *device < 0 || *device > std::numeric_limits<std::int32_t>::max())
      return leave_out(offset, "device_id is not the number of a device");
    if (range.lengths.empty()) return leave_out(offset, shown(range.name, 60));
    range.device = static_cast<std::int32_t>(*device);
    range.stream = stream_id(stream);
    profile_.ranges.push_back(std::move(range));
  }

  void leave_out(std::uint64_t offset, std::string_view what) {
    sink_.skip(diagnostic("bad_range"), {profile_.file, offset, {}}, what);
  }

  /// Reads a string, or any other value as written.
  [[nodiscard]] std::string word() { return json_.peek() == '"' ? json_.text() : std::string(json_.raw()); }

  [[nodiscard]] std::uint32_t stream_id(const std::string& stream) {
    const auto [slot, added] = streams_.try_emplace(stream, static_cast<std::uint32_t>(profile_.streams.size()));
    if (added) profile_.streams.push_back(stream);
    return slot->second;
  }

  /// Reads a list of milliseconds, or a list of such lists.
  [[nodiscard]] Times times() {
    Times found;
    if (json_.peek() != '[') {
      json_.skip();
      return found;
    }
    json_.array([&] {
      if (json_.peek() == '[') {
        json_.array([&] { take_time(found); });
      } else {
        take_time(found);
      }
    });
    return found;
  }

  void take_time(Times& found) {
    const std::uint64_t offset = json_.offset();
    const char first = json_.peek();
    if (first != '-' && !is_digit(first)) {
      json_.skip();
      return sink_.diagnostics.count(diagnostic("bad_sample"), {profile_.file, offset, {}});
    }
    const std::optional<std::int64_t> length = scaled_decimal(json_.number(), kMillisecond);
    if (!length || *length < 0 || *length > kLongest)
      return sink_.diagnostics.count(diagnostic("bad_sample"), {profile_.file, offset, {}});
    found.emplace_back(*length);
  }

  /// If the file has no iteration times, takes them from the ranges that cover a whole iteration, and removes these
  /// ranges. Each iteration takes as long as on the slowest device.
  void take_iterations() {
    const auto is_iteration = [](const MeasuredRange& range) {
      return range.name == kIteration && range.layer.empty();
    };
    if (!profile_.iterations.empty()) return;
    for (const MeasuredRange& range : profile_.ranges) {
      if (!is_iteration(range)) continue;
      if (range.lengths.size() > profile_.iterations.size()) profile_.iterations.resize(range.lengths.size());
      for (std::size_t i = 0; i < range.lengths.size(); ++i)
        profile_.iterations[i] = std::max(profile_.iterations[i], range.lengths[i]);
    }
    std::erase_if(profile_.ranges, is_iteration);
  }

  void note_counts() {
    std::size_t most = 0;
    for (const MeasuredRange& range : profile_.ranges) most = std::max(most, range.lengths.size());
    for (const MeasuredRange& range : profile_.ranges) {
      const InputLocation where{profile_.file, {}, {}};
      if (range.offsets.empty()) {
        sink_.diagnostics.count(diagnostic("no_range_offsets"), where);
      } else if (range.lengths.size() != most || range.offsets.size() != range.lengths.size()) {
        sink_.diagnostics.count(diagnostic("uneven_samples"), where, shown(range.name, 60));
      }
    }
  }

  JsonReader json_;
  PartSink& sink_;
  RangeProfile profile_;
  std::map<std::string, std::uint32_t> streams_;
};

constexpr Sign kInlineSigns[]{
    {.sure = 95, .opens = "{[", .any = {"\"measured_times_ms\"", "\"iter_start_to_event_start_times_ms\""}}};

void read_inline_profile(Input& input, PartSink& sink) { sink.add(InlineProfileReader(input, sink).read()); }

}  // namespace

extern const Format inline_profile_format{
    .name = "inline_profile",
    .summary = "Inline profiler results: HugeCTR prof.json (V0 to V3), and those of capture/inline.h",
    .recognise = kInlineSigns,
    .read = read_inline_profile,
};

}  // namespace stepsim::ingest
