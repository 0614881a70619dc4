// Tests that plans with equal keys share one graph, and that every change of the graph changes the key.

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/scenarios/sample_questions.h"

namespace stepsim::scenarios {
namespace {

using stepsim::testing::Question;

Plan plan_of(const Question& question, const std::string& set) {
  Scenario scenario;
  add_set(scenario, set);
  Plan plan = question.predictor().plan();
  apply_all(scenario.changes, plan);
  return plan;
}

struct Job {
  std::string name;
  std::function<Question()> question;
  std::vector<std::string> same_graph;
  std::vector<std::string> other_graphs;
};

std::vector<Job> jobs() {
  return {
      {"parameter server",
       stepsim::testing::parameter_server_question,
       {"network.bandwidth=2x", "network.sharing=serial", "compute.scale=2", "straggler{worker=1}.factor=2",
        "cluster.workers=2"},
       {"comm.partition_bytes=600kB", "comm.partition_bytes=250kB", "comm.schedule=priority", "comm.credit_bytes=1MB",
        "comm.barrier=cross", "comm.control=first", "comm.key_hash=naive", "cluster.workers=3", "cluster.servers=1",
        "cluster.colocated=true", "remove{name=UPDATE}.share=1", "insert{name=UPDATE}.duration=1ms",
        "insert{name=UPDATE}.duration=2ms", "batch.scale=2"}},
      {"data parallel",
       stepsim::testing::data_parallel_question,
       {"network.latency=2x", "compute.add=1us"},
       {"comm.algorithm=direct", "comm.algorithm=tree", "cluster.workers=3", "precision.gradients=0.5x",
        "precision.gradients=0.25x"}},
      {"gpu",
       stepsim::testing::gpu_question,
       {"device.to=H100", "precision.to=bf16", "launch.overhead=0us", "compute.scale=2"},
       {"fuse.most=2", "fuse.most=3", "remove{kind=kernel}.share=0.5", "remove{kind=kernel}.share=0.7",
        "insert{kind=kernel}.duration=10us"}},
  };
}

TEST(GraphKeyTest, PlansThatDifferInTimesAndHardwareShareTheGraph) {
  for (const Job& job : jobs()) {
    const Question question = job.question();
    const auto captured = question.predicted({}).graph;
    for (const std::string& set : job.same_graph) {
      EXPECT_EQ(question.predicted({set}).graph, captured) << set << " of " << job.name;
    }
  }
}

TEST(GraphKeyTest, EveryChangeOfTheGraphHasAKeyOfItsOwn) {
  for (const Job& job : jobs()) {
    const Question question = job.question();
    std::set<GraphKey> keys{question.predictor().plan().graph_key()};
    for (const std::string& set : job.other_graphs) {
      EXPECT_TRUE(keys.insert(plan_of(question, set).graph_key()).second) << set << " of " << job.name;
    }
  }
}

TEST(GraphKeyTest, AnswersAreThoseOfAPredictorThatWasAskedNothingElse) {
  for (const Job& job : jobs()) {
    const Question shared = job.question();
    (void)shared.predicted({});
    for (const std::string& set : job.other_graphs) {
      EXPECT_EQ(shared.predicted({set}).timeline.finish, job.question().predicted({set}).timeline.finish)
          << set << " of " << job.name;
    }
  }
}

TEST(GraphKeyTest, EqualChangesShareTheGraphWhateverElseIsAsked) {
  const Question question = stepsim::testing::parameter_server_question();
  const auto graph = question.predicted({"comm.partition_bytes=600kB"}).graph;
  EXPECT_EQ(question.predicted({"comm.partition_bytes=600kB", "network.bandwidth=2x"}).graph, graph);
  EXPECT_EQ(question.predicted({"network.latency=5us", "comm.partition_bytes=600kB"}).graph, graph);
  EXPECT_NE(question.predicted({"comm.partition_bytes=250kB"}).graph, graph);
}

TEST(GraphKeyTest, WorkersThatBeginTogetherHaveAGraphOfTheirOwn) {
  const Question question = stepsim::testing::parameter_server_question();
  const Plan plan = question.predictor().plan();
  EXPECT_NE(question.predictor().predict(plan, Sides{.begins_together = true}).graph, question.predicted({}).graph);
}

TEST(GraphKeyTest, ValuesTooLongToPrintAreToldApart) {
  const Question question = stepsim::testing::gpu_question();
  const std::string zeros(150, '0');
  const std::string digits(150, '1');
  const Plan half = plan_of(question, "remove{kind=kernel}.share=" + zeros + "0.5" + digits);
  const Plan most = plan_of(question, "remove{kind=kernel}.share=" + zeros + "0.7" + digits);
  EXPECT_NE(half.graph_key(), most.graph_key());
}

TEST(GraphKeyTest, ASelectorIsComparedByValue) {
  const auto key_of = [](const std::string& selection) {
    return parse_scenario("changes: [{remove: {select: " + selection + "}}]", "test.yaml").changes.front().key();
  };
  EXPECT_NE(key_of("{name: 'x,rank=1'}"), key_of("{name: x, rank: 1}"));
  EXPECT_EQ(key_of("{name: \"x\"}"), key_of("{name: x}"));
}

}  // namespace
}  // namespace stepsim::scenarios
