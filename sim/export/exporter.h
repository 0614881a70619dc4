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

/// What a file can hold of a command's answer.
enum class Content : std::uint8_t {
  kDocument,
  kTimeline,
  kTaskGraph,
  kCluster,
  kPicture,  ///< a graph, a timeline, bars, or a document with a plot
  kGraph,
};
/// "document", "timeline", "task graph", "cluster", "picture", "graph".
[[nodiscard]] std::string_view to_text(Content content) noexcept;

/// A replay of capture.dag, under the name that a viewer shows.
struct NamedReplay {
  std::string_view name;  ///< "replayed", "baseline", "scenario"
  const Capture& capture;
  const Timeline& timeline;
};

/// All that a command has to write. What it does not have is null or empty.
struct Answer {
  const Provenance& provenance;
  const Document* document = nullptr;
  std::vector<NamedReplay> replays;          ///< of one job; a task graph is made of the last
  const Cluster* cluster = nullptr;          ///< that the last replay ran on
  const Calibration* calibration = nullptr;  ///< how `cluster` was found, if by calibration
  const Graph* graph = nullptr;              ///< to be drawn
  const Layout* layout = nullptr;            ///< where a picture draws it
  const BarChart* bars = nullptr;            ///< to be drawn
};

/// One way to write a file: one .cpp in sim/export/ and one line in its CMakeLists.txt.
struct Exporter {
  std::string_view name;        ///< "chrome"
  std::string_view extension;   ///< "trace.json": what follows a dot at the end of the file's name
  std::string_view alias = {};  ///< another extension for the same: "yml"
  std::string_view summary;     ///< one line for --help
  Content accepts;              ///< what it writes; the answer must have it
  bool gzip = true;             ///< whether .gz behind the extension compresses it; false: it is packed as it is
  /// Streams to `out`; holds no copy of the file. Throws what `out` throws.
  void (*write)(const Answer& answer, OutputFile& out);
};

/// Every exporter, in the order in which help lists them.
[[nodiscard]] std::span<const Exporter* const> exporters();

/// The exporter whose extension is the longest that `path` ends in, before a .gz if there is one; null if there is
/// none.
/// "-" alone is "-.json".
[[nodiscard]] const Exporter* find_exporter(std::string_view path) noexcept;

/// "-", and "-" with an extension, which says in which form: "-.csv.gz".
[[nodiscard]] bool is_standard_output(std::string_view path) noexcept;
[[nodiscard]] bool is_gzipped(std::string_view path) noexcept;

/// The file `path`, or standard output; compressed if `path` ends in .gz. Throws what OutputFile does.
[[nodiscard]] OutputFile open_output(const std::string& path);
/// Writes `answer` to open_output(path).
/// Preconditions: `answer` has what `exporter` accepts; a path that is gzipped is one that find_exporter() finds.
void export_to_file(const std::string& path, const Exporter& exporter, const Answer& answer);

}  // namespace stepsim::sim

#endif
