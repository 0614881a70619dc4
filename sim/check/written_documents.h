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

/// What `convert` wrote, where that is not the capture itself. What is wrong with the input is a caution, a section and
/// "diagnostics". Documents refer to their arguments.
namespace stepsim::sim {

/// What `convert` wrote as BytePS writes it.
struct CommJson {
  struct File {
    std::string output;
    Rank rank = 0;
    std::uint64_t tensors = 0;
    std::uint64_t steps = 0;
    std::uint64_t stages = 0;  ///< events of partitions
    std::uint64_t totals = 0;  ///< events of whole tensors
    std::uint64_t tensors_in_some_steps = 0;
  };
  std::string input;
  std::string output;
  std::vector<File> files;
  std::map<std::string, std::uint64_t> left_out;  ///< by what it is
  bool of_copies = false;                         ///< ranks do not communicate: copies stand for it
  Diagnostics diagnostics;                        ///< of the input
};

/// {"schema":"stepsim.comm_json/1", ...}
[[nodiscard]] Document comm_json_document(const CommJson& written, const Provenance& provenance);

/// What `convert --steps --ranks --select --min-duration` wrote of a trace.
struct CutOut {
  std::string input;
  std::string output;
  std::uint64_t records = 0;   ///< of the input
  std::uint64_t events = 0;    ///< kept
  std::uint64_t flows = 0;     ///< kept: begins and ends of arrows
  std::uint64_t metadata = 0;  ///< kept: names of processes and threads
  Diagnostics diagnostics;     ///< of the input
};

/// {"schema":"stepsim.cut/1", ...}: of one file its counts, of several their sums and each file's. `output` is the file
/// or the folder of -o. Precondition: there is a cut.
[[nodiscard]] Document cut_document(const std::vector<CutOut>& cuts, const std::string& output,
                                    const Provenance& provenance);

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

/// What `convert --scrub` wrote.
struct Scrubbed {
  std::string output;  ///< the file, or the folder
  std::size_t files = 0;
  std::vector<PrivateContent> replaced;  ///< by kind; never the thing itself
  Diagnostics diagnostics;               ///< of the files
};

/// What was replaced, by kind. {"schema":"stepsim.scrub/1", ...}
[[nodiscard]] Document scrub_document(const Scrubbed& scrubbed, const Provenance& provenance);

/// What `convert` wrote as PyTorch's profiler writes it.
struct ProfilerTrace {
  std::string input;
  std::string output;
  std::uint64_t events = 0;
  Diagnostics diagnostics;  ///< of the input
};

/// {"schema":"stepsim.profiler_trace/1", ...}
[[nodiscard]] Document profiler_trace_document(const ProfilerTrace& trace, const Provenance& provenance);

/// The schemas of their JSON objects.
[[nodiscard]] std::vector<AnswerSchema> written_schemas();

}  // namespace stepsim::sim

#endif
