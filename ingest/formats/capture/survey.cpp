#include "ingest/formats/capture/survey.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ingest/formats/capture/records.h"

namespace stepsim::ingest {
namespace {

using wire::Kind;
using wire::Record;

class Survey {
 public:
  CaptureSurvey of(ByteSource& source) {
    PartSink ignored;
    found_.bytes = for_each_capture_block(source, ignored, [this](const CaptureBlock& block) { use(block); });
    std::sort(steps_.begin(), steps_.end(), [](const Record& a, const Record& b) { return a.start < b.start; });
    found_.marked = !steps_.empty();
    const CaptureWindows windows(steps_);
    for (const CaptureWindows::Step& step : windows.steps()) found_.active_steps += step.end != CaptureWindows::kOpen;
    found_.lost = lost_by_cupti_ + lost_by_writer_;
    return std::move(found_);
  }

 private:
  using Texts = std::map<std::pair<std::uint16_t, std::uint64_t>, std::string>;

  void use(const CaptureBlock& block) {
    wire::RecordCursor cursor(block.records);
    while (const std::optional<Record> record = cursor.next()) {
      if (record->kind != Kind::kText) {
        use(*record, block.header.producer);
      } else if (const auto text = cursor.text(*record); text && texts_.size() < kMostTexts) {
        texts_[{block.header.producer, record->which}] = *text;
      }
    }
  }

  void use(const Record& record, std::uint16_t producer) {
    if (record.kind == Kind::kKernel) ++found_.kernels;
    if (record.kind == Kind::kNcclCollective || record.kind == Kind::kNcclMessage) ++found_.nccl_operations;
    if (record.kind == Kind::kStep) steps_.push_back(record);
    if (record.kind == Kind::kSession) found_.session[texts_[{producer, record.which}]] = texts_[{producer, record.a}];
    if (record.kind != Kind::kStatus) return;
    const auto status = static_cast<wire::Status>(record.detail);
    switch (status) {
      case wire::Status::kRecording: break;
      case wire::Status::kClosed: found_.closed = true; break;
      case wire::Status::kOtherClient:
      case wire::Status::kNoCupti:
      case wire::Status::kIncomplete: found_.problems.push_back(texts_[{producer, record.which}]); break;
      case wire::Status::kNotWritten: found_.write_error = static_cast<int>(record.duration & 0xFFFFU); break;
    }
    lost_by_cupti_ = std::max(lost_by_cupti_, record.a);
    lost_by_writer_ = std::max(lost_by_writer_, record.b);
  }

  /// Maximum number of texts to keep. The texts of the session come first in a capture, so they are kept, unless the
  /// blocks are out of order.
  static constexpr std::size_t kMostTexts = 10'000;

  CaptureSurvey found_;
  Texts texts_;
  std::vector<Record> steps_;
  std::uint64_t lost_by_cupti_ = 0;
  std::uint64_t lost_by_writer_ = 0;
};

}  // namespace

CaptureSurvey survey_capture(ByteSource& source) { return Survey().of(source); }

}  // namespace stepsim::ingest
