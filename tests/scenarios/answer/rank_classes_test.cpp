// Ranks that do the same are simulated once. The answer is the same, to the nanosecond, as with tasks for each of them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ingest/bytes/input.h"
#include "ingest/config/config.h"
#include "model/cost/collective/algorithm.h"
#include "model/job/group.h"
#include "model/rewrite/capture_edit.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/scenarios/question.h"
#include "tests/source_folder.h"

namespace stepsim::testing {
namespace {

using scenarios::Plan;
using scenarios::Prediction;
using scenarios::RankSet;

/// When the tasks of a rank start and end, in order.
using Times = std::vector<std::pair<Time, Time>>;

std::map<Rank, Times> times_by_rank(const Prediction& prediction) {
  std::map<Rank, Times> times;
  for (const TaskId task : prediction.graph->dag.tasks()) {
    times[prediction.graph->dag.lane(task).rank].emplace_back(prediction.timeline.start[task.index()],
                                                              prediction.timeline.finish[task.index()]);
  }
  for (auto& [rank, list] : times) std::sort(list.begin(), list.end());
  return times;
}

/// The two predictions of a question: of classes of ranks, and of each rank.
struct Both {
  Prediction of_classes;
  Prediction of_ranks;
};

Both predicted(const Question& question, const Plan& plan) {
  Prediction of_classes = question.predictor().predict(plan);
  return {std::move(of_classes), question.predictor().predict(plan, scenarios::Sides{.ungrouped = RankSet::all()})};
}

Both predicted(const Question& question, const std::vector<std::string>& sets) {
  scenarios::Scenario scenario;
  for (const std::string& set : sets) scenarios::add_set(scenario, set);
  Plan plan = question.predictor().plan();
  scenarios::apply_all(scenario.changes, plan);
  return predicted(question, plan);
}

/// Expects that the predictions are equal, and that copies do what their originals do. Returns the number of classes.
std::size_t expect_equal(const Both& both) {
  EXPECT_EQ(both.of_classes.iteration, both.of_ranks.iteration);
  EXPECT_EQ(both.of_classes.of_captured_steps, both.of_ranks.of_captured_steps);
  EXPECT_EQ(both.of_classes.in_the_long_run, both.of_ranks.in_the_long_run);
  const std::map<Rank, Times> classes = times_by_rank(both.of_classes);
  const std::map<Rank, Times> ranks = times_by_rank(both.of_ranks);
  for (const auto& [rank, times] : classes) EXPECT_EQ(times, ranks.at(rank)) << "rank " << rank;
  std::size_t count = 0;
  for (const auto& [rank, stands_for] : rank_classes(both.of_classes.graph->dag)) count += stands_for;
  EXPECT_EQ(count, ranks.size());
  for (const Group& group : both.of_classes.graph->dag.groups()) {
    for (std::size_t i = 0; i < group.copy_of.size(); ++i)
      EXPECT_EQ(ranks.at(group.ranks[i]), ranks.at(group.ranks[group.copy_of[i]])) << "rank " << group.ranks[i];
  }
  return classes.size();
}

Cluster cluster_of(const std::string& file) { return ingest::parse_cluster(file, "cluster.yaml"); }

/// Returns the job with this algorithm for its collectives.
Capture with_algorithm(const Capture& capture, std::string_view algorithm) {
  CaptureEdit edit(capture);
  for (const RendezvousId rendezvous : capture.dag.all_rendezvous())
    edit.builder().collective(rendezvous).algorithm = find_collective_model(algorithm);
  return std::move(edit).finish();
}

struct Hosts {
  std::string name;
  std::string file;
  bool is_even = true;  ///< true if all hosts have equal links
};

std::vector<Hosts> hosts() {
  return {
      {"star", "hosts: 2\nnic: {bandwidth: 1Gb/s}\n"},
      {"half_duplex", "hosts: 2\nnic: {bandwidth: 1Gb/s, duplex: half}\n"},
      {"slow_host", "hosts: 2\nnic: {bandwidth: 1Gb/s}\noverrides: [{host: 1, nic: {bandwidth: 100Mb/s}}]\n", false},
      {"nvlink", "hosts: 1\nnic: {bandwidth: 1Gb/s}\ndevices: 2\nnvlink: {bandwidth: 300GB/s}\n"},
      {"rails", "hosts: 1\nnic: {bandwidth: 1Gb/s}\ndevices: 2\nnics: 2\nnvlink: {bandwidth: 300GB/s}\n"},
      {"tiers", "hosts: 2\nnic: {bandwidth: 1Gb/s}\ntiers: [{ports: 2, oversubscription: 4}]\n"}};
}

class RankClassesTest : public ::testing::TestWithParam<Hosts> {};

TEST_P(RankClassesTest, AnswersAreThoseOfEachRank) {
  for (const std::string_view network : {"alpha_beta", "loggp", "fifo", "maxmin"}) {
    for (const CollectiveModel* const algorithm : collective_models()) {
      const Capture job =
          DataParallelJob{.gradients = {Bytes{1'000'000}, Bytes{3'000'001}, Bytes{2'000'000}}}.capture();
      const Question question(with_algorithm(job, algorithm->name), cluster_of(GetParam().file), network);
      const std::size_t per_host = cluster_of(GetParam().file).shape->nics;  // all of a host, or it lacks a rail
      for (const std::size_t ranks : {4 - per_host % 2, std::size_t{4}, std::size_t{6}, std::size_t{16}}) {
        for (const std::vector<std::string>& others : {std::vector<std::string>{},
                                                       {"compute{rank=1}.scale=1.5"},
                                                       {"straggler{rank=0}.factor=2"},
                                                       {"network.latency=20us", "compute.scale=0.1"}}) {
          SCOPED_TRACE(fmt::format("{} {}, {} ranks, {}", network, algorithm->name, ranks, fmt::join(others, " ")));
          std::vector<std::string> sets{fmt::format("cluster.workers={}", ranks)};
          sets.insert(sets.end(), others.begin(), others.end());
          const std::size_t classes = expect_equal(predicted(question, sets));
          // In a ring without contention, copies always do what their originals do. A named rank is one more class.
          if (network == "alpha_beta" && algorithm->name == "ring" && GetParam().is_even) {
            EXPECT_LE(classes, others.size() == 1 ? 3U : 2U);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Clusters, RankClassesTest, ::testing::ValuesIn(hosts()),
                         [](const auto& one) { return one.param.name; });

/// A job on GPUs, whose collectives NCCL's model times.
Question device_job(const std::string& file, std::size_t ranks = 2) {
  const Capture job = DeviceDataParallelJob{.ranks = ranks}.capture();
  return Question(with_algorithm(job, "nccl"), cluster_of(file), "maxmin");
}

TEST(RankClassesTest, CopiesOfARankAreOneClass) {
  const Question question =
      device_job("hosts: 1\nnic: {bandwidth: 100Gb/s}\ndevices: 2\nnvlink: {bandwidth: 300GB/s}\n");
  for (const std::vector<std::string>& sets :
       {std::vector<std::string>{"cluster.workers=64"}, {"cluster.workers=3"}, {"cluster.workers=9", "host.scale=2"}})
    EXPECT_EQ(expect_equal(predicted(question, sets)), 2U);
}

TEST(RankClassesTest, ARankThatIsNamedIsAClassOfItsOwn) {
  const Question question =
      device_job("hosts: 1\nnic: {bandwidth: 100Gb/s}\ndevices: 2\nnvlink: {bandwidth: 300GB/s}\n");
  const Both straggler = predicted(question, {"cluster.workers=64", "straggler{rank=37}.factor=3"});
  EXPECT_EQ(expect_equal(straggler), 3U);
  EXPECT_EQ(rank_classes(straggler.of_classes.graph->dag), (std::map<Rank, std::uint32_t>{{0, 32}, {1, 31}, {37, 1}}));
  const Both captured = predicted(question, {"cluster.workers=64", "straggler{rank=0}.factor=3"});
  EXPECT_EQ(expect_equal(captured), 3U);
  EXPECT_EQ(rank_classes(captured.of_classes.graph->dag), (std::map<Rank, std::uint32_t>{{0, 1}, {1, 32}, {2, 31}}))
      << "the copies of rank 0 are not slow";
  EXPECT_EQ(expect_equal(predicted(question, {"cluster.workers=16", "compute{worker=2-3}.scale=3"})), 4U);
}

TEST(RankClassesTest, AnswersSayWhyEveryRankIsSimulated) {
  const auto why = [](std::string_view algorithm, std::string_view network) {
    const Question question(with_algorithm(DataParallelJob{}.capture(), algorithm),
                            cluster_of("hosts: 2\nnic: {bandwidth: 1Gb/s}\n"), network);
    return question.predicted({"cluster.workers=6"}).why_each_rank;
  };
  EXPECT_EQ(why("ring", "alpha_beta"), "");
  EXPECT_EQ(why("ring", "maxmin"), "");
  EXPECT_EQ(why("tree", "alpha_beta"), "copies of a rank end a collective at another time than the rank itself");
  EXPECT_EQ(why("direct", "fifo"),
            "the network serves messages one after another, and copies send theirs at the same time");
}

TEST(RankClassesTest, RanksThatDifferAtRandomAreNoClasses) {
  const Question question = device_job("hosts: 2\nnic: {bandwidth: 100Gb/s}\n");
  EXPECT_EQ(expect_equal(predicted(question, {"cluster.workers=8", "straggler.share=0.5", "straggler.factor=3"})), 8U);
}

TEST(RankClassesTest, FilesOfTheLibraryGiveTheSame) {
  std::size_t answered = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "scenarios/library")) {
    for (const int ranks : {16, 64}) {
      SCOPED_TRACE(fmt::format("{} of {} ranks", entry.path().string(), ranks));
      scenarios::Scenario scenario = scenarios::parse_scenario(
          ingest::read_small_file(entry.path().string(), 1U << 20U).text, entry.path().string());
      const std::string workers = fmt::format("cluster.workers={}", ranks);
      if (thrown_by<std::exception>([&] { scenarios::add_set(scenario, workers); }) != "taken") continue;  // sweeps it
      for (const char* const file : {"hosts: 2\nnic: {bandwidth: 1Gb/s}\n",
                                     "hosts: 1\nnic: {bandwidth: 1Gb/s}\ndevices: 2\nnvlink: {bandwidth: 300GB/s}\n"}) {
        const Question question = device_job(file);
        Plan plan = question.predictor().plan();
        const std::string problem = thrown_by<std::exception>([&] {
          scenarios::apply_all(scenario.changes, plan);
          (void)question.predictor().predict(plan);
        });
        if (problem != "taken") continue;  // a question that the job cannot answer
        (void)expect_equal(predicted(question, std::move(plan)));
        ++answered;
      }
    }
  }
  EXPECT_GE(answered, 20U);
}

}  // namespace
}  // namespace stepsim::testing
