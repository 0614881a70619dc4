#include "capture/nccl/summary.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace stepsim::capture::nccl {
namespace {

using wire::Record;

/// Source: doc/PERFORMANCE.md of nccl-tests.
constexpr std::array<CollectiveKind, Summary::kKinds> kKindsByIndex{{
    {.name = "AllReduce", .bus_traffic = 2, .of_ring = true},
    {.name = "AllGather", .bus_traffic = 1, .of_ring = true, .counts_a_part = true},
    {.name = "ReduceScatter", .bus_traffic = 1, .of_ring = true, .counts_a_part = true},
    {.name = "AlltoAll", .bus_traffic = 1, .of_ring = true, .counts_a_part = true},
    {.name = "Broadcast", .bus_traffic = 1},
    {.name = "Reduce", .bus_traffic = 1},
}};

std::string_view part(std::string_view text, int index) noexcept {
  for (; index > 0; --index) text.remove_prefix(std::min(text.find('/') + 1, text.size()));
  return text.substr(0, text.find('/'));
}

/// Returns the size of an element of this type, which NCCL names after its bits ("ncclFloat16", "ncclFloat8e4m3"); 0 if
/// the name has no number.
std::uint64_t element_bytes(std::string_view type) noexcept {
  constexpr std::uint64_t kBitsPerByte = 8;
  const std::size_t digits = std::min(type.find_first_of("0123456789"), type.size());
  std::uint64_t bits = 0;
  std::from_chars(type.data() + digits, type.data() + type.size(), bits);
  return bits / kBitsPerByte;
}

/// Bandwidths in bytes per second.
struct Bandwidths {
  std::optional<double> algorithm;  ///< none if the time or the size is unknown
  std::optional<double> bus;        ///< nor if the number of ranks is
};

Bandwidths bandwidths_of(const RingEntry& entry, std::uint32_t ranks) noexcept {
  constexpr double kPerSecond = 1e9;
  if (!entry.is_timed() || entry.duration() == 0 || entry.bytes == 0) return {};
  const double algorithm = static_cast<double>(entry.bytes) / static_cast<double>(entry.duration()) * kPerSecond;
  if (ranks == 0) return {algorithm, std::nullopt};
  const CollectiveKind& kind = kKindsByIndex[entry.kind];
  const double share = kind.of_ring ? static_cast<double>(ranks - 1) / static_cast<double>(ranks) : 1.0;
  return {algorithm, algorithm * kind.bus_traffic * share};
}

/// Returns the number of bits that the size takes.
std::size_t class_of(std::uint64_t bytes) noexcept {
  constexpr int kBits = 64;
  return static_cast<std::size_t>(kBits - std::countl_zero(bytes));
}

/// Returns the quantile of sorted values by nearest rank; nullopt if there are none.
std::optional<double> quantile(const std::vector<double>& sorted, double share) noexcept {
  if (sorted.empty()) return std::nullopt;
  return sorted[static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size()))) - 1];
}

/// Appends the members of JSON objects.
class Json {
 public:
  explicit Json(std::string& text) : text_(text) {}

  void raw(std::string_view key, std::string_view value) {
    if (!first_) text_ += ", ";
    first_ = false;
    text_.append("\"").append(key).append("\": ").append(value);
  }
  void text(std::string_view key, std::string_view value) { raw(key, json_text(value)); }
  void number(std::string_view key, std::uint64_t value) { raw(key, std::to_string(value)); }
  void known(std::string_view key, std::uint64_t value) { raw(key, value == 0 ? "null" : std::to_string(value)); }
  void real(std::string_view key, std::optional<double> value) {
    std::array<char, 32> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), value.value_or(0), std::chars_format::general, 9);
    raw(key, value ? std::string_view(digits.data(), static_cast<std::size_t>(end.ptr - digits.data())) : "null");
  }

 private:
  std::string& text_;
  bool first_ = true;
};

}  // namespace

std::string json_text(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string made = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') made += '\\';
    if (byte >= 0x20) {
      made += c;
    } else {
      made.append("\\u00").append(1, kHex[byte >> 4U]).append(1, kHex[byte & 0xFU]);
    }
  }
  return made += '"';
}

