#include "ingest/stitch/trial/ring.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

using Hops = std::set<std::pair<std::size_t, std::size_t>>;  // from, to

/// By receiver its sender, if the hops lead once around all ranks; else empty.
std::vector<std::size_t> senders_of(const Hops& hops, std::size_t ranks) {
  if (hops.size() != ranks) return {};
  std::vector<std::size_t> sender(ranks, ranks);
  for (const auto& [from, to] : hops) {
    if (from >= ranks || to >= ranks || sender[to] != ranks) return {};
    sender[to] = from;
  }
  std::size_t at = 0;
  for (std::size_t i = 1; i < ranks; ++i) {
    at = sender[at];
    if (at == 0) return {};  // around too soon
  }
  return sender;
}

}  // namespace

Rings::Rings(const std::vector<GpuParts>& gpus, Diagnostics& diagnostics, Assumptions& assumptions)
    : ranks_(gpus.size()) {
  std::map<std::int32_t, Hops> channels;
  bool tree = false;
  for (const GpuParts& gpu : gpus) {
    if (!gpu.rank_graph.has_value()) continue;
    tree = tree || gpu.rank_graph->tree;
    for (const RankGraph::Hop& hop : gpu.rank_graph->ring)
      channels[hop.channel].emplace(static_cast<std::size_t>(hop.from), static_cast<std::size_t>(hop.to));
  }
  for (const auto& [channel, hops] : channels) {
    std::vector<std::size_t> senders = senders_of(hops, ranks_);
    if (senders.empty()) {
      diagnostics.count(diagnostic("broken_ring"), {}, fmt::format("channel {}", channel));
    } else {
      senders_[channel] = std::move(senders);
    }
  }
  if (channels.empty() && tree) {
    unknown_ = true;
    diagnostics.count(diagnostic("tree_not_modelled"));
  } else if (senders_.empty() && ranks_ > 1) {
    assumptions.push_back({"ring_in_order",
                           "each rank is taken to send to the next one, and the last to the first: "
                           "no nccl_rank_graph.json describes a ring over all ranks"});
  }
}

std::size_t Rings::sender_to(std::size_t rank, std::int32_t channel) const {
  const auto known = senders_.find(channel);
  return known == senders_.end() ? (rank + ranks_ - 1) % ranks_ : known->second[rank];
}

}  // namespace stepsim::ingest
