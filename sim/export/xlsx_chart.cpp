#include "sim/export/xlsx_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/export/xml_text.h"

// ECMA-376, part 1, chapter 21. The order of elements is that of its schemas; spreadsheets refuse others.

namespace stepsim::sim {
namespace {

constexpr std::size_t kMostLines = 24;

std::string title_of(std::string_view text) {
  return fmt::format(
      R"(<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>{}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/>)"
      "</c:title>",
      xml_escaped(text));
}

double number_at(const Relation& rows, const std::string& title, std::size_t row) {
  const Value value = rows.columns[place_of(rows, title)].value(row);
  const auto* const integer = std::get_if<std::int64_t>(&value);
  return integer == nullptr ? 0 : static_cast<double>(*integer);
}

class Chart {
 public:
  Chart(const Plot& plot, const Relation& rows, std::string_view sheet) : plot_(plot), rows_(rows), sheet_(sheet) {}

  [[nodiscard]] std::string line(std::size_t line) const {
    std::string text = fmt::format(R"(<c:ser><c:idx val="{0}"/><c:order val="{0}"/><c:tx><c:v>{1}</c:v></c:tx>)", line,
                                   xml_escaped(plot_.lines[line].empty() ? "iteration" : plot_.lines[line]));
    text += R"(<c:marker><c:symbol val="circle"/><c:size val="5"/></c:marker>)";
    text += R"(<c:errBars><c:errDir val="y"/><c:errBarType val="both"/><c:errValType val="cust"/>)";
    text += fmt::format(R"(<c:noEndCap val="0"/><c:plus>{}</c:plus><c:minus>{}</c:minus></c:errBars>)",
                        differences(line, plot_.high, plot_.y), differences(line, plot_.y, plot_.low));
    if (!plot_.x.empty())
      text += fmt::format("<c:cat><c:strRef><c:f>{}</c:f></c:strRef></c:cat>", cells(line, plot_.x));
    return text + fmt::format(R"(<c:val><c:numRef><c:f>{}</c:f></c:numRef></c:val><c:smooth val="0"/></c:ser>)",
                              cells(line, plot_.y));
  }

 private:
  [[nodiscard]] std::string cells(std::size_t line, const std::string& title) const {
    const std::string column = column_letters(place_of(rows_, title));
    const std::size_t first = line * plot_.points_a_line + 2;  // row 1 is the heading
    return fmt::format("{0}!${1}${2}:${1}${3}", sheet_, column, first, first + plot_.points_a_line - 1);
  }

  /// By how much `more` is above `less`, for each point of the line.
  [[nodiscard]] std::string differences(std::size_t line, const std::string& more, const std::string& less) const {
    std::string text =
        fmt::format(R"(<c:numLit><c:formatCode>General</c:formatCode><c:ptCount val="{}"/>)", plot_.points_a_line);
    for (std::size_t i = 0; i < plot_.points_a_line; ++i) {
      const std::size_t row = line * plot_.points_a_line + i;
      text += fmt::format(R"(<c:pt idx="{}"><c:v>{}</c:v></c:pt>)", i,
                          number_at(rows_, more, row) - number_at(rows_, less, row));
    }
    return text + "</c:numLit>";
  }

  const Plot& plot_;
  const Relation& rows_;
  std::string_view sheet_;
};

}  // namespace

std::string column_letters(std::size_t column) {
  constexpr std::size_t kLetters = 26;
  std::string letters;
  for (std::size_t rest = column + 1; rest > 0; rest = (rest - 1) / kLetters)
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % kLetters));
  return letters;
}

std::string xlsx_chart(const Plot& plot, const Relation& rows, std::string_view sheet) {
  const std::size_t lines = std::min(plot.lines.size(), kMostLines);
  const Chart chart(plot, rows, sheet);
  std::string text = R"(<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" )"
                     R"(xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart>)";
  text += title_of(lines == plot.lines.size()
                       ? plot.title
                       : fmt::format("{} (the first {} of {} lines)", plot.title, lines, plot.lines.size()));
  text += R"(<c:autoTitleDeleted val="0"/><c:plotArea><c:layout/><c:lineChart><c:grouping val="standard"/>)";
  text += R"(<c:varyColors val="0"/>)";
  for (std::size_t line = 0; line < lines; ++line) text += chart.line(line);
  text += R"(<c:marker val="1"/><c:axId val="1"/><c:axId val="2"/></c:lineChart>)";
  text += R"(<c:catAx><c:axId val="1"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/>)";
  text += R"(<c:axPos val="b"/>)" + title_of(plot.x.empty() ? "point" : plot.x);
  text += R"(<c:majorTickMark val="out"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/>)";
  text += R"(<c:crossAx val="2"/><c:crosses val="autoZero"/></c:catAx>)";
  text += R"(<c:valAx><c:axId val="2"/><c:scaling><c:orientation val="minMax"/><c:min val="0"/></c:scaling>)";
  text += R"(<c:delete val="0"/><c:axPos val="l"/><c:majorGridlines/>)" + title_of("ms");
  text += R"(<c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="out"/>)";
  text += R"(<c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="1"/>)";
  text += R"(<c:crosses val="autoZero"/><c:crossBetween val="between"/>)";
  text += R"(<c:dispUnits><c:builtInUnit val="millions"/></c:dispUnits></c:valAx></c:plotArea>)";  // of nanoseconds
  if (lines > 1) text += R"(<c:legend><c:legendPos val="r"/><c:overlay val="0"/></c:legend>)";
  return text + R"(<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>)";
}

std::string xlsx_drawing(std::size_t columns) {
  constexpr std::size_t kWide = 12;
  constexpr std::size_t kHigh = 26;
  const auto corner = [](std::string_view name, std::size_t column, std::size_t row) {
    return fmt::format(
        "<xdr:{0}><xdr:col>{1}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>{2}</xdr:row>"
        "<xdr:rowOff>0</xdr:rowOff></xdr:{0}>",
        name, column, row);
  };
  return fmt::format(
      R"(<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" )"
      R"(xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:twoCellAnchor>{}{})"
      R"(<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="2" name="Chart 1"/>)"
      R"(<xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/>)"
      R"(</xdr:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart">)"
      R"(<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" )"
      R"(xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId1"/>)"
      "</a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>",
      corner("from", columns + 1, 1), corner("to", columns + 1 + kWide, 1 + kHigh));
}

}  // namespace stepsim::sim
