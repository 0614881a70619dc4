#include "sim/export/picture/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/graph/graph_text.h"
#include "sim/report/class_style.h"

namespace stepsim::sim {
namespace {

class GraphPicture {
 public:
  GraphPicture(const Answer& answer, OutputFile& out)
      : graph_(*answer.graph),
        layout_(*answer.layout),
        picture_(out, std::max(layout_.width, kLeastWidth) + 2 * kMargin, layout_.height + kHead + kMargin,
                 answer.document == nullptr ? "Graph" : answer.document->headline, answer.provenance) {}

  void draw() {
    draw_head();
    for (const bool critical : {false, true}) {  // draw the path last, so that it is on top
      for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
        if (graph_.edges[i].critical == critical) draw(graph_.edges[i], layout_.edges[i]);
      }
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) draw(graph_.nodes[i], layout_.nodes[i]);
    picture_.finish();
  }

 private:
  using Anchor = SvgPicture::Anchor;

  static constexpr double kMargin = 20;
  static constexpr double kHead = 70;
  static constexpr double kLeastWidth = 640;
  static constexpr double kLine = 13;  // line height of a label
  static constexpr std::string_view kCriticalColour = "#000000";
  static constexpr std::string_view kColour = "#888888";

  void draw_head() {
    picture_.heading({kMargin, 26}, fmt::format("{}, one node per {}", graph_.of, to_text(graph_.folding)));
    std::set<PathClass> parts;
    for (const Graph::Node& node : graph_.nodes) parts.insert(node.part);
    double x = kMargin;
    constexpr double kEntry = 120;
    for (const PathClass part : parts) {
      picture_.rectangle({x, 40}, 10, 10, style_of(part).colour);
      picture_.text({x + 15, 49}, style_of(part).label);
      x += kEntry;
    }
    if (graph_.path == Duration{}) return;
    picture_.path({{x, 45}, {x + 20, 45}}, kCriticalColour);
    picture_.text({x + 26, 49}, "critical path (in bold)");
  }

  [[nodiscard]] static SvgPicture::Point on_picture(Layout::Point point) {
    return {point.x + kMargin, point.y + kHead};
  }

  void draw(const Graph::Edge& edge, const std::vector<Layout::Point>& points) {
    if (points.empty()) return;
    std::vector<SvgPicture::Point> shown;
    std::transform(points.begin(), points.end(), std::back_inserter(shown), on_picture);
    const bool meeting = edge.link == Graph::Link::kMeeting;
    picture_.curve(shown, {.colour = edge.critical ? kCriticalColour : kColour,
                           .width = edge.critical ? 2.5 : 1,
                           .dashes = meeting                           ? "2 3"
                                     : edge.link == Graph::Link::kTurn ? "6 4"
                                                                       : "",
                           .arrow = !meeting});
  }

  void draw(const Graph::Node& node, const Layout::Box& box) {
    const SvgPicture::Point centre = on_picture(box.centre);
    const SvgPicture::Point corner{centre.x - box.width / 2, centre.y - box.height / 2};
    const std::vector<std::string> lines = label_of(node);
    picture_.rectangle(corner, box.width, box.height, style_of(node.part).colour, node.name);
    picture_.frame(corner, box.width, box.height, node.critical ? 3 : 0.5);
    double y = centre.y + 4 - kLine * static_cast<double>(lines.size() - 1) / 2;
    for (const std::string& line : lines) {
      picture_.text({centre.x, y}, line, Anchor::kMiddle, style_of(node.part).ink);
      y += kLine;
    }
  }

  const Graph& graph_;
  const Layout& layout_;
  SvgPicture picture_;
};

}  // namespace

void draw_graph(const Answer& answer, OutputFile& out) { GraphPicture(answer, out).draw(); }

}  // namespace stepsim::sim
