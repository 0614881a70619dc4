#ifndef STEPSIM_TESTS_SCENARIOS_SEARCH_PLAN_QUESTION_H
#define STEPSIM_TESTS_SCENARIOS_SEARCH_PLAN_QUESTION_H

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/answer/learn_from_capture.h"
#include "scenarios/search/plan_search.h"
#include "scenarios/search/plan_space.h"
#include "tests/model/rewrite/transformer_job.h"
#include "tests/scenarios/question.h"

namespace stepsim::testing::plans {

/// Products that take long enough for several devices to help.
inline constexpr TransformerJob kJob{.layers = 8,
                                     .batch = 4,
                                     .sequence = 256,
                                     .hidden = 512,
                                     .heads = 8,
                                     .vocabulary = 8'000,
                                     .kernel = Duration{200'000},
                                     .call = Duration{2'000}};

/// Returns the question about a job, which allocates that much memory. Kernels are slower beside communication, as
/// `stepsim plan` assumes it.
inline Question question(const TransformerJob& job, Bytes allocated = {}) {
  Cluster cluster;
  cluster.hosts.push_back({"0"});
  cluster.endpoints.push_back({HostId{0}, {}});
  Capture capture = job.capture();
  capture.job.batch_size = static_cast<std::uint32_t>(job.batch);
  if (allocated > Bytes{}) {
    AllocationTable table;
    table.memories.push_back(
        {.rank = 0, .device = 0, .events = {{.block = 1, .change = allocated, .allocated = allocated}}});
    capture.allocations = std::make_shared<const AllocationTable>(std::move(table));
  }
  Question asked(std::move(capture), cluster, "maxmin");
  asked.settings().interference = scenarios::usual_interference();
  return asked;
}

inline Question question(Bytes allocated = {}) { return question(kJob, allocated); }

inline scenarios::Scenario scenario(const Question& asked, const scenarios::PlanSpace& space,
                                    const std::vector<std::string>& sets) {
  scenarios::Scenario of_all;
  for (const std::string& set : sets) scenarios::add_set(of_all, set);
  return scenarios::with_plans(std::move(of_all), space,
                               scenarios::plan_limits(*asked.predictor().plan().divided_step));
}

/// Returns the best plans with their steps.
inline std::vector<std::pair<std::size_t, Duration>> times(const scenarios::PlanFindings& findings) {
  std::vector<std::pair<std::size_t, Duration>> times;
  for (const scenarios::RankedPlan& plan : findings.best) times.emplace_back(plan.point, plan.outcome.iteration->mid);
  return times;
}

}  // namespace stepsim::testing::plans

#endif
