#include "capture/nvtx/names.h"

#include <cstdlib>
#include <cstring>

namespace stepsim::capture::nvtx {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool is_character(char32_t code) noexcept { return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF); }

/// FNV-1a.
std::size_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash ^ hash >> 32U;
}

}  // namespace

// Only what is written of the array is read.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
Narrow::Narrow(const wchar_t* text) noexcept : there_(text != nullptr) {
  static_assert(sizeof(wchar_t) == 4, "wide characters are UTF-32 here");
  constexpr std::size_t kLongestCharacter = 4;
  for (; there_ && *text != L'\0' && size_ + kLongestCharacter < text_.size(); ++text) {
    const auto code = static_cast<char32_t>(*text);
    append(is_character(code) ? code : kReplacement);
  }
  text_[size_] = '\0';
}

void Narrow::append(char32_t code) noexcept {
  const auto put = [this](char32_t byte) { text_[size_++] = static_cast<char>(static_cast<unsigned char>(byte)); };
  const auto follow = [&put, code](unsigned shift) { put(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0U | (code >> 6U));
    return follow(0);
  }
  if (code < 0x10000) {
    put(0xE0U | (code >> 12U));
  } else {
    put(0xF0U | (code >> 18U));
    follow(12);
  }
  follow(6);
  follow(0);
}

const void* RegisteredStrings::handle_of(const char* text) noexcept {
  constexpr std::size_t kMostProbes = 1024;  // a table so full is of no more use
  if (text == nullptr) return nullptr;
  const std::size_t first = hash_of(text);
  char* copy = nullptr;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    std::atomic<const char*>& slot = texts_[(first + probe) % kMost];
    const char* known = slot.load(std::memory_order_acquire);
    if (known == nullptr) {
      if (copy == nullptr) copy = ::strdup(text);
      if (copy == nullptr) return nullptr;
      if (slot.compare_exchange_strong(known, copy, std::memory_order_acq_rel)) return &slot;
    }
    if (std::strcmp(known, text) != 0) continue;
    std::free(copy);
    return &slot;
  }
  std::free(copy);
  return nullptr;
}

const char* RegisteredStrings::text_of(const void* handle) const noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(texts_.data());
  const auto at = reinterpret_cast<std::uintptr_t>(handle);
  if (at < begin || at >= begin + sizeof texts_ || (at - begin) % sizeof(texts_[0]) != 0) return nullptr;
  return texts_[(at - begin) / sizeof(texts_[0])].load(std::memory_order_acquire);
}

}  // namespace stepsim::capture::nvtx
