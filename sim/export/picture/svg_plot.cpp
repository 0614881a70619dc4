#include "sim/export/picture/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "model/base/text.h"
#include "sim/export/relation.h"

namespace stepsim::sim {
namespace {

class PlotPicture {
 public:
  PlotPicture(const Answer& answer, OutputFile& out)
      : plot_(*answer.document->plot),
        rows_(relation_of("rows", "", answer.document->rows())),
        lines_(std::min(plot_.lines.size(), kMostLines)),
        right_(plot_.lines.size() > 1 ? kWidth - 220 : kWidth - 30),
        picture_(out, kWidth, kHeight, answer.document->headline, answer.provenance) {
    for (std::size_t row = 0; row < rows_.rows; ++row) {
      for (const std::string* const column : {&plot_.y, &plot_.high, &plot_.baseline})
        most_ = std::max(most_, number(*column, row).value_or(0));
    }
  }

  void draw() {
    picture_.heading({kLeft, 28}, left_out().empty() ? plot_.title : fmt::format("{} ({})", plot_.title, left_out()));
    draw_axes();
    draw_baseline();
    for (std::size_t line = 0; line < lines_; ++line) draw_line(line);
    picture_.finish();
  }

 private:
  using Anchor = SvgPicture::Anchor;
  using Point = SvgPicture::Point;

  static constexpr double kWidth = 900;
  static constexpr double kHeight = 480;
  static constexpr double kLeft = 90;
  static constexpr double kTop = 50;
  static constexpr double kBottom = 410;
  static constexpr double kLegendLine = 18;
  static constexpr std::size_t kMostLines = 18;
  static constexpr std::size_t kMostLabels = 24;
  // Okabe and Ito, "Color Universal Design": colour-blind readers can distinguish these colours.
  static constexpr std::array<std::string_view, 7> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                            "#E69F00", "#56B4E9", "#000000"};

  [[nodiscard]] std::string left_out() const {
    return lines_ < plot_.lines.size() ? fmt::format("the first {} of {} lines", lines_, plot_.lines.size()) : "";
  }

  [[nodiscard]] std::optional<double> number(const std::string& title, std::size_t row) const {
    if (title.empty()) return std::nullopt;
    const Value value = rows_.columns[place_of(rows_, title)].value(row);
    if (const auto* const integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
    if (const auto* const real = std::get_if<double>(&value)) return *real;
    return std::nullopt;
  }
  [[nodiscard]] std::string label(std::size_t row) const {
    if (plot_.x.empty()) return fmt::format("{}", row + 1);
    const Value value = rows_.columns[place_of(rows_, plot_.x)].value(row);
    if (const auto* const text = std::get_if<std::string_view>(&value)) return std::string(*text);
    return number(plot_.x, row) ? fmt::format("{}", *number(plot_.x, row)) : "";
  }

  [[nodiscard]] double x_of(std::size_t place) const {
    const auto count = static_cast<double>(plot_.points_a_line);
    return kLeft + (right_ - kLeft) * (static_cast<double>(place) + 0.5) / count;
  }
  [[nodiscard]] double y_of(double value) const { return kBottom - (kBottom - kTop) * value / std::max(most_, 1.0); }

  void draw_axes() {
    for (const double mark : marks(most_)) {
      picture_.line({kLeft, y_of(mark)}, {right_, y_of(mark)}, "#dddddd");
      picture_.text({kLeft - 8, y_of(mark) + 4}, mark_text(mark, most_), Anchor::kEnd);
    }
    const std::size_t every = (plot_.points_a_line + kMostLabels - 1) / kMostLabels;
    constexpr double kLetter = 6.5;
    const double room =
        (right_ - kLeft) / static_cast<double>(std::clamp<std::size_t>(plot_.points_a_line, 1, kMostLabels));
    const std::size_t letters = std::max<std::size_t>(6, static_cast<std::size_t>(room / kLetter));
    for (std::size_t place = 0; place < plot_.points_a_line; place += std::max<std::size_t>(every, 1))
      picture_.text({x_of(place), kBottom + 18}, shown(label(place), letters), Anchor::kMiddle);
    picture_.text({(kLeft + right_) / 2, kBottom + 44}, plot_.x.empty() ? "point" : plot_.x, Anchor::kMiddle);
    picture_.line({kLeft, kBottom}, {right_, kBottom}, "#444444");
  }

  void draw_baseline() {
    const std::optional<double> baseline = rows_.rows > 0 ? number(plot_.baseline, 0) : std::nullopt;
    if (!baseline) return;
    picture_.line({kLeft, y_of(*baseline)}, {right_, y_of(*baseline)}, "#666666", "6 4");
    picture_.text({right_ - 4, y_of(*baseline) - 5}, "baseline " + mark_text(*baseline, most_), Anchor::kEnd);
  }

  /// Draws a line, which is interrupted at points without an answer.
  void draw_line(std::size_t line) {
    const std::string_view colour = kColours[line % kColours.size()];
    std::vector<Point> points;
    for (std::size_t place = 0; place <= plot_.points_a_line; ++place) {
      const std::size_t row = line * plot_.points_a_line + place;
      const bool inside = place < plot_.points_a_line;
      const std::optional<double> value = inside ? number(plot_.y, row) : std::nullopt;
      if (value) {
        points.push_back({x_of(place), y_of(*value)});
        draw_point(line, place, *value, colour);
        continue;
      }
      if (points.size() > 1) picture_.path(points, colour);
      points.clear();
      if (inside) picture_.text({x_of(place), kBottom - 4}, "no answer", Anchor::kMiddle);
    }
    if (plot_.lines.size() < 2) return;
    const double y = kTop + 10 + kLegendLine * static_cast<double>(line);
    picture_.rectangle({right_ + 14, y - 9}, 10, 10, colour);
    picture_.text({right_ + 30, y}, plot_.lines[line]);
  }

  void draw_point(std::size_t line, std::size_t place, double value, std::string_view colour) {
    const std::size_t row = line * plot_.points_a_line + place;
    const double low = number(plot_.low, row).value_or(value);
    const double high = number(plot_.high, row).value_or(value);
    const double x = x_of(place);
    constexpr double kCap = 4;
    picture_.line({x, y_of(low)}, {x, y_of(high)}, colour);
    for (const double end : {low, high}) picture_.line({x - kCap, y_of(end)}, {x + kCap, y_of(end)}, colour);
    picture_.dot({x, y_of(value)}, colour,
                 fmt::format("{}{}{}: {}, from {} to {}", plot_.lines[line], plot_.lines[line].empty() ? "" : ", ",
                             label(row), mark_text(value, most_), mark_text(low, most_), mark_text(high, most_)));
  }

  const Plot& plot_;
  Relation rows_;
  std::size_t lines_;
  double right_;
  SvgPicture picture_;
  double most_ = 0;
};

}  // namespace

void draw_plot(const Answer& answer, OutputFile& out) { PlotPicture(answer, out).draw(); }

}  // namespace stepsim::sim
