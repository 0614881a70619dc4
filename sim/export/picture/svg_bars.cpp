#include "sim/export/picture/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "model/base/text.h"

namespace stepsim::sim {
namespace {

class BarsPicture {
 public:
  BarsPicture(const Answer& answer, OutputFile& out)
      : chart_(*answer.bars),
        rows_(std::min(chart_.rows.size(), kMostRows)),
        kinds_(std::min(chart_.kinds.size(), kMostKinds)),
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
    draw_axis();
    double y = kTop;
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
    return kTop + rows_height() + kLegendLine * static_cast<double>(lines + 2);
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
    const double bottom = kTop + rows_height();
    for (const double mark : marks(most_)) {
      picture_.line({x_of(mark), kTop - 6}, {x_of(mark), bottom}, "#dddddd");
      picture_.text({x_of(mark), kTop - 10}, mark_text(mark, most_), Anchor::kMiddle);
    }
    picture_.text({kLeft - 26, kTop - 10}, chart_.axis, Anchor::kEnd);
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
  SvgPicture picture_;
  double most_ = 0;
  std::optional<SvgPicture::Point> last_mark_;
};

}  // namespace

void draw_bars(const Answer& answer, OutputFile& out) { BarsPicture(answer, out).draw(); }

}  // namespace stepsim::sim
