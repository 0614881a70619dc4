// nccl_rank_graph.json of a dPRO trial: how NCCL connected the ranks.
//
//   {"Ring": {"0": "3[3000] -> 0[2000] [receive] via NET/Socket/0,0[2000] -> 1[3000] [send] via NET/Socket/0"},
//    "RealRing": {...}, "Tree": {"-1": "[0] 1/-1/-1->0->-1|-1->0->1/-1/-1"}}
//
// A channel's hops may also be a list of such texts.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/formats/format.h"
#include "ingest/json/json_reader.h"
#include "model/base/known_diagnostics.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::size_t kMostHops = 1'000'000;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

/// Returns the rank 3 of "3[3000]".
std::optional<std::int32_t> rank_of(std::string_view text) {
  text = trimmed(text);
  const auto rank = parse_number<std::int32_t>(text.substr(0, text.find('[')));
  return rank.has_value() && *rank >= 0 ? rank : std::nullopt;
}

class RankGraphReader {
 public:
  RankGraphReader(Input& input, PartSink& sink) : json_(input.stream()), file_(input.name()), sink_(sink) {}

  [[nodiscard]] RankGraph read() {
    json_.object([&](const std::string& key) {
      if (key == "Ring") {
        read_channels();
      } else {
        if (key == "Tree") graph_.tree = graph_.tree || json_.peek() == '{';
        json_.skip();
      }
    });
    json_.expect_end();
    std::sort(graph_.ring.begin(), graph_.ring.end());
    graph_.ring.erase(std::unique(graph_.ring.begin(), graph_.ring.end()), graph_.ring.end());
    return std::move(graph_);
  }

 private:
  void read_channels() {
    if (json_.peek() != '{') return json_.skip();
    json_.object([&](const std::string& key) {
      const auto channel = parse_number<std::int32_t>(key);
      if (!channel.has_value() || *channel < 0) {
        bad_hop(fmt_channel(key));
        return json_.skip();
      }
      read_hops(*channel);
    });
  }

  void read_hops(std::int32_t channel) {
    switch (json_.peek()) {
      case '"': add_hops(channel, json_.text()); break;
      case '[': json_.array([&] { json_.peek() == '"' ? add_hops(channel, json_.text()) : json_.skip(); }); break;
      default: bad_hop("a channel whose hops are not text"); json_.skip();
    }
  }

  static std::string fmt_channel(const std::string& key) {
    return std::string{"channel '"}.append(shown(key, 40)) + "'";
  }

  void add_hops(std::int32_t channel, const std::string& text) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::string_view item = trimmed(std::string_view{text}.substr(begin, end - begin));
      if (!item.empty()) add_hop(channel, item);
      begin = end + 1;
    }
  }

  void add_hop(std::int32_t channel, std::string_view item) {
    ++sink_.events;
    const std::size_t arrow = item.find("->");
    const auto from = arrow == std::string_view::npos ? std::nullopt : rank_of(item.substr(0, arrow));
    const auto to = arrow == std::string_view::npos ? std::nullopt : rank_of(item.substr(arrow + 2));
    if (!from.has_value() || !to.has_value()) return bad_hop(shown(item, 60));
    if (graph_.ring.size() >= kMostHops)
      json_.fail(json_.offset(), "more than a million hops; expected those of one job's rings");
    graph_.ring.push_back({channel, *from, *to});
  }

  void bad_hop(std::string_view what) { sink_.skip(diagnostic("bad_hop"), {file_, json_.offset(), {}}, what); }

  JsonReader json_;
  std::string file_;
  PartSink& sink_;
  RankGraph graph_;
};

constexpr Sign kRankGraphSigns[]{
    {.sure = 95, .named = {"nccl_rank_graph.json", "nccl_rank_graph.json.gz"}},
    {.sure = 85, .all = {"\"RealRing\"", "\"Ring\""}},
};

void read_nccl_rank_graph(Input& input, PartSink& sink) { sink.add(RankGraphReader(input, sink).read()); }

}  // namespace

extern const Format nccl_rank_graph_format;
const Format nccl_rank_graph_format{"nccl_rank_graph", "dPRO trial, nccl_rank_graph.json: rings that NCCL built",
                                    kRankGraphSigns, read_nccl_rank_graph};

}  // namespace stepsim::ingest
