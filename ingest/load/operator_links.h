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

/// Builds the graph of a GPU's operators from dag.gml and from the inputs that operator events list.
class OperatorLinks {
 public:
  void add(OperatorGraph graph);
  /// Throws InputError, naming the nodes, if edges form a cycle. Edges out of UPDATE and STEP lead to the next step and
  /// are ignored.
  void refuse_cycle(const std::string& file) const;
  /// Adds the inputs that an event of the operator `name` lists: args.argN and args.inputN.
  void add_inputs(std::string_view name, const ChromeEvent& event);

  /// Returns the labels of the nodes that the node `name` depends on, in the order of the graph's nodes.
  [[nodiscard]] std::vector<std::string> inputs_of(const std::string& name) const;
  /// True if add_inputs() added an edge.
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

/// An operator of a merged trace. Times are decimal texts in microseconds.
struct ProfiledOperator {
  std::string name;  ///< "FW.conv1", "BW.conv1", "STEP"
  std::string thread;
  std::string start;
  std::string duration;
};

/// Returns the operators of temp.json, in order of time and with ByteProfile's names. MXNet's profiler writes them as B
/// and E or as X events. "conv1_fwd" becomes FW.conv1 and "conv1_backward" BW.conv1; in "...name=conv1_fwd;..." the
/// part after "name=" counts. Everything else between the last BW and the next FW becomes one STEP; other events are
/// left out. Throws InputError if the file contains no operator.
[[nodiscard]] std::vector<ProfiledOperator> mxnet_operators(Input& input);

}  // namespace stepsim::ingest

#endif
