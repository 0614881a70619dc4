#include "ingest/formats/capture/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/formats/chrome_spans.h"
#include "ingest/parts/busy_time.h"
#include "ingest/parts/host_device_builder.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10U;

/// A movable window on the bytes of a source. It reads only as far as requested.
class Window {
 public:
  explicit Window(ByteSource& source) : source_(source) {}

  /// Returns the bytes from offset() on: at least `count` if the source has as many.
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t count) {
    if (end_ - begin_ < count) fill(count);
    return std::as_bytes(std::span(buffer_).subspan(begin_, end_ - begin_));
  }
  void skip(std::size_t count) noexcept {
    begin_ += count;
    offset_ += count;
  }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

 private:
  void fill(std::size_t count) {
    if (buffer_.size() < count) buffer_.resize(count);
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    while (end_ < count) {
      const std::size_t got = source_.read(std::span(buffer_).subspan(end_));
      if (got == 0) return;
      end_ += got;
    }
  }

  ByteSource& source_;
  std::vector<char> buffer_ = std::vector<char>(kChunk);
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // offset of begin_ in the source
};

std::optional<wire::BlockHeader> header_at(std::span<const std::byte> bytes) {
  if (bytes.size() < wire::kHeaderBytes) return std::nullopt;
  wire::BlockHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const bool possible = header.magic == wire::BlockHeader::kMagic && header.bytes <= wire::kLargestBlock &&
                        header.bytes % wire::kRecordBytes == 0;
  return possible ? std::optional(header) : std::nullopt;
}

/// Returns the distance to the next possible beginning of a block; at least one byte.
std::size_t to_next_magic(std::span<const std::byte> bytes) {
  const auto magic = std::as_bytes(std::span(wire::BlockHeader::kMagic));
  return static_cast<std::size_t>(std::search(bytes.begin() + 1, bytes.end(), magic.begin(), magic.end()) -
                                  bytes.begin());
}

class Blocks {
 public:
  Blocks(ByteSource& source, PartSink& sink, const std::function<void(const CaptureBlock&)>& use)
      : file_(source.name()), window_(source), sink_(sink), use_(use) {}

  std::uint64_t read() {
    for (auto bytes = window_.bytes(wire::kHeaderBytes); !bytes.empty(); bytes = window_.bytes(wire::kHeaderBytes)) {
      if (!use_block(header_at(bytes))) search();
    }
    if (damaged_ && !cut_) sink_.diagnostics.count(diagnostic("damaged_block"), {file_, *damaged_, {}});
    return end_of_last_block_;
  }

 private:
  /// Uses the block at the current position; false if there is no whole block.
  bool use_block(const std::optional<wire::BlockHeader>& header) {
    const std::size_t size = header ? wire::kHeaderBytes + header->bytes : wire::kHeaderBytes;
    const auto block = window_.bytes(size);
    if (!damaged_) cut_ = block.size() < size;
    if (!header || block.size() < size || is_too_costly(size)) return false;
    const auto records = block.subspan(wire::kHeaderBytes, header->bytes);
    if (wire::block_checksum(*header, records) != header->checksum) {
      wasted_bytes_ += size;
      return false;
    }
    if (header->version != wire::kVersion) {
      throw InputError({file_, window_.offset(), {}},
                       fmt::format("this capture has format version {}; expected version {}, or a later stepsim",
                                   header->version, wire::kVersion));
    }
    if (note_number(header->number)) use_({*header, records, window_.offset() + wire::kHeaderBytes});
    window_.skip(size);
    end_of_last_block_ = window_.offset();
    return true;
  }

  /// Returns true if a block of `size` bytes must not be read. This limits the work on hostile files whose headers
  /// claim large overlapping blocks. The blocks with wrong checksums may together have at most 64 MiB plus 8 times the
  /// current offset in the file.
  [[nodiscard]] bool is_too_costly(std::size_t size) const noexcept {
    constexpr std::uint64_t kFree = std::uint64_t{64} << 20U;
    constexpr std::uint64_t kTimes = 8;
    return wasted_bytes_ + size > kFree + kTimes * window_.offset();
  }

