#include "sim/export/comm_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/job/kernel_class.h"
#include "sim/analysis/task_names.h"
#include "sim/output/json_writer.h"

namespace stepsim::sim {
namespace {

using Event = RankCommunication::Event;

constexpr int kPartitionBits = 16;  // a key's lower bits number the partition, the upper bits the tensor

/// A task in BytePS's terms.
struct Place {
  std::string tensor;
  std::string_view stage;  ///< stage, as a literal of kPipeline
  std::int64_t partition = 0;
};

/// Returns the operation in a name: "allreduce" for "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)" and for
/// "gloo:all_reduce".
std::string operation_in(std::string_view name) {
  constexpr std::size_t kLongest = 60;
  const std::optional<CommunicationKernel> kernel = communication_kernel(name);
  std::string_view word = kernel && !kernel->operation.empty() ? kernel->operation : name.substr(name.rfind(':') + 1);
  word = word.substr(0, std::min(word.find_first_of("(<"), kLongest));
  const std::string plain = plain_name(word);
  return plain.empty() ? "communication" : plain;
}

/// Returns BytePS's stage for an operation. Operations that only copy are BROADCAST, as BytePS broadcasts reduced data;
/// those that combine or exchange data are REDUCE.
std::string_view stage_of(std::string_view operation) noexcept {
  const auto has = [operation](std::string_view word) { return operation.find(word) != std::string_view::npos; };
  if (has("barrier")) return "COORDINATE_REDUCE";
  if (has("sendrecv") || has("send")) return kPush;
  if (has("recv")) return kPull;
  return has("allgather") || has("bcast") || has("broadcast") ? "BROADCAST" : "REDUCE";
}

std::int64_t number_in(std::string_view digits) noexcept {
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// Returns the element of kPipeline that equals `stage`. Unlike the argument, it is a static string.
std::string_view literal(std::string_view stage) noexcept {
  return *std::find(kPipeline.begin(), kPipeline.end(), stage);
}

/// Returns the name and the stage of a copy between host and device; empty for other tasks.
std::pair<std::string_view, std::string_view> direction_of(TaskKind kind, std::string_view name) noexcept {
  if (kind != TaskKind::kCopy) return {};
  if (name.find("HtoD") != std::string_view::npos) return {"HtoD", "COPYH2D"};
  if (name.find("DtoH") != std::string_view::npos) return {"DtoH", "COPYD2H"};
  return {};
}

std::string_view kind_left_out(TaskKind kind) noexcept {
  switch (kind) {
    case TaskKind::kKernel: return "compute kernels";
    case TaskKind::kCopy: return "copies";
    case TaskKind::kMemset: return "memsets";
    case TaskKind::kOperator: return "operators";
    case TaskKind::kServer: return "works of servers";
    case TaskKind::kControl: return "hand-overs and answers";
    default: return {};  // this is host work
  }
}

class Maker {
 public:
  Maker(const Capture& capture, const TraceDetails& details)
      : dag_(capture.dag), recording_(capture.recording), details_(details) {}

  Communication make() && {
    number_ranks();
    for (const TraceDetails::RecordedTask& recorded : details_.tasks) recorded_.emplace(recorded.task, &recorded);
    for (const TraceDetails::Launch& launch : details_.launches)
      called_.try_emplace(launch.task, details_.calls[launch.call].start);
    const std::vector<TaskId> tasks = by_start();
    made_.of_copies = std::none_of(tasks.begin(), tasks.end(), [this](TaskId task) { return communicates(task); });
    for (const TaskId task : tasks) add(task);
    for (RankCommunication& rank : made_.ranks) add_totals(rank);
    std::erase_if(made_.ranks, [](const RankCommunication& rank) { return rank.events.empty(); });
    return std::move(made_);
  }

 private:
  /// The time of a tensor in one step on one rank, from the start of its first task to the end of its last.
  struct Total {
    Time begin;
    Time end;
  };

  void number_ranks() {
    std::map<Rank, std::string> host_of;
    for (const Lane& lane : dag_.lanes()) {
      if (lane.kind != LaneKind::kServerThread) host_of.try_emplace(lane.rank, lane.host);
    }
    std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> hosts;  // number of the host, ranks seen so far
    for (const auto& [rank, host] : host_of) {
      const auto number = static_cast<std::uint32_t>(hosts.size());
      auto& known = hosts.try_emplace(host, number, 0U).first->second;
      place_of_rank_[rank] = made_.ranks.size();
      made_.ranks.push_back({.rank = rank, .worker = known.first, .gpu = known.second++});
    }
  }

  [[nodiscard]] Time start_of(TaskId task) const {
    const auto known = recorded_.find(task);
    return known == recorded_.end() ? recording_.start[task.index()] : known->second->start;
  }
  [[nodiscard]] Time finish_of(TaskId task) const {
    const auto known = recorded_.find(task);
    return known == recorded_.end() ? recording_.finish[task.index()] : known->second->finish;
  }
  /// True if the task is only a part of some work, and another task represents all of that work.
  [[nodiscard]] bool is_part(TaskId task) const {
    const auto known = recorded_.find(task);
    return known != recorded_.end() && !known->second->whole;
  }

  [[nodiscard]] std::vector<TaskId> by_start() const {
    std::vector<TaskId> tasks;
    for (std::size_t i = 0; i < recording_.start.size(); ++i) {
      if (!is_part(TaskId{i})) tasks.emplace_back(i);
    }
    std::stable_sort(tasks.begin(), tasks.end(), [this](TaskId a, TaskId b) { return start_of(a) < start_of(b); });
    return tasks;
  }

  /// Returns the task's step if it is whole and selected, else null.
  [[nodiscard]] const RecordedStep* step_of(TaskId task) const {
    const std::int32_t index = recording_.step.empty() ? -1 : recording_.step[task.index()];
    if (index < 0) return nullptr;
    const RecordedStep& step = recording_.steps[static_cast<std::size_t>(index)];
    return step.whole && step.asked ? &step : nullptr;
  }

  [[nodiscard]] bool communicates(TaskId task) const {
    const TaskKind kind = dag_.kind(task);
    return kind == TaskKind::kCollective || kind == TaskKind::kTransfer || !staged_task(dag_.name(task)).tensor.empty();
  }

  void add(TaskId task) {
    const TaskKind kind = dag_.kind(task);
    const auto [direction, copies] = direction_of(kind, dag_.name(task));
    const bool is_copy = made_.of_copies && !direction.empty();
    if (!is_copy && !communicates(task)) {
      if (const std::string_view what = kind_left_out(kind); !what.empty()) ++made_.left_out[std::string(what)];
      return;
    }
    const RecordedStep* const step = step_of(task);
    if (step == nullptr) {
      ++made_.left_out[is_copy ? "copies outside of whole steps" : "communication outside of whole steps"];
      return;
    }
    if (is_copy)
      return put(task, {numbered(fmt::format("copy.{}", direction), task, step->number), copies}, step->number);
    const StagedTask staged = staged_task(dag_.name(task));
    const Place place = staged.tensor.empty()
                            ? place_of(task, step->number)
                            : Place{std::string(staged.tensor), literal(staged.stage), number_in(staged.partition)};
    put(task, place, step->number);
  }

  [[nodiscard]] Place place_of(TaskId task, std::int64_t step) {
    const std::string_view name = dag_.name(task);
    return name.starts_with(kComm) ? named_place(name.substr(kComm.size())) : counted_place(task, step);
  }

  /// Parses the names of Horovod and dPRO: "1.NCCL_ALLREDUCE", "1.SEND.0_0_1_0", "w~PART1.PUSH_REQ".
  [[nodiscard]] Place named_place(std::string_view name) {
    for (const auto& [word, stage] :
         {std::pair{std::string_view(".SEND."), kPush}, std::pair{std::string_view(".RECV."), kPull}}) {
      const std::size_t at = name.find(word);
      if (at == std::string_view::npos) continue;
      auto& chunks = chunks_[std::string(name.substr(0, at))];
      const std::string chunk(name.substr(at + word.size()));
      const auto number = static_cast<std::int64_t>(chunks.size());
      return {std::string(name.substr(0, at)), literal(stage), chunks.try_emplace(chunk, number).first->second};
    }
    const std::size_t dot = name.rfind('.');
    std::string_view tensor = name.substr(0, dot);
    const std::string_view what = dot == std::string_view::npos ? std::string_view{} : name.substr(dot + 1);
    std::int64_t partition = 0;
    constexpr std::string_view kPart = "~PART";
    if (const std::size_t at = tensor.rfind(kPart); at != std::string_view::npos) {
      partition = number_in(tensor.substr(at + kPart.size()));
      tensor = tensor.substr(0, at);
    }
    if (what.starts_with(kPush)) return {std::string(tensor), kPush, partition};
    if (what.starts_with(kPull)) return {std::string(tensor), kPull, partition};
    return {std::string(tensor), stage_of(operation_in(what)), partition};
  }

  /// Names an unnamed tensor by its number among the collectives with the same operation and group in the step.
  [[nodiscard]] Place counted_place(TaskId task, std::int64_t step) {
    const RendezvousId meeting = dag_.rendezvous(task);
    const CollectiveOp op = meeting.valid() ? dag_.collective(meeting).op : CollectiveOp::kUnknown;
    const std::string operation =
        op == CollectiveOp::kUnknown ? operation_in(dag_.name(task)) : std::string(named_operation(op).word);
    std::string_view stage = stage_of(operation);
    if (op == CollectiveOp::kSendRecv && receives(task, meeting)) stage = kPull;
    if (meeting.valid()) {
      if (const auto known = tensor_of_.find(meeting); known != tensor_of_.end()) return {known->second, stage};
    }
    const std::string tensor = numbered(operation + group_of(meeting), task, step);
    if (meeting.valid()) tensor_of_.emplace(meeting, tensor);
    return {tensor, stage};
  }

  /// Returns `of` with the next number in the step: "allreduce.7". For a collective, tasks of all ranks count,
  /// otherwise only those of the same rank.
  [[nodiscard]] std::string numbered(const std::string& of, TaskId task, std::int64_t step) {
    const Rank counter = dag_.rendezvous(task).valid() ? Rank{-1} : dag_.lane(task).rank;
    return fmt::format("{}.{}", of, counts_[{counter, step, of}]++);
  }

  [[nodiscard]] bool receives(TaskId task, RendezvousId meeting) const {
    const auto members = dag_.members(meeting);
    std::vector<Rank> ranks;
    for (const TaskId member : members) ranks.push_back(dag_.lane(member).rank);
    std::sort(ranks.begin(), ranks.end());
    const std::uint32_t root = dag_.collective(meeting).root;
    return members.size() > 1 && root < ranks.size() && ranks[root] != dag_.lane(task).rank;
  }

  /// Names the group of a collective. The name is empty for a group of all ranks, or of a single captured rank.
  [[nodiscard]] std::string group_of(RendezvousId meeting) {
    if (!meeting.valid()) return {};
    std::vector<Rank> ranks;
    for (const TaskId member : dag_.members(meeting)) ranks.push_back(dag_.lane(member).rank);
    if (ranks.size() <= 1 || ranks.size() == place_of_rank_.size()) return {};
    std::sort(ranks.begin(), ranks.end());
    const std::size_t number = groups_.size();
    return fmt::format(".group{}", groups_.try_emplace(std::move(ranks), number).first->second);
  }

  void put(TaskId task, const Place& place, std::int64_t step) {
    const Rank rank = dag_.lane(task).rank;
    RankCommunication& into = made_.ranks[place_of_rank_.at(rank)];
    const auto next = static_cast<std::uint32_t>(into.tensors.size());
    const auto [tensor, added] = tensors_.try_emplace({rank, place.tensor}, next);
    if (added) into.tensors.push_back(place.tensor);
    const auto declared = declared_.try_emplace(place.tensor, declared_.size()).first->second;
    const Time begin = start_of(task);
    const Time end = finish_of(task);
    const auto key =
        static_cast<std::int64_t>(static_cast<std::uint32_t>(declared << kPartitionBits)) + (place.partition & 0xFFFF);
    into.events.push_back({tensor->second, key, place.stage, begin, end - begin});
    const auto called = called_.find(task);
    const Time from = called == called_.end() ? begin : std::min(begin, called->second);
    Total& total = totals_[rank].try_emplace({tensor->second, step}, Total{from, end}).first->second;
    total.begin = std::min(total.begin, from);
    total.end = std::max(total.end, end);
  }

  void add_totals(RankCommunication& rank) {
    for (const auto& [of, total] : totals_[rank.rank])
      rank.events.push_back({of.first, -1, {}, total.begin, total.end - total.begin});
  }

  const Dag& dag_;
  const Recording& recording_;
  const TraceDetails& details_;
  Communication made_;
  std::map<Rank, std::size_t> place_of_rank_;
  std::map<TaskId, const TraceDetails::RecordedTask*> recorded_;
  std::map<TaskId, Time> called_;
  std::map<RendezvousId, std::string> tensor_of_;
  std::map<std::vector<Rank>, std::size_t> groups_;
  std::map<std::tuple<Rank, std::int64_t, std::string>, std::uint64_t> counts_;  // rank (-1 for all ranks), step, name
  std::map<std::string, std::map<std::string, std::int64_t>> chunks_;            // indexed by tensor
  std::map<std::pair<Rank, std::string>, std::uint32_t> tensors_;
  std::map<std::string, std::uint64_t> declared_;
  // Indexed by rank, then by tensor and step.
  std::map<Rank, std::map<std::pair<std::uint32_t, std::int64_t>, Total>> totals_;
};

/// Returns, for each tensor, how often its most frequent pair of a partition and a stage occurs.
std::vector<std::size_t> times_of_tensors(const RankCommunication& communication) {
  std::map<std::tuple<std::uint32_t, std::int64_t, std::string_view>, std::size_t> times;
  for (const Event& event : communication.events) ++times[{event.tensor, event.key, event.stage}];
  std::vector<std::size_t> most(communication.tensors.size(), 0);
  for (const auto& [of, count] : times) most[std::get<0>(of)] = std::max(most[std::get<0>(of)], count);
  return most;
}

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

/// Returns the name of an event's thread: the key of its partition, or "total". BytePS stores keys as signed 32-bit
/// numbers.
std::string thread_of(const Event& event) {
  return event.key < 0 ? "total" : std::to_string(static_cast<std::int32_t>(static_cast<std::uint32_t>(event.key)));
}

}  // namespace

std::size_t RankCommunication::steps() const {
  const std::vector<std::size_t> times = times_of_tensors(*this);
  return times.empty() ? 0 : *std::max_element(times.begin(), times.end());
}

std::size_t RankCommunication::tensors_in_some_steps() const {
  const std::vector<std::size_t> times = times_of_tensors(*this);
  const std::size_t most = steps();
  return static_cast<std::size_t>(
      std::count_if(times.begin(), times.end(), [most](std::size_t count) { return count < most; }));
}

Communication communication_of(const Capture& capture, const TraceDetails& details) {
  Communication communication = Maker(capture, details).make();
  if (communication.ranks.empty()) {
    throw CannotAnswer(
        {capture.inputs.empty() ? std::string{} : capture.inputs.front().name, {}, {}},
        "comm.json holds the communication of tensors, and no whole step here has any, nor copies to or from "
        "a device; expected a capture of a job that does, or -o OUT.trace.json");
  }
  return communication;
}

void write_comm_json(const RankCommunication& communication, OutputFile& out) {
  std::vector<const Event*> events;
  for (const Event& event : communication.events) events.push_back(&event);
  std::stable_sort(events.begin(), events.end(), [](const Event* a, const Event* b) {
    const auto order = [](const Event& event) {
      const auto* const stage = std::find(kPipeline.begin(), kPipeline.end(), event.stage);
      return std::tuple{event.tensor, event.key, stage, event.start};
    };
    return order(*a) < order(*b);
  });
  out.write("{\n    \"traceEvents\": [\n");
  std::string_view separator;
  for (const Event* const event : events) {
    const std::string process = fmt::format("{}{}", kComm, communication.tensors[event->tensor]);
    const std::string pid = quoted(process);
    const std::string name = event->stage.empty() ? pid : quoted(fmt::format("{}.{}", process, event->stage));
    out.write(
        fmt::format("{}        {{\n            \"ph\": \"X\",\n            \"args\": {{\n                \"name\": "
                    "{}\n            }},\n            \"pid\": {},\n            \"name\": {},\n            \"ts\": "
                    "{},\n            \"dur\": {},\n            \"tid\": \"{}\",\n            \"cat\": "
                    "\"Comm\"\n        }}",
                    separator, pid, pid, name, short_microseconds(event->start.time_since_epoch()),
                    short_microseconds(event->duration), thread_of(*event)));
    separator = ",\n";
  }
  out.write("\n\n    ],\n    \"displayTimeUnit\": \"ms\"\n}\n");
}

}  // namespace stepsim::sim
