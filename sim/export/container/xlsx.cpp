#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/export/relation.h"
#include "sim/output/write_file.h"

// A workbook (ECMA-376, Office Open XML) with a sheet for each relation (relation.h) and, if the answer has a plot, a
// chart next to the rows. Texts are written as texts, so that none is read as a formula, and numbers as numbers.
// libxlsxwriter is not used, because it crashes or silently writes an incomplete file when an allocation fails. Memory:
// the text of the largest sheet.

namespace stepsim::sim {
namespace {

// Signatures and constants of zip files (APPNOTE.TXT of PKWARE).
constexpr std::uint32_t kMember = 0x04034b50;
constexpr std::uint32_t kEntry = 0x02014b50;
constexpr std::uint32_t kDirectoryEnd = 0x06054b50;
constexpr std::uint16_t kVersion = 20;
constexpr std::uint16_t kUtf8Name = 0x0800;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kFirstDay = 0x21;  // 1980-01-01, the earliest date in a zip file

void append_number(std::string& out, std::uint64_t number, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i) & 0xFFU);
}
void append_16(std::string& out, std::initializer_list<std::uint16_t> numbers) {
  for (const std::uint16_t number : numbers) append_number(out, number, 2);
}

/// The raw deflate stream between gzip's header and trailer; the trailer begins with the checksum.
struct Deflated {
  explicit Deflated(std::string_view content) {
    constexpr std::size_t kGzipHead = 10;
    constexpr std::size_t kGzipFoot = 8;
    Gzip gzip;
    gzip.add(content, packed);
    gzip.finish(packed);
    stream = std::string_view(packed).substr(kGzipHead, packed.size() - kGzipHead - kGzipFoot);
    checksum = std::string_view(packed).substr(packed.size() - kGzipFoot, 4);
  }

  std::string packed;
  std::string_view stream;
  std::string_view checksum;
};

/// Writes a zip archive (APPNOTE.TXT of PKWARE, version 2.0) member by member, each compressed, without times.
class ZipArchive {
 public:
  explicit ZipArchive(OutputFile& out) : out_(out) {}

  /// Adds a member. Throws OutputError if the archive exceeds 4 GiB, the limit of this format version.
  void add(std::string_view name, std::string_view content);
  /// Writes the archive's directory. Call it once, after the last member.
  void finish();

 private:
  void put(std::string_view bytes);

  OutputFile& out_;
  std::uint64_t offset_ = 0;
  std::string directory_;
  std::uint16_t members_ = 0;
};

void ZipArchive::put(std::string_view bytes) {
  out_.write(bytes);
  offset_ += bytes.size();
}

void ZipArchive::add(std::string_view name, std::string_view content) {
  const Deflated deflated(content);
  if (content.size() + offset_ + deflated.packed.size() > std::numeric_limits<std::uint32_t>::max())
    throw OutputError(fmt::format("{}: cannot be written: it would take more than 4 GiB", out_.path()));
  std::string common;  // the common part of a member's header and its directory entry
  append_16(common, {kVersion, kUtf8Name, kDeflated, 0, kFirstDay});
  common += deflated.checksum;
  append_number(common, deflated.stream.size(), 4);
  append_number(common, content.size(), 4);
  append_16(common, {static_cast<std::uint16_t>(name.size()), 0});
  append_number(directory_, kEntry, 4);
  append_16(directory_, {kVersion});
  directory_ += common;
  append_16(directory_, {0, 0, 0, 0, 0});  // no comment (0 bytes), disk 0, no attributes
  append_number(directory_, offset_, 4);
  directory_ += name;
  ++members_;
  std::string head;
  append_number(head, kMember, 4);
  put(head + common);
  put(name);
  put(deflated.stream);
}

void ZipArchive::finish() {
  std::string end;
  append_number(end, kDirectoryEnd, 4);
  append_16(end, {0, 0, members_, members_});
  append_number(end, directory_.size(), 4);
  append_number(end, offset_, 4);
  append_16(end, {0});
  put(directory_ + end);
}

/// Returns a spreadsheet's column name: "A", "Z", "AA".
std::string column_letters(std::size_t column) {
  constexpr std::size_t kLetters = 26;
  std::string letters;
  for (std::size_t rest = column + 1; rest > 0; rest = (rest - 1) / kLetters)
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % kLetters));
  return letters;
}

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
    const std::size_t first = line * plot_.points_a_line + 2;  // row 1 has the titles
    return fmt::format("{0}!${1}${2}:${1}${3}", sheet_, column, first, first + plot_.points_a_line - 1);
  }

  /// Returns a chart's list of numbers: column `more` minus column `less`, for each point of the line.
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

/// Returns a DrawingML chart of the plot. Its lines refer to cells of the sheet, whose first row has the titles; a bar
/// shows each point's range. It has at most 24 lines; the title states how many were left out. Precondition: `plot`
/// names columns of `rows`.
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
  // Shows nanoseconds as milliseconds.
  text += R"(<c:dispUnits><c:builtInUnit val="millions"/></c:dispUnits></c:valAx></c:plotArea>)";
  if (lines > 1) text += R"(<c:legend><c:legendPos val="r"/><c:overlay val="0"/></c:legend>)";
  return text + R"(<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>)";
}

