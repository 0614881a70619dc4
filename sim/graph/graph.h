#ifndef STEPSIM_SIM_GRAPH_GRAPH_H
#define STEPSIM_SIM_GRAPH_GRAPH_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"

/// A view of a Dag for people: one iteration, with tasks folded into nodes until it is readable, and the critical path
/// marked.
namespace stepsim::sim {

/// The kind of group that becomes one node.
enum class Fold : std::uint8_t {
  kTask,
  kName,   ///< tasks with the same name; numbered step marks count as one name
  kLayer,  ///< NAME of FW.NAME, BW.NAME, UPDATE.NAME and Comm.NAME.STAGE.PARTITION; other tasks by class
  kClass,  ///< device work by class: gemm, reduction, ...; other work by kind
  kLane,   ///< thread, stream or link
  kRank,
};
[[nodiscard]] std::string_view to_text(Fold fold) noexcept;  ///< returns "task", "name", ...

/// How a graph is folded. A task or lane node always belongs to one rank, whatever `ranks_apart` is.
struct Folding {
  Fold by = Fold::kTask;
  bool ranks_apart = true;  ///< true if a node contains tasks of only one rank
};
[[nodiscard]] std::string to_text(const Folding& folding);  ///< returns "name of each rank", "layer", ...

/// The most nodes that people can read in one picture.
inline constexpr std::size_t kReadableNodes = 500;

struct Graph {
  struct Node {
    std::string name;
    std::optional<Rank> rank;           ///< absent if its tasks are on several ranks
    PathClass part = PathClass::kHost;  ///< the class that takes most of the node's time
    std::size_t tasks = 0;
    Duration time{};     ///< the tasks' own time, without waiting
    Duration on_path{};  ///< the time that the critical path spends in its tasks
    bool critical = false;
  };
  /// The kind of an edge.
  enum class Link : std::uint8_t {
    kDependency,  ///< `to` may start only after `from`
    kMeeting,     ///< parts of one collective: none ends before all have begun
    kTurn,        ///< critical path only: `from` was before `to` on its lane, or arrived last in the collective
  };
  struct Edge {
    std::uint32_t from = 0;  ///< index into nodes
    std::uint32_t to = 0;
    std::size_t edges = 1;  ///< number of Dag edges it represents
    Link link = Link::kDependency;
    bool critical = false;
  };

  std::vector<Node> nodes;  ///< sorted by their first task; in topological order if nothing is folded
  std::vector<Edge> edges;  ///< sorted by from, to and link; none from a node to itself
  Folding folding;
  std::string of;                        ///< part that is shown, for example "step 5", "the whole graph"
  std::size_t tasks = 0;                 ///< number of tasks in the nodes
  std::size_t dependencies = 0;          ///< number of Dag edges between the tasks in the nodes
  std::size_t inner_dependencies = 0;    ///< number of Dag edges inside a node
  std::size_t tasks_of_other_steps = 0;  ///< number of tasks left out because they belong to other steps
  Duration path{};                       ///< the critical path's length; 0 if there is none
};

[[nodiscard]] std::string_view to_text(Graph::Link link) noexcept;  ///< returns "dependency", "meeting", "turn"

/// Returns the graph of the step that contains most of `path`'s time, with the tasks of all ranks. If steps were
/// requested, it contains the tasks of these steps instead; without marked steps, all tasks. Without `folding`, uses
/// the finest folding with at most kReadableNodes nodes, or one node per rank if there is none. O(tasks + edges log
/// edges) for each folding tried.
[[nodiscard]] Graph graph_of(const Capture& capture, const CriticalPath& path, const std::optional<Folding>& folding);

}  // namespace stepsim::sim

#endif
