#include <fmt/format.h>

#include <algorithm>
#include <protozero/pbf_writer.hpp>
#include <unordered_map>
#include <utility>

#include "sim/analysis/critical_path.h"
#include "sim/export/tracks.h"
#include "sim/report/path_sections.h"

// A Perfetto trace (protos/perfetto/trace of github.com/google/perfetto) for ui.perfetto.dev and trace_processor.
// Processes and tracks (tracks.h) are TrackDescriptors; tasks are slices with interned names. The top tracks show the
// origin of the trace and the critical path of each replay. Replays also have arrows along the path and between members
// of collectives, in order of arrival, and counters per rank for communication in progress. Times are nanoseconds.
// Memory: about 16 bytes per task in a collective or on the path.

namespace stepsim::sim {
namespace {

using protozero::pbf_writer;

// Field numbers of Perfetto's protocol buffers, with one namespace per message.
namespace trace {
constexpr protozero::pbf_tag_type kPacket = 1;
}
namespace packet {
constexpr protozero::pbf_tag_type kTimestamp = 8;
constexpr protozero::pbf_tag_type kSequenceId = 10;
constexpr protozero::pbf_tag_type kTrackEvent = 11;
constexpr protozero::pbf_tag_type kInternedData = 12;
constexpr protozero::pbf_tag_type kSequenceFlags = 13;
constexpr protozero::pbf_tag_type kTrackDescriptor = 60;
}  // namespace packet
namespace descriptor {
constexpr protozero::pbf_tag_type kUuid = 1;
constexpr protozero::pbf_tag_type kName = 2;
constexpr protozero::pbf_tag_type kProcess = 3;
constexpr protozero::pbf_tag_type kParent = 5;
constexpr protozero::pbf_tag_type kCounter = 8;
constexpr protozero::pbf_tag_type kChildOrdering = 11;
constexpr protozero::pbf_tag_type kSiblingRank = 12;
constexpr protozero::pbf_tag_type kPid = 1;
constexpr protozero::pbf_tag_type kProcessName = 6;
constexpr protozero::pbf_tag_type kProcessLabels = 8;
constexpr protozero::pbf_tag_type kUnit = 3;
constexpr std::int32_t kExplicitOrder = 3;
constexpr std::int32_t kCount = 2;
constexpr std::int32_t kBytes = 3;
}  // namespace descriptor
namespace event {
constexpr protozero::pbf_tag_type kCategoryIids = 3;
constexpr protozero::pbf_tag_type kAnnotations = 4;
constexpr protozero::pbf_tag_type kType = 9;
constexpr protozero::pbf_tag_type kNameIid = 10;
constexpr protozero::pbf_tag_type kTrack = 11;
constexpr protozero::pbf_tag_type kCounterValue = 30;
constexpr protozero::pbf_tag_type kFlowIds = 47;
constexpr std::int32_t kBegin = 1;
constexpr std::int32_t kEnd = 2;
constexpr std::int32_t kInstant = 3;
constexpr std::int32_t kCounter = 4;
}  // namespace event
namespace interned {
constexpr protozero::pbf_tag_type kCategories = 1;
constexpr protozero::pbf_tag_type kNames = 2;
constexpr protozero::pbf_tag_type kIid = 1;
constexpr protozero::pbf_tag_type kName = 2;
}  // namespace interned
namespace annotation {
constexpr protozero::pbf_tag_type kInteger = 4;
constexpr protozero::pbf_tag_type kText = 6;
constexpr protozero::pbf_tag_type kName = 10;
}  // namespace annotation

constexpr std::uint32_t kSequence = 1;
constexpr std::uint32_t kNewState = 1;    // SEQ_INCREMENTAL_STATE_CLEARED
constexpr std::uint32_t kNeedsState = 2;  // SEQ_NEEDS_INCREMENTAL_STATE

protozero::data_view view(std::string_view text) { return {text.data(), text.size()}; }

/// The data of a slice other than its name.
struct Details {
  std::vector<std::pair<std::string_view, std::int64_t>> numbers{};
  std::vector<std::pair<std::string_view, std::string>> texts{};
  std::vector<std::uint64_t> flows{};
};

/// Writes packets. Each name is written once and then referred to by number.
class Packets {
 public:
  explicit Packets(OutputFile& out) : out_(out) {}

