#include "model/base/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <cstdint>
#include <vector>

namespace stepsim {
namespace {

constexpr std::int64_t kMemory = 8 << 20;  // bytes

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

Pattern::Pattern(const std::string& text) {
  if (text.size() > kLongest) throw PatternProblem(fmt::format("it is longer than {} bytes", kLongest));
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(kMemory);
  compiled_ = std::make_shared<const RE2>(text, options);
  if (!compiled_->ok()) throw PatternProblem(compiled_->error());
}

bool Pattern::matches(std::string_view text) const { return RE2::PartialMatch(piece(text), *compiled_); }

bool Pattern::has_group(const std::string& name) const { return compiled_->NamedCapturingGroups().contains(name); }

std::optional<std::string> Pattern::matched_by(const std::string& name, std::string_view text) const {
  const int group = compiled_->NamedCapturingGroups().at(name);
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(group) + 1);
  if (!compiled_->Match(piece(text), 0, text.size(), RE2::UNANCHORED, found.data(), group + 1)) return std::nullopt;
  const re2::StringPiece& one = found.back();
  if (one.data() == nullptr) return std::nullopt;  // the group took no part in the match
  return std::string(one.data(), one.size());
}

}  // namespace stepsim