  /// Moves to the next possible beginning of a block.
  void search() {
    const auto bytes = window_.bytes(kChunk);
    if (!damaged_) damaged_ = window_.offset();
    window_.skip(to_next_magic(bytes));
  }

  /// Checks the sequence number of a block; false for a block that appeared before. The writer numbers blocks in
  /// ascending order.
  bool note_number(std::uint64_t number) {
    if (damaged_) sink_.diagnostics.count(diagnostic("damaged_block"), {file_, *damaged_, {}});
    const std::uint64_t counted = std::exchange(damaged_, std::nullopt) ? 1 : 0;
    if (number < next_number_) {
      sink_.diagnostics.count(diagnostic("repeated_block"), {file_, window_.offset(), {}});
      return false;
    }
    const std::uint64_t missing = number - next_number_;
    if (missing > counted)
      sink_.diagnostics.count(diagnostic("missing_block"), {file_, window_.offset(), {}}, {}, missing - counted);
    next_number_ = number < std::numeric_limits<std::uint64_t>::max() ? number + 1 : number;
    return true;
  }

  std::string file_;
  Window window_;
  PartSink& sink_;
  const std::function<void(const CaptureBlock&)>& use_;
  std::uint64_t next_number_ = 0;
  std::uint64_t end_of_last_block_ = 0;
  std::optional<std::uint64_t> damaged_;  // offset at which damaged data begins
  bool cut_ = false;                      // the damaged data is a block that was truncated by the end of the file
  std::uint64_t wasted_bytes_ = 0;        // bytes of blocks with a wrong checksum
};

}  // namespace

std::uint64_t for_each_capture_block(ByteSource& source, PartSink& sink,
                                     const std::function<void(const CaptureBlock&)>& use) {
  return Blocks(source, sink, use).read();
}

namespace {

using wire::Kind;
using wire::Record;

/// True for records of events, which have a time. Other records describe the whole capture.
bool is_event(Kind kind) noexcept {
  return (kind >= Kind::kStep && kind <= Kind::kExternal) || kind == Kind::kRangeMark;
}

/// True for an event of NCCL.
bool is_nccl(Kind kind) noexcept {
  return (kind >= Kind::kNcclCollective && kind <= Kind::kNcclProxyStep) || kind == Kind::kNcclLaunch ||
         kind == Kind::kNcclCalls;
}

/// True for NCCL operations. The duration field of their records contains the number of elements.
bool is_nccl_operation(Kind kind) noexcept { return kind == Kind::kNcclCollective || kind == Kind::kNcclMessage; }

bool is_instant(Kind kind) noexcept {
  return kind == Kind::kStep || kind == Kind::kEventRecord || kind == Kind::kExternal || kind == Kind::kRangeBegin ||
         kind == Kind::kRangeEnd || kind == Kind::kRangeMark || kind == Kind::kNcclCalls;
}

/// The largest accepted number of unfinished events in one record. The limit keeps the sum over all records from
/// overflowing.
constexpr std::uint64_t kMostUnfinished = std::uint64_t{1} << 32U;

std::int64_t at_most(std::uint64_t number, std::int64_t most) noexcept {
  return number <= static_cast<std::uint64_t>(most) ? static_cast<std::int64_t>(number) : -1;
}

class RecordReader {
 public:
  RecordReader(ByteSource& source, PartSink& sink) : source_(source), file_(source.name()), sink_(sink) {}

  CaptureRecords read() {
    const std::uint64_t behind_last =
        for_each_capture_block(source_, sink_, [this](const CaptureBlock& block) { use(block); });
    if (behind_last == 0) {
      throw InputError({file_, {}, {}},
                       "the file has no complete block of a capture; expected a file that stepsim capture wrote");
    }
    out_.texts = std::move(texts_).take();
    if (!out_.reason.empty()) drop_marks_without_records();
    use_system_clock();
    const auto key = [](const Record& r) {
      return std::tuple(r.start, r.kind, r.duration, r.correlation, r.stream, r.a, r.which, r.b, r.detail);
    };
    for (std::vector<Record>* const events : {&out_.events, &out_.nccl})
      std::sort(events->begin(), events->end(), [&key](const Record& a, const Record& b) { return key(a) < key(b); });
    report(behind_last);
    return std::move(out_);
  }

