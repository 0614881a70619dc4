#include "sim/export/picture/pictures.h"

#include <string_view>

#include "sim/graph/graph_text.h"

namespace stepsim::sim {
namespace {

/// The answer's graph, its bars or its plot if it has one, else its timeline.
void write_picture(const Answer& answer, OutputFile& out) {
  if (answer.graph != nullptr) return draw_graph(answer, out);
  if (answer.bars != nullptr) return draw_bars(answer, out);
  const bool plot = answer.document != nullptr && answer.document->plot;
  plot ? draw_plot(answer, out) : draw_timeline(answer, out);
}

/// What graph files give as their origin.
std::string_view origin_of(const Answer& answer) {
  return answer.document == nullptr ? std::string_view("stepsim") : answer.document->origin;
}

}  // namespace

extern const Exporter svg_exporter;
const Exporter svg_exporter{
    .name = "svg",
    .extension = "svg",
    .summary = "picture: a graph, bars, the points of a sweep with their ranges, or the timeline of a replay",
    .accepts = Content::kPicture,
    .write = write_picture,
};

extern const Exporter dot_exporter;
const Exporter dot_exporter{
    .name = "dot",
    .extension = "dot",
    .alias = "gv",
    .summary = "a graph in Graphviz's language",
    .accepts = Content::kGraph,
    .write = [](const Answer& answer, OutputFile& out) { out.write(dot_text(*answer.graph, origin_of(answer))); },
};

extern const Exporter gml_exporter;
const Exporter gml_exporter{
    .name = "gml",
    .extension = "gml",
    .summary = "a graph for networkx, dPRO, Gephi and yEd",
    .accepts = Content::kGraph,
    .write = [](const Answer& answer, OutputFile& out) { out.write(gml_text(*answer.graph, origin_of(answer))); },
};

}  // namespace stepsim::sim
