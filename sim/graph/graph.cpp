#include "sim/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "model/job/kernel_class.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/task_names.h"

namespace stepsim::sim {
namespace {

constexpr std::uint32_t kLeftOut = 0xFFFFFFFFU;

/// Assigns tasks to groups, each of which becomes a node, and names them.
class Groups {
 public:
  Groups(const Dag& dag, Folding folding) : dag_(dag), folding_(folding) {
    if (folding_.by != Fold::kLayer) return;
    for (std::size_t i = 0; i < dag_.name_count(); ++i) {
      if (const std::string_view layer = layer_of(dag_.name(NameId{i})); !layer.empty()) layers_.insert(layer);
    }
  }

  [[nodiscard]] bool is_of_one_rank() const {
    return folding_.ranks_apart || folding_.by == Fold::kTask || folding_.by == Fold::kLane ||
           folding_.by == Fold::kRank;
  }

  /// Returns the number of the task's group, and whether the task is its first.
  std::pair<std::uint32_t, bool> group_of(TaskId task) {
    const auto next = static_cast<std::uint32_t>(known_.size());
    if (folding_.by == Fold::kTask) return {tasks_++, true};
    const Rank rank = is_of_one_rank() ? dag_.lane(task).rank : Rank{0};
    const auto [group, is_new] = known_.try_emplace(std::pair{rank, key_of(task)}, next);
    return {group->second, is_new};
  }

  [[nodiscard]] std::string name_of(TaskId task) const {
    switch (folding_.by) {
      case Fold::kTask: return std::string(dag_.name(task));
      case Fold::kName: return std::string(without_step_number(dag_.name(task)));
      case Fold::kLayer: {
        const std::string_view layer = layer_or_tensor(dag_.name(task));
        return std::string(layer.empty() ? class_name(dag_.kind(task), dag_.name(task)) : layer);
      }
      case Fold::kClass: return std::string(class_name(dag_.kind(task), dag_.name(task)));
      case Fold::kLane: return dag_.lane(task).name;
      case Fold::kRank: break;
    }
    return fmt::format("rank {}", dag_.lane(task).rank);
  }

 private:
  /// Returns the layer of a task. For communication, this is the layer that owns the tensor: "conv1" for
  /// Comm.conv1_weight.PUSH.0. If no layer owns the tensor, returns the name of the tensor.
  [[nodiscard]] std::string_view layer_or_tensor(std::string_view name) const {
    if (!name.starts_with(kComm)) return layer_of(name);
    const std::string_view staged = staged_task(name).tensor;
    const std::string_view tensor = staged.empty() ? name.substr(kComm.size()) : staged;
    const std::string_view layer = tensor.substr(0, tensor.rfind('_'));
    return layers_.contains(layer) ? layer : tensor;
  }

  /// Returns the key of the task's group; within a rank, tasks of the same group have the same key. Each name is parsed
  /// only once.
  std::size_t key_of(TaskId task) {
    switch (folding_.by) {
      case Fold::kRank: return 0;
      case Fold::kLane: return dag_.lane_id(task).index();
      default: break;
    }
    constexpr std::size_t kKinds = 16;
    const std::size_t place = dag_.name_id(task).index() * kKinds + static_cast<std::size_t>(dag_.kind(task));
    const auto [known, is_new] = key_of_name_.try_emplace(place);
    if (is_new) known->second = keys_.try_emplace(name_of(task), keys_.size()).first->second;
    return known->second;
  }

  const Dag& dag_;
  Folding folding_;
  std::unordered_set<std::string_view> layers_;
  std::uint32_t tasks_ = 0;
  std::map<std::pair<Rank, std::size_t>, std::uint32_t> known_;
  std::unordered_map<std::size_t, std::size_t> key_of_name_;
  std::unordered_map<std::string, std::size_t> keys_;
};

class Folder {
 public:
  Folder(const Dag& dag, const CriticalPath& path, const std::vector<bool>& chosen, Folding folding)
      : dag_(dag), path_(path), chosen_(chosen), groups_(dag_, folding) {
    graph_.folding = folding;
  }

  /// Returns the folded graph; nothing if it would have more than `most` nodes.
  std::optional<Graph> fold(std::size_t most) {
    if (!add_nodes(most)) return std::nullopt;
    add_dependencies();
    add_meetings();
    mark_path();
    return std::move(graph_);
  }

