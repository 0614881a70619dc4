#ifndef STEPSIM_SIM_EXPORT_PICTURE_PICTURES_H
#define STEPSIM_SIM_EXPORT_PICTURE_PICTURES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/export/exporter.h"
#include "sim/output/provenance.h"
#include "sim/output/write_file.h"

namespace stepsim::sim {

/// A picture in SVG 1.1 without scripts, references or fonts of its own. Lengths are pixels, from the upper left
/// corner. Texts may hold anything: what XML or a reader could take for something else is shown escaped.
class SvgPicture {
 public:
  enum class Anchor : std::uint8_t { kStart, kMiddle, kEnd };
  struct Point {
    double x = 0;
    double y = 0;
  };

  SvgPicture(OutputFile& out, double width, double height, std::string_view title, const Provenance& provenance);
  /// A `hint` is shown where the pointer rests on the shape.
  void rectangle(Point corner, double width, double height, std::string_view colour, std::string_view hint = {});
  void line(Point from, Point to, std::string_view colour, std::string_view dashes = {});
  void path(const std::vector<Point>& points, std::string_view colour);
  /// Bezier curves in a row: each takes the end of the one before it and three points more. Ends in an arrow.
  struct Stroke {
    std::string_view colour;
    double width = 1;
    std::string_view dashes{};
    bool arrow = true;
  };
  void curve(const std::vector<Point>& points, const Stroke& stroke);
  void frame(Point corner, double width, double height, double stroke);
  void dot(Point centre, std::string_view colour, std::string_view hint);
  void text(Point base, std::string_view text, Anchor anchor = Anchor::kStart, std::string_view colour = {});
  void heading(Point base, std::string_view text);
  /// The end of the file.
  void finish();

 private:
  void shape(std::string_view element, std::string_view hint);

  OutputFile& out_;
};

/// Where the marks of an axis from 0 to `most` stand: at most eight, 1, 2 or 5 times a power of ten apart.
[[nodiscard]] std::vector<double> marks(double most);
/// "12.5 ms": a mark of an axis whose largest value is `most` nanoseconds.
[[nodiscard]] std::string mark_text(double nanoseconds, double most);

/// The bars of an answer: rows with an axis of time, and below them what the colours mean. Precondition: there are
/// bars.
void draw_bars(const Answer& answer, OutputFile& out);

/// The graph of an answer as Graphviz laid it out: nodes coloured by class, the critical path in bold. Precondition:
/// there are a graph and its layout.
void draw_graph(const Answer& answer, OutputFile& out);

/// The lines of a document's plot with the range of each point as a bar. Precondition: it has a plot.
void draw_plot(const Answer& answer, OutputFile& out);

/// The replays of an answer: a row a track, tasks coloured by class, the critical path's with a line below them. Tasks
/// that are narrower than a pixel are drawn together. Precondition: there is a replay.
void draw_timeline(const Answer& answer, OutputFile& out);

}  // namespace stepsim::sim

#endif
