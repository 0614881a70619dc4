#include "sim/compare/normal_name.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "model/base/text.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kShortestHash = 8;
constexpr std::size_t kShortestLongHash = 32;
/// Generations of NVIDIA's devices as cuBLAS, cuDNN and CUTLASS spell them in names of kernels.
constexpr std::array<std::string_view, 9> kArchitectures{"kepler", "maxwell", "pascal", "volta",    "turing",
                                                         "ampere", "ada",     "hopper", "blackwell"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Where the run of letters and digits ends that begins at `begin`.
std::size_t end_of_word(std::string_view text, std::size_t begin) {
  while (begin < text.size() && (is_letter(text[begin]) || is_digit(text[begin]))) ++begin;
  return begin;
}

/// A hash in base 32, as torch.compile calls what it generates.
bool is_long_hash(std::string_view word) {
  return word.size() >= kShortestLongHash && std::any_of(word.begin(), word.end(), is_digit) &&
         std::none_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_hash(std::string_view word) {
  return word.size() >= kShortestHash && std::all_of(word.begin(), word.end(), is_hex_digit) &&
         std::any_of(word.begin(), word.end(), is_digit);
}

bool is_address(std::string_view word) {
  return word.starts_with("0x") && word.size() > 2 &&
         std::all_of(word.begin() + 2, word.end(), [](char c) { return is_hex_digit(c); });
}

/// `word` with '#' for each run of digits in it.
void append_without_digits(std::string& out, std::string_view word) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (!is_digit(word[i])) {
      out += word[i];
    } else if (i == 0 || !is_digit(word[i - 1])) {
      out += '#';
    }
  }
}

/// Calls `take(word)` for each run of letters and digits, and appends what stands between them.
template <class Take>
std::string with_words(std::string_view text, Take&& take) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = end_of_word(text, i);
    if (end == i) {
      out += text[i++];
    } else {
      take(out, text.substr(i, end - i));
      i = end;
    }
  }
  return out;
}

/// The words of template arguments that say what a kernel does: "FillFunctor", "direct_copy_kernel_cuda". Each once.
std::string telling_words(std::string_view arguments) {
  std::string telling;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t begin = i;
    while (i < arguments.size() && (is_letter(arguments[i]) || is_digit(arguments[i]) || arguments[i] == '_')) ++i;
    const std::string_view word = arguments.substr(begin, i - begin);
    const bool tells = word.find("unctor") != std::string_view::npos || word.find("ernel") != std::string_view::npos;
    if (!tells || telling.find(word) != std::string::npos) continue;
    if (!telling.empty()) telling += ',';
    telling += word;
  }
  return telling;
}

/// Brackets with what `keep` leaves of what is between them. '<' of an operator ("operator<<") has no partner: the
/// text stays as it is.
template <class Keep>
std::string with_bracketed(std::string_view text, char open, char close, Keep&& keep) {
  std::string out;
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == open && depth++ == 0) begin = i + 1;
    if (depth == 0) out += text[i];
    if (text[i] != close || depth == 0 || --depth > 0) continue;
    ((out += open) += keep(text.substr(begin, i - begin))) += close;
  }
  return depth == 0 ? out : std::string(text);
}

}  // namespace

std::string without_numbers(std::string_view name) {
  return with_words(name, [](std::string& out, std::string_view word) {
    if (is_hash(word) || is_long_hash(word) || is_address(word)) {
      out += '#';
    } else {
      append_without_digits(out, word);
    }
  });
}

std::string without_arguments(std::string_view name) {
  constexpr std::string_view kVoid = "void ";
  if (name.starts_with(kVoid)) name.remove_prefix(kVoid.size());
  const std::string without_templates = with_bracketed(name, '<', '>', telling_words);
  const std::string bare =
      with_bracketed(without_templates, '(', ')', [](std::string_view) { return std::string_view{}; });
  const std::string plain = without_numbers(bare);
  return with_words(plain, [](std::string& out, std::string_view word) {
    const bool is_architecture = std::find(kArchitectures.begin(), kArchitectures.end(), word) != kArchitectures.end();
    out += is_architecture ? std::string_view("#") : word;
  });
}

}  // namespace stepsim::sim
