#include "sim/export/picture/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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
        figures_(answer, kWidth - kLeft),
        picture_(out, kWidth, kHeight + figures_.height(), answer.document->headline, answer.provenance) {
    for (std::size_t row = 0; row < rows_.rows; ++row) {
      for (const std::string* const column : {&plot_.y, &plot_.high, &plot_.baseline})
        most_ = std::max(most_, number(*column, row).value_or(0));
    }
  }

  void draw() {
    picture_.heading({kLeft, 28}, left_out().empty() ? plot_.title : fmt::format("{} ({})", plot_.title, left_out()));
    figures_.draw(picture_, {kLeft - 60, kHeight - 8});
    draw_mark();
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

  /// Returns the horizontal place of a value of x; nothing if no point has it.
  [[nodiscard]] std::optional<double> x_of(const std::string& value) const {
    if (value.empty()) return std::nullopt;
    for (std::size_t place = 0; place < plot_.points_a_line; ++place) {
      if (label(place) == value) return x_of(place);
    }
    return std::nullopt;
  }

  void draw_mark() {
    const std::optional<double> at = x_of(plot_.mark);
    if (!at) return;
    const double from = x_of(plot_.mark_from).value_or(*at);
    const double to = x_of(plot_.mark_to).value_or(*at);
    if (from != to) picture_.rectangle({std::min(from, to), kTop}, std::abs(to - from), kBottom - kTop, "#f2ead9");
    picture_.line({*at, kTop}, {*at, kBottom}, "#8a6d1d", "2 3");
    picture_.text({*at + 5, kTop + 12}, plot_.mark_name);
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
  PictureFigures figures_;
  SvgPicture picture_;
  double most_ = 0;
};

}  // namespace

void draw_plot(const Answer& answer, OutputFile& out) { PlotPicture(answer, out).draw(); }

namespace {

class BarsPicture {
 public:
  BarsPicture(const Answer& answer, OutputFile& out)
      : chart_(*answer.bars),
        rows_(std::min(chart_.rows.size(), kMostRows)),
        kinds_(std::min(chart_.kinds.size(), kMostKinds)),
        figures_(answer, kWidth - 40),
        top_(kTop + figures_.height()),
        picture_(out, kWidth, height(), answer.document->headline, answer.provenance) {
    for (const BarChart::Row& row : chart_.rows) {
      for (const BarChart::Bar& bar : row.bars)
        most_ = std::max(most_, static_cast<double>(bar.begin.count()) + static_cast<double>(bar.length.count()));
      if (row.mark) most_ = std::max(most_, static_cast<double>(row.mark->count()));
    }
  }

  void draw() {
    const std::string left_out =
        rows_ < chart_.rows.size() ? fmt::format(" (the first {} of {} rows)", rows_, chart_.rows.size()) : "";
    picture_.heading({20, 26}, chart_.title + left_out);
    figures_.draw(picture_, {20, 46});
    draw_axis();
    double y = top_;
    for (std::size_t i = 0; i < rows_; ++i) {
      if (begins_group(i)) {
        picture_.text({20, y + kBar}, shown(chart_.rows[i].group, 100));
        y += kGroup;
      }
      draw_row(chart_.rows[i], y);
      draw_mark(chart_.rows[i], y);
      y += row_height(chart_.rows[i]);
    }
    draw_legend(y + kLegendLine);
    picture_.finish();
  }

 private:
  using Anchor = SvgPicture::Anchor;

  static constexpr double kWidth = 1200;
  static constexpr double kLeft = 230;
  static constexpr double kRight = kWidth - 40;
  static constexpr double kTop = 70;
  static constexpr double kBar = 14;  // height of one level of bars
  static constexpr double kGap = 6;   // space between rows
  static constexpr double kGroup = 20;
  static constexpr double kLegendLine = 16;
  static constexpr double kNarrowest = 0.6;  // minimum width, so that every bar is visible
  static constexpr std::size_t kMostRows = 200;
  static constexpr std::size_t kMostKinds = 40;
  static constexpr std::size_t kLegendColumns = 3;
  static constexpr std::size_t kLegendLetters = 44;
  static constexpr std::string_view kLineColour = "#C00000";
  static constexpr std::string_view kLineDashes = "5 3";
  // The palette of Okabe and Ito, followed by the same colours lighter. Violet replaces black, because black is
  // invisible on dark pages.
  static constexpr std::string_view kWholeColour = "#999999";
  static constexpr std::array<std::string_view, 13> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                                                             "#56B4E9", "#7A5195", "#7FB8D8", "#EAAE7F", "#7FCEB9",
                                                             "#E5BCD3", "#F2CF7F", "#B4B400"};