 private:
  /// Moves all times from CUPTI's clock to the system's, if the file says how far they are apart (on WSL).
  void use_system_clock() {
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    const auto ahead = parse_number<std::int64_t>(out_.session["clock_ahead_ns"]);
    if (!ahead || *ahead < -kMost || *ahead > kMost) return;
    for (std::vector<Record>* const events : {&out_.events, &out_.nccl}) {
      for (Record& record : *events) {
        if (record.start == 0) continue;
        const std::int64_t shifted = static_cast<std::int64_t>(record.start) - *ahead;
        record.start = static_cast<std::uint64_t>(std::clamp<std::int64_t>(shifted, 1, kMost));
      }
    }
  }

  /// Drops step marks and ranges that were made when CUPTI's records already went to another client, which is noticed
  /// up to a second later. Steps among them would look like steps without calls or device work.
  void drop_marks_without_records() {
    std::uint64_t last_call = 0;
    std::uint64_t last_work = 0;
    for (const Record& record : out_.events) {
      const bool is_work = record.kind == Kind::kKernel || record.kind == Kind::kMemcpy || record.kind == Kind::kMemset;
      if (record.kind == Kind::kCall) last_call = std::max(last_call, record.start + record.duration);
      if (is_work) last_work = std::max(last_work, record.start + record.duration);
    }
    const std::uint64_t last = std::min(last_call, last_work);
    std::erase_if(out_.events, [last](const Record& record) {
      const bool is_mark = record.kind == Kind::kStep || record.kind == Kind::kRangeBegin ||
                           record.kind == Kind::kRangeEnd || record.kind == Kind::kRangeMark;
      return is_mark && record.start > last;
    });
  }

  /// The texts and other items that a producer's records refer to by number.
  struct Names {
    std::unordered_map<std::uint32_t, std::uint32_t> texts;
    std::unordered_map<std::uint32_t, std::uint32_t> launches;
  };

  void use(const CaptureBlock& block) {
    Names& names = names_[block.header.producer];
    wire::RecordCursor cursor(block.records);
    while (const std::optional<Record> record = cursor.next()) {
      const std::uint64_t offset = block.offset + cursor.offset();
      if (record->kind != Kind::kText) {
        use(names, *record, offset);
      } else if (const auto text = cursor.text(*record)) {
        names.texts[record->which] = texts_.intern(*text).value() + 1;
      } else {
        skip(offset, "a text is longer than its block");
      }
    }
  }

  void use(Names& names, Record record, std::uint64_t offset) {
    switch (record.kind) {
      case Kind::kLaunch: return define_launch(names, record);
      case Kind::kSession:
        out_.session[std::string{text(names, record.which)}] = text(names, static_cast<std::uint32_t>(record.a));
        return;
      case Kind::kStatus: return use_status(names, record);
      case Kind::kDevice: out_.devices[record.device] = {text(names, record.which), record.start}; return;
      case Kind::kContext: out_.device_of_context[record.a] = record.device; return;
      case Kind::kStream:
        out_.streams[{record.a, record.stream}] = static_cast<wire::StreamKind>(record.detail);
        return;
      case Kind::kNcclCommunicator: return use_communicator(names, record);
      case Kind::kNcclStatus:
        out_.nccl_lost = std::max(out_.nccl_lost, record.a);
        out_.nccl_unfinished += std::min(record.b, kMostUnfinished);
        return;
      default: break;
    }
    ++sink_.events;
    if (!is_event(record.kind) && !is_nccl(record.kind))
      return skip(offset, fmt::format("no kind of record has number {}", static_cast<int>(record.kind)));
    if (!has_time(record)) {
      return skip(offset, fmt::format("{} ns from {} is not a valid time of an event", record.duration, record.start));
    }
    resolve(names, record);
    (is_nccl(record.kind) ? out_.nccl : out_.events).push_back(record);
  }

