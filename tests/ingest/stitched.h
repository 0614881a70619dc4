#ifndef STEPSIM_TESTS_INGEST_STITCHED_H
#define STEPSIM_TESTS_INGEST_STITCHED_H

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/host_device.h"

namespace stepsim::ingest::testing {

constexpr Duration us(std::int64_t count) { return Duration{count * 1000}; }

/// Returns the capture of a job with the ranks 0, 1, ..., which have these traces.
inline Capture stitched(std::vector<HostDeviceTrace> traces) {
  std::vector<RankTrace> ranks;
  for (std::size_t i = 0; i < traces.size(); ++i)
    ranks.push_back({std::move(traces[i]), "trace" + std::to_string(i), static_cast<Rank>(i)});
  Assembly assembly;
  stitch_host_device(std::move(ranks), assembly);
  return finish(std::move(assembly));
}

/// Returns the first task with this name and this recorded start (any start if `start_us` is negative). Fails the test
/// if there is none.
inline TaskId find(const Capture& capture, std::string_view name, std::int64_t start_us = -1) {
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
    const TaskId task{i};
    if (capture.dag.name(task) == name && (start_us < 0 || capture.recording.start[i] == Time{us(start_us)}))
      return task;
  }
  ADD_FAILURE() << "no task " << name << " at " << start_us;
  return {};
}

/// Returns the first task with this name on this rank. Fails the test if there is none.
inline TaskId task_of(const Capture& capture, Rank rank, std::string_view name) {
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
    if (capture.dag.name(TaskId{i}) == name && capture.dag.lane(TaskId{i}).rank == rank) return TaskId{i};
  }
  ADD_FAILURE() << "no task " << name << " on rank " << rank;
  return {};
}

struct FoundEdge {
  EdgeKind kind;
  Duration lag;
};

inline std::optional<FoundEdge> edge(const Capture& capture, TaskId from, TaskId to) {
  for (std::size_t e = capture.dag.first_edge(from).index(), i = 0; i < capture.dag.successors(from).size(); ++i, ++e) {
    if (capture.dag.target(EdgeId{e}) == to)
      return FoundEdge{capture.dag.edge_kind(EdgeId{e}), capture.dag.lag(EdgeId{e})};
  }
  return std::nullopt;
}

/// Returns the sum of all unexplained waits.
inline Duration unexplained(const Capture& capture) {
  Duration sum{};
  for (const auto& wait : capture.recording.unexplained) sum += wait.wait;
  return sum;
}

}  // namespace stepsim::ingest::testing

#endif
