#include "ingest/formats/execution_trace/process_groups.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "ingest/json/json_values.h"
#include "model/job/collective.h"

namespace stepsim::ingest {
namespace {

std::vector<Rank> ranks_in(std::string_view list) {
  std::vector<Rank> ranks;
  ItemCursor items{list};
  std::string_view item;
  while (items.next(item)) {
    const auto rank = as_integer(item);
    if (rank && *rank >= 0 && *rank <= std::numeric_limits<Rank>::max()) ranks.push_back(static_cast<Rank>(*rank));
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

void add_group(std::string_view object, ExecutionGraph& graph) {
  std::string name;
  std::vector<Rank> ranks;
  std::size_t size = 0;
  ItemCursor members{object};
  std::string_view key;
  std::string_view value;
  while (members.next(key, value)) {
    if (key == "pg_name") name = as_text(value);
    if (key == "ranks") ranks = ranks_in(value);
    if (key == "group_size" || key == "pg_size") {
      size =
          static_cast<std::size_t>(std::clamp<std::int64_t>(as_integer(value).value_or(0), 0, std::int64_t{100'000}));
    }
  }
  if (ranks.empty()) graph.world = std::max(graph.world, size);
  if (!ranks.empty()) graph.groups.insert_or_assign(std::move(name), std::move(ranks));
}

}  // namespace

void add_process_groups(std::string_view values, ExecutionGraph& graph) {
  const std::size_t begin = values.find("[{");
  const std::size_t end = values.rfind("}]");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return;
  std::string text{values.substr(begin, end + 2 - begin)};
  // PyTorch writes the list inside a string, where its quotes are escaped.
  std::erase(text, '\\');
  ItemCursor groups{text};
  std::string_view group;
  while (groups.next(group)) add_group(group, graph);
}

CollectiveOp collective_called(std::string_view name) {
  const NamedOperation* const operation = find_operation(name);
  const bool message = operation != nullptr && operation->op == CollectiveOp::kSendRecv;
  return operation == nullptr || message ? CollectiveOp::kUnknown : operation->op;
}

}  // namespace stepsim::ingest