 private:
  bool add_nodes(std::size_t most) {
    node_of_.assign(dag_.task_count(), kLeftOut);
    std::vector<std::array<Duration, kPathClassCount>> parts;
    for (std::size_t i = 0; i < dag_.task_count(); ++i) {
      if (!chosen_[i]) {
        ++graph_.tasks_of_other_steps;
        continue;
      }
      const TaskId task{i};
      const auto [node, is_new] = groups_.group_of(task);
      if (is_new) {
        if (graph_.nodes.size() == most) return false;
        graph_.nodes.push_back({.name = groups_.name_of(task)});
        if (groups_.is_of_one_rank()) graph_.nodes.back().rank = dag_.lane(task).rank;
        parts.emplace_back();
      }
      node_of_[i] = node;
      ++graph_.tasks;
      ++graph_.nodes[node].tasks;
      graph_.nodes[node].time += dag_.duration(task);
      // A task of zero length counts as 1 ns, so that a node with only such tasks has a class too.
      parts[node][static_cast<std::size_t>(path_class_of(dag_, task))] += std::max(dag_.duration(task), Duration{1});
    }
    for (std::size_t node = 0; node < parts.size(); ++node) {
      const auto* const largest = std::max_element(parts[node].begin(), parts[node].end());
      graph_.nodes[node].part = static_cast<PathClass>(largest - parts[node].begin());
    }
    return true;
  }

  void add(std::uint32_t from, std::uint32_t to, Graph::Link link) {
    if (from != to) links_.push_back({from, to, link});
  }

  void add_dependencies() {
    for (std::size_t i = 0; i < dag_.task_count(); ++i) {
      if (node_of_[i] == kLeftOut) continue;
      for (const TaskId target : dag_.successors(TaskId{i})) {
        const std::uint32_t to = node_of_[target.index()];
        if (to == kLeftOut) continue;
        ++graph_.dependencies;
        if (to == node_of_[i]) ++graph_.inner_dependencies;
        add(node_of_[i], to, Graph::Link::kDependency);
      }
    }
    collect();
  }

  /// Connects a collective's members in a chain, which is enough to show that they belong together.
  void add_meetings() {
    for (const RendezvousId rendezvous : dag_.all_rendezvous()) {
      std::uint32_t last = kLeftOut;
      for (const TaskId member : dag_.members(rendezvous)) {
        const std::uint32_t node = node_of_[member.index()];
        if (node == kLeftOut) continue;
        if (last != kLeftOut) add(std::min(last, node), std::max(last, node), Graph::Link::kMeeting);
        last = node;
      }
    }
    collect();
  }

  /// Turns the links added since the last call into edges.
  void collect() {
    std::sort(links_.begin(), links_.end());
    for (const auto& [from, to, link] : links_) {
      Graph::Edge* const last = graph_.edges.empty() ? nullptr : &graph_.edges.back();
      if (last != nullptr && last->from == from && last->to == to && last->link == link) {
        ++last->edges;
      } else {
        graph_.edges.push_back({from, to, 1, link});
      }
    }
    links_.clear();
  }

  void mark_path() {
    if (path_.length == Duration{}) return;
    graph_.path = path_.length;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> edges;
    for (std::size_t i = graph_.edges.size(); i-- > 0;) {
      if (graph_.edges[i].link == Graph::Link::kDependency) edges[{graph_.edges[i].from, graph_.edges[i].to}] = i;
    }
    std::uint32_t last = kLeftOut;
    for (const PathTask& task : path_.tasks) {
      const std::uint32_t node = node_of_[task.task.index()];
      if (node == kLeftOut) continue;
      graph_.nodes[node].critical = true;
      graph_.nodes[node].on_path += task.duration;
      if (last != kLeftOut && last != node) mark(last, node, edges);
      last = node;
    }
    std::sort(graph_.edges.begin(), graph_.edges.end(), [](const Graph::Edge& a, const Graph::Edge& b) {
      return std::tie(a.from, a.to, a.link) < std::tie(b.from, b.to, b.link);
    });
  }

  void mark(std::uint32_t from, std::uint32_t to,
            std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t>& edges) {
    const auto [known, is_new] = edges.try_emplace({from, to}, graph_.edges.size());
    if (is_new) graph_.edges.push_back({from, to, 1, Graph::Link::kTurn});
    graph_.edges[known->second].critical = true;
  }

