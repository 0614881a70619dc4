#include "ingest/chrome/trace_copy.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "ingest/json/escape.h"

namespace stepsim::ingest {

std::size_t TraceCopy::read(std::span<char> out) {
  while (ready_used_ == ready_.size() && stage_ != Stage::kDone) {
    ready_.clear();
    ready_used_ = 0;
    advance();
  }
  const std::size_t count = std::min(out.size(), ready_.size() - ready_used_);
  std::memcpy(out.data(), ready_.data() + ready_used_, count);
  ready_used_ += count;
  return count;
}

void TraceCopy::advance() {
  switch (stage_) {
    case Stage::kHead: return head();
    case Stage::kRecords: return record();
    case Stage::kTail: return tail();
    case Stage::kDone: return;
  }
}

void TraceCopy::head() {
  if (frame_.head_is_json) {
    if (!copy_until(frame_.events_begin)) return;
  } else {
    ready_ += '{' + members(0, frame_.members_before, "\n", ",") + "\n\"traceEvents\": [";
  }
  stage_ = Stage::kRecords;
}

void TraceCopy::record() {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  while (ready_.size() < kPiece && next_ < records_.size()) {
    const RecordSpan& span = records_[next_];
    ready_ += next_ == 0 ? "\n" : ",\n";
    skip_to(span.begin);
    const std::size_t begin = ready_.size();
    while (!copy_until(span.begin + span.size)) {
    }
    if (span.odd) ready_.replace(begin, std::string::npos, json::strict_json(ready_.substr(begin)));
    ++next_;
  }
  if (next_ < records_.size()) return;
  ready_ += '\n';
  stage_ = Stage::kTail;
}

void TraceCopy::tail() {
  if (frame_.tail_is_json && frame_.events_end) {
    skip_to(*frame_.events_end);
    if (!copy_until(std::numeric_limits<std::uint64_t>::max())) return;
  } else {
    ready_ += ']' + members(frame_.members_before, frame_.members.size(), ",\n", "");
    if (!frame_.bare) ready_ += '}';
  }
  stage_ = Stage::kDone;
}

std::string TraceCopy::members(std::size_t first, std::size_t last, std::string_view before,
                               std::string_view after) const {
  std::string text;
  for (std::size_t i = first; i < last; ++i) {
    text += before;
    text += json::strict_json('"' + frame_.members[i].first + '"') + ": " + json::strict_json(frame_.members[i].second);
    text += after;
  }
  return text;
}

/// Appends text to ready_: up to offset `end`, but at most to the end of the current piece. Returns true once `end` or
/// the end of the source is reached.
bool TraceCopy::copy_until(std::uint64_t end) {
  if (at_ >= end || (used_ == piece_.size() && !fill())) return true;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(end - at_, piece_.size() - used_));
  ready_.append(piece_, used_, count);
  used_ += count;
  at_ += count;
  return at_ == end;
}

void TraceCopy::skip_to(std::uint64_t offset) {
  while (at_ < offset && (used_ < piece_.size() || fill())) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(offset - at_, piece_.size() - used_));
    used_ += count;
    at_ += count;
  }
}

bool TraceCopy::fill() {
  constexpr std::size_t kPiece = std::size_t{256} << 10U;
  if (!buffer_) buffer_ = std::make_unique_for_overwrite<char[]>(kPiece);
  const std::span<char> room(buffer_.get(), kPiece);
  piece_ = {room.data(), source_.read(room)};
  used_ = 0;
  return !piece_.empty();
}

}  // namespace stepsim::ingest
