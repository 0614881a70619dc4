#include "ingest/formats/capture/trace.h"
#include "ingest/formats/format.h"

namespace stepsim::ingest {
namespace {

int recognise_capture(std::string_view, std::string_view head) {
  constexpr int kSure = 95;
  const std::string_view magic{wire::BlockHeader::kMagic.data(), wire::BlockHeader::kMagic.size()};
  return head.starts_with(magic) ? kSure : 0;
}

void read_capture(Input& input, PartSink& sink) {
  const CaptureRecords records = read_capture_records(input.stream(), sink);
  sink.add(host_device_trace(records, input.name(), sink));
}

}  // namespace

extern const Format capture_format;
const Format capture_format{
    .name = "capture",
    .summary = "what stepsim capture recorded in one process: calls, kernels, copies, waits, NVTX ranges and steps",
    .recognise = recognise_capture,
    .read = read_capture,
};

}  // namespace stepsim::ingest
