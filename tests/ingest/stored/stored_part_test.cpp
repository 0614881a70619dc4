#include "ingest/stored/stored_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
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
  }
  trace.correlation.set(1, 42);
  trace.detail.set(1, 0);
  trace.details = {{Bytes{12}, 1, 2, 3, 4, 5, TextId{2}, ProcessGroupId{0}, TextId{4}, 6, SyncKind::kStream,
                    MemoryKind::kPageable, MemoryKind::kOther}};
  trace.operators = {
      {"aten::mm",
       "[[2, 3], []]",
       {KernelClass::kGemm, 12.5, 13.5, Precision::kFloat16, {1, 2, 3, 4}},
       {{{2, 3}, 2, Precision::kFloat16, ElementKind::kFloat}, {{}, 8, Precision::kFloat64, ElementKind::kOther}}},
      {"aten::relu", "", {}, {}}};
  trace.operator_of.set(0, 1);
  trace.launches = {{1'000'000'000'000, 128, 64, 4096}};
  trace.launch_of.set(1, 0);
  trace.steps = {{0, 29}};
  trace.modules = {{TrackId{0}, TextId{0}, Time{Duration{5}}, Duration{6}}};
  trace.python = {{TrackId{0}, TextId{1}, Time{Duration{7}}, Duration{8}}};
  trace.memory = {{Time{Duration{9}}, TrackId{0}, 77, 1, Bytes{-10}, Bytes{11}, Bytes{12}}};
  trace.flops_of = {{0, 1e12}};
  trace.overheads = {{TextId{5}, Time{Duration{13}}, Duration{14}, true}};
  trace.hand_overs = {{0, 1}};
  trace.groups = {{TextId{3}, 2, {0, 9}, 1, 3}, {{}, 3, {4, 5, 6}}};
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
  EXPECT_THAT((std::vector{detail.collective, detail.dtype}), ElementsAre(TextId{2}, TextId{4}));
  EXPECT_EQ(detail.group, ProcessGroupId{0});
  EXPECT_EQ(detail.sync, SyncKind::kStream);
  EXPECT_EQ(detail.from, MemoryKind::kPageable);
  EXPECT_EQ(detail.to, MemoryKind::kOther);
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
  EXPECT_EQ(trace.operator_of[0], 1U);
  EXPECT_EQ(trace.operator_of[1], HostDeviceTrace::kNone);
  EXPECT_EQ(trace.launches, full.launches);
  EXPECT_EQ(trace.launch_of[1], 0U);
  EXPECT_EQ(trace.steps.at(0).event, 0U);
  EXPECT_EQ(trace.steps.at(0).number, 29);
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
  EXPECT_EQ(trace.flops_of.at(0).event, 0U);
  EXPECT_EQ(trace.flops_of.at(0).count, 1e12);
  EXPECT_EQ(trace.overheads.at(0).kind, TextId{5});
  EXPECT_EQ(trace.overheads.at(0).start, Time{Duration{13}});
  EXPECT_EQ(trace.overheads.at(0).length, Duration{14});
  EXPECT_TRUE(trace.overheads.at(0).queue_full);
  EXPECT_EQ(trace.hand_overs.at(0).from, 0U);
  EXPECT_EQ(trace.hand_overs.at(0).to, 1U);
  EXPECT_EQ(trace.groups, full.groups);
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

/// Returns a string of these bytes.
std::string text_of(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text += static_cast<char>(byte);
  return text;
}

/// Returns the bytes of a double whose bits are 0x40, `second` and zeros: they are doubled and written in groups of
/// seven, of which the lowest seven groups are zero.
std::string bits_of(int second) { return text_of({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80 | second, 0x80, 1}); }

