#ifndef STEPSIM_SIM_EXPORT_EXPORTER_H
#define STEPSIM_SIM_EXPORT_EXPORTER_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/calibration/calibration.h"
#include "model/job/cluster.h"
#include "model/job/recording.h"
#include "sim/engine/timeline.h"
#include "sim/graph/graph.h"
#include "sim/graph/graph_text.h"
#include "sim/output/provenance.h"
#include "sim/output/write_file.h"
#include "sim/report/document.h"

namespace stepsim::sim {

/// The part of a command's answer that a file contains.
enum class Content : std::uint8_t {
  kDocument,
  kTimeline,
  kTaskGraph,
  kCluster,
  kScenario,
  kPicture,  ///< a graph, a timeline, bars, or a document with a plot
  kGraph,
};
/// Returns "document", "timeline", "task graph", "cluster", "scenario", "picture", "graph".
[[nodiscard]] std::string_view to_text(Content content) noexcept;

/// A replay of capture.dag, and its name in viewers.
struct NamedReplay {
  std::string_view name;  ///< for example "replayed", "baseline", "scenario"
  const Capture& capture;
  const Timeline& timeline;
};

/// Everything a command can write. Missing parts are null or empty.
struct Answer {
  const Provenance& provenance;
  const Document* document = nullptr;
  std::vector<NamedReplay> replays;          ///< replays of one job; a task graph is made from the last
  const Cluster* cluster = nullptr;          ///< the cluster of the last replay
  const Calibration* calibration = nullptr;  ///< the calibration of `cluster`, if it was calibrated
  std::string_view scenario{};               ///< the changes of a what-if, in the form of scenario.yaml
  const Graph* graph = nullptr;              ///< the graph to draw
  const Layout* layout = nullptr;            ///< the positions of the graph's nodes and edges in a picture
  const BarChart* bars = nullptr;            ///< the bar chart to draw
  bool brief = false;                        ///< true if Markdown is only what --brief prints
};

/// True if `answer` has this content, which a file format needs.
[[nodiscard]] bool has(const Answer& answer, Content content) noexcept;

/// A file format. Each one is a .cpp in sim/export/ and a line in its CMakeLists.txt.
struct Exporter {
  std::string_view name;        ///< for example "chrome"
  std::string_view extension;   ///< "trace.json": the end of the file's name after a dot
  std::string_view alias = {};  ///< another extension for the same format: "yml"
  std::string_view summary;     ///< one line for --help
  Content accepts;              ///< the part of the answer that it writes; it must be present
  bool gzip = true;             ///< true if a .gz after the extension compresses the file
  std::string_view program{};   ///< a program that write() runs, found in PATH; empty if it needs none
  std::string_view package{};   ///< the Debian package of that program
  /// Writes to `out` as a stream, without a copy of the file in memory. Throws what `out` throws.
  void (*write)(const Answer& answer, OutputFile& out);
};

/// Returns all exporters, in the order of the help.
[[nodiscard]] std::span<const Exporter* const> exporters();

/// Returns the exporter with the longest extension that matches the end of `path`, before a .gz if there is one; null
/// if no extension matches. If several have this extension, prefers one that accepts one of `contents`, then the first.
/// "-" alone means "-.json".
[[nodiscard]] const Exporter* find_exporter(std::string_view path, std::span<const Content> contents = {}) noexcept;

/// True for "-", and for "-" with an extension that selects the format: "-.csv.gz".
[[nodiscard]] bool is_standard_output(std::string_view path) noexcept;
[[nodiscard]] bool is_gzipped(std::string_view path) noexcept;

/// Opens the file `path`, or standard output; compresses it if `path` ends in .gz. Throws what OutputFile throws.
[[nodiscard]] OutputFile open_output(const std::string& path);
/// Writes `answer` to open_output(path). Preconditions: `answer` has what `exporter` accepts, and exporter.gzip is true
/// if is_gzipped(path).
void export_to_file(const std::string& path, const Exporter& exporter, const Answer& answer);

}  // namespace stepsim::sim

#endif
