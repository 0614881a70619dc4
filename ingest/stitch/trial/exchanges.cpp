#include "ingest/stitch/trial/exchanges.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace stepsim::ingest {
namespace {

using Kind = MessageEvent::Kind;
using Message = MessageEvent;

/// The messages that one side, the worker or the server, sent in one exchange.
using Half = std::array<std::optional<Message>, 2>;  // one for the push, one for the pull

bool is_pull(Kind kind) noexcept { return kind == Kind::kPullRequest || kind == Kind::kPullResponse; }
bool is_response(Kind kind) noexcept { return kind == Kind::kPushResponse || kind == Kind::kPullResponse; }

std::vector<Half> halves_of(std::vector<Message> messages) {
  std::stable_sort(messages.begin(), messages.end(), [](const Message& a, const Message& b) {
    return std::tie(a.start, a.kind) < std::tie(b.start, b.kind);
  });
  std::vector<Half> halves;
  bool pulled = true;
  for (const Message& message : messages) {
    const bool pull = is_pull(message.kind);
    if (pulled || !pull) halves.emplace_back();
    halves.back()[pull ? 1 : 0] = message;
    pulled = pull;
  }
  return halves;
}

/// The messages about one partition from a worker to a server (requests) and back (responses).
struct Sides {
  std::vector<Message> requests;
  std::vector<Message> responses;
};

// (worker, server) -> bounds on how far the server's clock is ahead of the worker's.
using Bounds = std::map<std::pair<Node, Node>, ClockBounds>;

Bounds bounds_of(const std::vector<Exchange>& exchanges) {
  Bounds bounds;
  const auto end = [](const Message& message) { return message.start + message.duration; };
  for (const Exchange& exchange : exchanges) {
    ClockBounds& server = bounds[{Node{false, exchange.worker}, Node{true, exchange.server}}];
    const auto& push = exchange[Kind::kPushRequest];
    const auto& acknowledged = exchange[Kind::kPushResponse];
    const auto& pull = exchange[Kind::kPullRequest];
    const auto& answer = exchange[Kind::kPullResponse];
    if (push && acknowledged) server.at_most(acknowledged->start - end(*push));
    if (acknowledged && pull) server.at_least(end(*acknowledged) - pull->start);
    if (pull && answer) server.at_most(answer->start - end(*pull));
  }
  return bounds;
}

}  // namespace

const std::optional<Message>& Exchange::first_request() const noexcept {
  const auto& push = (*this)[Kind::kPushRequest];
  return push.has_value() ? push : (*this)[Kind::kPullRequest];
}

std::int64_t Exchange::key() const noexcept {
  return (std::int64_t{tensor} << 16) + std::clamp<std::int64_t>(partition, 0, 0xFFFF);
}

std::vector<Exchange> exchanges_of(const MessageTrace& trace) {
  std::map<std::tuple<std::int32_t, std::uint32_t, std::int32_t, std::int32_t>, Sides> sides;
  for (const Message& message : trace.events) {
    Sides& both = sides[{message.worker, message.tensor, message.partition, message.server}];
    (is_response(message.kind) ? both.responses : both.requests).push_back(message);
  }
  std::vector<Exchange> exchanges;
  for (auto& [id, both] : sides) {
    const auto& [worker, tensor, partition, server] = id;
    const std::vector<Half> requests = halves_of(std::move(both.requests));
    const std::vector<Half> responses = halves_of(std::move(both.responses));
    for (std::size_t k = 0; k < std::max(requests.size(), responses.size()); ++k) {
      Exchange exchange{tensor, partition, worker, server, {}};
      if (k < requests.size())
        std::tie(exchange.messages[0], exchange.messages[2]) = std::tie(requests[k][0], requests[k][1]);
      if (k < responses.size())
        std::tie(exchange.messages[1], exchange.messages[3]) = std::tie(responses[k][0], responses[k][1]);
      exchanges.push_back(exchange);
    }
  }
  const auto begin = [](const Exchange& exchange) {
    return exchange.first_request().has_value() ? exchange.first_request()->start : Time::max();
  };
  std::stable_sort(exchanges.begin(), exchanges.end(), [&](const Exchange& a, const Exchange& b) {
    return std::pair{a.worker, begin(a)} < std::pair{b.worker, begin(b)};
  });
  return exchanges;
}

StageTrace stage_trace_of(const std::vector<Exchange>& exchanges, std::int32_t worker,
                          const std::vector<std::string>& tensors) {
  StageTrace stages{{tensors, {}}, {""}};
  for (const Exchange& exchange : exchanges) {
    if (exchange.worker != worker) continue;
    for (const auto& [kind, stage] :
         {std::pair{Kind::kPushRequest, Stage::kPush}, {Kind::kPullRequest, Stage::kPull}}) {
      const auto& message = exchange[kind];
      if (message.has_value())
        stages.events.push_back({exchange.tensor, stage, exchange.key(), 0, message->start, message->duration});
    }
  }
  return stages;
}

std::map<Node, AlignedClock> align_by_exchanges(const std::vector<Exchange>& exchanges) {
  std::map<Node, std::uint32_t> index;
  for (const Exchange& exchange : exchanges) {
    index[{false, exchange.worker}];
    index[{true, exchange.server}];
  }
  std::map<Node, AlignedClock> clocks;
  if (index.empty()) return clocks;
  std::uint32_t next = 0;
  for (auto& [node, number] : index) number = next++;
  std::vector<ClockDifference> differences;
  for (const auto& [nodes, bounds] : bounds_of(exchanges))
    differences.push_back({index[nodes.first], index[nodes.second], bounds});
  const std::vector<AlignedClock> aligned = align_clocks(index.size(), 0, differences);
  for (const auto& [node, number] : index) clocks.emplace(node, aligned[number]);
  return clocks;
}

}  // namespace stepsim::ingest
