#include "sim/report/path_sections.h"

#include <fmt/format.h>

namespace stepsim::sim {

std::vector<Section> path_sections(const Dag& dag, const CriticalPath& path, std::size_t rows) {
  std::vector<Section> sections{{.title = "", .table = class_table(path)}};
  if (Table ranks = rank_table(dag, path); ranks.rows().size() > 1)
    sections.push_back({.title = "By rank", .table = std::move(ranks)});
  sections.push_back(
      {.title = rows < path.tasks.size()
                    ? fmt::format("Its {} longest tasks of {}, in order of time", rows, path.tasks.size())
                    : fmt::format("Its {} tasks, in order of time", path.tasks.size()),
       .table = path_table(dag, path, rows)});
  return sections;
}

}  // namespace stepsim::sim
