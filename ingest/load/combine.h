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

/// A file in a combined trace.
struct CombinedSource {
  std::string name;            ///< its path within the job
  std::string process;         ///< "wk0.rank1": stands in front of its processes
  std::string host;            ///< whose clock its times are on
  Duration offset{};           ///< that clock is ahead of the first one's by this; taken off its times
  Duration residual{};         ///< by how much the offset may be off
  std::uint64_t events = 0;    ///< written; 0 for a file that is there as text
  std::uint64_t left_out = 0;  ///< communication that the filter does not keep
};

/// Writes the inputs of a job to `sink` as one Chrome trace (ingest/combined/combined_trace.h): recorded times, with
/// the hosts' clocks aligned, all arguments kept. `sourced` is what load_with_sources() made of them.
///
/// `filter` names the communication that stays, "Comm.<tensor>" or "Comm.<tensor>.<STAGE>", by the names of
/// the list of gradients or as recorded; empty: all stays. Operators stay in any case.
///
/// Every input is read again, so none may be standard input. Throws UsageError for that, for fewer than two traces, for
/// a filter that names nothing, and where there is no communication of BytePS to filter; InputError for an input that
/// is no Chrome trace. `origin` as in CombinedTraceWriter.
[[nodiscard]] std::vector<CombinedSource> combine(const SourcedCapture& sourced, const std::vector<std::string>& filter,
                                                  std::string_view origin,
                                                  const std::function<void(std::string_view)>& sink);

}  // namespace stepsim::ingest

#endif
