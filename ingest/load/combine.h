#ifndef STEPSIM_INGEST_LOAD_COMBINE_H
#define STEPSIM_INGEST_LOAD_COMBINE_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/load/load.h"
#include "model/base/diagnostics.h"
#include "model/base/units.h"

namespace stepsim::ingest {

/// An input file of a combined trace.
struct CombinedSource {
  std::string name;            ///< its path within the job
  std::string process;         ///< prefix of its process names, such as "wk0.rank1"
  std::string host;            ///< host whose clock the times use
  Duration offset{};           ///< how far this clock is ahead of the first host's; subtracted from the times
  Duration residual{};         ///< largest error of the offset
  std::uint64_t events = 0;    ///< number of events written; 0 for a file that is included as text
  std::uint64_t left_out = 0;  ///< communication events that the filter dropped
};

/// Writes the inputs of a job to `sink` as one Chrome trace (ingest/combined/combined_trace.h). Times are as recorded,
/// with the hosts' clocks aligned, and all arguments are kept. `sourced` is the result of load_with_sources() for these
/// inputs.
///
/// `filter` names the communication to keep, as "Comm.<tensor>" or "Comm.<tensor>.<STAGE>", with names from the list of
/// gradients or as recorded. An empty filter keeps all. Operators are always kept.
///
/// Reads every input again, so none may be standard input. Throws UsageError if one is, if there are fewer than two
/// traces, if a filter matches nothing, and if there is no BytePS communication to filter. Throws InputError for an
/// input that is not a Chrome trace. `origin` has the same meaning as in CombinedTraceWriter.
[[nodiscard]] std::vector<CombinedSource> combine(const SourcedCapture& sourced, const std::vector<std::string>& filter,
                                                  std::string_view origin,
                                                  const std::function<void(std::string_view)>& sink);

}  // namespace stepsim::ingest

#endif
