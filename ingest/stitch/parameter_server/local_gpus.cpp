#include "ingest/stitch/parameter_server/local_gpus.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stepsim::ingest {
namespace {

/// The GPUs of one worker.
class WorkerPass {
 public:
  WorkerPass(PsTasks& tasks, std::vector<std::size_t> gpus) : tasks_(tasks), out_(tasks.out), gpus_(std::move(gpus)) {}

  void run() {
    const std::size_t root = gpus_.back();
    for (std::size_t chain = 0; chain < tasks_.gpus[root].chains.size(); ++chain) join(root, chain);
  }

 private:
  using Peers = std::vector<std::pair<std::size_t, std::size_t>>;  // gpu, chain

  void join(std::size_t root, std::size_t chain) {
    const StageChain& own = tasks_.gpus[root].chains[chain];
    if (tasks_.chain_of.at({root, own.key, own.step}) != chain) return;  // a second tensor claims the key
    Peers peers;
    for (const std::size_t gpu : gpus_) {
      const auto found = tasks_.chain_of.find({gpu, own.key, own.step});
      if (gpu != root && found != tasks_.chain_of.end()) peers.emplace_back(gpu, found->second);
    }
    collective(root, chain, peers, Stage::kCoordinateReduce, Stage::kReduce);
    signal(root, chain, peers);
    collective(root, chain, peers, Stage::kCoordinateBroadcast, Stage::kBroadcast);
  }

  /// The root starts when all others have signalled. No part ends before all have begun.
  void collective(std::size_t root, std::size_t chain, const Peers& peers, Stage coordinate, Stage work) {
    const std::optional<TaskId> lead = tasks_.stage(root, chain, work);
    if (!lead.has_value()) return;
    std::vector<TaskId> members{*lead};
    for (const auto& [gpu, peer_chain] : peers) {
      const std::optional<TaskId> member = tasks_.stage(gpu, peer_chain, work);
      const std::optional<TaskId> ready = tasks_.stage(gpu, peer_chain, coordinate);
      if (ready.has_value()) tasks_.link(*ready, *lead, EdgeKind::kHandOff);
      if (!member.has_value()) continue;
      // It has been there since it signalled. From then on it waited for the root.
      if (ready.has_value())
        out_.start[member->index()] = std::min(out_.start[member->index()], out_.finish[ready->index()]);
      members.push_back(*member);
    }
    if (members.size() > 1) tasks_.meetings.push_back(std::move(members));
  }

  /// The peers tell the root that their parts are in host memory. The root tells them that the result
  /// has arrived.
  void signal(std::size_t root, std::size_t chain, const Peers& peers) {
    std::optional<TaskId> sends = tasks_.stage(root, chain, Stage::kCompress);
    if (!sends.has_value()) sends = tasks_.stage(root, chain, Stage::kPush);
    std::optional<TaskId> has_result = tasks_.stage(root, chain, Stage::kDecompress);
    if (!has_result.has_value()) has_result = tasks_.stage(root, chain, Stage::kPull);
    for (const auto& [gpu, peer_chain] : peers) {
      const std::optional<TaskId> pushed = tasks_.stage(gpu, peer_chain, Stage::kCoordinatePush);
      const std::optional<TaskId> copies = tasks_.stage(gpu, peer_chain, Stage::kCopyH2D);
      if (pushed.has_value() && sends.has_value()) tasks_.link(*pushed, *sends, EdgeKind::kHandOff);
      if (copies.has_value() && has_result.has_value()) tasks_.link(*has_result, *copies, EdgeKind::kHandOff);
    }
  }

  PsTasks& tasks_;
  Assembly& out_;
  std::vector<std::size_t> gpus_;  // the root last
};

}  // namespace

void join_local_gpus(PsTasks& tasks) {
  std::map<std::uint32_t, std::vector<std::size_t>> workers;
  for (std::size_t gpu = 0; gpu < tasks.gpus.size(); ++gpu) workers[tasks.gpus[gpu].worker].push_back(gpu);
  for (const auto& [worker, gpus] : workers) {
    if (gpus.size() > 1) WorkerPass(tasks, gpus).run();
  }
}

}  // namespace stepsim::ingest
