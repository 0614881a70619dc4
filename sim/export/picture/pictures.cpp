#include "sim/export/picture/pictures.h"

#include <fmt/format.h>
#include <isa-l/crc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/error.h"
#include "model/base/text.h"
#include "sim/export/relation.h"
#include "sim/graph/graph_text.h"
#include "sim/output/run_program.h"
#include "sim/output/temporary_folder.h"
#include "sim/report/terminal_text.h"

namespace stepsim::sim {

extern const Exporter png_exporter;

namespace {

constexpr std::size_t kLongest = 300;
constexpr std::size_t kLongestSource = 10'000;

std::string escaped(std::string_view text) { return xml_escaped(shown(text, kLongest)); }

/// Draws the answer's graph if it has one; otherwise its bars, its plot or its timeline, whichever it has first.
void write_picture(const Answer& answer, OutputFile& out) {
  if (answer.layout != nullptr) return draw_graph(answer, out);
  if (answer.bars != nullptr && !answer.bars->rows.empty()) return draw_bars(answer, out);
  const bool plot = answer.document != nullptr && answer.document->plot;
  plot ? draw_plot(answer, out) : draw_timeline(answer, out);
}

/// Appends a number in PNG's byte order, the most significant byte first.
void append_number(std::string& out, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> static_cast<unsigned>(shift) & 0xFFU);
}

/// Returns a chunk with text (PNG specification, 11.3.4.5 iTXt): where the picture comes from.
std::string text_chunk(std::string_view text) {
  using namespace std::string_literals;
  const std::string content = "iTXtSource\0\0\0\0\0"s + std::string(text);
  constexpr std::size_t kTypeSize = 4;
  std::string chunk;
  append_number(chunk, static_cast<std::uint32_t>(content.size() - kTypeSize));
  chunk += content;
  append_number(chunk, crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(content.data()), content.size()));
  return chunk;
}

constexpr std::size_t kPngHeader = 33;  ///< signature and IHDR, which come first (PNG specification, 5.3 and 11.2.2)

/// True if the bytes begin and end like a PNG file. rsvg-convert may be a program that only has this name.
bool is_png(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.size() > kPngHeader && bytes.starts_with("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv) &&
         bytes.ends_with("\0\0\0\0IEND\xae\x42\x60\x82"sv);
}

/// Draws the picture as SVG, and has it converted. Adds its provenance, which the conversion drops.
void write_png(const Answer& answer, OutputFile& out) {
  constexpr ProgramLimits kLimits{.processor_time = std::chrono::minutes{1},
                                  .bytes = std::size_t{1} << 30U,
                                  .advice = "a smaller picture, or .svg, which any browser shows"};
  const TemporaryFolder folder;
  OutputFile svg(folder.file("picture.svg"));
  write_picture(answer, svg);
  svg.commit();
  const std::string png = run_program({std::string(png_exporter.program), "--format=png", svg.path()}, "", kLimits);
  if (!is_png(png)) {
    throw OutputError(fmt::format("{} wrote {} bytes that are not a PNG picture; expected librsvg's program, or .svg",
                                  png_exporter.program, png.size()));
  }
  out.write(std::string_view(png).substr(0, kPngHeader));
  const Provenance& provenance = answer.provenance;
  out.write(text_chunk(shown(
      fmt::format("stepsim {} ({}): {}", provenance.version, provenance.commit, provenance.command), kLongestSource)));
  out.write(std::string_view(png).substr(kPngHeader));
}

/// Returns the origin that is written into graph files.
std::string_view origin_of(const Answer& answer) {
  return answer.document == nullptr ? std::string_view("stepsim") : answer.document->origin;
}

}  // namespace

SvgPicture::SvgPicture(OutputFile& out, double width, double height, std::string_view title,
                       const Provenance& provenance)
    : out_(out) {
  out_.write(fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 )"
                         R"({0:.0f} {1:.0f}" role="img" font-family="sans-serif" font-size="12">)"
                         "\n",
                         width, height));
  out_.write(fmt::format("<metadata>stepsim {} ({}): {}", escaped(provenance.version), escaped(provenance.commit),
                         escaped(provenance.command)));
  for (const InputFile& input : provenance.inputs) out_.write(fmt::format("\ninput: {}", escaped(to_text(input))));
  out_.write(fmt::format("</metadata>\n<title>{}</title>\n", escaped(title)));
  rectangle({}, width, height, "#ffffff");
}

void SvgPicture::rectangle(Point corner, double width, double height, std::string_view colour, std::string_view hint) {
  shape(fmt::format(R"(rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}")", corner.x, corner.y, width,
                    height, colour),
        hint);
}

void SvgPicture::line(Point from, Point to, std::string_view colour, std::string_view dashes) {
  shape(fmt::format(R"(path d="M{:.2f} {:.2f}L{:.2f} {:.2f}" stroke="{}" fill="none"{})", from.x, from.y, to.x, to.y,
                    colour, dashes.empty() ? "" : fmt::format(R"( stroke-dasharray="{}")", dashes)),
        {});
}

void SvgPicture::path(const std::vector<Point>& points, std::string_view colour) {
  std::string data;
  for (const Point& point : points) data += fmt::format("{}{:.2f} {:.2f}", data.empty() ? 'M' : 'L', point.x, point.y);
  shape(fmt::format(R"(path d="{}" stroke="{}" stroke-width="2" fill="none")", data, colour), {});
}

void SvgPicture::dot(Point centre, std::string_view colour, std::string_view hint) {
  shape(fmt::format(R"(circle cx="{:.2f}" cy="{:.2f}" r="3" fill="{}")", centre.x, centre.y, colour), hint);
}