/// Returns the DrawingML that places chart rId1 to the right of `columns` columns.
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

constexpr std::size_t kMostRows = 1'048'575;  // maximum number of rows of a sheet below its titles
constexpr std::size_t kMostBytes = 32'700;    // bytes of a cell, which may have 32,767 characters
constexpr std::string_view kMain = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
constexpr std::string_view kOffice = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
constexpr std::string_view kPackage = "http://schemas.openxmlformats.org/package/2006";
constexpr std::string_view kHead = R"(<?xml version="1.0" encoding="UTF-8" standalone="yes"?>)"
                                   "\n";

/// True if the text begins with an escape such as "_x001B_", which spreadsheets replace by that character.
bool is_escape(std::string_view text) {
  constexpr std::size_t kLength = 7;
  return text.size() >= kLength && text.starts_with("_x") && text[kLength - 1] == '_' &&
         text.substr(2, 4).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

/// Returns a text that a cell can contain: control characters are escaped as in spreadsheets, and long texts are cut.
std::string cell_text(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const Character next = decode_utf8(text);
    const bool control = next.valid && next.code < 0x20 && next.code != '\t' && next.code != '\n';
    if (is_escape(text)) plain += "_x005F";
    plain +=
        control ? fmt::format("_x{:04X}_", static_cast<unsigned>(next.code)) : std::string(text.substr(0, next.length));
    text.remove_prefix(next.length);
    if (plain.size() > kMostBytes) {
      plain += "...";
      break;
    }
  }
  return xml_escaped(plain);
}

std::string text_cell(std::string_view place, std::string_view text, bool bold) {
  return fmt::format(R"(<c r="{}"{} t="inlineStr"><is><t xml:space="preserve">{}</t></is></c>)", place,
                     bold ? R"( s="1")" : "", cell_text(text));
}

std::string cell(std::string_view place, const Value& value) {
  if (const auto* const text = std::get_if<std::string_view>(&value))
    return text->empty() ? std::string() : text_cell(place, *text, false);
  if (const auto* const integer = std::get_if<std::int64_t>(&value))
    return fmt::format(R"(<c r="{}"><v>{}</v></c>)", place, *integer);
  if (const auto* const real = std::get_if<double>(&value); real != nullptr && std::isfinite(*real))
    return fmt::format(R"(<c r="{}"><v>{}</v></c>)", place, *real);
  return {};
}

std::string columns_of(const Relation& relation) {
  constexpr int kTextWidth = 32;
  constexpr int kNumberWidth = 18;
  std::string text;
  for (std::size_t i = 0; i < relation.columns.size(); ++i) {
    text += fmt::format(R"(<col min="{0}" max="{0}" width="{1}" customWidth="1"/>)", i + 1,
                        relation.columns[i].type == ValueType::kText ? kTextWidth : kNumberWidth);
  }
  return text;
}

/// Returns a sheet with the rows in [first, end) below a fixed row of titles.
std::string sheet_of(const Relation& relation, std::size_t first, std::size_t end, bool has_chart) {
  std::string text =
      fmt::format(R"({}<worksheet xmlns="{}" xmlns:r="{}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" )"
                  R"(topLeftCell="A2" activePane="bottomLeft" )"
                  R"(state="frozen"/></sheetView></sheetViews><cols>{}</cols><sheetData>)",
                  kHead, kMain, kOffice, columns_of(relation));
  std::vector<std::string> letters;
  text += R"(<row r="1">)";
  for (const RelationColumn& column : relation.columns) {
    letters.push_back(column_letters(letters.size()));
    text += text_cell(letters.back() + "1", column.name, true);
  }
  text += "</row>\n";
  for (std::size_t row = first; row < end; ++row) {
    const std::size_t number = row - first + 2;
    text += fmt::format(R"(<row r="{}">)", number);
    for (std::size_t i = 0; i < letters.size(); ++i)
      text += cell(fmt::format("{}{}", letters[i], number), relation.columns[i].value(row));
    text += "</row>\n";
  }
  return text + fmt::format("</sheetData>{}</worksheet>", has_chart ? R"(<drawing r:id="rId1"/>)" : "");
}

/// Returns a name of at most 31 characters; a relation's name has only characters that are valid in a sheet's name.
std::string sheet_name(const Relation& relation, std::size_t part) {
  constexpr std::size_t kLongest = 31;
  const std::string more = part == 0 ? "" : fmt::format("_{}", part + 1);
  return relation.name.substr(0, kLongest - more.size()) + more;
}

std::string relationship(std::size_t id, std::string_view type, std::string_view target) {
  return fmt::format(R"(<Relationship Id="rId{}" Type="{}/{}" Target="{}"/>)", id, kOffice, type, target);
}
std::string relationships(std::string_view content) {
  return fmt::format(R"({}<Relationships xmlns="{}/relationships">{}</Relationships>)", kHead, kPackage, content);
}

