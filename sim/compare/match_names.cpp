#include "sim/compare/match_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>

#include "model/base/text.h"
#include "sim/analysis/intervals.h"

namespace stepsim::sim {
namespace {

constexpr std::size_t kShortestHash = 8;
constexpr std::size_t kShortestLongHash = 32;
/// Generations of NVIDIA's devices, as spelled in kernel names of cuBLAS, cuDNN and CUTLASS.
constexpr std::array<std::string_view, 9> kArchitectures{"kepler", "maxwell", "pascal", "volta",    "turing",
                                                         "ampere", "ada",     "hopper", "blackwell"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Returns the end of the run of letters and digits that begins at `begin`.
std::size_t end_of_word(std::string_view text, std::size_t begin) {
  while (begin < text.size() && (is_letter(text[begin]) || is_digit(text[begin]))) ++begin;
  return begin;
}

/// True for a base-32 hash, which torch.compile uses in the names of generated code.
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

/// Appends `word` with each run of digits replaced by '#'.
void append_without_digits(std::string& out, std::string_view word) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (!is_digit(word[i])) {
      out += word[i];
    } else if (i == 0 || !is_digit(word[i - 1])) {
      out += '#';
    }
  }
}

/// Returns `text` with each run of letters and digits replaced by what `take(out, word)` appends to `out`.
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

/// Returns the words in template arguments that show what a kernel does, each once: "FillFunctor",
/// "direct_copy_kernel_cuda".
std::string descriptive_words(std::string_view arguments) {
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

/// Replaces the text inside brackets by keep(text). If the brackets do not match, as for the '<' in "operator<<",
/// returns the text unchanged.
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

using Key = std::pair<std::string, std::string>;  // kind and name
using Groups = std::vector<const WorkGroup*>;

void add_a(Row& row, const WorkGroup& group) {
  ++row.names_a;
  row.count_a += group.count;
  row.time_a = saturated_sum(row.time_a, group.time);
}

void add_b(Row& row, const WorkGroup& group) {
  ++row.names_b;
  row.count_b += group.count;
  row.time_b = saturated_sum(row.time_b, group.time);
}

Row row_of(const Key& key, const WorkGroup& first, Match match) {
  return {.name = key.second, .kind = key.first, .kernel_class = first.kernel_class, .match = match};
}

/// True for a copy: "Memcpy DtoH (Device -> Pinned)". Where its memory is decides how long it takes, so the name of a
/// row says it for both sides.
bool is_copy(std::string_view name) { return name.starts_with("Memcpy "); }

Groups pointers_to(const std::vector<WorkGroup>& groups) {
  Groups pointers;
  for (const WorkGroup& group : groups) pointers.push_back(&group);
  return pointers;
}

/// The groups that are not matched yet, and the rows of the groups that are.
class Matching {
 public:
  Matching(const std::vector<WorkGroup>& a, const std::vector<WorkGroup>& b) : a_(pointers_to(a)), b_(pointers_to(b)) {}

  /// Matches groups whose names are equal after `form` has been applied to them.
  void match(Match how, const std::function<std::string(std::string_view)>& form) {
    std::map<Key, std::pair<Groups, Groups>> by_form;
    for (const WorkGroup* const group : a_) by_form[{group->kind, form(group->name)}].first.push_back(group);
    for (const WorkGroup* const group : b_) by_form[{group->kind, form(group->name)}].second.push_back(group);
    a_.clear();
    b_.clear();
    for (const auto& [key, found] : by_form) {
      const auto& [of_a, of_b] = found;
      if (of_a.empty() || of_b.empty()) {
        a_.insert(a_.end(), of_a.begin(), of_a.end());
        b_.insert(b_.end(), of_b.begin(), of_b.end());
        continue;
      }
      Row& row = rows_.emplace_back(row_of(key, *of_a.front(), how));
      if (is_copy(row.name) && of_a.size() == 1 && of_b.size() == 1 && of_a.front()->name != of_b.front()->name)
        row.name = of_a.front()->name + " / " + of_b.front()->name;
      for (const WorkGroup* const group : of_a) add_a(row, *group);
      for (const WorkGroup* const group : of_b) add_b(row, *group);
    }
  }

  [[nodiscard]] std::vector<Row> finish() && {
    for (const WorkGroup* const group : a_)
      add_a(rows_.emplace_back(row_of({group->kind, group->name}, *group, Match::kOnlyA)), *group);
    for (const WorkGroup* const group : b_)
      add_b(rows_.emplace_back(row_of({group->kind, group->name}, *group, Match::kOnlyB)), *group);
    return std::move(rows_);
  }

 private:
  Groups a_;
  Groups b_;
  std::vector<Row> rows_;
};

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
  const std::string without_templates = with_bracketed(name, '<', '>', descriptive_words);
  const std::string bare =
      with_bracketed(without_templates, '(', ')', [](std::string_view) { return std::string_view{}; });
  const std::string plain = without_numbers(bare);
  return with_words(plain, [](std::string& out, std::string_view word) {
    const bool is_architecture = std::find(kArchitectures.begin(), kArchitectures.end(), word) != kArchitectures.end();
    out += is_architecture ? std::string_view("#") : word;
  });
}

std::string_view to_text(Match match) noexcept {
  switch (match) {
    case Match::kExact: return "exact";
    case Match::kNumbers: return "numbers";
    case Match::kArguments: return "arguments";
    case Match::kOnlyA: return "only A";
    case Match::kOnlyB: break;
  }
  return "only B";
}

std::vector<Row> match_names(const std::vector<WorkGroup>& a, const std::vector<WorkGroup>& b) {
  Matching matching(a, b);
  matching.match(Match::kExact, [](std::string_view name) { return std::string(name); });
  matching.match(Match::kNumbers, without_numbers);
  matching.match(Match::kArguments, without_arguments);
  return std::move(matching).finish();
}

}  // namespace stepsim::sim
