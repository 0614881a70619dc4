#include <algorithm>
#include <array>

#include "ingest/formats/format.h"
#include "ingest/formats/nsys/export.h"
#include "ingest/sqlite/database.h"

namespace stepsim::ingest {
namespace {

/// Its first pages hold the statements that created its tables, unless these have outgrown the first one (byte 100 is
/// 5): then they may lie anywhere.
int recognise_nsys(std::string_view, std::string_view head) {
  constexpr int kSure = 90;
  constexpr int kLikely = 60;
  constexpr std::size_t kKindOfPage = 100;
  constexpr std::array<std::string_view, 5> kTables{"CUPTI_ACTIVITY_KIND_", "TARGET_INFO_", "NVTX_EVENTS",
                                                    "META_DATA_EXPORT", "META_DATA_CAPTURE"};
  const bool has_table = std::any_of(kTables.begin(), kTables.end(), [head](std::string_view table) {
    return head.find(table) != std::string_view::npos;
  });
  if (!is_database(head)) return 0;
  if (has_table) return kSure;
  return head.size() > kKindOfPage && head[kKindOfPage] == 5 ? kLikely : 0;
}

void read_nsys(Input& input, PartSink& sink) {
  const Database database(input);
  read_nsys_export(database, input.name(), sink);
}

}  // namespace

extern const Format nsys_format;
const Format nsys_format{
    .name = "nsys",
    .summary = "Nsight Systems database (nsys export --type sqlite): calls, kernels and NVTX ranges of each process",
    .recognise = recognise_nsys,
    .read = read_nsys,
};

}  // namespace stepsim::ingest
