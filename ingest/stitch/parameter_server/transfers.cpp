#include "ingest/stitch/parameter_server/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "model/job/parameter_server/workload.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

struct Transfer {
  std::size_t gpu = 0;
  std::size_t chain = 0;
  std::optional<TaskId> push;
  std::optional<TaskId> pull;
  Time acknowledged;             ///< recorded end of PUSH
  Time handed_over;              ///< recorded start of PUSH
  std::optional<TaskId> answer;  ///< the task SUM, for which the server's answer waits
};

class TransferPass {
 public:
  explicit TransferPass(PsTasks& tasks) : tasks_(tasks), out_(tasks.out) {}

  void run() {
    collect();
    for (const auto& [key_step, members] : by_key_) join_workers(members);
    for (const auto& [connection, members] : by_connection_) order_pushes(members);
    for (auto& [connection, members] : by_connection_) order_pulls(members);
    for (const Transfer& transfer : transfers_) {
      if (transfer.pull.has_value() && !tasks_.job.servers.has_value()) begin_when_answered(transfer);
    }
  }

 private:
  using Members = std::vector<std::size_t>;  // indices into transfers_

  void collect() {
    for (std::size_t gpu = 0; gpu < tasks_.gpus.size(); ++gpu) {
      for (std::size_t chain = 0; chain < tasks_.gpus[gpu].chains.size(); ++chain) add(gpu, chain);
    }
  }

  void add(std::size_t gpu, std::size_t chain) {
    Transfer transfer{gpu, chain, tasks_.stage(gpu, chain, Stage::kPush), tasks_.stage(gpu, chain, Stage::kPull), {},
                      {},  {}};
    if (!transfer.push.has_value() && !transfer.pull.has_value()) return;
    if (transfer.push.has_value()) {
      transfer.acknowledged = out_.finish[transfer.push->index()];
      transfer.handed_over = out_.start[transfer.push->index()];
    }
    const StageChain& stages = tasks_.gpus[gpu].chains[chain];
    by_key_[{stages.key, stages.step}].push_back(transfers_.size());
    const std::optional<std::uint32_t> server = server_of(stages.key, tasks_.job);
    if (server.has_value()) by_connection_[{gpu, *server}].push_back(transfers_.size());
    transfers_.push_back(transfer);
  }

  /// Connects all workers' transfers of one key in one step: the server answers when every worker's push has arrived.
  void join_workers(const Members& members) {
    Time first_answer = Time::max();
    for (const std::size_t member : members) {
      if (transfers_[member].pull.has_value())
        first_answer = std::min(first_answer, out_.finish[transfers_[member].pull->index()]);
    }
    Time last_push = Time::min();
    for (const std::size_t member : members) {
      acknowledge(transfers_[member], first_answer);
      if (transfers_[member].push.has_value())
        last_push = std::max(last_push, out_.finish[transfers_[member].push->index()]);
    }
    if (members.size() < 2 || last_push == Time::min()) return;
    const TaskId sum = add_sum(transfers_[members.front()], last_push);
    for (const std::size_t member : members) {
      Transfer& transfer = transfers_[member];
      if (transfer.push.has_value()) tasks_.link(*transfer.push, sum, EdgeKind::kCrossRank);
      if (transfer.pull.has_value()) tasks_.link(sum, *transfer.pull, EdgeKind::kCrossRank);
      transfer.answer = sum;
    }
  }

