#include "sim/analysis/periodic_graph.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "model/base/error.h"

namespace stepsim::sim {
namespace {

using Node = PeriodicGraph::Node;
// Products of times and numbers of rounds can exceed 64 bits. gcc and clang have this type, but not as ISO C++.
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): __extension__ needs a declaration of this form

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// The mean weight of a cycle, as a reduced fraction.
struct Mean {
  std::int64_t length = 0;
  std::int64_t rounds = 1;

  static Mean of(std::int64_t length, std::int64_t rounds) {
    const std::int64_t divisor = std::gcd(length, rounds);
    return {length / divisor, rounds / divisor};
  }
  friend bool operator<(const Mean& a, const Mean& b) { return Wide{a.length} * b.rounds < Wide{b.length} * a.rounds; }
  friend bool operator==(const Mean&, const Mean&) = default;
};

}  // namespace

// ---- the graph

PeriodicGraph::Node PeriodicGraph::add_task(Duration duration) {
  duration_.push_back(duration);
  rendezvous_.push_back(kNone);
  return static_cast<Node>(duration_.size() - 1);
}

void PeriodicGraph::add_edge(Node from, Node to, Duration delay) {
  STEPSIM_ASSERT(from < to, "an edge within a round leads to a later task");
  STEPSIM_ASSERT(edges_.empty() || edges_.back().from <= from, "edges are added by their source");
  while (first_edge_.size() <= from) first_edge_.push_back(edges_.size());
  edges_.push_back({from, to, delay});
}

void PeriodicGraph::add_rendezvous(std::span<const Node> members) {
  for (const Node member : members) rendezvous_[member] = static_cast<std::uint32_t>(members_.size());
  members_.emplace_back(members.begin(), members.end());
  std::sort(members_.back().begin(), members_.back().end());
}

void PeriodicGraph::clear() {
  duration_.clear();
  rendezvous_.clear();
  first_edge_.clear();
  members_.clear();
  edges_.clear();
  next_.clear();
  watched_.clear();
}

// ---- the search for the critical cycle

/// Policy iteration. An entry is a task that waits for the previous round. A policy gives each entry one predecessor:
/// the entry from which it is reached, through one round. Each entry then waits for one cycle of entries. The search
/// starts with the longest ways, and changes predecessors as long as an entry can wait for a slower cycle, or for the
/// same one by a longer way.
class PeriodicGraph::Search {
 public:
  explicit Search(const PeriodicGraph& graph) : graph_(graph), entry_of_(graph.duration_.size(), kNone) {
    for (const Edge& edge : graph.next_) {
      if (entry_of_[edge.to] != kNone) continue;
      entry_of_[edge.to] = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back(edge.to);
    }
    policy_.resize(entries_.size());
    mean_.assign(entries_.size(), 0);
    height_.resize(entries_.size());
    begun_.resize(graph.duration_.size());
    before_.resize(graph.duration_.size());
  }

  std::optional<Cycle> run() {
    do {
      run_round();
      take_best_ways();
    } while (drop_unreached());
    do {
      evaluate();
      run_round();
    } while (improve());
    Value slowest;
    for (const Node task : graph_.watched_) slowest = std::max(slowest, begun_[task]);
    if (slowest.mean == kNoMean) return std::nullopt;
    return cycle_behind(slowest.origin);
  }

 private:
  static constexpr std::int32_t kNoMean = -1;

  /// When a task begins, relative to others that wait for a cycle of the same mean.
  struct Value {
    Wide height{};                 ///< time relative to the rounds of that cycle, in 1 / Mean::rounds of a nanosecond
    Duration length{};             ///< time since the entry `origin` began
    std::int32_t mean = kNoMean;   ///< index into means_ of the cycle that it waits for
    std::uint32_t origin = kNone;  ///< the entry from which it is reached in this round

    friend bool operator<(const Value& a, const Value& b) {
      return a.mean < b.mean || (a.mean == b.mean && a.height < b.height);
    }
  };

  /// How an entry is reached: from another entry of the previous round, through the task `last`.
  struct CyclePath {
    std::uint32_t from = kNone;
    Node last = kNone;
    Duration length{};
  };

