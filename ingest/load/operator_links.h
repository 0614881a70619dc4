#ifndef STEPSIM_INGEST_LOAD_OPERATOR_LINKS_H
#define STEPSIM_INGEST_LOAD_OPERATOR_LINKS_H

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/bytes/input.h"
#include "ingest/chrome/chrome_events.h"
#include "ingest/parts/part.h"

namespace stepsim::ingest {

/// The graph of a GPU's operators while it is collected: what dag.gml holds, and what operators say they wait for.
class OperatorLinks {
 public:
  void add(OperatorGraph graph);
  /// Throws InputError, which names the nodes, if edges form a cycle. Those out of UPDATE and STEP lead into the next
  /// step and count for none.
  void refuse_cycle(const std::string& file) const;
  /// Adds what the event of the operator `name` says it waits for: args.argN and args.inputN.
  void add_inputs(std::string_view name, const ChromeEvent& event);

  /// What the node waits for, in the order of the nodes.
  [[nodiscard]] std::vector<std::string> inputs_of(const std::string& name) const;
  /// Whether add_inputs() found what was not there.
  [[nodiscard]] bool grew() const noexcept { return grew_; }
  [[nodiscard]] const OperatorGraph& graph() const noexcept { return graph_; }

 private:
  std::uint32_t node_of(const std::string& label);
  bool add_edge(std::uint32_t from, std::uint32_t to);

  OperatorGraph graph_;
  std::map<std::string, std::uint32_t, std::less<>> nodes_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges_;
  std::vector<std::vector<std::uint32_t>> inputs_;  ///< by node
  bool grew_ = false;
};

/// An operator of a merged trace. Times are texts of microseconds.
struct ProfiledOperator {
  std::string name;  ///< "FW.conv1", "BW.conv1", "STEP"
  std::string thread;
  std::string start;
  std::string duration;
};

/// The operators of temp.json, which MXNet's profiler dumps as B and E or as X events, as ByteProfile names them:
/// "conv1_fwd" is FW.conv1, "conv1_backward" BW.conv1, and of "...name=conv1_fwd;..." that name counts. All else
/// between the last BW and the next FW is one STEP; what lies elsewhere is left out. In order of time. Throws
/// InputError if no operator is in it.
[[nodiscard]] std::vector<ProfiledOperator> mxnet_operators(Input& input);

}  // namespace stepsim::ingest

#endif