  void use_communicator(const Names& names, const Record& record) {
    NcclCommunicator& known = out_.communicators[record.correlation];
    const std::uint64_t size = record.b & 0xFFFFFFFF;
    const std::uint64_t rank = record.b >> 32U;  // the record stores rank + 1
    if (std::string name = text(names, record.which); !name.empty()) known.name = std::move(name);
    if (record.a != 0) known.id = record.a;
    if (is_rank_count(size)) known.size = static_cast<std::int32_t>(size);
    if (is_rank_count(record.stream)) known.nodes = static_cast<std::int32_t>(record.stream);
    if (is_rank_count(rank)) known.rank = static_cast<std::int32_t>(rank - 1);
  }

  void define_launch(Names& names, const Record& record) {
    names.launches[record.which] = static_cast<std::uint32_t>(out_.launches.size() + 1);
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    out_.launches.push_back(recorded_launch(at_most(record.start, kMost), at_most(record.duration, kMost),
                                            record.correlation, record.stream));
  }

  void use_status(const Names& names, const Record& record) {
    const auto status = static_cast<wire::Status>(record.detail);
    out_.lost_by_cupti = std::max(out_.lost_by_cupti, record.a);
    out_.lost_by_writer = std::max(out_.lost_by_writer, record.b);
    if (status == wire::Status::kIncomplete) {
      sink_.diagnostics.count(diagnostic("capture_incomplete"), {file_, {}, {}}, shown(text(names, record.which)));
      return;
    }
    if (status == wire::Status::kNotWritten) {
      sink_.diagnostics.count(diagnostic("capture_not_written"), {file_, {}, {}},
                              std::strerror(static_cast<int>(record.duration & 0xFFFFU)));
      not_written_ = true;
      return;
    }
    const bool blocked = status == wire::Status::kOtherClient || status == wire::Status::kNoCupti;
    if (blocked) {
      out_.reason = text(names, record.which);
      sink_.diagnostics.count(diagnostic("capture_blocked"), {file_, {}, {}}, shown(out_.reason));
    }
    out_.status = status;
  }

  /// True if the record has a usable time. CUPTI writes 0 for work whose time it does not know.
  static bool has_time(const Record& record) noexcept {
    constexpr auto kLatest = std::uint64_t{1} << 62U;
    const bool needs_none = record.kind == Kind::kEventRecord || record.kind == Kind::kExternal;
    if (needs_none || (record.kind == Kind::kSync && record.start == 0)) return true;
    if (record.start == 0 || record.start > kLatest) return false;
    if (is_nccl_operation(record.kind)) return in_time(Time{Duration{static_cast<std::int64_t>(record.start)}}, {});
    const std::int64_t longest = is_instant(record.kind) ? 0 : kLongestEvent.count();
    if (record.duration > static_cast<std::uint64_t>(longest)) return false;
    return in_time(Time{Duration{static_cast<std::int64_t>(record.start)}},
                   Duration{static_cast<std::int64_t>(record.duration)});
  }

  void resolve(const Names& names, Record& record) {
    const bool names_text = record.kind == Kind::kCall || record.kind == Kind::kKernel ||
                            record.kind == Kind::kRangeBegin || record.kind == Kind::kRangeMark ||
                            record.kind == Kind::kOverhead || is_nccl_operation(record.kind);
    const bool is_whole_graph = record.kind == Kind::kKernel && record.detail == 1;
    const bool has_none =
        record.which == 0 && (record.kind == Kind::kRangeBegin || record.kind == Kind::kRangeMark || is_whole_graph);
    if (names_text && !has_none) {
      const auto found = names.texts.find(record.which);
      if (found == names.texts.end()) sink_.diagnostics.count(diagnostic("name_lost"), {file_, {}, {}});
      record.which = found == names.texts.end() ? 0 : found->second;
    }
    if (record.kind == Kind::kKernel) {
      const auto found = names.launches.find(static_cast<std::uint32_t>(record.a));
      record.a = (record.a & ~std::uint64_t{0xFFFFFFFF}) | (found == names.launches.end() ? 0 : found->second);
    }
  }

