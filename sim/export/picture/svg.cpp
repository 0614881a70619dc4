// A picture of the answer: its graph, its bars or its plot if it has one, else its timeline.

#include "sim/export/picture/pictures.h"

namespace stepsim::sim {
namespace {

void write(const Answer& answer, OutputFile& out) {
  if (answer.graph != nullptr) return draw_graph(answer, out);
  if (answer.bars != nullptr) return draw_bars(answer, out);
  const bool plot = answer.document != nullptr && answer.document->plot;
  plot ? draw_plot(answer, out) : draw_timeline(answer, out);
}

}  // namespace

extern const Exporter svg_exporter;
const Exporter svg_exporter{
    .name = "svg",
    .extension = "svg",
    .summary = "picture: a graph, bars, the points of a sweep with their ranges, or the timeline of a replay",
    .accepts = Content::kPicture,
    .write = write,
};

}  // namespace stepsim::sim
