#include "cli/sweep/sealed_lines.h"

#include <fmt/format.h>
#include <isa-l/crc64.h>

namespace stepsim::cli {
namespace {

constexpr std::size_t kSealDigits = 16;

std::string seal_of(std::string_view text) {
  return fmt::format("{:016x}", crc64_ecma_refl(0, reinterpret_cast<const unsigned char*>(text.data()), text.size()));
}

std::string escaped(std::string_view field) {
  std::string text;
  for (const char c : field) {
    switch (c) {
      case '\\': text += "\\\\"; break;
      case '\t': text += "\\t"; break;
      case '\n': text += "\\n"; break;
      default: text += c;
    }
  }
  return text;
}

char meant_by(char escape) {
  switch (escape) {
    case 't': return '\t';
    case 'n': return '\n';
    default: return escape;
  }
}

}  // namespace

std::string sealed(const Fields& fields) {
  std::string line;
  for (const std::string& field : fields) line += escaped(field) + '\t';
  if (!line.empty()) line.pop_back();
  return line + '\t' + seal_of(line) + '\n';
}

Fields fields_of(std::string_view text) {
  Fields fields(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\t') {
      fields.emplace_back();
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      fields.back() += meant_by(text[++i]);
    } else {
      fields.back() += text[i];
    }
  }
  return fields;
}

std::optional<Fields> unsealed(std::string_view line) {
  if (line.size() <= kSealDigits) return std::nullopt;
  const std::size_t tab = line.size() - kSealDigits - 1;
  if (line[tab] != '\t' || line.substr(tab + 1) != seal_of(line.substr(0, tab))) return std::nullopt;
  return fields_of(line.substr(0, tab));
}

SealedLines read_sealed(std::string_view text) {
  SealedLines result;
  while (result.bytes < text.size()) {
    const std::size_t end = text.find('\n', result.bytes);
    auto fields =
        end == std::string_view::npos ? std::nullopt : unsealed(text.substr(result.bytes, end - result.bytes));
    if (!fields) {
      result.cut = true;
      result.damaged = end != std::string_view::npos && end + 1 < text.size();
      break;
    }
    result.lines.push_back(std::move(*fields));
    result.bytes = end + 1;
  }
  return result;
}

}  // namespace stepsim::cli
