#include "ingest/privacy/hidden_names.h"

#include <gtest/gtest.h>

#include <memory>

#include "model/base/known_diagnostics.h"
#include "model/base/text.h"
#include "model/job/dag_builder.h"
#include "model/job/parameter_server/workload.h"
#include "model/job/topology.h"
#include "tests/growth.h"

namespace stepsim::ingest {
namespace {

Capture capture_of(const std::vector<std::string>& hosts) {
  DagBuilder builder;
  Capture capture;
  Rank rank = 0;
  for (const std::string& host : hosts) {
    const LaneId lane = builder.add_lane({.name = "thread 1", .host = host, .rank = rank++});
    static_cast<void>(builder.add_task({.kind = TaskKind::kHost, .name = builder.intern("work"), .lane = lane}));
    capture.recording.clocks.push_back({.host = host});
  }
  capture.dag = std::move(builder).build().dag;
  capture.inputs.push_back({.name = "/home/zelda/" + hosts.front() + "_1.2.pt.trace.json"});
  return capture;
}

std::vector<std::string> hosts_in(const Capture& capture) {
  std::vector<std::string> hosts;
  for (const Lane& lane : capture.dag.lanes()) hosts.push_back(lane.host);
  return hosts;
}

using Names = std::vector<std::string>;

TEST(HiddenNamesTest, HostsHaveNumbersInNaturalOrder) {
  Capture capture = capture_of({"gpu10.corp", "gpu2", "gpu10.corp", "worker 0", "3", "localhost", ""});
  hide_names(capture, Hidden::kHosts);
  EXPECT_EQ(hosts_in(capture), (Names{"host002", "host001", "host002", "worker 0", "3", "localhost", ""}));
  EXPECT_EQ(capture.recording.clocks[0].host, "host002");
  EXPECT_EQ(capture.renamed_hosts,
            (std::map<std::string, std::string>{{"gpu10.corp", "host002"}, {"gpu2", "host001"}}));
  EXPECT_EQ(capture.inputs[0].name, "/home/zelda/host002_1.2.pt.trace.json");
  EXPECT_EQ(capture.inputs[0].opened, "/home/zelda/gpu10.corp_1.2.pt.trace.json");
}

TEST(HiddenNamesTest, TheLongestNameAtAPlaceIsReplaced) {
  Capture capture = capture_of({"gpu", "gpu-a", "gpu-a.corp"});
  const auto add = [&](const std::string& text) {
    capture.diagnostics.count(diagnostic("bad_record"), {}, text);
    return capture.diagnostics.entries().size() - 1;
  };
  const std::size_t at = add("gpu-a.corp, gpu-a, gpu-ab gpu-a.b xgpu gpu");
  hide_names(capture, Hidden::kHosts);
  EXPECT_EQ(capture.diagnostics.entries()[at].detail, "host003, host002, host001-ab host002.b xgpu host001");
}

TEST(HiddenNamesTest, RenamingGrowsWithTheTextAndNotWithItsProductWithTheHosts) {
  const double grown = stepsim::testing::growth(500, [](std::size_t count) {
    std::vector<std::string> hosts;
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      hosts.push_back("gpu" + std::to_string(i));
      text += "gpu" + std::to_string(i) + ", ";
    }
    Capture capture = capture_of(hosts);
    capture.diagnostics.count(diagnostic("bad_record"), {}, text);
    hide_names(capture, Hidden::kHosts);
    EXPECT_FALSE(contains(capture.diagnostics.entries().front().detail, "gpu"));
  });
  EXPECT_LT(grown, stepsim::testing::kLessThanQuadratic);
}

TEST(HiddenNamesTest, NothingChangesIfNothingIsHidden) {
  Capture capture = capture_of({"gpu2"});
  hide_names(capture, Hidden::kNothing);
  EXPECT_EQ(hosts_in(capture), Names{"gpu2"});
  EXPECT_TRUE(capture.renamed_hosts.empty());
}

TEST(HiddenNamesTest, PathsLoseTheirFolders) {
  Capture capture = capture_of({"gpu2"});
  capture.diagnostics.count(diagnostic("bad_record"), {"/home/zelda/x/gpu2.json", {}, {}},
                            "a record of gpu2, not gpu23");
  hide_names(capture, Hidden::kHostsAndPaths);
  EXPECT_EQ(capture.inputs[0].name, "host001_1.2.pt.trace.json");
  EXPECT_EQ(capture.diagnostics.entries()[0].first.file, "host001.json");
  EXPECT_EQ(capture.diagnostics.entries()[0].detail, "a record of host001, not gpu23");
}

TEST(HiddenNamesTest, ParameterServersAndProfilesHaveHostsToo) {
  Capture capture = capture_of({"gpu2"});
  auto workload = std::make_shared<PsWorkload>();
  workload->gpus.push_back({.host = "gpu1"});
  capture.parameter_server = workload;
  hide_names(capture, Hidden::kHosts);
  EXPECT_EQ(capture.parameter_server->gpus[0].host, "host001");
  EXPECT_EQ(workload->gpus[0].host, "gpu1") << "other captures may share the workload";
  LoadedRun run;
  run.run.processes.push_back({.file = "a/prof.json", .host = "luna-0173"});
  hide_names(run, Hidden::kHostsAndPaths);
  EXPECT_EQ(run.run.processes[0].host, "host001");
  EXPECT_EQ(run.run.processes[0].file, "prof.json");
}

TEST(HiddenNamesTest, AClustersHostsHaveTheNumbersOfTheCapture) {
  Capture capture = capture_of({"gpu2"});
  ClusterShape shape;
  shape.hosts = {{"gpu7"}, {"gpu2"}, {"0"}};
  Cluster cluster = build_cluster(std::move(shape));
  hide_names(cluster, capture);
  EXPECT_EQ(cluster.hosts[0].name, "gpu7") << "the capture has its recorded names";
  hide_names(capture, Hidden::kHosts);
  hide_names(cluster, capture);
  EXPECT_EQ(cluster.hosts[0].name, "host002");
  EXPECT_EQ(cluster.hosts[1].name, "host001");
  EXPECT_EQ(cluster.hosts[2].name, "0");
  for (const Link& link : cluster.links) EXPECT_EQ(link.name.find("gpu"), std::string::npos) << link.name;
}

}  // namespace
}  // namespace stepsim::ingest