  using Uuid = std::uint64_t;

  /// Adds a track. Calls `describe` with the writer of its TrackDescriptor. Tracks with the same parent are shown in
  /// the order in which they were added.
  template <class Describe>
  Uuid track(Uuid parent, std::string_view name, Describe describe) {
    const Uuid uuid = ++tracks_;
    write([&](pbf_writer& packet) {
      packet.add_uint32(packet::kSequenceFlags, uuid == 1 ? kNewState : kNeedsState);
      pbf_writer track{packet, packet::kTrackDescriptor};
      track.add_uint64(descriptor::kUuid, uuid);
      if (!name.empty()) track.add_string(descriptor::kName, view(name));
      if (parent != 0) track.add_uint64(descriptor::kParent, parent);
      track.add_int32(descriptor::kSiblingRank, static_cast<std::int32_t>(uuid));
      describe(track);
    });
    return uuid;
  }
  Uuid track(Uuid parent, std::string_view name) {
    return track(parent, name, [](pbf_writer&) {});
  }

  void slice(Uuid track, std::string_view name, std::string_view category, Duration begin, Duration end,
             const Details& details) {
    add_event(begin, event::kBegin, track, name, category, details);
    write([&](pbf_writer& packet) {
      packet.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(end.count()));
      pbf_writer event{packet, packet::kTrackEvent};
      event.add_enum(event::kType, event::kEnd);
      event.add_uint64(event::kTrack, track);
    });
  }
  void instant(Uuid track, std::string_view name, const Details& details) {
    add_event({}, event::kInstant, track, name, "stepsim", details);
  }
  void count(Uuid track, Duration when, std::int64_t value) {
    write([&](pbf_writer& packet) {
      packet.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(when.count()));
      pbf_writer event{packet, packet::kTrackEvent};
      event.add_enum(event::kType, event::kCounter);
      event.add_uint64(event::kTrack, track);
      event.add_int64(event::kCounterValue, value);
    });
  }

 private:
  using Interned = std::unordered_map<std::string, std::uint64_t>;
  struct Number {
    std::uint64_t iid;
    bool is_new;
  };

  template <class Fill>
  void write(Fill fill) {
    buffer_.clear();
    {
      pbf_writer trace{buffer_};
      pbf_writer packet{trace, trace::kPacket};
      packet.add_uint32(packet::kSequenceId, kSequence);
      fill(packet);
    }
    out_.write(buffer_);
  }

  void add_event(Duration when, std::int32_t type, Uuid track, std::string_view name, std::string_view category,
                 const Details& details) {
    write([&](pbf_writer& packet) {
      packet.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(when.count()));
      packet.add_uint32(packet::kSequenceFlags, kNeedsState);
      const Number category_number = number_of(categories_, category);
      const Number name_number = number_of(names_, name);
      if (category_number.is_new || name_number.is_new) {
        pbf_writer data{packet, packet::kInternedData};  // only one per packet, because readers use the last of several
        if (category_number.is_new) define(data, interned::kCategories, category_number, category);
        if (name_number.is_new) define(data, interned::kNames, name_number, name);
      }
      pbf_writer event{packet, packet::kTrackEvent};
      event.add_uint64(event::kCategoryIids, category_number.iid);
      event.add_enum(event::kType, type);
      event.add_uint64(event::kNameIid, name_number.iid);
      event.add_uint64(event::kTrack, track);
      for (const auto& [what, number] : details.numbers) {
        pbf_writer annotation{event, event::kAnnotations};
        annotation.add_int64(annotation::kInteger, number);
        annotation.add_string(annotation::kName, view(what));
      }
      for (const auto& [what, text] : details.texts) {
        pbf_writer annotation{event, event::kAnnotations};
        annotation.add_string(annotation::kText, text);
        annotation.add_string(annotation::kName, view(what));
      }
      for (const std::uint64_t flow : details.flows) event.add_fixed64(event::kFlowIds, flow);
    });
  }

  static Number number_of(Interned& known, std::string_view text) {
    const auto [entry, is_new] = known.try_emplace(std::string(text), known.size() + 1);
    return {entry->second, is_new};
  }
  static void define(pbf_writer& data, protozero::pbf_tag_type field, Number number, std::string_view text) {
    pbf_writer name{data, field};
    name.add_uint64(interned::kIid, number.iid);
    name.add_string(interned::kName, view(text));
  }

  OutputFile& out_;
  std::string buffer_;
  Uuid tracks_ = 0;
  Interned names_;
  Interned categories_;
};

