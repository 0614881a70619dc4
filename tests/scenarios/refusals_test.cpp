// Tests that a question which a capture cannot answer is refused with a message, and never gets a number.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/rewrite/capture_edit.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/model/rewrite/parameter_server/workload_maker.h"
#include "tests/scenarios/gpu_job.h"
#include "tests/scenarios/sample_questions.h"

namespace stepsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Refusal {
  std::string set;
  std::string sentence;  ///< a part of the message
};

/// What must change so that a refused question is answered: the capture (exit code 5) or the question (exit code 2).
enum class Fault : std::uint8_t { kCapture, kQuestion };

Fault fault_of(const Question& question, const std::string& set) {
  try {
    (void)question.predicted({set});
  } catch (const CannotAnswer&) {
    return Fault::kCapture;
  } catch (const std::exception&) {
    return Fault::kQuestion;
  }
  ADD_FAILURE() << set << " is answered";
  return Fault::kQuestion;
}

void expect_refused(const Question& question, const std::vector<Refusal>& refusals, Fault fault = Fault::kCapture) {
  for (const Refusal& refusal : refusals) {
    EXPECT_EQ(fault_of(question, refusal.set), fault) << refusal.set;
    EXPECT_THAT(problem_of(question, {refusal.set}), AllOf(HasSubstr(refusal.sentence), HasSubstr("; expected ")))
        << refusal.set;
  }
}

Question alone(Capture capture, std::string_view network = "maxmin") {
  return Question(std::move(capture), switch_of(2, 1e9), network);
}

/// Returns a job of one rank with one kernel, launched from one thread. No data crosses a link.
Question one_kernel() {
  GpuJob job;
  (void)job.launch("kernel", TaskKind::kKernel, Duration{5}, Duration{10});
  Capture capture;
  capture.dag = std::move(job.builder()).build().dag;
  return alone(std::move(capture));
}

/// Returns a data-parallel job after modification by `change`.
template <class Change>
Question changed_job(Change change) {
  const Capture job = DataParallelJob{}.capture();
  CaptureEdit edit(job);
  change(edit, job.dag);
  return alone(std::move(edit).finish());
}

TEST(Refusals, RanksThatWouldNotFitIntoMemoryAreCountedBeforeTheyAreMade) {
  const Question question = alone(DataParallelJob{.steps = 20}.capture());
  EXPECT_THAT(problem_of(question, {"cluster.workers=100000", "straggler{rank=0-99999}.factor=2"}),
              HasSubstr("GB of memory; expected at most 10000000 tasks"));
  EXPECT_EQ(problem_of(question, {"cluster.workers=100000"}), "taken") << "ranks that are alike have no tasks";
}

TEST(Refusals, RecordedTransfersFollowNeitherTheNetworkNorItsMessages) {
  const std::string kept = "--network recorded keeps recorded transfer times";
  expect_refused(alone(WorkloadMaker{}.capture(), "recorded"),
                 {{"network.bandwidth=2x", "the capture does not show the rates of its links"},
                  {"network.sharing=fair", "the capture does not show the rates of its links"},
                  {"comm.partition_bytes=1MB", kept},
                  {"comm.schedule=priority", kept},
                  {"cluster.workers=3", kept},
                  {"cluster.servers=2", kept},
                  {"cluster.colocated=true", kept},
                  {"overlap.barriers=off", "keeps the recorded order"}},
                 Fault::kQuestion);
  expect_refused(alone(DataParallelJob{}.capture(), "recorded"),
                 {{"comm.algorithm=tree", kept}, {"comm.bucket_bytes=1MB", kept}, {"cluster.workers=4", kept}},
                 Fault::kQuestion);
}

TEST(Refusals, WhereNoLinkIsKnownItIsTheCaptureThatLacksOne) {
  const std::string kept = "--network recorded";
  expect_refused(Question(WorkloadMaker{}.capture(), Cluster{}, "recorded"),
                 {{"network.latency=1us", "the capture does not show the rates of its links"},
                  {"comm.partition_bytes=1MB", kept},
                  {"cluster.workers=3", kept},
                  {"overlap.barriers=off", kept}});
}

TEST(Refusals, AJobWithoutServersHasNoServersToChange) {
  const std::string none = "the job has no parameter servers";
  expect_refused(data_parallel_question(), {{"comm.partition_bytes=1MB", none},
                                            {"comm.schedule=priority", none},
                                            {"comm.credit_bytes=4MB", none},
                                            {"comm.barrier=cross", none},
                                            {"comm.control=inline", none},
                                            {"comm.key_hash=djb2", none},
                                            {"cluster.servers=2", none},
                                            {"cluster.colocated=true", none}});
}

