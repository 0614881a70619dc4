#ifndef STEPSIM_TESTS_PROPERTY_BOOST_GRAPH_H
#define STEPSIM_TESTS_PROPERTY_BOOST_GRAPH_H

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/property_map/property_map.hpp>
#include <cstddef>
#include <utility>

#include "model/job/dag.h"

/// Lets algorithms of Boost.Graph run directly on a Dag, as a VertexListGraph, IncidenceGraph and EdgeListGraph, so
/// that ours can be compared with them.
namespace stepsim {

/// An edge in the form that Boost.Graph needs: with its source, which a Dag does not store.
struct DagEdge {
  TaskId from;
  EdgeId edge;
  friend bool operator==(const DagEdge&, const DagEdge&) noexcept = default;
};

/// Iterates over edges in order of their ids, within one task or across all tasks of a dag.
class DagEdgeIterator : public boost::iterator_facade<DagEdgeIterator, DagEdge, boost::forward_traversal_tag, DagEdge> {
 public:
  DagEdgeIterator() noexcept = default;
  /// Points to `edge`. Its source is `from` or, if `from` has no edges, the next task that has some.
  DagEdgeIterator(const Dag& dag, std::size_t from, EdgeId edge) noexcept
      : dag_(&dag), from_(from), edge_(edge.index()) {
    skip_tasks_without_edges();
  }

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] DagEdge dereference() const noexcept { return {TaskId{from_}, EdgeId{edge_}}; }
  [[nodiscard]] bool equal(const DagEdgeIterator& other) const noexcept { return edge_ == other.edge_; }
  void increment() noexcept {
    ++edge_;
    skip_tasks_without_edges();
  }
  void skip_tasks_without_edges() noexcept {
    if (edge_ >= dag_->edge_count()) return;
    while (dag_->first_edge(TaskId{from_ + 1}).index() <= edge_) ++from_;
  }

  const Dag* dag_ = nullptr;
  std::size_t from_ = 0;
  std::size_t edge_ = 0;
};

using DagTaskIterator = IdRange<TaskId>::Iterator;
inline std::pair<DagTaskIterator, DagTaskIterator> vertices(const Dag& dag) noexcept {
  return {dag.tasks().begin(), dag.tasks().end()};
}
inline std::size_t num_vertices(const Dag& dag) noexcept { return dag.task_count(); }
inline std::pair<DagEdgeIterator, DagEdgeIterator> out_edges(TaskId task, const Dag& dag) noexcept {
  const std::size_t from = task.index();
  return {DagEdgeIterator{dag, from, dag.first_edge(task)},
          DagEdgeIterator{dag, from, dag.first_edge(TaskId{from + 1})}};
}
inline std::size_t out_degree(TaskId task, const Dag& dag) noexcept { return dag.successors(task).size(); }
inline std::pair<DagEdgeIterator, DagEdgeIterator> edges(const Dag& dag) noexcept {
  return {DagEdgeIterator{dag, 0, EdgeId{0}}, DagEdgeIterator{dag, 0, EdgeId{dag.edge_count()}}};
}
inline std::size_t num_edges(const Dag& dag) noexcept { return dag.edge_count(); }
inline TaskId source(const DagEdge& edge, const Dag&) noexcept { return edge.from; }
inline TaskId target(const DagEdge& edge, const Dag& dag) noexcept { return dag.target(edge.edge); }

/// Maps a task to its index: the vertex_index_map that many algorithms need. get(boost::vertex_index, dag) also returns
/// it.
struct DagTaskIndex {
  using key_type = TaskId;
  using value_type = std::size_t;
  using reference = std::size_t;
  using category = boost::readable_property_map_tag;
  friend std::size_t get(const DagTaskIndex&, TaskId task) noexcept { return task.index(); }
};
inline DagTaskIndex get(boost::vertex_index_t, const Dag&) noexcept { return {}; }
}  // namespace stepsim

template <>
struct boost::graph_traits<stepsim::Dag> {
  using vertex_descriptor = stepsim::TaskId;
  using edge_descriptor = stepsim::DagEdge;
  using vertex_iterator = stepsim::DagTaskIterator;
  using out_edge_iterator = stepsim::DagEdgeIterator;
  using edge_iterator = stepsim::DagEdgeIterator;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::disallow_parallel_edge_tag;
  // NOLINTNEXTLINE(readability-identifier-naming): Boost.Graph requires this name
  struct traversal_category : boost::vertex_list_graph_tag, boost::incidence_graph_tag, boost::edge_list_graph_tag {};
  static vertex_descriptor null_vertex() noexcept { return {}; }
};

template <>  // some algorithms require the traits of a const graph
struct boost::graph_traits<const stepsim::Dag> : boost::graph_traits<stepsim::Dag> {};

template <>
struct boost::property_map<stepsim::Dag, boost::vertex_index_t> {
  using type = stepsim::DagTaskIndex;
  using const_type = stepsim::DagTaskIndex;
};

#endif