  [[nodiscard]] Value later(Value value, Duration time) const {
    if (value.mean == kNoMean) return value;
    value.height += Wide{time.count()} * means_[static_cast<std::size_t>(value.mean)].rounds;
    value.length += time;
    return value;
  }

  /// Computes when each task of a round begins, and from which task it is reached.
  void run_round() {
    for (Node task = 0; task < begun_.size(); ++task) {
      const std::uint32_t entry = entry_of_[task];
      const bool waits = entry != kNone && mean_[entry] != kNoMean;
      begun_[task] = waits ? Value{height_[entry], {}, mean_[entry], entry} : Value{};
      before_[task] = kNone;
    }
    for (Node task = 0; task < begun_.size(); ++task) {
      if (graph_.rendezvous_[task] == kNone) {
        end(task);
        continue;
      }
      const std::vector<Node>& members = graph_.members_[graph_.rendezvous_[task]];
      if (task != members.back()) continue;
      const Node last =
          *std::max_element(members.begin(), members.end(), [this](Node a, Node b) { return begun_[a] < begun_[b]; });
      for (const Node member : members) {
        begun_[member] = begun_[last];
        before_[member] = before_[last];
        end(member);
      }
    }
  }

  void end(Node task) {
    if (task >= graph_.first_edge_.size() || begun_[task].mean == kNoMean) return;
    const Value ended = later(begun_[task], graph_.duration_[task]);
    for (std::size_t i = graph_.first_edge_[task]; i < graph_.edges_.size() && graph_.edges_[i].from == task; ++i) {
      const Value begun = later(ended, graph_.edges_[i].delay);
      const Node to = graph_.edges_[i].to;
      if (!(begun_[to] < begun)) continue;
      begun_[to] = begun;
      before_[to] = task;
    }
  }

  /// Finds the best way to each entry after a round; returns when each entry begins if it takes that way.
  std::vector<Value> find_ways() {
    std::vector<Value> best(entries_.size());
    ways_.assign(entries_.size(), {});
    for (const Edge& edge : graph_.next_) {
      Value reached = later(begun_[edge.from], graph_.duration_[edge.from] + edge.delay);
      if (reached.mean == kNoMean) continue;
      reached.height -= means_[static_cast<std::size_t>(reached.mean)].length;
      const std::uint32_t entry = entry_of_[edge.to];
      if (!(best[entry] < reached)) continue;
      best[entry] = reached;
      ways_[entry] = {reached.origin, edge.from, reached.length};
    }
    return best;
  }

  /// Begins with the longest ways.
  void take_best_ways() {
    (void)find_ways();
    policy_ = ways_;
  }