void Summary::add(std::uint32_t communicator, Record record, std::string_view text) noexcept try {
  const std::lock_guard lock(mutex_);
  if (record.kind == wire::Kind::kNcclCommunicator) return describe(record, text);
  if (record.kind == wire::Kind::kNcclStatus) lost_ = std::max(lost_, record.a);
  const auto found = communicators_.find(communicator);
  if (found == communicators_.end()) return;
  OfCommunicator& of = found->second;
  switch (record.kind) {
    case wire::Kind::kNcclStatus: of.ended = true; return;
    case wire::Kind::kNcclCollective: return begin(of, record, text);
    case wire::Kind::kNcclChannel:
    case wire::Kind::kNcclProxyOp: return end_channel(of, record);
    default: return;
  }
} catch (...) {
  return;  // no memory for a new communicator or text
}

void Summary::describe(const Record& record, std::string_view name) {
  OfCommunicator& of = communicators_[record.correlation];
  of.ring.resize(ring_);
  of.has_channels = record.detail >= kVersionWithChannels;
  if (!name.empty()) of.name = name;
  if (record.a != 0) of.id = record.a;
  if (record.stream != 0) of.nodes = record.stream;
  if (const auto ranks = static_cast<std::uint32_t>(record.b); ranks != 0) of.ranks = ranks;
  if (const std::uint64_t rank = record.b >> 32U; rank != 0) of.rank = static_cast<std::int64_t>(rank) - 1;
}

std::uint32_t Summary::number_of(std::string_view text) {
  const auto known = numbers_.find(text);
  if (known != numbers_.end()) return known->second;
  texts_.emplace_back(text);
  const auto number = static_cast<std::uint32_t>(texts_.size() - 1);
  numbers_.emplace(text, number);
  return number;
}

void Summary::begin(OfCommunicator& of, const Record& record, std::string_view text) {
  const std::string_view name = part(text, 0);
  const auto kind = std::find_if(kKindsByIndex.begin(), kKindsByIndex.end(),
                                 [name](const CollectiveKind& known) { return known.name == name; });
  if (kind == kKindsByIndex.end()) {
    ++of.others;
    return;
  }
  RingEntry& entry = of.ring[of.collectives++ % ring_];
  count(of.left, entry);
  entry = {.operation = record.correlation,
           .text = number_of(text),
           .kind = static_cast<std::uint8_t>(kind - kKindsByIndex.begin()),
           .channels = of.has_channels ? record.detail : std::uint8_t{0},
           .sequence = record.a,
           .bytes = record.duration * element_bytes(part(text, 1)) * (kind->counts_a_part ? of.ranks : 1),
           .enqueued = record.start};
}

void Summary::end_channel(OfCommunicator& of, const Record& record) noexcept {
  // The collectives whose channels end are among the newest.
  for (std::uint64_t back = 1; back <= of.kept(); ++back) {
    RingEntry& entry = of.newest(back);
    if (entry.operation != record.which) continue;
    const bool by_device = record.kind == wire::Kind::kNcclChannel && record.a > 0 && record.b >= record.a;
    const auto widen = [&entry](std::uint64_t& start, std::uint64_t& end, std::uint64_t from, std::uint64_t to) {
      start = entry.ended == 0 ? from : std::min(start, from);
      end = std::max(end, to);
    };
    widen(entry.start, entry.end, record.start, record.start + record.duration);
    if (by_device) widen(entry.device_start, entry.device_end, record.a, record.b);
    ++entry.ended;
    return;
  }
}

void Summary::count(Totals& totals, const RingEntry& entry) noexcept {
  if (entry.operation == 0) return;
  ClassTotals& of_class = totals[entry.kind][class_of(entry.bytes)];
  ++of_class.count;
  if (!entry.is_timed()) return;
  ++of_class.timed;
  of_class.bytes += entry.bytes;
  of_class.nanoseconds += entry.duration();
}

