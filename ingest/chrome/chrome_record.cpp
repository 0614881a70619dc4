#include "ingest/chrome/chrome_record.h"

#include "ingest/json/escape.h"
#include "ingest/json/json_values.h"

namespace stepsim::ingest {

namespace {

/// Up to four characters as one number.
constexpr std::uint32_t packed(std::string_view text) noexcept {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  return number;
}

ChromeRecord::Member member_called(std::string_view key) noexcept {
  if (key.size() < 2 || key.size() > 4) return ChromeRecord::kOther;
  switch (packed(key)) {
    case packed("ph"): return ChromeRecord::kPhase;
    case packed("cat"): return ChromeRecord::kCategory;
    case packed("name"): return ChromeRecord::kName;
    case packed("pid"): return ChromeRecord::kProcess;
    case packed("tid"): return ChromeRecord::kThread;
    case packed("id"): return ChromeRecord::kId;
    case packed("ts"): return ChromeRecord::kStart;
    case packed("dur"): return ChromeRecord::kDuration;
    case packed("args"): return ChromeRecord::kArguments;
    default: return ChromeRecord::kOther;
  }
}

/// The text of a value with its quotes.
std::string_view whole_text(const json::Value& value) noexcept {
  return value.type == json::Type::kString ? std::string_view{value.raw.data() - 1, value.raw.size() + 2} : value.raw;
}

}  // namespace

bool ChromeRecord::scan(json::Scanner& scanner) {
  seen_ = 0;
  arguments_.clear();
  return scanner.object([this, &scanner](std::string_view key, const char* p) {
    const Member member = member_called(key);
    seen_ |= 1U << member;
    return member == kArguments && *p == '{' ? scan_arguments(scanner, p) : scanner.value_at(p, values_[member]);
  });
}

const char* ChromeRecord::scan_arguments(json::Scanner& scanner, const char* p) {
  const char* const begin = p;
  bool too_many = false;
  arguments_.clear();
  p = scanner.members_at(p, [this, &scanner, &too_many](std::string_view key, const char* at) {
    json::Value value;
    at = scanner.value_at(at, value);
    if (at == nullptr) return at;
    too_many = too_many || arguments_.size() == kMostArguments;
    if (!too_many) arguments_.push_back({key, whole_text(value)});
    return at;
  });
  if (p == nullptr) return nullptr;
  if (too_many) arguments_.clear();
  values_[kArguments] = {{begin, static_cast<std::size_t>(p - begin)}, json::Type::kObject, true};
  return p;
}

std::string_view ChromeRecord::content(Member member, std::deque<std::string>& unescaped) const {
  if (!has(member)) return {};
  const json::Value& value = values_[member];
  if (value.type == json::Type::kLiteral && value.raw == "null") return {};
  if (value.plain) return value.raw;
  return unescaped.emplace_back(json::unescaped(value.raw));
}

std::optional<std::int64_t> ChromeRecord::time(Member member) const {
  if (!has(member) || values_[member].type > json::Type::kNumber) return std::nullopt;
  return microseconds_as_ns(values_[member].raw);
}

void ChromeRecord::fill(ChromeEvent& event, std::deque<std::string>& unescaped) const {
  event.phase = content(kPhase, unescaped);
  event.category = content(kCategory, unescaped);
  event.name = content(kName, unescaped);
  event.process = content(kProcess, unescaped);
  event.thread = content(kThread, unescaped);
  event.id = has(kId) && values_[kId].type <= json::Type::kNumber ? content(kId, unescaped) : std::string_view{};
  const bool has_arguments = has(kArguments) && values_[kArguments].type == json::Type::kObject;
  event.arguments = has_arguments ? values_[kArguments].raw : std::string_view{};
  event.argument_list = has_arguments ? std::span<const ChromeArgument>{arguments_} : std::span<const ChromeArgument>{};
  event.start_ns = time(kStart);
  event.duration_ns = time(kDuration);
  event.has_duration = has(kDuration);
}

const char* ChromeRecord::wrong_member() const noexcept {
  const auto nested = [this](Member member) { return has(member) && values_[member].type >= json::Type::kObject; };
  if (nested(kPhase)) return "text for \"ph\"";
  if (nested(kCategory)) return "text for \"cat\"";
  if (nested(kName)) return "text for \"name\"";
  if (nested(kProcess)) return "a number or text for \"pid\"";
  if (nested(kThread)) return "a number or text for \"tid\"";
  return nullptr;
}

}  // namespace stepsim::ingest