  /// Joins PUSH to PULL. The server answers the first worker only after all pushes have arrived. So if a push was
  /// acknowledged after the server must have sent its first answer, the push is shortened and ends at that time. A
  /// separate task for the acknowledgement, which queued after bulk data on its way back, gets the rest of the recorded
  /// time.
  void acknowledge(Transfer& transfer, Time first_answer) {
    if (!transfer.push.has_value()) return;
    const std::size_t push = transfer.push->index();
    const Time arrived =
        std::max(std::min(out_.finish[push], first_answer - shortest_transfer(transfer)), out_.start[push]);
    TaskId last = *transfer.push;
    if (arrived < out_.finish[push]) {
      const TaskSpec& spec = out_.builder.task(*transfer.push);
      const std::string name = std::string(out_.builder.name(spec.name)) + std::string(kAcknowledgementSuffix);
      last = out_.add_task(TaskKind::kControl, out_.builder.intern(name), acknowledgement_lane(transfer.gpu), arrived,
                           out_.finish[push], out_.step[push]);
      out_.finish[push] = arrived;
      out_.builder.set_duration(*transfer.push, arrived - out_.start[push]);
      out_.add_edge(*transfer.push, last, EdgeKind::kStage);
    }
    if (transfer.pull.has_value()) tasks_.link(last, *transfer.pull, EdgeKind::kStage);
  }

  [[nodiscard]] Duration shortest_transfer(const Transfer& transfer) const {
    if (!tasks_.job.bandwidth.has_value() || !transfer.pull.has_value()) return Duration{};
    return transfer_time(out_.builder.task(*transfer.pull).bytes, *tasks_.job.bandwidth);
  }

  LaneId acknowledgement_lane(std::size_t gpu) {
    const auto [slot, added] = acknowledgement_lanes_.try_emplace(gpu);
    if (added) {
      slot->second = out_.builder.add_lane(
          {"acknowledgements", tasks_.gpus[gpu].host, tasks_.gpus[gpu].rank, LaneKind::kLink, LaneOrder::kEdges, -1});
    }
    return slot->second;
  }

  /// Adds the task SUM of a key in one step: a zero-length task at `when`, the time from which the server can answer.
  /// Its lane belongs to the first rank.
  TaskId add_sum(const Transfer& transfer, Time when) {
    const StageChain& chain = tasks_.gpus[transfer.gpu].chains[transfer.chain];
    const std::int64_t server = server_of(chain.key, tasks_.job).has_value()
                                    ? static_cast<std::int64_t>(*server_of(chain.key, tasks_.job))
                                    : -1;
    const auto [lane, added] = server_lanes_.try_emplace(server);
    if (added) {
      const std::string name = server < 0 ? "servers" : fmt::format("server {}", server);
      lane->second =
          out_.builder.add_lane({name, name, tasks_.gpus.front().rank, LaneKind::kServerThread, LaneOrder::kEdges, -1});
    }
    const std::string name =
        fmt::format("{}{}.SUM.{}", kComm, tasks_.gpus[transfer.gpu].tensors[chain.tensor].name, chain.partition());
    return out_.add_task(TaskKind::kServer, out_.builder.intern(name), lane->second, when, when,
                         tasks_.step_of(0, chain.step));
  }

  /// Makes the pushes of a connection run one after another, in the order of their recorded ends.
  void order_pushes(const Members& members) {
    std::vector<TaskId> pushes;
    for (const std::size_t member : members) {
      if (transfers_[member].push.has_value()) pushes.push_back(*transfers_[member].push);
    }
    std::stable_sort(pushes.begin(), pushes.end(), [&](TaskId a, TaskId b) {
      return std::pair{out_.finish[a.index()], out_.start[a.index()]} <
             std::pair{out_.finish[b.index()], out_.start[b.index()]};
    });
    take_turns(out_, pushes);
  }

  /// Makes the answers of one server to one GPU run in the order in which they arrived.
  void order_pulls(Members& members) {
    std::erase_if(members, [&](std::size_t member) { return !transfers_[member].pull.has_value(); });
    const auto finish = [&](std::size_t member) { return out_.finish[transfers_[member].pull->index()]; };
    std::stable_sort(members.begin(), members.end(),
                     [&](std::size_t a, std::size_t b) { return finish(a) < finish(b); });
    const Uploads uploads = uploads_of(members);
    std::optional<TaskId> before;
    for (const std::size_t member : members) {
      const Transfer& transfer = transfers_[member];
      begin_when_answered(transfer);
      if (const auto ahead = ahead_of_request(transfer, uploads); ahead.has_value())
        begin_after_previous(*ahead, *transfer.pull);
      if (before.has_value()) begin_after_previous(*before, *transfer.pull);
      before = transfer.pull;
    }
  }

