#include "ingest/survey/ranks_of_files.h"

#include <limits>
#include <optional>
#include <set>
#include <variant>

#include "ingest/load/discover.h"
#include "ingest/load/read.h"

namespace stepsim::ingest {
namespace {

std::optional<Rank> named_rank(const ReadInput& input) {
  for (const PartSink::Item& item : input.sink.parts) {
    const auto* const trace = std::get_if<HostDeviceTrace>(&item.part);
    if (trace != nullptr && trace->rank && *trace->rank <= std::numeric_limits<Rank>::max())
      return static_cast<Rank>(*trace->rank);
  }
  return std::nullopt;
}

}  // namespace

std::vector<RankFile> ranks_of_files(const std::vector<std::string>& traces, const LoadOptions& options) {
  const ReadInputs read = read_inputs(discover(traces).files, options);
  std::set<Rank> claimed;
  for (const ReadInput& input : read.inputs) {
    if (const auto rank = named_rank(input)) claimed.insert(*rank);
  }
  std::vector<RankFile> files;
  Rank next = 0;
  for (const ReadInput& input : read.inputs) {
    const std::optional<Rank> named = named_rank(input);
    while (!named && claimed.contains(next)) ++next;
    files.push_back({input.name, named ? *named : next++});
  }
  return files;
}

}  // namespace stepsim::ingest