  [[nodiscard]] std::string text(const Names& names, std::uint32_t which) const {
    const auto found = names.texts.find(which);
    return found == names.texts.end() ? std::string{} : texts_.text(TextId{found->second - 1});
  }

  void skip(std::uint64_t offset, const std::string& why) {
    sink_.skip(diagnostic("unusable_record"), {file_, offset, {}}, why);
  }

  void report(std::uint64_t behind_last) {
    const InputLocation end{file_, behind_last, {}};
    if (out_.lost_by_cupti > 0)
      sink_.diagnostics.count(diagnostic("records_lost_by_cupti"), {file_, {}, {}}, {}, out_.lost_by_cupti);
    if (out_.lost_by_writer > 0)
      sink_.diagnostics.count(diagnostic("records_lost_by_writer"), {file_, {}, {}}, {}, out_.lost_by_writer);
    if (out_.nccl_lost > 0)
      sink_.diagnostics.count(diagnostic("nccl_events_lost"), {file_, {}, {}}, {}, out_.nccl_lost);
    if (out_.nccl_unfinished > 0)
      sink_.diagnostics.count(diagnostic("nccl_events_unfinished"), {file_, {}, {}}, {}, out_.nccl_unfinished);
    if (out_.status == wire::Status::kClosed || not_written_) return;
    std::uint64_t last = 0;
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    for (const Record& record : out_.events) {
      if (record.start == 0) continue;
      first = std::min(first, record.start);
      last = std::max(last, record.start + record.duration);
    }
    const std::string when =
        last == 0 ? "it has no event"
                  : fmt::format("the last of {} events ended {} after the first began", out_.events.size(),
                                to_text(Duration{static_cast<std::int64_t>(last - first)}));
    sink_.diagnostics.count(diagnostic("capture_not_closed"), end, when);
  }

  ByteSource& source_;
  std::string file_;
  PartSink& sink_;
  CaptureRecords out_;
  TextTable texts_;
  std::unordered_map<std::uint16_t, Names> names_;
  bool not_written_ = false;
};

}  // namespace

CaptureRecords read_capture_records(ByteSource& source, PartSink& sink) { return RecordReader(source, sink).read(); }

CaptureWindows::CaptureWindows(const std::vector<wire::Record>& events) {
  const wire::Record* last = nullptr;
  const auto end_last = [&](std::uint64_t end) {
    if (last == nullptr || last->detail != static_cast<std::uint8_t>(wire::Phase::kActive)) return;
    steps_.push_back({.number = last->a, .begin = last->start, .end = end, .thread = last->stream});
  };
  for (const wire::Record& record : events) {
    if (record.kind != wire::Kind::kStep) continue;
    end_last(record.start);
    last = &record;
  }
  end_last(kOpen);
}

bool CaptureWindows::contains(std::uint64_t time) const noexcept {
  if (steps_.empty()) return true;
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), time,
                                      [](std::uint64_t at, const Step& step) { return at < step.begin; });
  return after != steps_.begin() && time < std::prev(after)->end;
}

std::optional<Repetition> repetition_of(std::span<const std::uint32_t> sequence) {
  constexpr std::size_t kTimes = 3;
  const std::size_t n = sequence.size();
  const auto reversed = [&](std::size_t i) { return sequence[n - 1 - i]; };
  // failure[i] is the length of the longest border of the first i + 1 elements of the reversed sequence: the longest
  // part, shorter than the whole, that is both at their beginning and at their end.
  std::vector<std::size_t> failure(n, 0);
  std::optional<Repetition> longest;
  for (std::size_t i = 1; i < n; ++i) {
    std::size_t border = failure[i - 1];
    while (border > 0 && reversed(i) != reversed(border)) border = failure[border - 1];
    failure[i] = reversed(i) == reversed(border) ? border + 1 : 0;
    const std::size_t length = i + 1;
    const std::size_t period = length - failure[i];
    if (length >= kTimes * period && 2 * length >= n) longest = Repetition{n - length, period};
  }
  return longest;
}

}  // namespace stepsim::ingest