  struct AddedLink {
    std::uint32_t from;
    std::uint32_t to;
    Graph::Link link;
    auto operator<=>(const AddedLink&) const = default;
  };

  const Dag& dag_;
  const CriticalPath& path_;
  const std::vector<bool>& chosen_;
  Groups groups_;
  Graph graph_;
  std::vector<std::uint32_t> node_of_;  ///< indexed by task
  std::vector<AddedLink> links_;
};

/// The tasks that are drawn, and a description of them.
struct Part {
  std::vector<bool> chosen;  ///< indexed by task: true if it is drawn
  std::string of = "the whole graph";
};

Part part_of(const Capture& capture, const CriticalPath& path) {
  const std::vector<RecordedStep>& steps = capture.recording.steps;
  Part part{.chosen = std::vector<bool>(capture.dag.task_count(), true)};
  const bool asked = std::any_of(steps.begin(), steps.end(), [](const RecordedStep& step) { return !step.asked; });
  const std::optional<std::int64_t> of_path = step_of_path(capture.recording, path);
  const auto is_of_path = [&](const RecordedStep& step) { return of_path && step.number == *of_path; };
  const auto is_marked = [&](const RecordedStep& step) { return step.marked && is_of_path(step); };
  if (!asked && std::none_of(steps.begin(), steps.end(), is_marked)) return part;
  for (std::size_t i = 0; i < part.chosen.size(); ++i) {
    const std::int32_t index = capture.recording.step[i];
    const RecordedStep* step = index < 0 ? nullptr : &steps[static_cast<std::size_t>(index)];
    part.chosen[i] = step != nullptr && (asked ? step->asked : is_of_path(*step));
  }
  part.of = asked ? "the steps asked for" : fmt::format("step {}", *of_path);
  return part;
}

/// True if the names of most tasks contain a layer.
bool has_layers(const Dag& dag, const std::vector<bool>& chosen) {
  std::size_t tasks = 0;
  std::size_t with = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (!chosen[i]) continue;
    ++tasks;
    if (!layer_of(dag.name(TaskId{i})).empty()) ++with;
  }
  return 2 * with > tasks;
}

/// Returns the foldings to try, from fine to coarse.
std::vector<Folding> ladder(bool layers) {
  std::vector<Folding> foldings{{Fold::kTask, true}};
  std::vector<Fold> folds{Fold::kName};
  if (layers) folds.push_back(Fold::kLayer);
  folds.push_back(Fold::kClass);
  for (const Fold fold : folds) {
    foldings.push_back({fold, true});
    foldings.push_back({fold, false});
  }
  return foldings;
}

}  // namespace

std::string_view to_text(Fold fold) noexcept {
  static constexpr std::array<std::string_view, 6> kWords{"task", "name", "layer", "class", "lane", "rank"};
  return kWords[static_cast<std::size_t>(fold)];
}

std::string_view to_text(Graph::Link link) noexcept {
  static constexpr std::array<std::string_view, 3> kWords{"dependency", "meeting", "turn"};
  return kWords[static_cast<std::size_t>(link)];
}

std::string to_text(const Folding& folding) {
  const bool says_rank = folding.by == Fold::kName || folding.by == Fold::kLayer || folding.by == Fold::kClass;
  return fmt::format("{}{}", folding.by == Fold::kLane ? "thread or stream" : to_text(folding.by),
                     says_rank && folding.ranks_apart ? " of each rank" : "");
}

Graph graph_of(const Capture& capture, const CriticalPath& path, const std::optional<Folding>& folding) {
  const Part part = part_of(capture, path);
  std::optional<Graph> graph;
  if (folding) {
    graph = Folder(capture.dag, path, part.chosen, *folding).fold(capture.dag.task_count());
  } else {
    for (const Folding& next : ladder(has_layers(capture.dag, part.chosen))) {
      graph = Folder(capture.dag, path, part.chosen, next).fold(kReadableNodes);
      if (graph) break;
    }
    if (!graph) graph = Folder(capture.dag, path, part.chosen, {Fold::kRank, true}).fold(capture.dag.task_count());
  }
  graph->of = part.of;
  return std::move(*graph);
}

}  // namespace stepsim::sim
