#include "ingest/formats/capture/records.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "ingest/formats/event_time.h"
#include "ingest/parts/recorded_launch.h"
#include "ingest/parts/time_range.h"
#include "model/base/known_diagnostics.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

using wire::Kind;
using wire::Record;

/// Its time is when it happened; other records say something of the whole capture.
bool is_event(Kind kind) noexcept {
  return (kind >= Kind::kStep && kind <= Kind::kExternal) || kind == Kind::kRangeMark;
}

/// An event of NCCL.
bool is_nccl(Kind kind) noexcept { return kind >= Kind::kNcclCollective && kind <= Kind::kNcclProxyStep; }

/// Of these the duration is another number.
bool is_nccl_operation(Kind kind) noexcept { return kind == Kind::kNcclCollective || kind == Kind::kNcclMessage; }

bool is_instant(Kind kind) noexcept {
  return kind == Kind::kStep || kind == Kind::kEventRecord || kind == Kind::kExternal || kind == Kind::kRangeBegin ||
         kind == Kind::kRangeEnd || kind == Kind::kRangeMark;
}

/// Of one communicator: no file makes the sum overflow.
constexpr std::uint64_t kMostUnfinished = std::uint64_t{1} << 32U;

std::int64_t at_most(std::uint64_t number, std::int64_t most) noexcept {
  return number <= static_cast<std::uint64_t>(most) ? static_cast<std::int64_t>(number) : -1;
}

class RecordsReader {
 public:
  RecordsReader(ByteSource& source, PartSink& sink) : source_(source), file_(source.name()), sink_(sink) {}

  CaptureRecords read() {
    const std::uint64_t behind_last =
        for_each_capture_block(source_, sink_, [this](const CaptureBlock& block) { use(block); });
    if (behind_last == 0) {
      throw InputError({file_, {}, {}},
                       "the file has no whole block of a capture; expected one that stepsim capture "
                       "wrote");
    }
    out_.texts = std::move(texts_).take();
    const auto key = [](const Record& r) {
      return std::tuple(r.start, r.kind, r.duration, r.correlation, r.stream, r.a, r.which, r.b, r.detail);
    };
    for (std::vector<Record>* const events : {&out_.events, &out_.nccl})
      std::sort(events->begin(), events->end(), [&key](const Record& a, const Record& b) { return key(a) < key(b); });
    report(behind_last);
    return std::move(out_);
  }

 private:
  /// What a producer's records name.
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
      case Kind::kDevice: out_.device_names[record.device] = text(names, record.which); return;
      case Kind::kContext: out_.device_of_context[record.a] = record.device; return;
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
      return skip(offset, fmt::format("{} ns from {} on is no time for an event", record.duration, record.start));
    }
    resolve(names, record);
    (is_nccl(record.kind) ? out_.nccl : out_.events).push_back(record);
  }

  void use_communicator(const Names& names, const Record& record) {
    constexpr std::uint64_t kMostRanks = 1'000'000;
    NcclCommunicator& known = out_.communicators[record.correlation];
    const std::uint64_t size = record.b & 0xFFFFFFFF;
    const std::uint64_t rank = record.b >> 32U;  // plus 1
    if (std::string name = text(names, record.which); !name.empty()) known.name = std::move(name);
    if (record.a != 0) known.id = record.a;
    if (size > 0 && size <= kMostRanks) known.size = static_cast<std::int32_t>(size);
    if (rank > 0 && rank <= kMostRanks) known.rank = static_cast<std::int32_t>(rank - 1);
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
    const bool blocked = status == wire::Status::kOtherClient || status == wire::Status::kNoCupti;
    if (blocked) {
      out_.reason = text(names, record.which);
      sink_.diagnostics.count(diagnostic("capture_blocked"), {file_, {}, {}}, shown(out_.reason));
    }
    out_.status = status;
  }

  /// A time of 0 is what CUPTI writes for work whose time it does not know.
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
    const bool has_none = record.which == 0 && (record.kind == Kind::kRangeBegin || record.kind == Kind::kRangeMark);
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
    ++sink_.skipped;
    sink_.diagnostics.count(diagnostic("unusable_record"), {file_, offset, {}}, why);
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
    if (out_.status == wire::Status::kClosed) return;
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
};

}  // namespace

CaptureRecords read_capture_records(ByteSource& source, PartSink& sink) { return RecordsReader(source, sink).read(); }

}  // namespace stepsim::ingest
