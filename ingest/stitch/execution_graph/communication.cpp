#include "ingest/stitch/execution_graph/communication.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "model/cost/collective/algorithm.h"

namespace stepsim::ingest {
namespace {

using Graph = ExecutionGraph;

/// One rank's part of a collective or message.
struct Part {
  const RankCommunication* of = nullptr;
  std::uint32_t node = 0;

  [[nodiscard]] const Graph& graph() const noexcept { return of->rank->graph; }
  [[nodiscard]] const Graph::Node& self() const noexcept { return graph().nodes[node]; }
  [[nodiscard]] const Graph::Message& message() const noexcept { return graph().messages[self().message]; }
  [[nodiscard]] Rank rank() const noexcept { return of->rank->rank; }
  [[nodiscard]] TaskId task() const noexcept { return of->task_of(node); }
};
using Parts = std::vector<Part>;  // by rank

/// Identifies the k-th collective of a group; equal on all its ranks.
struct CollectiveKey {
  std::vector<Rank> members;  ///< if the trace lists them
  std::string group;          ///< name of the group, if its members are not listed
  std::uint32_t k = 0;
  friend auto operator<=>(const CollectiveKey&, const CollectiveKey&) = default;
};
using MessageKey = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::uint32_t>;  // from, to, tag, k

class Joiner {
 public:
  Joiner(const std::vector<RankCommunication>& ranks, Assembly& assembly) : ranks_(ranks), assembly_(assembly) {
    for (const RankCommunication& rank : ranks) world_ = std::max(world_, rank.rank->graph.world);
    world_ = std::max(world_, ranks.size());
  }

  void run() {
    for (const RankCommunication& rank : ranks_) collect(rank);
    for (const auto& [key, parts] : collectives_) join_collective(key, parts);
    for (const auto& [key, ends] : messages_) join_message(ends);
    if (unlisted_ > 0) {
      assembly_.assumptions.push_back(
          {"groups_by_name",
           fmt::format("{} collectives belong to groups whose ranks no trace lists: the ranks that use a group's name "
                       "are assumed to be its members.",
                       unlisted_)});
    }
  }

 private:
  void collect(const RankCommunication& rank) {
    std::map<CollectiveKey, std::uint32_t> collectives;
    std::map<MessageKey, std::uint32_t> sends;
    std::map<MessageKey, std::uint32_t> receives;
    for (const std::uint32_t node : rank.nodes) {
      const Part part{&rank, node};
      const Graph::Message& message = part.message();
      if (part.self().kind == Graph::Kind::kCollective) {
        CollectiveKey key = group_of(part);
        key.k = collectives[key]++;
        collectives_[key].push_back(part);
        continue;
      }
      const bool sends_it = part.self().kind == Graph::Kind::kSend;
      MessageKey key{sends_it ? part.rank() : message.peer, sends_it ? message.peer : part.rank(), message.tag, 0};
      std::uint32_t& count = (sends_it ? sends : receives)[key];
      std::get<3>(key) = count++;
      (sends_it ? messages_[key].first : messages_[key].second) = part;
    }
  }

  /// Returns the key of a part's group, with k = 0. Chakra and PyTorch name the group of all ranks "0" or "".
  [[nodiscard]] static CollectiveKey group_of(const Part& part) {
    const std::string& name = part.graph().texts[part.message().group];
    const auto listed = part.graph().groups.find(name);
    if (listed != part.graph().groups.end()) return {listed->second, {}, 0};
    return {{}, name == "0" ? std::string{} : name, 0};
  }

  void join_collective(const CollectiveKey& key, const Parts& parts) {
    const std::size_t all = !key.members.empty() ? key.members.size() : key.group.empty() ? world_ : parts.size();
    if (key.members.empty() && !key.group.empty()) ++unlisted_;
    const bool alone = ranks_.size() == 1 && all > 1;
    if (parts.size() < 2 && !alone) return leave(parts, diagnostic("unmatched_collective"));
    if (!agree(parts)) return leave(parts, diagnostic("collectives_differ"));
    const Part& first = parts.front();
    Collective collective;
    if (parts.size() == all || alone || !key.members.empty()) {
      collective = {.op = first.message().op, .bytes = bytes_of(parts, all)};
      collective.root = root_of(parts);
      if (first.graph().name_of(first.node).find("nccl") != std::string::npos)
        collective.algorithm = find_collective_model("nccl");
    }
    join(parts, collective, {key.group, static_cast<std::uint32_t>(all), key.members});
  }