  /// Leaves out entries that no other entry reaches. They wait for no cycle. Returns true if there were any.
  bool drop_unreached() {
    bool any = false;
    for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) {
      if (mean_[entry] == kNoMean || policy_[entry].from != kNone) continue;
      mean_[entry] = kNoMean;
      any = true;
    }
    return any;
  }

  /// Gives each entry its best predecessor after a round. Returns false if none has a better one than before.
  bool improve() {
    const std::vector<Value> best = find_ways();
    bool better = false;
    for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) {
      const Value now{height_[entry], {}, mean_[entry], kNone};
      if (ways_[entry].from == kNone || !(now < best[entry])) continue;
      policy_[entry] = ways_[entry];
      better = true;
    }
    return better;
  }

  /// Finds the cycle for which each entry waits under the policy, and the entry's time relative to it.
  void evaluate() {
    std::vector<std::vector<std::uint32_t>> behind(entries_.size());
    for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) {
      if (policy_[entry].from != kNone) behind[policy_[entry].from].push_back(entry);
    }
    const std::vector<std::uint32_t> roots = roots_of_cycles();
    std::vector<Mean> of_root;
    of_root.reserve(roots.size());
    for (const std::uint32_t root : roots) of_root.push_back(mean_of_cycle(root));
    const std::vector<Mean> before = std::exchange(means_, of_root);
    std::sort(means_.begin(), means_.end());
    means_.erase(std::unique(means_.begin(), means_.end()), means_.end());
    const std::vector<std::int32_t> mean_before = std::exchange(mean_, std::vector(entries_.size(), kNoMean));
    for (std::size_t i = 0; i < roots.size(); ++i) {
      // Heights of cycles of one mean are kept, so that they grow from one policy to the next.
      const std::int32_t old = mean_before[roots[i]];
      if (old == kNoMean || before[static_cast<std::size_t>(old)] != of_root[i]) height_[roots[i]] = 0;
      const auto place = std::lower_bound(means_.begin(), means_.end(), of_root[i]) - means_.begin();
      follow(roots[i], static_cast<std::int32_t>(place), behind);
    }
  }

  /// Returns one entry of each cycle of the policy.
  [[nodiscard]] std::vector<std::uint32_t> roots_of_cycles() const {
    std::vector<std::uint32_t> roots;
    std::vector<std::uint32_t> seen(entries_.size(), kNone);  // the start of the walk that came by first
    for (std::uint32_t start = 0; start < entries_.size(); ++start) {
      std::uint32_t entry = start;
      while (entry != kNone && seen[entry] == kNone) {
        seen[entry] = start;
        entry = policy_[entry].from;
      }
      if (entry != kNone && seen[entry] == start) roots.push_back(entry);
    }
    return roots;
  }

  [[nodiscard]] Mean mean_of_cycle(std::uint32_t root) const {
    std::int64_t length = 0;
    std::int64_t rounds = 0;
    std::uint32_t entry = root;
    do {
      length += policy_[entry].length.count();
      ++rounds;
      entry = policy_[entry].from;
    } while (entry != root);
    return Mean::of(length, rounds);
  }

  /// Sets the mean and the height of all entries that wait for the cycle of `root`.
  void follow(std::uint32_t root, std::int32_t mean, const std::vector<std::vector<std::uint32_t>>& behind) {
    const Mean& cycle = means_[static_cast<std::size_t>(mean)];
    mean_[root] = mean;
    std::vector<std::uint32_t> reached{root};
    while (!reached.empty()) {
      const std::uint32_t from = reached.back();
      reached.pop_back();
      for (const std::uint32_t entry : behind[from]) {
        if (entry == root) continue;
        mean_[entry] = mean;
        height_[entry] = height_[from] + Wide{policy_[entry].length.count()} * cycle.rounds - cycle.length;
        reached.push_back(entry);
      }
    }
  }

  /// Returns the cycle from which the last round reached an entry.
  [[nodiscard]] Cycle cycle_behind(std::uint32_t entry) const {
    std::vector<bool> seen(entries_.size(), false);
    while (!seen[entry]) {
      seen[entry] = true;
      entry = ways_[entry].from;
    }
    Cycle cycle{.length = {}, .rounds = 0, .tasks = {}};
    const std::uint32_t root = entry;
    do {
      for (Node task = ways_[entry].last; task != kNone; task = before_[task]) cycle.tasks.push_back(task);
      cycle.length += ways_[entry].length;
      ++cycle.rounds;
      entry = ways_[entry].from;
    } while (entry != root);
    std::reverse(cycle.tasks.begin(), cycle.tasks.end());
    return cycle;
  }

  const PeriodicGraph& graph_;
  std::vector<std::uint32_t> entry_of_;  ///< indexed by task; kNone for tasks that are no entries
  std::vector<Node> entries_;
  std::vector<CyclePath> policy_;    ///< indexed by entry
  std::vector<CyclePath> ways_;      ///< indexed by entry: the best ways of the last round
  std::vector<Mean> means_{{0, 1}};  ///< ascending
  std::vector<std::int32_t> mean_;   ///< indexed by entry: index into means_, or kNoMean
  std::vector<Wide> height_;         ///< indexed by entry
  std::vector<Value> begun_;         ///< indexed by task: when it begins in the last round
  std::vector<Node> before_;         ///< indexed by task: the task that it waited for in the last round, if any
};

std::optional<PeriodicGraph::Cycle> PeriodicGraph::critical_cycle() const { return Search(*this).run(); }

Duration PeriodicGraph::Cycle::mean() const noexcept {
  const auto count = static_cast<std::int64_t>(rounds);
  return std::max(Duration{}, (2 * length + Duration{count}) / (2 * count));
}

Duration PeriodicGraph::pace() const {
  const std::optional<Cycle> cycle = critical_cycle();
  return cycle ? cycle->mean() : Duration{};
}

}  // namespace stepsim::sim
