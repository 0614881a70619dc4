#include "sim/graph/layout.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "model/base/error.h"
#include "model/base/number.h"
#include "sim/graph/graph_text.h"
#include "sim/output/run_program.h"

namespace stepsim::sim {
namespace {

constexpr const char* kProgram = "dot";
constexpr std::size_t kMostNodes = 2'000;
constexpr std::size_t kMostEdges = 10'000;
constexpr double kPixelsAnInch = 96;

/// The words of a line, which blanks divide.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view next() {
    const std::size_t begin = std::min(rest_.find_first_not_of(' '), rest_.size());
    const std::size_t end = std::min(rest_.find(' ', begin), rest_.size());
    const std::string_view word = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return word;
  }
  /// A length in inches; 0 where there is none.
  double length() { return parse_number<double>(next()).value_or(0) * kPixelsAnInch; }
  /// Of "n17", 17; nothing if that is no node.
  std::optional<std::size_t> node(std::size_t nodes) {
    std::string_view word = next();
    if (!word.starts_with('n')) return std::nullopt;
    word.remove_prefix(1);
    const auto number = parse_number<std::size_t>(word);
    return number && *number < nodes ? number : std::nullopt;
  }

 private:
  std::string_view rest_;
};

}  // namespace

void refuse_without_layout() {
  if (has_program(kProgram)) return;
  throw UsageError(
      "a picture of a graph is laid out by Graphviz, whose program dot is not installed (Debian: apt install "
      "graphviz); expected that, or -o FILE.dot, .gml or .json");
}

void refuse_too_large(const Graph& graph) {
  if (graph.nodes.size() <= kMostNodes && graph.edges.size() <= kMostEdges) return;
  throw UsageError(
      fmt::format("a picture of {} nodes and {} edges cannot be read, and is laid out for {} and {} at "
                  "most; expected --fold name, layer, class, lane or rank, --steps, --ranks, or -o "
                  "FILE.dot, .gml or .json",
                  graph.nodes.size(), graph.edges.size(), kMostNodes, kMostEdges));
}

Layout parse_plain_layout(std::string_view text, const Graph& graph) {
  Layout layout{.nodes = std::vector<Layout::Box>(graph.nodes.size()),
                .edges = std::vector<std::vector<Layout::Point>>(graph.edges.size())};
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> edges;  // those still to come, the last first
  for (std::size_t i = graph.edges.size(); i-- > 0;) edges[{graph.edges[i].from, graph.edges[i].to}].push_back(i);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Words words(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view what = words.next();
    // Graphviz counts from below.
    const auto point = [&words, &layout] {
      const double x = words.length();
      return Layout::Point{x, layout.height - words.length()};
    };
    if (what == "graph") {
      words.next();
      layout.width = words.length();
      layout.height = words.length();
    } else if (what == "node") {
      const auto node = words.node(graph.nodes.size());
      if (!node) continue;
      layout.nodes[*node].centre = point();
      layout.nodes[*node].width = words.length();
      layout.nodes[*node].height = words.length();
    } else if (what == "edge") {
      const auto from = words.node(graph.nodes.size());
      const auto to = words.node(graph.nodes.size());
      const auto known = from && to ? edges.find({*from, *to}) : edges.end();
      if (known == edges.end() || known->second.empty()) continue;
      std::vector<Layout::Point>& points = layout.edges[known->second.back()];
      known->second.pop_back();
      const std::size_t count = parse_number<std::size_t>(words.next()).value_or(0);
      for (std::size_t i = 0; i < count && i < text.size(); ++i) points.push_back(point());
    }
  }
  return layout;
}

Layout layout_of(const Graph& graph) {
  refuse_without_layout();
  refuse_too_large(graph);
  // The limits keep graphs with many crossings from taking minutes.
  return parse_plain_layout(
      run_program({kProgram, "-Tplain", "-Gnslimit=4", "-Gnslimit1=4", "-Gmclimit=0.5"}, dot_text(graph)), graph);
}

}  // namespace stepsim::sim
