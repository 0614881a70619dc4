#include "ingest/stitch/trial/exchanges.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "ingest/stitch/parameter_server/tasks.h"
#include "model/base/known_diagnostics.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

using Kind = MessageEvent::Kind;

std::string_view name_of(Kind kind) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"PUSH_REQ", "PUSH_RES", "PULL_REQ", "PULL_RES"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(ServerEvent::Kind kind) noexcept {
  constexpr std::array<std::string_view, 3> kNames{"COPY_FIRST", "SUM", "COPY_MERGED"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Returns "t0", or "t0~PART1" for a partition.
std::string part_name(const std::string& tensor, std::int32_t partition) {
  return partition < 0 ? tensor : fmt::format("{}~PART{}", tensor, partition);
}

/// The exchanges of one partition by all workers in one step, and the server's work on it.
struct Meeting {
  Time begin = Time::max();
  std::vector<TaskId> pushes;
  std::vector<TaskId> answers;
  std::vector<std::pair<ServerEvent, TaskId>> work;
};

class Pass {
 public:
  Pass(PsTasks& tasks, const ExchangeParts& parts) : tasks_(tasks), out_(tasks.out), parts_(parts) {
    links_.reserve(tasks.gpus.size());
    for (std::size_t gpu = 0; gpu < tasks.gpus.size(); ++gpu) {
      links_.emplace_back(tasks, gpu);
      for (std::size_t i = 0; i < tasks.gpus[gpu].chains.size(); ++i) {
        const StageChain& chain = tasks.gpus[gpu].chains[i];
        chain_at_.try_emplace({gpu, chain.key, chain.stages.front().start}, i);
      }
    }
  }

  void run() {
    for (const Exchange& exchange : parts_.exchanges) add(exchange);
    for (const auto& [tensor_step, last] : last_) {
      const auto& [gpu, tensor, step] = tensor_step;
      links_[gpu].let_consumers_wait(tensor, step, last);
    }
    for (auto& meeting : meetings_) by_begin_[std::get<0>(meeting.first)].emplace_back(meeting.second.begin, &meeting);
    for (auto& [part, begins] : by_begin_)
      std::sort(begins.begin(), begins.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const ServerEvent& work : parts_.servers.events) add(work);
    for (auto& [id, meeting] : meetings_) join(meeting);
    for (const auto& [lane, tasks] : by_lane_) let_take_turns(out_, tasks);
  }

 private:
  using MeetingId = std::tuple<std::string, std::int64_t>;  // partition, step
  using Meetings = std::map<MeetingId, Meeting>;
  using Begins = std::vector<std::pair<Time, Meetings::value_type*>>;

  /// Returns the GPUs of a worker, the root last.
  [[nodiscard]] std::vector<std::size_t> gpus_of(std::int32_t worker) const {
    std::vector<std::size_t> gpus;
    const auto root = parts_.roots.find(worker);
    if (root == parts_.roots.end()) return gpus;
    for (std::size_t gpu = 0; gpu <= root->second; ++gpu) {
      if (tasks_.gpus[gpu].worker == tasks_.gpus[root->second].worker) gpus.push_back(gpu);
    }
    return gpus;
  }

  [[nodiscard]] std::optional<std::size_t> chain_of(std::size_t gpu, const Exchange& exchange) const {
    const auto found = chain_at_.find({gpu, exchange.key(), exchange.first_request()->start});
    return found == chain_at_.end() ? std::nullopt : std::optional{found->second};
  }

  void leave_out(const Exchange& exchange, const Diagnostic& why) {
    const auto count = std::count_if(exchange.messages.begin(), exchange.messages.end(),
                                     [](const auto& message) { return message.has_value(); });
    out_.diagnostics.count(why, {}, fmt::format("worker_{}", exchange.worker), static_cast<std::uint64_t>(count));
  }

  void add(const Exchange& exchange) {
    const auto root = parts_.roots.find(exchange.worker);
    if (root == parts_.roots.end()) return leave_out(exchange, diagnostic("worker_without_folder"));
    const auto chain = exchange.first_request().has_value() ? chain_of(root->second, exchange) : std::nullopt;
    if (!chain.has_value()) return leave_out(exchange, diagnostic("message_outside_steps"));
    const std::int64_t step = tasks_.gpus[root->second].chains[*chain].step;
    std::vector<TaskId> made;
    Meeting& meeting = meetings_[{part_name(parts_.tensors[exchange.tensor], exchange.partition), step}];
    for (const Kind kind : {Kind::kPushRequest, Kind::kPushResponse, Kind::kPullRequest, Kind::kPullResponse}) {
      if (!exchange[kind].has_value()) continue;
      const TaskId task = add_message(exchange, kind, root->second, step);
      if (!made.empty()) follow(tasks_, made.back(), task, EdgeKind::kStage);
      if (kind == Kind::kPushRequest) meeting.pushes.push_back(task);
      if (kind == Kind::kPullResponse) meeting.answers.push_back(task);
      made.push_back(task);
    }
    meeting.begin = std::min(meeting.begin, out_.start[made.front().index()]);
    for (const std::size_t gpu : gpus_of(exchange.worker)) tie(gpu, exchange, made);
  }

  void tie(std::size_t gpu, const Exchange& exchange, const std::vector<TaskId>& made) {
    const auto chain = chain_of(gpu, exchange);
    if (!chain.has_value()) return;
    links_[gpu].release(*chain, made.front());
    const StageChain& known = tasks_.gpus[gpu].chains[*chain];
    last_[{gpu, known.tensor, known.step}].push_back(made.back());
  }

  TaskId add_message(const Exchange& exchange, Kind kind, std::size_t root, std::int64_t step) {
    const Exchange::Message& message = *exchange[kind];
    const bool request = kind == Kind::kPushRequest || kind == Kind::kPullRequest;
    const bool bulk = kind == Kind::kPushRequest || kind == Kind::kPullResponse;
    const std::string worker = fmt::format("worker_{}", exchange.worker);
    const std::string server = fmt::format("server_{}", exchange.server);
    const std::string lane_name =
        request ? fmt::format("{} -> {}", worker, server) : fmt::format("{} -> {}", server, worker);
    const RecordedGpu& gpu = tasks_.gpus[root];
    const LaneId lane = this->lane(lane_name, {lane_name, gpu.host, gpu.rank, LaneKind::kLink, LaneOrder::kEdges, -1});
    const std::string name =
        fmt::format("{}{}.{}", kComm, part_name(parts_.tensors[exchange.tensor], exchange.partition), name_of(kind));
    const Node node{!request, request ? exchange.worker : exchange.server};
    return add_task(bulk ? TaskKind::kTransfer : TaskKind::kControl, name, lane, node, message.start, message.duration,
                    tasks_.step_of(root, step));
  }

  /// Adds a piece of a server's work on a partition to the partition's last Meeting that began before the work. A
  /// Meeting has the exchanges of one partition in one step.
  void add(const ServerEvent& work) {
    const std::string part = part_name(parts_.servers.tensors[work.tensor], work.partition);
    const Time start = aligned({true, work.server}, work.start);
    const auto known = by_begin_.find(part);
    const auto next = known == by_begin_.end()
                          ? Begins::iterator{}
                          : std::upper_bound(known->second.begin(), known->second.end(), start,
                                             [](Time time, const auto& one) { return time < one.first; });
    if (known == by_begin_.end() || next == known->second.begin())
      return out_.diagnostics.count(diagnostic("server_work_without_pushes"), {}, part);
    const std::int64_t step = std::get<1>((next - 1)->second->first);
    Meeting& meeting = (next - 1)->second->second;
    const std::string host = fmt::format("server_{}", work.server);
    const std::string lane_name = fmt::format("{} thread {}", host, work.thread);
    const LaneId lane = this->lane(
        lane_name, {lane_name, host, tasks_.gpus.front().rank, LaneKind::kServerThread, LaneOrder::kEdges, -1});
    const TaskId task = add_task(TaskKind::kServer, fmt::format("{}{}.{}", kComm, part, name_of(work.kind)), lane,
                                 {true, work.server}, work.start, work.duration, tasks_.step_of(0, step));
    meeting.work.emplace_back(work, task);
  }

  [[nodiscard]] Time aligned(const Node& node, Time recorded) const {
    const auto clock = parts_.clocks.find(node);
    return clock == parts_.clocks.end() ? recorded : recorded - clock->second.offset;
  }

  TaskId add_task(TaskKind kind, const std::string& name, LaneId lane, const Node& node, Time start, Duration duration,
                  std::int32_t step) {
    const Time begin = aligned(node, start);
    const TaskId task = tasks_.add_task(kind, name, lane, begin, begin + duration, step);
    by_lane_[lane].push_back(task);
    return task;
  }

  LaneId lane(const std::string& name, const Lane& lane) {
    const auto [slot, added] = lanes_.try_emplace(name);
    if (added) slot->second = out_.builder.add_lane(lane);
    return slot->second;
  }

  /// Adds the edges between the exchanges of one partition in one step and the server's work on them: COPY_FIRST
  /// follows the push that arrived first, a SUM follows each later push, then COPY_MERGED and the answers follow.
  void join(Meeting& meeting) {
    const auto finish = [this](TaskId task) { return out_.finish[task.index()]; };
    std::stable_sort(meeting.pushes.begin(), meeting.pushes.end(),
                     [&](TaskId a, TaskId b) { return finish(a) < finish(b); });
    std::stable_sort(meeting.work.begin(), meeting.work.end(), [](const auto& a, const auto& b) {
      return std::tie(a.first.kind, a.first.start) < std::tie(b.first.kind, b.first.start);
    });
    std::vector<TaskId> receivers;
    for (std::size_t i = 0; i < meeting.work.size(); ++i) {
      if (i > 0) follow(tasks_, meeting.work[i - 1].second, meeting.work[i].second, EdgeKind::kStage);
      if (meeting.work[i].first.kind != ServerEvent::Kind::kCopyMerged) receivers.push_back(meeting.work[i].second);
    }
    receive(meeting.pushes, receivers);
    for (const TaskId answer : meeting.answers) {
      if (!meeting.work.empty()) {
        follow(tasks_, meeting.work.back().second, answer, EdgeKind::kCrossRank);
        continue;
      }
      for (const TaskId push : meeting.pushes) follow(tasks_, push, answer, EdgeKind::kCrossRank);
    }
  }

  /// Makes each receiver (COPY_FIRST or SUM) wait for a push. If there are more receivers than pushes, because the
  /// folders of some workers are missing, a receiver that began before the push had arrived belongs to a missing push.
  void receive(const std::vector<TaskId>& pushes, const std::vector<TaskId>& receivers) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < pushes.size() && next < receivers.size(); ++i, ++next) {
      const auto spare = [&] { return receivers.size() - next > pushes.size() - i; };
      while (spare() && out_.start[receivers[next].index()] < out_.finish[pushes[i].index()]) ++next;
      follow(tasks_, pushes[i], receivers[next], EdgeKind::kCrossRank);
    }
  }

  PsTasks& tasks_;
  Assembly& out_;
  const ExchangeParts& parts_;
  std::vector<TensorLinks> links_;                                                            // by gpu
  std::map<std::tuple<std::size_t, std::int64_t, Time>, std::size_t> chain_at_;               // gpu, key, start
  std::map<std::tuple<std::size_t, std::uint32_t, std::int64_t>, std::vector<TaskId>> last_;  // gpu, tensor, step
  Meetings meetings_;
  std::map<std::string, Begins> by_begin_;  // by partition
  std::map<std::string, LaneId> lanes_;
  std::map<LaneId, std::vector<TaskId>> by_lane_;
};

}  // namespace

void add_exchanges(PsTasks& tasks, const ExchangeParts& parts) { Pass(tasks, parts).run(); }

}  // namespace stepsim::ingest