  [[nodiscard]] bool begins_group(std::size_t row) const {
    const std::string& group = chart_.rows[row].group;
    return !group.empty() && (row == 0 || chart_.rows[row - 1].group != group);
  }
  static double row_height(const BarChart::Row& row) {
    std::uint32_t levels = 1;
    for (const BarChart::Bar& bar : row.bars) levels = std::max(levels, bar.level + 1);
    return kBar * levels + kGap;
  }
  [[nodiscard]] double rows_height() const {
    double height = 0;
    for (std::size_t i = 0; i < rows_; ++i) height += row_height(chart_.rows[i]) + (begins_group(i) ? kGroup : 0);
    return height;
  }
  [[nodiscard]] double height() const {
    const std::size_t lines =
        (kinds_ + kLegendColumns - 1) / kLegendColumns + (has_more_kinds() ? 1 : 0) + (chart_.line.empty() ? 0 : 1);
    return top_ + rows_height() + kLegendLine * static_cast<double>(lines + 2);
  }
  /// Returns how many lines of the legend this many entries fill completely.
  static double lines_of_legend(std::size_t entries) {
    const std::size_t lines = entries / kLegendColumns;
    return static_cast<double>(lines);
  }
  [[nodiscard]] bool has_more_kinds() const { return kinds_ < chart_.kinds.size(); }
  [[nodiscard]] double x_of(double nanoseconds) const {
    return kLeft + (kRight - kLeft) * nanoseconds / std::max(most_, 1.0);
  }
  static std::string_view colour_of(std::uint32_t kind) {
    return kind == 0 ? kWholeColour : kColours[(kind - 1) % kColours.size()];
  }

  void draw_axis() {
    const double bottom = top_ + rows_height();
    for (const double mark : marks(most_)) {
      picture_.line({x_of(mark), top_ - 6}, {x_of(mark), bottom}, "#dddddd");
      picture_.text({x_of(mark), top_ - 10}, mark_text(mark, most_), Anchor::kMiddle);
    }
    picture_.text({kLeft - 26, top_ - 10}, chart_.axis, Anchor::kEnd);
  }

  void draw_row(const BarChart::Row& row, double y) {
    picture_.text({kLeft - 8, y + kBar - 3}, shown(row.name, 34), Anchor::kEnd);
    for (const BarChart::Bar& bar : row.bars) {
      const double left = x_of(static_cast<double>(bar.begin.count()));
      const double right = x_of(static_cast<double>(bar.begin.count()) + static_cast<double>(bar.length.count()));
      const double width = std::max(right - left - (right - left > 3 ? 0.6 : 0), kNarrowest);
      picture_.rectangle({left, y + kBar * bar.level}, width, kBar - 2, colour_of(bar.kind), bar.hint);
    }
  }

  /// Draws the row's mark as a dashed vertical line across its bars, and joins it to the mark above, if any.
  void draw_mark(const BarChart::Row& row, double y) {
    if (!row.mark) return;
    const double x = x_of(static_cast<double>(row.mark->count()));
    const SvgPicture::Point top{x, y - 2};
    if (last_mark_) picture_.line(*last_mark_, top, kLineColour, kLineDashes);
    last_mark_ = {x, y + row_height(row) - kGap};
    picture_.line(top, *last_mark_, kLineColour, kLineDashes);
  }

  void draw_legend(double y) {
    constexpr double kColumn = (kRight - 20) / static_cast<double>(kLegendColumns);
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      const double x = 20 + kColumn * static_cast<double>(kind % kLegendColumns);
      const double base = y + kLegendLine * lines_of_legend(kind);
      picture_.rectangle({x, base - 9}, 10, 10, colour_of(static_cast<std::uint32_t>(kind)));
      picture_.text({x + 16, base}, shown(chart_.kinds[kind], kLegendLetters));
    }
    if (!chart_.line.empty()) {
      const double base =
          y + kLegendLine * lines_of_legend(kinds_ + kLegendColumns - 1 + (has_more_kinds() ? kLegendColumns : 0));
      picture_.line({20, base - 4}, {30, base - 4}, kLineColour, kLineDashes);
      picture_.text({36, base}, shown(chart_.line, 100));
    }
    if (!has_more_kinds()) return;
    const double base = y + kLegendLine * lines_of_legend(kinds_ + kLegendColumns - 1);
    picture_.text({20, base}, fmt::format("and {} more, in the same colours again", chart_.kinds.size() - kinds_));
  }

  const BarChart& chart_;
  std::size_t rows_;
  std::size_t kinds_;
  PictureFigures figures_;
  double top_;
  SvgPicture picture_;
  double most_ = 0;
  std::optional<SvgPicture::Point> last_mark_;
};

}  // namespace

void draw_bars(const Answer& answer, OutputFile& out) { BarsPicture(answer, out).draw(); }

}  // namespace stepsim::sim