/// A sheet and the rows that it shows.
struct Sheet {
  const Relation* relation;
  std::string name;
  std::size_t first;
  std::size_t end;
  bool has_chart;
};

std::vector<Sheet> sheets_of(const std::vector<Relation>& relations, bool has_plot) {
  std::vector<Sheet> sheets;
  for (const Relation& relation : relations) {
    const bool has_chart = has_plot && relation.name == kRows && relation.rows <= kMostRows;
    std::size_t first = 0;
    for (std::size_t part = 0; part == 0 || first < relation.rows; ++part, first += kMostRows) {
      sheets.push_back(
          {&relation, sheet_name(relation, part), first, std::min(relation.rows, first + kMostRows), has_chart});
    }
  }
  return sheets;
}

std::string content_types(std::size_t sheets, bool has_chart) {
  constexpr std::string_view kForm = "application/vnd.openxmlformats-officedocument";
  const auto part = [kForm](std::string_view name, std::string_view type) {
    return fmt::format(R"(<Override PartName="/xl/{}.xml" ContentType="{}.{}+xml"/>)", name, kForm, type);
  };
  std::string text =
      fmt::format(R"({}<Types xmlns="{}/content-types"><Default Extension="rels" )"
                  R"(ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" )"
                  R"(ContentType="application/xml"/>)",
                  kHead, kPackage);
  text += part("workbook", "spreadsheetml.sheet.main") + part("styles", "spreadsheetml.styles");
  for (std::size_t i = 1; i <= sheets; ++i)
    text += part(fmt::format("worksheets/sheet{}", i), "spreadsheetml.worksheet");
  if (has_chart) text += part("drawings/drawing1", "drawing") + part("charts/chart1", "drawingml.chart");
  return text + "</Types>";
}

/// Returns the workbook's styles. Style 1 is bold.
std::string styles() {
  return fmt::format(
      R"({}<styleSheet xmlns="{}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/>)"
      R"(<sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill )"
      R"(patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1">)"
      R"(<border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf )"
      R"(numFmtId="0" )"
      R"(fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" )"
      R"(fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" )"
      R"(applyFont="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" )"
      R"(builtinId="0"/></cellStyles>)"
      "</styleSheet>",
      kHead, kMain);
}

void add_chart(ZipArchive& archive, const Sheet& sheet, std::size_t number, const Plot& plot) {
  archive.add(fmt::format("xl/worksheets/_rels/sheet{}.xml.rels", number),
              relationships(relationship(1, "drawing", "../drawings/drawing1.xml")));
  archive.add("xl/drawings/drawing1.xml", std::string(kHead) + xlsx_drawing(sheet.relation->columns.size()));
  archive.add("xl/drawings/_rels/drawing1.xml.rels", relationships(relationship(1, "chart", "../charts/chart1.xml")));
  archive.add("xl/charts/chart1.xml", std::string(kHead) + xlsx_chart(plot, *sheet.relation, sheet.name));
}

void write_workbook(const Answer& answer, OutputFile& out) {
  const std::vector<Relation> relations = document_relations(answer);
  const std::optional<Plot>& plot = answer.document->plot;
  const std::vector<Sheet> sheets = sheets_of(relations, plot.has_value());
  const bool has_chart = std::any_of(sheets.begin(), sheets.end(), [](const Sheet& sheet) { return sheet.has_chart; });
  ZipArchive archive(out);
  archive.add("[Content_Types].xml", content_types(sheets.size(), has_chart));
  archive.add("_rels/.rels", relationships(relationship(1, "officeDocument", "xl/workbook.xml")));
  std::string names;
  std::string targets;
  for (std::size_t i = 1; i <= sheets.size(); ++i) {
    names += fmt::format(R"(<sheet name="{0}" sheetId="{1}" r:id="rId{1}"/>)", sheets[i - 1].name, i);
    targets += relationship(i, "worksheet", fmt::format("worksheets/sheet{}.xml", i));
  }
  targets += relationship(sheets.size() + 1, "styles", "styles.xml");
  archive.add("xl/workbook.xml", fmt::format(R"({}<workbook xmlns="{}" xmlns:r="{}"><sheets>{}</sheets></workbook>)",
                                             kHead, kMain, kOffice, names));
  archive.add("xl/_rels/workbook.xml.rels", relationships(targets));
  archive.add("xl/styles.xml", styles());
  for (std::size_t i = 1; i <= sheets.size(); ++i) {
    const Sheet& sheet = sheets[i - 1];
    archive.add(fmt::format("xl/worksheets/sheet{}.xml", i),
                sheet_of(*sheet.relation, sheet.first, sheet.end, sheet.has_chart));
    if (sheet.has_chart) add_chart(archive, sheet, i, *plot);
  }
  archive.finish();
}

}  // namespace

extern const Exporter xlsx_exporter{
    .name = "xlsx",
    .extension = "xlsx",
    .summary = "Excel workbook: one sheet per section, with a chart for sweeps",
    .accepts = Content::kDocument,
    .gzip = false,
    .write = write_workbook,
};

}  // namespace stepsim::sim