/// The arrows of a replay, by the tasks that they connect. An arrow goes from the earlier slice to the later one.
class Arrows {
 public:
  Arrows(const NamedReplay& replay, const CriticalPath& path, std::size_t index)
      : next_((std::uint64_t{index} << 40U) + 1), start_(replay.timeline.start) {
    const Dag& dag = replay.capture.dag;
    for (std::size_t i = 1; i < path.tasks.size(); ++i) {
      const TaskId from = path.tasks[i - 1].task;
      const TaskId to = path.tasks[i].task;
      if (start_[from.index()] <= start_[to.index()]) join({from, to});
    }
    for (const RendezvousId rendezvous : dag.all_rendezvous()) {
      const auto members = dag.members(rendezvous);
      if (members.size() > 1) join({members.begin(), members.end()});
    }
    std::sort(ends_.begin(), ends_.end());
  }

  void add_to(TaskId task, std::vector<std::uint64_t>& flows) const {
    for (auto end = std::lower_bound(ends_.begin(), ends_.end(), std::pair{task, std::uint64_t{0}});
         end != ends_.end() && end->first == task; ++end)
      flows.push_back(end->second);
  }

 private:
  void join(const std::vector<TaskId>& tasks) {
    for (const TaskId task : tasks) ends_.emplace_back(task, next_);
    ++next_;
  }

  std::uint64_t next_;
  const std::vector<Time>& start_;
  std::vector<std::pair<TaskId, std::uint64_t>> ends_;
};

/// One replay, its critical path and its arrows.
struct Part {
  Part(const NamedReplay& replay, std::size_t index)
      : path(iteration_path(replay.capture, replay.timeline, summarize(replay.capture, replay.timeline))),
        arrows(replay, path.path, index) {}
  IterationPath path;
  Arrows arrows;
};

class PerfettoTrace {
 public:
  PerfettoTrace(const Answer& answer, OutputFile& out) : answer_(answer), packets_(out) {}

  void write() {
    write_provenance();
    std::vector<Part> parts;
    for (std::size_t i = 0; i < answer_.replays.size(); ++i) {
      parts.emplace_back(answer_.replays[i], i);
      write_path(answer_.replays[i], parts.back().path);
    }
    const Tracks tracks(answer_);
    for (const TrackProcess& process : tracks.processes()) write_process(tracks, process, parts);
  }

 private:
  /// Writes the provenance first, because `stepsim` recognises its own files by it (ingest/load/recognise.cpp).
  void write_provenance() {
    const Provenance& provenance = answer_.provenance;
    const Packets::Uuid track = packets_.track(0, "stepsim: provenance");
    Details details{
        .texts = {{"version", provenance.version}, {"commit", provenance.commit}, {"command", provenance.command}}};
    for (const InputFile& input : provenance.inputs) details.texts.emplace_back("input", to_text(input));
    packets_.instant(track, "made by stepsim", details);
  }

  void write_path(const NamedReplay& replay, const IterationPath& of) {
    if (of.path.tasks.empty()) return;
    const Dag& dag = replay.capture.dag;
    const Packets::Uuid track =
        packets_.track(0, fmt::format("critical path of {} ({})", path_subject(of), replay.name));
    for (const PathTask& task : of.path.tasks) {
      const Duration start = task.start.time_since_epoch();
      if (task.wait > Duration{})
        packets_.slice(track, "waiting", to_text(PathClass::kWait), start - task.wait, start, {});
      packets_.slice(track, dag.name(task.task), to_text(path_class_of(dag, task.task)), start, start + task.duration,
                     {.numbers = {{"task", task.task.value()},
                                  {"rank", dag.lane(task.task).rank},
                                  {"queueing_ns", task.queueing.count()}},
                      .texts = {{"released_by", released_by_text(dag, task)}}});
    }
  }