  /// Moves the begin of a pull to the time when its push has been acknowledged and the server has the sum.
  void begin_when_answered(const Transfer& transfer) {
    Time begin = out_.start[transfer.pull->index()];
    if (transfer.push.has_value()) begin = std::max(begin, transfer.acknowledged);
    if (transfer.answer.has_value()) begin = std::max(begin, out_.finish[transfer.answer->index()]);
    begin_at(*transfer.pull, begin);
  }

  /// Makes `pull` wait for `ahead`, which precedes it on the connection.
  void begin_after_previous(TaskId ahead, TaskId pull) {
    out_.add_edge(ahead, pull, EdgeKind::kStream);
    begin_at(pull, std::max(out_.start[pull.index()], out_.finish[ahead.index()]));
  }

  void begin_at(TaskId task, Time begin) {
    const Time finish = out_.finish[task.index()];
    out_.start[task.index()] = std::min(begin, finish);
    out_.builder.set_duration(task, finish - out_.start[task.index()]);
  }

  /// The pushes of one connection, in the order in which they were handed over.
  struct Uploads {
    std::vector<Time> handed_over;
    std::vector<Time> arrived;  ///< latest arrival so far, so that values ascend
    std::vector<TaskId> task;
  };

  [[nodiscard]] Uploads uploads_of(Members members) const {
    std::erase_if(members, [&](std::size_t member) { return !transfers_[member].push.has_value(); });
    std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      return transfers_[a].handed_over < transfers_[b].handed_over;
    });
    Uploads uploads;
    Time arrived = Time::min();
    for (const std::size_t member : members) {
      arrived = std::max(arrived, out_.finish[transfers_[member].push->index()]);
      uploads.handed_over.push_back(transfers_[member].handed_over);
      uploads.arrived.push_back(arrived);
      uploads.task.push_back(*transfers_[member].push);
    }
    return uploads;
  }

  /// Returns the push that a pull's request has to wait for. If control messages queue with bulk data, this is the last
  /// push handed over before the request; else the push being sent at that time. Returns nothing if the pull's recorded
  /// end leaves no time for that wait.
  [[nodiscard]] std::optional<TaskId> ahead_of_request(const Transfer& transfer, const Uploads& uploads) const {
    const bool in_line = tasks_.job.control.value_or(Control::kInline) == Control::kInline;
    const auto handed = std::upper_bound(uploads.handed_over.begin(), uploads.handed_over.end(), transfer.acknowledged);
    if (handed == uploads.handed_over.begin()) return std::nullopt;
    const auto last_handed = static_cast<std::size_t>(handed - uploads.handed_over.begin()) - 1;
    const auto under_way = static_cast<std::size_t>(
        std::upper_bound(uploads.arrived.begin(), uploads.arrived.end(), transfer.acknowledged) -
        uploads.arrived.begin());
    const std::size_t ahead = in_line ? last_handed : under_way;
    if (ahead > last_handed || uploads.task[ahead] == transfer.push) return std::nullopt;
    const Time latest = out_.finish[transfer.pull->index()] - shortest_transfer(transfer);
    return out_.finish[uploads.task[ahead].index()] <= latest ? std::optional{uploads.task[ahead]} : std::nullopt;
  }

  PsTasks& tasks_;
  Assembly& out_;
  std::vector<Transfer> transfers_;
  std::map<std::pair<std::int64_t, std::int64_t>, Members> by_key_;         // key, step
  std::map<std::pair<std::size_t, std::uint32_t>, Members> by_connection_;  // gpu, server
  std::map<std::size_t, LaneId> acknowledgement_lanes_;
  std::map<std::int64_t, LaneId> server_lanes_;
};

}  // namespace

void join_transfers(PsTasks& tasks) { TransferPass(tasks).run(); }

}  // namespace stepsim::ingest
