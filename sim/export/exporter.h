#ifndef STEPSIM_SIM_EXPORT_EXPORTER_H
#define STEPSIM_SIM_EXPORT_EXPORTER_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/job/recording.h"
#include "sim/engine/timeline.h"
#include "sim/output/write_file.h"

namespace stepsim::sim {

/// Who made a file and from what; every output carries it.
struct Provenance {
  std::string version;
  std::string commit;
  std::string command;  ///< as typed, arguments quoted
  std::vector<std::string> inputs;
};

/// What an exporter writes from. `timeline` is a replay of capture.dag.
struct ExportInput {
  const Capture& capture;
  const Timeline& timeline;
  const Provenance& provenance;
};

/// One way to write a replay: one file in sim/export/ and one line in its CMakeLists.txt.
struct Exporter {
  std::string_view name;       ///< "chrome"
  std::string_view extension;  ///< "json", "tasks.json": after a dot at the end of the file name
  std::string_view summary;    ///< one line for --help
  /// Streams to `out`; holds no copy of the file. Throws what `out` throws.
  void (*write)(const ExportInput& input, OutputFile& out);
};

/// Every exporter, by name.
[[nodiscard]] std::span<const Exporter* const> exporters();

/// The exporter for `path`, by the longest extension that it ends in. Throws UsageError that
/// lists the extensions.
[[nodiscard]] const Exporter& exporter_for(std::string_view path);

/// Writes `input` to `path` by its exporter, as OutputFile does.
void export_to_file(const std::string& path, const ExportInput& input);

/// Writes two replays of one job to a Chrome trace, for each rank the baseline's process and under it
/// the scenario's. As OutputFile does.
void export_beside(const std::string& path, const ExportInput& baseline, const ExportInput& scenario);

}  // namespace stepsim::sim

#endif
