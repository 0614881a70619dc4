#ifndef STEPSIM_INGEST_LOAD_COLLECT_H
#define STEPSIM_INGEST_LOAD_COLLECT_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stepsim::ingest {

/// A file that collect() made.
struct CollectedFile {
  std::string path;
  std::string text;
};

/// The rebuilt merged trace and graph of one GPU.
struct CollectedGpu {
  std::string folder;
  std::vector<CollectedFile> files;  ///< files to write; a file that would not change is not included
  std::uint64_t operators = 0;       ///< operator events in the merged trace
  std::uint64_t communication = 0;
  std::uint64_t io = 0;
  std::vector<std::string> notes;  ///< outputs that could not be rebuilt from source files
};

/// The rebuilt files of a job folder.
struct Collected {
  std::vector<CollectedGpu> gpus;  ///< in the order of their folders
  /// The file combined.gml in the job folder, if there are several GPUs. It contains the graphs of all GPUs, with a
  /// prefix such as "wk0.rank1." on each node.
  std::optional<CollectedFile> job_graph;
};

/// Selects the parts of a merged trace to rebuild.
enum class Renew : std::uint8_t { kAll, kOperators };

/// Rebuilds the merged trace (bps_trace*.json, else bps_trace_final.json) and dag.gml in each GPU's folder below `root`
/// from its source files, as ByteProfile's second generation does:
///
/// * Operators come from temp.json, the dump of MXNet's profiler: X._fwd becomes FW.X, X._backward becomes BW.X, and
///   everything between the last BW and the next FW becomes one STEP. Without temp.json, the operators of the merged
///   trace stay as they are.
/// * Communication comes from comm.json ("byteps.gradient_<i>" becomes the i-th name in gradient_name_list), I/O from
///   io.json.
/// * The inputs of operators and of communication come from dag.gml. Inputs that only operator events list are added to
///   dag.gml as edges.
///
/// Source files are never changed. MXNet's symbol dumps are not read, so without dag.gml and recorded inputs there is
/// no graph.
///
/// Throws InputError if `root` is not a folder or contains no GPU's folder; if the edges of a dag.gml form a cycle
/// (except through the edges from UPDATE and STEP to the next step); if a file cannot be read; if a merged trace is
/// damaged; and if operators are to be rebuilt and temp.json is missing.
[[nodiscard]] Collected collect(const std::string& root, Renew renew);

}  // namespace stepsim::ingest

#endif
