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

/// A picture in SVG 1.1 without scripts, references or embedded fonts. Lengths are pixels from the upper left corner.
/// Texts may contain anything; special characters of XML are escaped, and control characters are shown as escapes.
class SvgPicture {
 public:
  enum class Anchor : std::uint8_t { kStart, kMiddle, kEnd };
  struct Point {
    double x = 0;
    double y = 0;
  };

  SvgPicture(OutputFile& out, double width, double height, std::string_view title, const Provenance& provenance);
  /// Draws a rectangle. `hint` is shown when the pointer is over it.
  void rectangle(Point corner, double width, double height, std::string_view colour, std::string_view hint = {});
  void line(Point from, Point to, std::string_view colour, std::string_view dashes = {});
  void path(const std::vector<Point>& points, std::string_view colour);
  /// Style of connected Bezier curves: each starts at the end of the one before and has three more points. The last one
  /// ends in an arrow.
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
  /// Writes the end of the file.
  void finish();

 private:
  void shape(std::string_view element, std::string_view hint);

  OutputFile& out_;
};

/// The answer's main figures in a picture: its headline and what a reader must know before them, wrapped to the
/// picture's width. Empty without a document.
class PictureFigures {
 public:
  PictureFigures(const Answer& answer, double width);
  [[nodiscard]] double height() const noexcept { return kLine * static_cast<double>(lines_.size()); }
  /// Writes the lines; `first` is the base of the first one.
  void draw(SvgPicture& picture, SvgPicture::Point first) const;

 private:
  static constexpr double kLine = 16;
  std::vector<std::string> lines_;
};

/// Returns the positions of the marks on an axis from 0 to `most`: at most eight, spaced by 1, 2 or 5 times a power of
/// ten.
[[nodiscard]] std::vector<double> marks(double most);
/// Returns the text of a mark, "12.5 ms", on an axis whose largest value is `most` nanoseconds.
[[nodiscard]] std::string mark_text(double nanoseconds, double most);

/// Draws the bars of an answer: rows on a time axis, and a legend of the colours below them. Precondition: answer.bars
/// is not null.
void draw_bars(const Answer& answer, OutputFile& out);

/// Draws the graph of an answer with Graphviz's layout: nodes coloured by class, the critical path in bold.
/// Precondition: answer.graph and answer.layout are not null.
void draw_graph(const Answer& answer, OutputFile& out);

/// Draws the lines of a document's plot; a bar shows the range of each point. Precondition: the document has a plot.
void draw_plot(const Answer& answer, OutputFile& out);

/// Draws the replays of an answer: one row per track, tasks coloured by class, the critical path underlined. Tasks that
/// are narrower than a pixel are drawn together. Precondition: there is a replay.
void draw_timeline(const Answer& answer, OutputFile& out);

}  // namespace stepsim::sim

#endif