  void join_message(const std::pair<std::optional<Part>, std::optional<Part>>& ends) {
    const auto& [send, receive] = ends;
    if (!send || !receive || send->rank() == receive->rank()) {
      if (send) leave({*send}, diagnostic("unmatched_message"));
      if (receive) leave({*receive}, diagnostic("unmatched_message"));
      return;
    }
    const bool sender_first = send->rank() < receive->rank();
    const Collective message{.op = CollectiveOp::kSendRecv,
                             .bytes = std::max(send->message().bytes, receive->message().bytes),
                             .root = sender_first ? 0U : 1U};
    join(sender_first ? Parts{*send, *receive} : Parts{*receive, *send}, message, {{}, 2});
  }

  /// Returns true if all parts have the same operation and size. The members' sizes may differ in an all-to-all, an
  /// all-gather or an unknown operation.
  [[nodiscard]] static bool agree(const Parts& parts) {
    const Graph::Message& first = parts.front().message();
    const bool even = first.op != CollectiveOp::kAllToAll && first.op != CollectiveOp::kUnknown &&
                      first.op != CollectiveOp::kAllGather;
    return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
      return part.message().op == first.op && (!even || part.message().bytes == first.bytes);
    });
  }

  /// Returns the collective's size. The trace gives the size of one member's input (comm_size). For an all-gather, this
  /// is multiplied by the number of members.
  [[nodiscard]] static Bytes bytes_of(const Parts& parts, std::size_t members) {
    std::int64_t bytes = 0;
    for (const Part& part : parts) bytes = std::max(bytes, part.message().bytes.count());
    if (parts.front().message().op != CollectiveOp::kAllGather) return Bytes{bytes};
    const auto all = static_cast<std::int64_t>(members);
    return Bytes{bytes > std::numeric_limits<std::int64_t>::max() / all ? 0 : bytes * all};
  }

  [[nodiscard]] static std::uint32_t root_of(const Parts& parts) {
    const auto root = std::find_if(parts.begin(), parts.end(),
                                   [&](const Part& part) { return part.rank() == parts.front().message().peer; });
    return root == parts.end() ? 0 : static_cast<std::uint32_t>(root - parts.begin());
  }

  void join(const Parts& parts, Collective collective, Group group) {
    Duration shortest{};
    for (const Part& part : parts) {
      const Duration duration = part.self().duration;
      if (duration > Duration{} && (shortest == Duration{} || duration < shortest)) shortest = duration;
    }
    std::vector<TaskId> members;
    for (const Part& part : parts) members.push_back(part.task());
    if (collective.op != CollectiveOp::kUnknown) collective.group = assembly_.add_group(std::move(group), members);
    const RendezvousId rendezvous = assembly_.builder.add_rendezvous(collective);
    for (const Part& part : parts) {
      assembly_.builder.join(rendezvous, part.task());
      assembly_.builder.set_duration(part.task(), shortest);
    }
  }

  void leave(const Parts& parts, const Diagnostic& why) {
    for (const Part& part : parts) {
      assembly_.diagnostics.count(
          why, {part.of->rank->file, {}, {}},
          fmt::format("node {}, {}", part.self().id, shown(part.graph().name_of(part.node), 60)));
    }
  }

  const std::vector<RankCommunication>& ranks_;
  Assembly& assembly_;
  std::size_t world_ = 0;
  std::size_t unlisted_ = 0;
  std::map<CollectiveKey, Parts> collectives_;
  std::map<MessageKey, std::pair<std::optional<Part>, std::optional<Part>>> messages_;
};

}  // namespace

void join_communication(const std::vector<RankCommunication>& ranks, Assembly& assembly) {
  Joiner(ranks, assembly).run();
}

}  // namespace stepsim::ingest
