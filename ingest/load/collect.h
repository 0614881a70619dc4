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

/// The merged trace and the graph of one GPU, made anew.
struct CollectedGpu {
  std::string folder;
  std::vector<CollectedFile> files;  ///< to be written; none that would be as it is
  std::uint64_t operators = 0;       ///< events of the merged trace, and so are the next
  std::uint64_t communication = 0;
  std::uint64_t io = 0;
  std::vector<std::string> notes;  ///< what could not be made from source files
};

/// The GPUs of a folder.
struct Collected {
  std::vector<CollectedGpu> gpus;  ///< by folder
  /// Of several GPUs: combined.gml in the folder, the graphs of all, "wk0.rank1." in front of their nodes.
  std::optional<CollectedFile> job_graph;
};

/// What of a merged trace is made anew.
enum class Renew : std::uint8_t { kAll, kOperators };

/// Makes the merged trace (bps_trace*.json, else bps_trace_final.json) and dag.gml of each GPU's folder in `root` from
/// its source files, as ByteProfile's second generation does:
///
/// * operators from temp.json, the dump of MXNet's profiler (X._fwd is FW.X, X._backward BW.X, the rest between the
///   last BW and the next FW one STEP); without it, those of the merged trace stay as they are;
/// * communication from comm.json, "byteps.gradient_<i>" by the name in gradient_name_list; I/O from io.json;
/// * inputs of operators and of communication from dag.gml, and an edge of dag.gml for each input of an operator.
///
/// Source files are only read. MXNet's symbol dumps are not read: without dag.gml and inputs there is no graph.
/// Throws InputError for a path that is no folder, for a folder without a GPU's, for a dag.gml whose edges form a cycle
/// (those from UPDATE and STEP into the next step excepted), for a file that cannot be read, for a merged trace that is
/// damaged, and, where operators are to be renewed, without temp.json.
[[nodiscard]] Collected collect(const std::string& root, Renew renew);

}  // namespace stepsim::ingest

#endif