void Summary::append_ring(std::string& json, const OfCommunicator& of, const std::vector<std::string>& texts) {
  const std::uint64_t kept = of.kept();
  for (std::uint64_t back = kept; back > 0; --back) {
    const RingEntry& entry = of.newest(back);
    const Bandwidths bandwidths = bandwidths_of(entry, of.ranks);
    json += back == kept ? "\n{" : ",\n{";
    Json row(json);
    row.number("sequence", entry.sequence);
    row.text("collective", kKindsByIndex[entry.kind].name);
    row.text("algorithm", part(texts[entry.text], 2));
    row.text("protocol", part(texts[entry.text], 3));
    row.known("size_bytes", entry.bytes);
    row.number("enqueued_ns", entry.enqueued);
    row.raw("time_ns", entry.is_timed() ? std::to_string(entry.duration()) : "null");
    row.raw("clock", !entry.is_timed() ? "null" : entry.is_by_device() ? "\"gpu\"" : "\"host\"");
    row.real("algbw_bytes_per_second", bandwidths.algorithm);
    row.real("busbw_bytes_per_second", bandwidths.bus);
    json += '}';
  }
}

void Summary::append_classes(std::string& json, const OfCommunicator& of) {
  constexpr double kMedian = 0.5;
  constexpr double kHigh = 0.95;
  Totals totals = of.left;
  std::array<std::array<std::vector<double>, kSizeClasses>, kKinds> bus;
  for (std::uint64_t back = of.kept(); back > 0; --back) {
    const RingEntry& entry = of.newest(back);
    count(totals, entry);
    const std::optional<double> bandwidth = bandwidths_of(entry, of.ranks).bus;
    if (bandwidth) bus[entry.kind][class_of(entry.bytes)].push_back(*bandwidth);
  }
  bool is_first = true;
  for (std::size_t i = 0; i < kKinds * kSizeClasses; ++i) {
    const std::size_t kind = i / kSizeClasses;
    const std::size_t size = i % kSizeClasses;
    const ClassTotals& of_class = totals[kind][size];
    if (of_class.count == 0) continue;
    std::vector<double>& sorted = bus[kind][size];
    std::sort(sorted.begin(), sorted.end());
    json += std::exchange(is_first, false) ? "\n{" : ",\n{";
    Json row(json);
    row.text("collective", kKindsByIndex[kind].name);
    row.number("from_bytes", size == 0 ? 0 : std::uint64_t{1} << (size - 1));
    row.number("count", of_class.count);
    row.number("timed", of_class.timed);
    row.number("bytes", of_class.bytes);
    row.number("time_ns", of_class.nanoseconds);
    row.number("busbw_count", sorted.size());
    row.real("busbw_median_bytes_per_second", quantile(sorted, kMedian));
    row.real("busbw_p95_bytes_per_second", quantile(sorted, kHigh));
    json += '}';
  }
}

void Summary::append(std::string& json, const OfCommunicator& of, const std::vector<std::string>& texts) {
  std::array<char, 16> id{};
  const auto id_end = std::to_chars(id.data(), id.data() + id.size(), of.id, 16);
  Json out(json);
  out.text("name", of.name);
  out.text("id", "0x" + std::string(id.data(), id_end.ptr));
  out.known("ranks", of.ranks);
  out.raw("rank", of.rank < 0 ? "null" : std::to_string(of.rank));
  out.known("nodes", of.nodes);
  out.raw("ended", of.ended ? "true" : "false");
  out.number("collectives", of.collectives);
  out.number("left_ring", of.collectives - of.kept());
  out.number("other_operations", of.others);
  json += ",\n\"classes\": [";
  append_classes(json, of);
  json += "],\n\"ring\": [";
  append_ring(json, of, texts);
  json += "]}";
}

std::string Summary::to_json(const Properties& properties) const {
  std::unique_lock lock(mutex_);
  std::vector<std::uint32_t> numbers;
  for (const auto& [number, of] : communicators_) numbers.push_back(number);
  const std::uint64_t lost = lost_;
  lock.unlock();
  std::string json = "{";
  Json out(json);
  out.number("nccl_summary", 1);
  for (const auto& [key, value] : properties) out.raw(key, value);
  out.number("lost_channels", lost);
  json += ",\n\"communicators\": [";
  for (const std::uint32_t number : numbers) {
    lock.lock();  // for one ring at a time, so that NCCL's threads do not wait long
    const OfCommunicator of = communicators_.at(number);
    const std::vector<std::string> texts = texts_;
    lock.unlock();
    json += number == numbers.front() ? "\n{" : ",\n{";
    append(json, of, texts);
  }
  return json += "]}\n";
}

}  // namespace stepsim::capture::nccl
