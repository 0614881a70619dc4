#ifndef STEPSIM_SIM_CHECK_WRITTEN_DOCUMENTS_H
#define STEPSIM_SIM_CHECK_WRITTEN_DOCUMENTS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/base/diagnostics.h"
#include "model/base/id.h"
#include "model/job/capture_contents.h"
#include "sim/output/provenance.h"
#include "sim/report/document.h"
#include "sim/report/field.h"

/// Documents that list what `convert` wrote when its output is something other than a converted capture. If the input
/// had problems, a document says so in its first lines, lists them in a section, and contains them as "diagnostics" in
/// JSON. Documents keep references to their arguments.
namespace stepsim::sim {

/// Files that `convert` wrote in BytePS's format.
struct CommJson {
  struct File {
    std::string output;
    Rank rank = 0;
    std::uint64_t tensors = 0;
    std::uint64_t steps = 0;
    std::uint64_t stages = 0;  ///< number of events of partitions
    std::uint64_t totals = 0;  ///< number of events of whole tensors
    std::uint64_t tensors_in_some_steps = 0;
  };
  std::string input;
  std::string output;
  std::vector<File> files;
  std::map<std::string, std::uint64_t> left_out;  ///< counts of what was left out, by kind
  bool of_copies = false;                         ///< true if ranks do not communicate; copies are then shown instead
  Diagnostics diagnostics;                        ///< diagnostics of the input
};

/// Returns the report, schema stepsim.comm_json/1.
[[nodiscard]] Document comm_json_document(const CommJson& written, const Provenance& provenance);

/// A part of a trace that `convert --steps --ranks --select --min-duration` wrote.
struct CutOut {
  std::string input;
  std::string output;
  std::uint64_t records = 0;   ///< number of records in the input
  std::uint64_t events = 0;    ///< number of events written
  std::uint64_t flows = 0;     ///< number of begins and ends of flow arrows written
  std::uint64_t metadata = 0;  ///< number of names of processes and threads written
  Diagnostics diagnostics;     ///< diagnostics of the input
};

/// Returns the report, schema stepsim.cut/1: the counts of one file, or the sums over several and the counts of each.
/// `left_out` lists the input files that were not cut, `output` is the file or folder of -o. Precondition: `cuts` is
/// not empty.
[[nodiscard]] Document cut_document(const std::vector<CutOut>& cuts, const std::vector<std::string>& left_out,
                                    const std::string& output, const Provenance& provenance);

inline constexpr auto kPrivateContent = std::to_array<Field<PrivateContent>>({
    {"kind", at<&PrivateContent::kind>, {"what"}},
    {"secret",
     at<&PrivateContent::secret>,
     {.title = "secret",
      .align = Align::kLeft,
      .cell = [](const PrivateContent& content) -> Cell { return content.secret ? "yes" : ""; }}},
    {"count", at<&PrivateContent::count>, {"places"}},
    {"first", at<&PrivateContent::first>, {"first"}},
});

/// The result of `convert --scrub`.
struct Scrubbed {
  std::string output;  ///< the file or folder that was written
  std::size_t files = 0;
  std::vector<PrivateContent> replaced;  ///< counts by kind; never the private text itself
  Diagnostics diagnostics;               ///< diagnostics of the files
};

/// Lists what was replaced, by kind; schema stepsim.scrub/1.
[[nodiscard]] Document scrub_document(const Scrubbed& scrubbed, const Provenance& provenance);

/// A file that `convert` wrote in the format of PyTorch's profiler.
struct ProfilerTrace {
  std::string input;
  std::string output;
  std::uint64_t events = 0;
  Diagnostics diagnostics;  ///< diagnostics of the input
};

/// Returns the report, schema stepsim.profiler_trace/1.
[[nodiscard]] Document profiler_trace_document(const ProfilerTrace& trace, const Provenance& provenance);

/// A part of a job that `convert` wrote (OUT.stepsim).
struct WrittenPart {
  std::string output;
  std::size_t files = 0;             ///< traces that it was made from
  std::uint64_t events = 0;          ///< records in them
  std::uint64_t bytes = 0;           ///< size of the part
  std::uint64_t bytes_of_files = 0;  ///< size of the traces, as stored
  Diagnostics diagnostics{};         ///< diagnostics of the traces
};

/// Returns the report, schema stepsim.part/1.
[[nodiscard]] Document part_document(const WrittenPart& part, const Provenance& provenance);

/// Returns the schemas of the JSON objects.
[[nodiscard]] std::vector<AnswerSchema> written_schemas();

}  // namespace stepsim::sim

#endif
