#include "capture/cupti/translator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capture/writer/writer.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/formats/capture/records.h"
#include "tests/sim/temporary_folder.h"

namespace stepsim::capture::cupti {
namespace {

using wire::Kind;

/// The records of a file, and its texts by number.
struct Written {
  std::vector<wire::Record> records;
  std::map<std::uint64_t, std::string> texts;
};

/// Returns what the translator writes for a record of CUPTI.
Written written_for(const std::uint8_t* record) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("x.capture");
  const auto writer = Writer::create(path, std::size_t{1} << 20U);
  const Library library;
  Translator translator(library);
  writer->with_producer([&](Producer& producer) { translator.add(record, producer); });
  writer->close();
  Written written;
  ingest::PartSink sink;
  ingest::for_each_capture_block(*ingest::open_file(path), sink, [&](const ingest::CaptureBlock& block) {
    wire::RecordCursor cursor(block.records);
    while (const std::optional<wire::Record> found = cursor.next()) {
      if (found->kind == Kind::kText) written.texts[found->which] = cursor.text(*found).value();
      written.records.push_back(*found);
    }
  });
  return written;
}

/// An H100: docs/internals/capture-format.md has the units.
TEST(TranslatorTest, ADeviceHasItsProperties) {
  namespace at = offset::device;
  std::array<std::uint8_t, at::kName + sizeof(const char*)> record{};
  const auto set = [&record](std::size_t offset, auto value) { std::memcpy(&record[offset], &value, sizeof value); };
  set(0, Activity::kDevice);
  set(at::kDevice, 3U);
  set(at::kName, "NVIDIA H100 80GB HBM3");
  set(at::kMemory, std::uint64_t{85'520'809'984});
  set(at::kBandwidth, std::uint64_t{3'352'320'000});
  set(at::kClock, 1'980'000U);
  set(at::kProcessors, 132U);
  set(at::kMajor, 9U);
  set(at::kMinor, 1U);
  for (std::uint8_t i = 0; i < 16; ++i) record[at::kUuid + i] = static_cast<std::uint8_t>(0x10 * i + 1);
  const Written written = written_for(record.data());
  const auto device = std::find_if(written.records.begin(), written.records.end(),
                                   [](const wire::Record& found) { return found.kind == Kind::kDevice; });
  ASSERT_NE(device, written.records.end());
  EXPECT_EQ(device->device, 3);
  EXPECT_EQ(written.texts.at(device->which), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(device->start, 85'520'809'984U);
  EXPECT_EQ(device->duration, 3'352'320'000'000U);
  EXPECT_EQ(device->correlation, 1'980'000U);
  EXPECT_EQ(device->stream, 132U);
  EXPECT_EQ(device->a >> 32U, 90'100U);
  EXPECT_EQ(written.texts.at(device->a & 0xFFFFFFFFU), "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1");
}

}  // namespace
}  // namespace stepsim::capture::cupti
