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

/// A Dag as people look at it: one iteration, folded until it is readable, with the critical path marked.
namespace stepsim::sim {

/// What one node stands for.
enum class Fold : std::uint8_t {
  kTask,
  kName,   ///< tasks of one name; marks of steps are one name
  kLayer,  ///< NAME of FW.NAME, BW.NAME, UPDATE.NAME and Comm.NAME.STAGE.PARTITION; other tasks by class
  kClass,  ///< of device work: gemm, reduction, ...; of other work its kind
  kLane,   ///< thread, stream or link
  kRank,
};
[[nodiscard]] std::string_view to_text(Fold fold) noexcept;  ///< "task", "name", ...

/// How a graph is folded. Tasks and lanes are of one rank each, whatever `ranks_apart` says.
struct Folding {
  Fold by = Fold::kTask;
  bool ranks_apart = true;  ///< a node holds tasks of one rank
};
[[nodiscard]] std::string to_text(const Folding& folding);  ///< "name of each rank", "layer"

/// As many nodes as people can read in one picture.
inline constexpr std::size_t kReadableNodes = 500;

struct Graph {
  struct Node {
    std::string name;
    std::optional<Rank> rank;           ///< absent where it holds several
    PathClass part = PathClass::kHost;  ///< of most of its time
    std::size_t tasks = 0;
    Duration time{};     ///< their own, waiting left out
    Duration on_path{};  ///< how long the critical path is in them
    bool critical = false;
  };
  /// What an edge is made of.
  enum class Link : std::uint8_t {
    kDependency,  ///< `to` may start only after `from`
    kMeeting,     ///< parts of one collective: none ends before all have begun
    kTurn,        ///< only the critical path: `from` was in front on the lane, or arrived last in the collective
  };
  struct Edge {
    std::uint32_t from = 0;  ///< index into nodes
    std::uint32_t to = 0;
    std::size_t edges = 1;  ///< of the Dag
    Link link = Link::kDependency;
    bool critical = false;
  };

  std::vector<Node> nodes;  ///< by their first task: in topological order where nothing is folded
  std::vector<Edge> edges;  ///< by from, to and link; none from a node to itself
  Folding folding;
  std::string of;                        ///< "step 5", "the whole graph"
  std::size_t tasks = 0;                 ///< in the nodes
  std::size_t dependencies = 0;          ///< of the Dag between them
  std::size_t inner_dependencies = 0;    ///< of these, inside a node
  std::size_t tasks_of_other_steps = 0;  ///< left out
  Duration path{};                       ///< the critical path's length; 0 if there is none
};

[[nodiscard]] std::string_view to_text(Graph::Link link) noexcept;  ///< "dependency", "meeting", "turn"

/// The iteration that `path` is of: the tasks of its step on all ranks, or everything where there are no steps or
/// where steps were asked for. Without `folding` it is folded as little as leaves at most kReadableNodes.
/// O(tasks + edges log edges) for each folding tried.
[[nodiscard]] Graph graph_of(const Capture& capture, const CriticalPath& path, const std::optional<Folding>& folding);

}  // namespace stepsim::sim

#endif