void SvgPicture::curve(const std::vector<Point>& points, const Stroke& stroke) {
  std::string data;
  for (const Point& point : points) {
    const std::string_view step = data.empty() ? "M" : data.find('C') == std::string::npos ? "C" : " ";
    data += fmt::format("{}{:.2f} {:.2f}", step, point.x, point.y);
  }
  const std::string dashes = stroke.dashes.empty() ? "" : fmt::format(R"( stroke-dasharray="{}")", stroke.dashes);
  shape(fmt::format(R"(path d="{}" stroke="{}" stroke-width="{:.1f}" fill="none"{})", data, stroke.colour, stroke.width,
                    dashes),
        {});
  if (!stroke.arrow || points.size() < 2) return;
  const Point end = points.back();
  const Point before = points[points.size() - 2];
  const double length = std::max(std::hypot(end.x - before.x, end.y - before.y), 1e-6);
  const double along_x = (end.x - before.x) / length;
  const double along_y = (end.y - before.y) / length;
  constexpr double kLength = 8;
  constexpr double kHalf = 3;
  shape(fmt::format(R"(path d="M{:.2f} {:.2f}L{:.2f} {:.2f}L{:.2f} {:.2f}Z" fill="{}")", end.x + along_x * kLength,
                    end.y + along_y * kLength, end.x - along_y * kHalf, end.y + along_x * kHalf,
                    end.x + along_y * kHalf, end.y - along_x * kHalf, stroke.colour),
        {});
}

void SvgPicture::frame(Point corner, double width, double height, double stroke) {
  shape(fmt::format(R"(rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="none" stroke="#000000" )"
                    R"(stroke-width="{:.1f}")",
                    corner.x, corner.y, width, height, stroke),
        {});
}

void SvgPicture::text(Point base, std::string_view text, Anchor anchor, std::string_view colour) {
  static constexpr std::array<std::string_view, 3> kWords{"start", "middle", "end"};
  out_.write(fmt::format(R"(<text x="{:.2f}" y="{:.2f}" text-anchor="{}"{}>{}</text>)"
                         "\n",
                         base.x, base.y, kWords[static_cast<std::size_t>(anchor)],
                         colour.empty() ? "" : fmt::format(R"( fill="{}")", colour), escaped(text)));
}

void SvgPicture::heading(Point base, std::string_view text) {
  out_.write(fmt::format(R"(<text x="{:.2f}" y="{:.2f}" font-size="15" font-weight="bold">{}</text>)"
                         "\n",
                         base.x, base.y, escaped(text)));
}

void SvgPicture::finish() { out_.write("</svg>\n"); }

void SvgPicture::shape(std::string_view element, std::string_view hint) {
  if (hint.empty()) {
    out_.write(fmt::format("<{}/>\n", element));
    return;
  }
  out_.write(fmt::format("<{}><title>{}</title></{}>\n", element, escaped(hint), element.substr(0, element.find(' '))));
}

PictureFigures::PictureFigures(const Answer& answer, double width) {
  if (answer.document == nullptr) return;
  constexpr double kLetter = 6.5;
  constexpr std::size_t kMostLetters = 2000;  // letters of a text, which is then shortened in the middle
  const Document& document = *answer.document;
  for (const std::string* const text : {&document.warning, &document.headline, &document.caution}) {
    if (text->empty()) continue;
    const std::string line_of_text = shown(*text, kMostLetters);
    for (const std::string_view line : wrapped(line_of_text, static_cast<std::size_t>(width / kLetter)))
      lines_.emplace_back(line);
  }
}

void PictureFigures::draw(SvgPicture& picture, SvgPicture::Point first) const {
  for (const std::string& line : lines_) {
    picture.text(first, line);
    first.y += kLine;
  }
}

std::vector<double> marks(double most) {
  if (most <= 0) return {0};
  constexpr double kMost = 8;
  const double power = std::pow(10, std::floor(std::log10(most / kMost)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (most / (factor * power) <= kMost) step = factor * power;
  }
  std::vector<double> found;
  for (int i = 0; i * step <= most * (1 + 1e-9); ++i) found.push_back(i * step);
  return found;
}

std::string mark_text(double nanoseconds, double most) {
  struct Scale {
    double size;
    std::string_view name;
  };
  static constexpr std::array<Scale, 4> kScales{Scale{1e9, "s"}, Scale{1e6, "ms"}, Scale{1e3, "us"}, Scale{1, "ns"}};
  const auto* const scale =
      std::find_if(kScales.begin(), kScales.end() - 1, [most](const Scale& s) { return most >= s.size; });
  return fmt::format("{:.6g} {}", nanoseconds / scale->size, scale->name);
}

extern const Exporter svg_exporter{
    .name = "svg",
    .extension = "svg",
    .summary = "picture: a graph, bars, the points of a sweep, or the timeline of a replay",
    .accepts = Content::kPicture,
    .write = write_picture,
};

const Exporter png_exporter{
    .name = "png",
    .extension = "png",
    .summary = "the picture of .svg as pixels",
    .accepts = Content::kPicture,
    .gzip = false,
    .program = "rsvg-convert",
    .package = "librsvg2-bin",
    .write = write_png,
};

extern const Exporter dot_exporter{
    .name = "dot",
    .extension = "dot",
    .alias = "gv",
    .summary = "dependency graph for Graphviz",
    .accepts = Content::kGraph,
    .write = [](const Answer& answer, OutputFile& out) { out.write(dot_text(*answer.graph, origin_of(answer))); },
};

extern const Exporter gml_exporter{
    .name = "gml",
    .extension = "gml",
    .summary = "dependency graph for networkx, dPRO, Gephi and yEd",
    .accepts = Content::kGraph,
    .write = [](const Answer& answer, OutputFile& out) { out.write(gml_text(*answer.graph, origin_of(answer))); },
};

}  // namespace stepsim::sim