TEST(Refusals, AJobWithServersHasNoCollectivesToChange) {
  const std::string none = "the job has parameter servers and no collectives";
  expect_refused(parameter_server_question(), {{"comm.bucket_bytes=1MB", none}, {"comm.algorithm=ring", none}});
}

TEST(Refusals, AJobWithoutMessagesHasNoNetworkToChange) {
  expect_refused(one_kernel(), {{"network.bandwidth=2x", "so nothing crosses a link"},
                                {"network.latency=1us", "so nothing crosses a link"},
                                {"comm.algorithm=ring", "no collective connects the captured ranks"},
                                {"comm.bucket_bytes=1MB", "has no gradients"},
                                {"cluster.workers=2", "connects the captured ranks"}});
}

TEST(Refusals, RanksThatWereNotCapturedCannotBeCopied) {
  // The all-reduce has two members, but only one of them was captured.
  const Question question = changed_job([](CaptureEdit& edit, const Dag& dag) {
    edit.builder().collective(RendezvousId{1}).group = edit.builder().add_group({.size = 2});
    edit.remove(dag.members(RendezvousId{1}).front());
  });
  ASSERT_EQ(lone_collectives(question.capture()), 1U);
  expect_refused(question, {{"cluster.workers=3", "1 collectives were captured on one rank only"}});
}

TEST(Refusals, RanksWithDifferentWorkCannotBeCopied) {
  const Question question = changed_job(
      [](CaptureEdit& edit, const Dag&) { edit.builder().collective(RendezvousId{0}).op = CollectiveOp::kSendRecv; });
  expect_refused(question, {{"cluster.workers=3", "the ranks send messages to each other"}});
}

TEST(Refusals, OnlyWhatTheCaptureShowsCanBeChanged) {
  expect_refused(streams_question(), {{"launch.overhead=0us", "has no launches of device work"},
                                      {"overlap.barriers=off", "has no barriers"},
                                      {"overlap.copies=apart", "has no copies between host and device"}});
}

TEST(Refusals, ASelectionOfNothingIsTheQuestionsFault) {
  expect_refused(streams_question(),
                 {{"compute{kind=collective}.scale=2", "matches only communication"},
                  {"straggler{kind=collective}.factor=2", "matches only communication"},
                  {"remove{name=no such}.share=1", "matches none of the"},
                  {"insert{rank=7}.duration=1us", "matches none of the"},
                  {"fuse{stream=99}.most=2", "matches none of the"}},
                 Fault::kQuestion);
}

TEST(Refusals, AStepOfCommunicationAloneHasNoComputeToScale) {
  DagBuilder builder;
  const LaneId lane = builder.add_lane({.name = "stream 1", .rank = 0, .kind = LaneKind::kStream});
  (void)builder.add_task({.kind = TaskKind::kCollective, .name = builder.intern("c"), .lane = lane});
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  expect_refused(alone(std::move(capture), "recorded"), {{"compute.scale=2", "only communication"},
                                                         {"straggler.factor=2", "only communication"},
                                                         {"batch.scale=2", "only communication"}});
}

TEST(Refusals, AClusterThatIsTooSmallIsNotExtended) {
  expect_refused(Question(WorkloadMaker{}.capture(), switch_of(1, 1e9), "maxmin"),
                 {{"network.latency=1us", "the cluster has 1 endpoints"}}, Fault::kQuestion);
  expect_refused(Question(DataParallelJob{}.capture(), switch_of(1, 1e9), "maxmin"),
                 {{"network.latency=1us", "the cluster has 1 endpoints"}}, Fault::kQuestion);
}

TEST(Refusals, HostsWithoutALinkCannotExchangeMessages) {
  Cluster apart = switch_of(2, 1e9);
  for (Cluster::UplinkPath& path : apart.uplinks) path.switches.clear();
  expect_refused(Question(DataParallelJob{}.capture(), std::move(apart), "maxmin"),
                 {{"network.latency=1us", "the cluster has no route from endpoint"}}, Fault::kQuestion);
}

TEST(Refusals, StepsLongerThan146YearsAreRefused) {
  const Question question = streams_question();
  EXPECT_EQ(problem_of(question, {"compute.scale=1e9"}), "taken");
  EXPECT_THAT(problem_of(question, {"compute.scale=1e9", "compute.scale=1e9"}), HasSubstr("longer than 146 years"));
}

}  // namespace
}  // namespace stepsim::testing