  void write_process(const Tracks& tracks, const TrackProcess& process, const std::vector<Part>& parts) {
    const Dag& dag = process.replay->capture.dag;
    const Packets::Uuid parent = packets_.track(0, {}, [&](pbf_writer& track) {
      track.add_enum(descriptor::kChildOrdering, descriptor::kExplicitOrder);
      pbf_writer described{track, descriptor::kProcess};
      described.add_int32(descriptor::kPid, ++pid_);
      described.add_string(descriptor::kProcessName, process.name);
      if (!process.host.empty()) described.add_string(descriptor::kProcessLabels, process.host);
    });
    std::vector<Packets::Uuid> uuids;
    UnderWay under_way;
    tracks.for_each(
        process, [&](const std::string& name, std::size_t) { uuids.push_back(packets_.track(parent, name)); },
        [&](TaskId task, std::size_t track) {
          Details details{.numbers = {{"task", task.value()}}};
          if (dag.bytes(task).count() != 0) details.numbers.emplace_back("bytes", dag.bytes(task).count());
          if (process.replayed) parts[process.replay_index].arrows.add_to(task, details.flows);
          packets_.slice(uuids[track], dag.name(task), to_text(dag.kind(task)), process.start_of(task),
                         process.finish_of(task), details);
          if (process.replayed) add(*process.replay, task, under_way);
        });
    write_counter("communication under way", descriptor::kCount, std::move(under_way.count), parent);
    write_counter("bytes under way", descriptor::kBytes, std::move(under_way.bytes), parent);
  }

  using Changes = std::vector<std::pair<Time, std::int64_t>>;
  /// A rank's communication in progress: its count, and its bytes if they are known.
  struct UnderWay {
    Changes count;
    Changes bytes;
  };

  /// Adds a task to the communication in progress. A collective is in progress from the arrival of its last member.
  static void add(const NamedReplay& replay, TaskId task, UnderWay& under_way) {
    const Dag& dag = replay.capture.dag;
    if (path_class_of(dag, task) != PathClass::kCommunication) return;
    const RendezvousId together = dag.rendezvous(task);
    const TaskId last = together.valid() ? replay.timeline.last_arrival[together.index()] : task;
    const Time begin = replay.timeline.start[(last.valid() ? last : task).index()];
    const auto change = [&](Changes& changes, std::int64_t by) {
      if (by == 0) return;
      changes.emplace_back(begin, by);
      changes.emplace_back(replay.timeline.finish[task.index()], -by);
    };
    change(under_way.count, 1);
    change(under_way.bytes, dag.bytes(task).count());
  }

  void write_counter(std::string_view name, std::int32_t unit, Changes changes, Packets::Uuid parent) {
    if (changes.empty()) return;
    std::sort(changes.begin(), changes.end());
    const Packets::Uuid track = packets_.track(parent, name, [unit](pbf_writer& described) {
      pbf_writer counter{described, descriptor::kCounter};
      counter.add_enum(descriptor::kUnit, unit);
    });
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      sum += changes[i].second;
      if (i + 1 == changes.size() || changes[i + 1].first != changes[i].first)
        packets_.count(track, changes[i].first.time_since_epoch(), sum);
    }
  }

  const Answer& answer_;
  Packets packets_;
  std::int32_t pid_ = 0;
};

}  // namespace

extern const Exporter perfetto_exporter{
    .name = "perfetto",
    .extension = "pftrace",
    .summary = "Perfetto trace for ui.perfetto.dev: like .trace.json, with critical path, arrows and counters",
    .accepts = Content::kTimeline,
    .write = [](const Answer& answer, OutputFile& out) { PerfettoTrace(answer, out).write(); },
};

}  // namespace stepsim::sim
