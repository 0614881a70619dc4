#include "ingest/stored/stored_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "ingest/bytes/byte_source.h"
#include "ingest/bytes/columns.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {
namespace {

using stepsim::testing::thrown_by;
using ::testing::ElementsAre;
using ::testing::Pair;

/// A trace in which every field has a value of its own.
HostDeviceTrace full_trace() {
  HostDeviceTrace trace;
  trace.texts = {"op", "kernel", "allreduce", "[0, 1]", "Float", "Buffer Flush"};
  trace.tracks = {{"10", "11", "main", false, -1, -1}, {"0", "7", "stream", true, 3, 7}};
  for (int i = 0; i < 2; ++i) {
    trace.start.emplace_back(Duration{1'700'000'000'000'000'000 + i});
    trace.duration.push_back(Duration{i == 0 ? 5 : 6'000'000'000});
    trace.kind.push_back(i == 0 ? EventKind::kOp : EventKind::kKernel);
    trace.name.emplace_back(i);
    trace.track.emplace_back(i);
    trace.correlation.push_back(i == 0 ? -1 : 42);
    trace.detail.push_back(i == 0 ? HostDeviceTrace::kNoDetail : 0);
  }
  trace.details = {{Bytes{12}, 1, 2, 3, 4, 5, TextId{2}, TextId{3}, TextId{4}, 6}};
  trace.operators = {
      {"aten::mm",
       "[[2, 3], []]",
       {KernelClass::kGemm, 12.5, 13.5, Precision::kFloat16, {1, 2, 3, 4}},
       {{{2, 3}, 2, Precision::kFloat16, ElementKind::kFloat}, {{}, 8, Precision::kFloat64, ElementKind::kOther}}},
      {"aten::relu", "", {}, {}}};
  trace.operator_of = {{0, 1}};
  trace.launches = {{1'000'000'000'000, 128, 64, 4096}};
  trace.launch_of = {{1, 0}};
  trace.modules = {{TrackId{0}, TextId{0}, Time{Duration{5}}, Duration{6}}};
  trace.python = {{TrackId{0}, TextId{1}, Time{Duration{7}}, Duration{8}}};
  trace.memory = {{Time{Duration{9}}, TrackId{0}, 77, 1, Bytes{-10}, Bytes{11}, Bytes{12}}};
  trace.flops_of = {{0, 1e12}};
  trace.overheads = {{TextId{5}, Time{Duration{13}}, Duration{14}}};
  trace.hand_overs = {{0, 1}};
  trace.communicators = {{TextId{3}, 1, 2, 3}};
  trace.transports = {{"rank 0 of 2",
                       "AllReduce",
                       "RING",
                       "LL",
                       15,
                       Bytes{16},
                       {17, Bytes{18}, Duration{19}, Duration{20}, Duration{21}},
                       {22, Bytes{23}, Duration{24}, Duration{25}, Duration{26}},
                       27,
                       Duration{28}}};
  trace.rank = 1;
  trace.world_size = 2;
  trace.ranks_of_batch = std::nullopt;
  trace.backend = "nccl";
  trace.host_name = "node-3";
  trace.windows = {{Time{Duration{1}}, Time{Duration{2}}}};
  trace.device_name = "H100";
  trace.device_memory = 85'520'809'984;
  trace.modelled = "gpt with 24 layers";
  trace.samples = 8;
  trace.has_base_time = true;
  trace.base_time = Duration{-5};
  return trace;
}

StoredPart full_part() {
  StoredPart part;
  part.files = {{"a/rank1.json", 100, 0xFEDCBA9876543210U, "opened"}};
  part.diagnostics.count(diagnostic("file_not_used"), {"notes.txt", {}, {}}, "notes.txt");
  part.job_name = "job.yaml";
  part.job_text = "workers: 2\n";
  StoredInput& input = part.inputs.emplace_back();
  input = {"a/rank1.json", "/x/a", "/x", "kineto", {}};
  input.sink.events = 7;
  input.sink.skipped = 1;
  input.sink.diagnostics.count(diagnostic("bad_record"), {"a/rank1.json", 12, {}}, "detail", 3);
  input.sink.add(full_trace(), "rank 1");
  return part;
}

StoredPart read(const std::string& bytes, bool details = true) {
  const std::unique_ptr<ByteSource> source = memory_source(bytes, "x.stepsim");
  return read_stored_part(*source, details);
}

TEST(StoredPartTest, EveryFieldIsReadAsItWasWritten) {
  const StoredPart part = read(to_bytes(full_part()));
  ASSERT_EQ(part.files.size(), 1U);
  EXPECT_EQ(part.files[0].name, "a/rank1.json");
  EXPECT_EQ(part.files[0].size, 100U);
  EXPECT_EQ(part.files[0].checksum, 0xFEDCBA9876543210U);
  EXPECT_EQ(part.files[0].opened, "opened");
  EXPECT_EQ(part.diagnostics.count_of("file_not_used"), 1U);
  EXPECT_EQ(part.job_name, "job.yaml");
  EXPECT_EQ(part.job_text, "workers: 2\n");
  ASSERT_EQ(part.inputs.size(), 1U);
  const StoredInput& input = part.inputs[0];
  EXPECT_EQ(input.name, "a/rank1.json");
  EXPECT_EQ(input.gpu_folder, "/x/a");
  EXPECT_EQ(input.worker_folder, "/x");
  EXPECT_EQ(input.format, "kineto");
  EXPECT_EQ(input.sink.events, 7U);
  EXPECT_EQ(input.sink.skipped, 1U);
  const Diagnostics::Entry& entry = input.sink.diagnostics.entries().at(0);
  EXPECT_EQ(entry.name, "bad_record");
  EXPECT_EQ(entry.severity, diagnostic("bad_record").severity);
  EXPECT_EQ(entry.remedy, diagnostic("bad_record").remedy);
  EXPECT_EQ(entry.detail, "detail");
  EXPECT_EQ(entry.count, 3U);
  EXPECT_EQ(entry.first.file, "a/rank1.json");
  EXPECT_EQ(entry.first.byte_offset, 12U);
  ASSERT_EQ(input.sink.parts.size(), 1U);
  EXPECT_EQ(input.sink.parts[0].of, "rank 1");

  const auto& trace = std::get<HostDeviceTrace>(input.sink.parts[0].part);
  const HostDeviceTrace full = full_trace();
  EXPECT_EQ(trace.start, full.start);
  EXPECT_EQ(trace.duration[0], Duration{5});
  EXPECT_EQ(trace.duration[1], Duration{6'000'000'000});
  EXPECT_EQ(trace.kind, full.kind);
  EXPECT_EQ(trace.name, full.name);
  EXPECT_EQ(trace.track, full.track);
  EXPECT_EQ(trace.correlation[0], -1);
  EXPECT_EQ(trace.correlation[1], 42);
  EXPECT_EQ(trace.detail_of(0), nullptr);
  const EventDetail& detail = *trace.detail_of(1);
  EXPECT_EQ(detail.bytes, Bytes{12});
  EXPECT_THAT(
      (std::vector{detail.stream, detail.wait_stream, detail.wait_correlation, detail.sequence, detail.elements}),
      ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT((std::vector{detail.collective, detail.group, detail.dtype}),
              ElementsAre(TextId{2}, TextId{3}, TextId{4}));
  EXPECT_EQ(detail.peer, 6);
  const Track& track = trace.tracks.at(1);
  EXPECT_THAT((std::vector{track.process, track.thread, track.name}), ElementsAre("0", "7", "stream"));
  EXPECT_TRUE(track.on_device);
  EXPECT_EQ(track.device, 3);
  EXPECT_EQ(track.stream, 7);
  EXPECT_EQ(trace.texts, full.texts);
  ASSERT_EQ(trace.operators.size(), 2U);
  EXPECT_EQ(trace.operators[0].name, "aten::mm");
  EXPECT_EQ(trace.operators[0].shapes, "[[2, 3], []]");
  EXPECT_EQ(trace.operators[0].work, full.operators[0].work);
  ASSERT_EQ(trace.operators[0].inputs.size(), 2U);
  EXPECT_THAT(trace.operators[0].inputs[0].sizes, ElementsAre(2, 3));
  EXPECT_EQ(trace.operators[0].inputs[1].element_bytes, 8);
  EXPECT_EQ(trace.operators[0].inputs[1].precision, Precision::kFloat64);
  EXPECT_EQ(trace.operators[0].inputs[1].element, ElementKind::kOther);
  EXPECT_TRUE(trace.operators[1].inputs.empty());
  EXPECT_EQ(trace.operator_of, full.operator_of);
  EXPECT_EQ(trace.launches, full.launches);
  EXPECT_EQ(trace.launch_of, full.launch_of);
  EXPECT_EQ(trace.modules.at(0).begin, Time{Duration{5}});
  EXPECT_EQ(trace.modules.at(0).length, Duration{6});
  EXPECT_EQ(trace.python.at(0).name, TextId{1});
  EXPECT_EQ(trace.python.at(0).track, TrackId{0});
  const HostDeviceTrace::MemoryEvent& memory = trace.memory.at(0);
  EXPECT_EQ(memory.time, Time{Duration{9}});
  EXPECT_EQ(memory.track, TrackId{0});
  EXPECT_EQ(memory.block, 77U);
  EXPECT_EQ(memory.device, 1);
  EXPECT_THAT((std::vector{memory.change, memory.allocated, memory.reserved}),
              ElementsAre(Bytes{-10}, Bytes{11}, Bytes{12}));
  EXPECT_THAT(trace.flops_of, ElementsAre(Pair(0U, 1e12)));
  EXPECT_EQ(trace.overheads.at(0).kind, TextId{5});
  EXPECT_EQ(trace.overheads.at(0).start, Time{Duration{13}});
  EXPECT_EQ(trace.overheads.at(0).length, Duration{14});
  EXPECT_EQ(trace.hand_overs, full.hand_overs);
  const HostDeviceTrace::Communicator& communicator = trace.communicators.at(0);
  EXPECT_EQ(communicator.group, TextId{3});
  EXPECT_THAT((std::vector{communicator.rank, communicator.size, communicator.nodes}), ElementsAre(1, 2, 3));
  const TransportUse& use = trace.transports.at(0);
  EXPECT_THAT((std::vector{use.group, use.operation, use.algorithm, use.protocol}),
              ElementsAre("rank 0 of 2", "AllReduce", "RING", "LL"));
  EXPECT_EQ(use.operations, 15U);
  EXPECT_EQ(use.bytes, Bytes{16});
  EXPECT_EQ(use.sent.pieces, 17U);
  EXPECT_EQ(use.sent.network, Duration{21});
  EXPECT_EQ(use.received.bytes, Bytes{23});
  EXPECT_EQ(use.received.device, Duration{24});
  EXPECT_EQ(use.received.peer, Duration{25});
  EXPECT_EQ(use.channels, 27U);
  EXPECT_EQ(use.channel_time, Duration{28});
  EXPECT_EQ(trace.rank, 1);
  EXPECT_EQ(trace.world_size, 2);
  EXPECT_EQ(trace.ranks_of_batch, std::nullopt);
  EXPECT_EQ(trace.backend, "nccl");
  EXPECT_EQ(trace.host_name, "node-3");
  EXPECT_EQ(trace.windows, full.windows);
  EXPECT_EQ(trace.device_name, "H100");
  EXPECT_EQ(trace.device_memory, 85'520'809'984);
  EXPECT_EQ(trace.modelled, "gpt with 24 layers");
  EXPECT_EQ(trace.samples, 8);
  EXPECT_TRUE(trace.has_base_time);
  EXPECT_EQ(trace.base_time, Duration{-5});
}

TEST(StoredPartTest, DetailsAreLeftOutUnlessTheyAreWanted) {
  const StoredPart part = read(to_bytes(full_part()), false);
  const auto& trace = std::get<HostDeviceTrace>(part.inputs.at(0).sink.parts.at(0).part);
  EXPECT_TRUE(trace.python.empty() && trace.flops_of.empty() && trace.transports.empty());
  EXPECT_EQ(trace.modules.size(), 1U);
}

TEST(StoredPartTest, DamageIsFoundByTheChecksum) {
  const std::string bytes = to_bytes(full_part());
  EXPECT_TRUE(is_stored_part(bytes));
  for (std::size_t i = 15; i < bytes.size(); i += 7) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_THAT(thrown_by<InputError>([&] { (void)read(damaged); }),
                ::testing::StartsWith("x.stepsim: this part is damaged or cut off"))
        << i;
  }
  for (const std::size_t size : {std::size_t{15}, std::size_t{20}, bytes.size() - 1}) {
    EXPECT_THAT(thrown_by<InputError>([&] { (void)read(bytes.substr(0, size)); }),
                ::testing::StartsWith("x.stepsim: this part is damaged or cut off"))
        << size;
  }
}

TEST(StoredPartTest, AnotherVersionIsRefused) {
  std::string bytes = to_bytes(full_part());
  bytes[13] = '2';
  EXPECT_EQ(thrown_by<InputError>([&] { (void)read(bytes); }),
            "x.stepsim: this part is of version '2'; expected version 4, which this stepsim writes: convert the traces "
            "again");
}

/// Returns the part after a change, with a right checksum.
std::string sealed(const HostDeviceTrace& trace) {
  StoredPart part = full_part();
  part.inputs[0].sink.parts[0].part = trace;
  return to_bytes(part);
}

TEST(StoredPartTest, IndicesThatLeadOutsideTheirTablesAreRefused) {
  const auto expect_refused = [](auto change) {
    HostDeviceTrace trace = full_trace();
    change(trace);
    EXPECT_THAT(thrown_by<InputError>([&] { (void)read(sealed(trace)); }),
                ::testing::HasSubstr("this part is damaged"));
  };
  expect_refused([](HostDeviceTrace& trace) { trace.name[0] = TextId{6}; });
  expect_refused([](HostDeviceTrace& trace) { trace.name[0] = TextId{}; });
  expect_refused([](HostDeviceTrace& trace) { trace.track[1] = TrackId{2}; });
  expect_refused([](HostDeviceTrace& trace) { trace.detail.set(1, 1); });
  expect_refused([](HostDeviceTrace& trace) { trace.details[0].group = TextId{9}; });
  expect_refused([](HostDeviceTrace& trace) { trace.operator_of[0].second = 2; });
  expect_refused([](HostDeviceTrace& trace) { trace.operator_of = {{1, 0}, {0, 0}}; });
  expect_refused([](HostDeviceTrace& trace) { trace.launch_of[0].first = 2; });
  expect_refused([](HostDeviceTrace& trace) { trace.flops_of[0].first = 2; });
  expect_refused([](HostDeviceTrace& trace) { trace.hand_overs[0].second = 2; });
  expect_refused([](HostDeviceTrace& trace) { trace.modules[0].track = TrackId{5}; });
  expect_refused([](HostDeviceTrace& trace) { trace.overheads[0].kind = TextId{}; });
  expect_refused([](HostDeviceTrace& trace) { trace.communicators[0].group = TextId{7}; });
  expect_refused([](HostDeviceTrace& trace) { trace.kind[0] = static_cast<EventKind>(100); });
  expect_refused([](HostDeviceTrace& trace) { trace.start[0] = Time::max(); });
  expect_refused([](HostDeviceTrace& trace) { trace.start.pop_back(); });
}

TEST(StoredPartTest, OtherFormatsAreRefused) {
  StoredPart part = full_part();
  part.inputs[0].format = "byteps_comm";
  part.inputs[0].sink.parts[0].part = StageTrace{};
  EXPECT_THAT(
      thrown_by<UsageError>([&] { (void)to_bytes(part); }),
      ::testing::StartsWith("a/rank1.json is of the format byteps_comm, of which no part can be stored; expected"));
}

}  // namespace
}  // namespace stepsim::ingest
