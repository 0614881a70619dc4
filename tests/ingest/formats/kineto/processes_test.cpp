// Tests how a file into which the traces of several processes were merged is split.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ingest/formats/format.h"
#include "ingest/formats/kineto/processes.h"
#include "tests/ingest/read_text.h"

namespace stepsim::ingest {
namespace {

using ::testing::ElementsAre;

/// Returns a launch and its kernel, which begins 50 us later.
std::string launched(const std::string& host, const std::string& device, int number, const std::string& name, int at) {
  return R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","tid":1,"pid":)" + host + R"(,"ts":)" +
         std::to_string(at) + R"(,"dur":1,"args":{"correlation":)" + std::to_string(number) + "}}," +
         R"({"ph":"X","cat":"kernel","name":")" + name + R"(","tid":7,"pid":)" + device + R"(,"ts":)" +
         std::to_string(at + 50) + R"(,"dur":1,"args":{"device":0,"stream":7,"correlation":)" + std::to_string(number) +
         "}}";
}

/// Returns the names of the kernels of each rank in a file of these events, in the order of the ranks' parts.
std::vector<std::vector<std::string>> kernels_of(const std::string& events) {
  const std::string text = R"({"baseTimeNanoseconds": 0, "traceEvents": [)" + events + "]}";
  Input input = Input::from_memory(text, "merged.json");
  PartSink sink;
  find_format("kineto")->read(input, sink);
  std::vector<std::vector<std::string>> kernels;
  for (const PartSink::Item& item : sink.parts) {
    const auto& trace = std::get<HostDeviceTrace>(item.part);
    std::vector<std::string>& names = kernels.emplace_back();
    for (std::size_t i = 0; i < trace.size(); ++i) {
      if (trace.kind[i] == EventKind::kKernel) names.push_back(trace.text(trace.name[i]));
    }
    EXPECT_EQ(trace.rank.value_or(-1), sink.parts.size() == 1 ? -1 : static_cast<std::int64_t>(kernels.size() - 1));
  }
  EXPECT_EQ(sink.diagnostics.count_of("several_processes"), kernels.size() == 1 ? 0 : kernels.size());
  return kernels;
}

TEST(ProcessesTest, OneProcessIsOneTrace) {
  EXPECT_THAT(kernels_of(launched("9", "0", 1, "a", 0) + "," + launched("9", "1", 2, "b", 10)),
              ElementsAre(ElementsAre("a", "b")));
}

TEST(ProcessesTest, NumbersOfLaunchesTellWhoseWorkItIs) {
  const std::string events = launched("9", "1", 1, "a", 0) + "," + launched("8", "0", 2, "b", 10) + "," +
                             launched("8", "0", 3, "c", 20) + "," + launched("9", "1", 4, "d", 30);
  EXPECT_THAT(kernels_of(events), ElementsAre(ElementsAre("a", "d"), ElementsAre("b", "c")));
}

TEST(ProcessesTest, EqualNumbersAreToldApartByTheOrderOfTheFile) {
  const std::string first = launched("9", "0", 1, "a", 0) + "," + launched("9", "0", 2, "b", 10);
  const std::string second = launched("8", "1", 1, "c", 0) + "," + launched("8", "1", 2, "d", 10);
  EXPECT_THAT(kernels_of(first + "," + second), ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d")));
}

TEST(ProcessesTest, LabelsTellWhoseWorkItIs) {
  // In the order of time, with equal numbers and equal numbers of the devices.
  const std::string events = launched(R"("[TP00] 9")", R"("[TP00] 0")", 1, "a", 0) + "," +
                             launched(R"("[TP01] 9")", R"("[TP01] 0")", 1, "b", 1) + "," +
                             launched(R"("[TP00] 9")", R"("[TP00] 0")", 2, "c", 10) + "," +
                             launched(R"("[TP01] 9")", R"("[TP01] 0")", 2, "d", 11);
  EXPECT_THAT(kernels_of(events), ElementsAre(ElementsAre("a", "c"), ElementsAre("b", "d")));
}

TEST(ProcessesTest, EachProcessKeepsWhatIsOnItsRows) {
  // Two processes with the same events: a call with an operator, a kernel with a launch, and a hand-over between them.
  HostDeviceTrace trace;
  trace.texts = {"cudaLaunchKernel", "kernel", "kind", "only text of the file"};
  for (std::size_t process = 0; process < 2; ++process) {
    const std::string host = std::to_string(10 + process);
    const auto device = static_cast<std::int32_t>(process);
    const TrackId thread{trace.tracks.size()};
    trace.tracks.push_back({host, "1", "", false, -1, -1});
    const TrackId stream{trace.tracks.size()};
    trace.tracks.push_back({std::to_string(process), "7", "", true, device, 7});
    const auto call = static_cast<std::uint32_t>(trace.size());
    const auto value = static_cast<std::int64_t>(process) + 1;
    for (const bool on_device : {false, true}) {
      trace.start.emplace_back(Duration{value * 100 + (on_device ? 50 : 0)});
      trace.duration.push_back(Duration{value});
      trace.kind.push_back(on_device ? EventKind::kKernel : EventKind::kRuntimeCall);
      trace.name.emplace_back(on_device ? 1 : 0);
      trace.track.push_back(on_device ? stream : thread);
      trace.correlation.set(trace.size() - 1, value);
    }
    trace.detail.set(call + 1, static_cast<std::uint32_t>(process));
    trace.details.emplace_back().bytes = Bytes{value};
    trace.operators.emplace_back().name = host;
    trace.operator_of.set(call, static_cast<std::uint32_t>(process));
    trace.launches.push_back({.blocks = static_cast<std::uint64_t>(value)});
    trace.launch_of.set(call + 1, static_cast<std::uint32_t>(process));
    trace.flops_of.push_back({call, static_cast<double>(value)});
    trace.hand_overs.push_back({call, call + 1});
    trace.steps.push_back({call, value});
    trace.modules.push_back({thread, TextId{2}, Time{Duration{value}}, Duration{value}});
    trace.python.push_back({thread, TextId{3}, Time{Duration{value}}, Duration{value}});
    trace.memory.push_back({Time{Duration{value}}, thread, 7, device, Bytes{value}, {}, {}});
  }
  trace.overheads = {{TextId{2}, Time{Duration{5}}, Duration{6}}};
  trace.groups = {{TextId{3}, 2, {}, 1, 3}};
  trace.host_name = "node";
  trace.world_size = 8;
  trace.backend = "nccl";
  trace.device_name = "H100";
  trace.base_time = Duration{7};

  const std::vector<ProcessTrace> parts = split_processes(trace);
  ASSERT_EQ(parts.size(), 2U);
  for (std::size_t process = 0; process < 2; ++process) {
    const HostDeviceTrace& part = parts[process].trace;
    const auto value = static_cast<std::int64_t>(process) + 1;
    EXPECT_EQ(parts[process].process, std::to_string(10 + process));
    EXPECT_EQ(part.rank, static_cast<std::int64_t>(process));
    ASSERT_EQ(part.size(), 2U);
    EXPECT_EQ(part.start[0], Time{Duration{value * 100}});
    EXPECT_EQ(part.duration[1], Duration{value});
    EXPECT_EQ(part.kind[1], EventKind::kKernel);
    EXPECT_EQ(part.text(part.name[1]), "kernel");
    EXPECT_EQ(part.tracks[part.track[0].index()].process, parts[process].process);
    EXPECT_EQ(part.correlation[0], value);
    EXPECT_EQ(part.detail_of(0), nullptr);
    ASSERT_NE(part.detail_of(1), nullptr);
    EXPECT_EQ(part.detail_of(1)->bytes, Bytes{value});
    EXPECT_EQ(part.operators.at(part.operator_of[0]).name, parts[process].process);
    EXPECT_EQ(part.operator_of[1], HostDeviceTrace::kNone);
    EXPECT_EQ(part.launches.at(part.launch_of[1]).blocks, static_cast<std::uint64_t>(value));
    ASSERT_EQ(part.flops_of.size(), 1U);
    EXPECT_EQ(part.flops_of[0].event, 0U);
    EXPECT_EQ(part.flops_of[0].count, static_cast<double>(value));
    ASSERT_EQ(part.hand_overs.size(), 1U);
    EXPECT_EQ(part.hand_overs[0].from, 0U);
    EXPECT_EQ(part.hand_overs[0].to, 1U);
    ASSERT_EQ(part.steps.size(), 1U);
    EXPECT_EQ(part.steps[0].event, 0U);
    EXPECT_EQ(part.steps[0].number, value);
    ASSERT_EQ(part.modules.size(), 1U);
    EXPECT_EQ(part.modules[0].length, Duration{value});
    EXPECT_EQ(part.modules[0].name, TextId{2});
    ASSERT_EQ(part.python.size(), 1U);
    EXPECT_EQ(part.python[0].length, Duration{value});
    EXPECT_EQ(part.python[0].name, TextId{3});
    ASSERT_EQ(part.memory.size(), 1U);
    EXPECT_EQ(part.memory[0].change, Bytes{value});
    EXPECT_EQ(part.overheads.size(), 1U);
    EXPECT_EQ(part.groups.size(), 1U);
    EXPECT_EQ(part.host_name, "node");
    EXPECT_EQ(part.world_size, 8);
    EXPECT_EQ(part.backend, "nccl");
    EXPECT_EQ(part.device_name, "H100");
    EXPECT_EQ(part.base_time, Duration{7});
  }
}

}  // namespace
}  // namespace stepsim::ingest