/// Version 5 in bytes, by hand. A number below 64 is a byte of twice its value, and -1 is 1. A text is its length and
/// its letters. A list or table is its length and a block for each column; a block of one number is the width 1, the
/// number, and its difference from the smallest one, 0. If this test fails, stored parts cannot be read any more: the
/// layout needs a new version.
TEST(StoredPartTest, TheBytesOfVersionFiveStayAsTheyAre) {
  const std::string body =
      "stepsim part 5\n" +
      text_of({2, 2, 'f', 1, 2, 0, 1, 4, 0, 2, 'o'}) +         // files: name f, size 1, checksum 2, opened o
      text_of({2, 'j', 2, 't'}) +                              // job's name and text
      text_of({0}) +                                           // no diagnostics
      text_of({2, 2, 'i', 2, 'g', 2, 'w', 2, 'k', 6, 8, 0}) +  // an input: names, 3 events, 4 skipped, no diagnostics
      text_of({2, 2, 'r'}) +                                   // a part of "r"
      text_of({2, 1, 10, 0, 1, 12, 0, 1, 6, 0}) +              // an event: start 5, duration 6, kind 3 (kernel)
      text_of({1, 2, 0, 1, 0, 0, 1, 14, 0}) +                  // name 1, track 0, correlation 7
      text_of({1, 0, 0, 1, 0, 0, 1, 0, 0}) +                   // detail 0, operator 0, launch 0
      text_of({6, 2, 'a', 2, 'b', 2, 'c'}) +                   // texts
      text_of({2, 2, 'p', 2, 't', 2, 'n', 1, 2, 0, 1, 30, 0, 1, 32, 0}) +  // a track: texts, on device 15, stream 16
      text_of({2, 1, 16, 0, 1, 18, 0, 1, 20, 0, 1, 22, 0}) +  // a detail: bytes 8, stream 9, wait stream 10 and call 11
      text_of({1, 24, 0, 1, 26, 0, 1, 0, 0, 1, 0, 0, 1, 4, 0, 1, 28, 0}) +  // sequence 12, elements 13, text 0, group
      text_of({1, 4, 0, 1, 2, 0, 1, 4, 0}) +  // 0, text 2, peer 14; wait 2, memories 1 and 2
      text_of({2, 2, 'o', 2, 's', 1, 4, 0, 1}) + bits_of(0) + text_of({0}) +  // an operator: kind 2, 2.0 operations
      text_of({1, 0, 0, 1, 6, 0}) +                                           // 0.0 bytes, precision 3
      text_of({1}) + bits_of(0x31) + text_of({0, 1}) + bits_of(0x32) + text_of({0, 1}) +  // products: 17 of 18 x
      bits_of(0x33) + text_of({0, 1}) + bits_of(0x34) + text_of({0}) +                    // 19 x 20
      text_of({2, 1, 2, 0, 2, 1, 42, 0, 1, 8, 0, 1, 4, 0}) +    // an input: elements of 21 bytes, types 4 and 2
      text_of({1, 2, 0, 2, 1, 44, 0}) +                         // one size: 22
      text_of({2, 1, 46, 0, 1, 48, 0, 1, 50, 0, 1, 52, 0}) +    // a launch: 23 to 26
      text_of({2, 1, 0, 0, 1, 126, 0}) +                        // a step: event 0, number 63
      text_of({2, 1, 0, 0, 1, 2, 0, 1, 54, 0, 1, 56, 0}) +      // a module: track 0, text 1, begin 27, length 28
      text_of({2, 1, 62, 0, 1, 0, 0, 1, 64, 0, 1, 66, 0}) +     // memory: time 31, track 0, block 32, device 33
      text_of({1, 68, 0, 1, 70, 0, 1, 72, 0}) +                 // change 34, allocated 35, reserved 36
      text_of({2, 1, 4, 0, 1, 74, 0, 1, 76, 0, 1, 2, 0}) +      // an overhead: text 2, start 37, length 38, full queue
      text_of({2, 1, 0, 0, 1, 0, 0}) +                          // a hand-over from event 0 to event 0
      text_of({2, 1, 2, 0, 1, 80, 0, 1, 4, 0}) +                // a group: text 1, size 40, 2 ranks:
      text_of({4, 1, 84, 0, 1, 1, 78, 0, 1, 82, 0}) +           // 42 and 43; own number 39, nodes 41
      text_of({2, 1, 0, 0, 1, 2, 0, 1, 88, 0}) +                // event 0 writes storage 44
      text_of({2, 1, 0, 0, 1, 2, 0, 1, 90, 0}) +                // and waits for collective 45
      text_of({2, 1, 116, 0, 1, 118, 0}) +                      // a window from 58 to 59
      text_of({2, 1, 0, 0, 1, 4, 0, 1, 58, 0, 1, 60, 0}) +      // a function: track 0, text 2, begin 29, length 30
      text_of({2, 1, 0, 0, 1}) + bits_of(0) + text_of({0}) +    // event 0 has 2.0 operations
      text_of({2, 2, 'g', 2, 'o', 2, 'a', 2, 'l', 1, 84, 0}) +  // transport: texts, 42 operations
      text_of({1, 86, 0}) +                                     // bytes 43
      text_of({1, 92, 0, 1, 94, 0, 1, 96, 0, 1, 98, 0, 1, 100, 0}) +      // sent: 46 to 50
      text_of({1, 102, 0, 1, 104, 0, 1, 106, 0, 1, 108, 0, 1, 110, 0}) +  // received: 51 to 55
      text_of({1, 88, 0, 1, 90, 0}) +                                     // channels 44, their time 45
      text_of({2, 112, 2, 114, 0, 2, 'b', 2, 'h'}) +      // rank 56, world 57, ranks of a batch unknown, backend, host
      text_of({2, 'd', 2, 120, 2, 'm', 2, 122, 2, 124});  // device, its memory 60, modelled, samples 61, base time 62

  StoredPart part;
  part.files = {{"f", 1, 2, "o"}};
  part.job_name = "j";
  part.job_text = "t";
  StoredInput& input = part.inputs.emplace_back();
  input = {"i", "g", "w", "k", {}};
  input.sink.events = 3;
  input.sink.skipped = 4;
  HostDeviceTrace trace;
  trace.start = {Time{Duration{5}}};
  trace.duration.push_back(Duration{6});
  trace.kind = {EventKind::kKernel};
  trace.name = {TextId{1}};
  trace.track = {TrackId{0}};
  trace.correlation.set(0, 7);
  trace.detail.set(0, 0);
  trace.details = {{Bytes{8}, 9, 10, 11, 12, 13, TextId{0}, ProcessGroupId{0}, TextId{2}, 14, SyncKind::kStreamWait,
                    MemoryKind::kPageable, MemoryKind::kOther}};
  trace.tracks = {{"p", "t", "n", true, 15, 16}};
  trace.texts = {"a", "b", "c"};
  trace.operators = {{"o",
                      "s",
                      {KernelClass::kAttention, 2.0, 0.0, Precision::kFloat16, {17, 18, 19, 20}},
                      {{{22}, 21, Precision::kFloat8, ElementKind::kOther}}}};
  trace.operator_of.set(0, 0);
  trace.launches = {{23, 24, 25, 26}};
  trace.launch_of.set(0, 0);
  trace.steps = {{0, 63}};
  trace.modules = {{TrackId{0}, TextId{1}, Time{Duration{27}}, Duration{28}}};
  trace.python = {{TrackId{0}, TextId{2}, Time{Duration{29}}, Duration{30}}};
  trace.memory = {{Time{Duration{31}}, TrackId{0}, 32, 33, Bytes{34}, Bytes{35}, Bytes{36}}};
  trace.flops_of = {{0, 2.0}};
  trace.overheads = {{TextId{2}, Time{Duration{37}}, Duration{38}, true}};
  trace.hand_overs = {{0, 0}};
  trace.groups = {{TextId{1}, 40, {42, 43}, 39, 41}};
  trace.storage_uses = {{0, true, 44}};
  trace.collective_calls = {{0, true, 45}};
  trace.transports = {{"g",
                       "o",
                       "a",
                       "l",
                       42,
                       Bytes{43},
                       {46, Bytes{47}, Duration{48}, Duration{49}, Duration{50}},
                       {51, Bytes{52}, Duration{53}, Duration{54}, Duration{55}},
                       44,
                       Duration{45}}};
  trace.rank = 56;
  trace.world_size = 57;
  trace.backend = "b";
  trace.host_name = "h";
  trace.windows = {{Time{Duration{58}}, Time{Duration{59}}}};
  trace.device_name = "d";
  trace.device_memory = 60;
  trace.modelled = "m";
  trace.samples = 61;
  trace.has_base_time = true;
  trace.base_time = Duration{62};
  input.sink.add(std::move(trace), "r");

  const std::string bytes = to_bytes(part);
  EXPECT_EQ(bytes.substr(0, bytes.size() - 8), body);
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
            "x.stepsim: this part is of version '2'; expected version 5, which this stepsim writes: convert the traces "
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
  expect_refused([](HostDeviceTrace& trace) { trace.details[0].group = ProcessGroupId{2}; });
  expect_refused([](HostDeviceTrace& trace) { trace.operator_of.set(0, 2); });
  expect_refused([](HostDeviceTrace& trace) { trace.launch_of.set(1, 1); });
  expect_refused([](HostDeviceTrace& trace) { trace.steps[0].event = 2; });
  expect_refused([](HostDeviceTrace& trace) { trace.flops_of[0].event = 2; });
  expect_refused([](HostDeviceTrace& trace) { trace.hand_overs[0].to = 2; });
  expect_refused([](HostDeviceTrace& trace) { trace.modules[0].track = TrackId{5}; });
  expect_refused([](HostDeviceTrace& trace) { trace.overheads[0].kind = TextId{}; });
  expect_refused([](HostDeviceTrace& trace) { trace.groups[0].name = TextId{7}; });
  expect_refused([](HostDeviceTrace& trace) { trace.groups[0].name = TextId{}; });  // a communicator
  expect_refused([](HostDeviceTrace& trace) { trace.kind[0] = static_cast<EventKind>(100); });
  expect_refused([](HostDeviceTrace& trace) { trace.start[0] = Time::max(); });
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
