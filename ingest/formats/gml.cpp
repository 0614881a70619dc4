#include "ingest/formats/gml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/bytes/text_input.h"
#include "ingest/formats/format.h"
#include "model/base/known_diagnostics.h"
#include "model/base/number.h"
#include "model/base/text.h"

// dag.gml of ByteProfile and dPRO: GML as networkx 2 writes it, and variants of older writers (Creator and Version
// lines, nodes without labels, ids in any order, CRLF).
//
//   graph [
//     directed 1
//     node [ id 0 label "host0.rank0->FW.conv1" avg 1.25 ]
//     edge [ source 0 target 1 ]
//   ]
//
// A list is written as a repeated key. If it has only one element, its first entry is "_networkx_list_start".

namespace stepsim::ingest {
namespace {

constexpr std::size_t kLongestText = 1U << 20U;

bool is_letter(int c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_number_part(int c) noexcept { return is_digit(static_cast<char>(c)) || c == '-' || c == '+' || c == '.'; }
bool is_blank(int c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Returns the code point of an entity "#233", "#xe9" or "quot"; nullopt if it is not one.
std::optional<char32_t> entity_code(std::string_view name) noexcept {
  constexpr std::pair<std::string_view, char32_t> kNamed[] = {
      {"quot", '"'}, {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"apos", '\''}};
  for (const auto& [known, code] : kNamed) {
    if (name == known) return code;
  }
  if (name.size() < 2 || name.front() != '#') return std::nullopt;
  name.remove_prefix(1);
  const bool hexadecimal = name.front() == 'x' || name.front() == 'X';
  if (hexadecimal) name.remove_prefix(1);
  const std::uint32_t code = parse_number<std::uint32_t>(name, hexadecimal ? 16 : 10).value_or(0);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code != 0 && code <= 0x10FFFF && !surrogate ? std::optional{char32_t{code}} : std::nullopt;
}

/// Returns `text` with its entities replaced. Text that only looks like an entity is kept.
std::string unescaped(std::string_view text) {
  constexpr std::size_t kLongestEntity = 10;
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '&' ? text.substr(i, kLongestEntity).find(';') : std::string_view::npos;
    const auto code = end == std::string_view::npos ? std::nullopt : entity_code(text.substr(i + 1, end - 1));
    if (code.has_value()) {
      append_utf8(out, *code);
      i += end;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

enum class TokenKind : std::uint8_t { kKey, kNumber, kText, kOpen, kClose, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  ///< as written; for a string, without quotes and with entities replaced
  std::uint32_t line = 1;
  bool cut = false;  ///< the file ended inside the token
};

class Lexer {
 public:
  explicit Lexer(ByteSource& source) : input_(source) {}

  [[nodiscard]] Token next() {
    skip_blanks_and_comments();
    Token token{TokenKind::kEnd, {}, input_.line(), false};
    const int c = input_.peek();
    if (c == TextInput::kEnd) return token;
    if (c == '[' || c == ']') {
      token.kind = c == '[' ? TokenKind::kOpen : TokenKind::kClose;
      input_.get();
    } else if (c == '"') {
      read_text(token);
    } else if (is_letter(c)) {
      read_word(token, TokenKind::kKey);
    } else if (is_number_part(c)) {
      read_word(token, TokenKind::kNumber);
    } else {
      fail(token.line,
           fmt::format("'{}' found; expected a key, a value, '[' or ']'", shown(std::string(1, static_cast<char>(c)))));
    }
    return token;
  }

  [[noreturn]] void fail(std::uint32_t line, std::string_view problem) const {
    throw InputError(input_.at_line(line), problem);
  }
  [[nodiscard]] InputLocation at_line(std::uint32_t line) const { return input_.at_line(line); }
  [[nodiscard]] std::uint64_t offset() const noexcept { return input_.offset(); }

 private:
  void skip_blanks_and_comments() {
    for (;;) {
      if (is_blank(input_.peek())) {
        input_.get();
      } else if (input_.peek() == '#') {
        while (input_.peek() != '\n' && input_.peek() != TextInput::kEnd) input_.get();
      } else {
        return;
      }
    }
  }

  void read_text(Token& token) {
    token.kind = TokenKind::kText;
    input_.get();
    std::string raw;
    while (input_.peek() != '"') {
      if (input_.peek() == TextInput::kEnd) {
        token.cut = true;
        return;
      }
      if (raw.size() > kLongestText) fail(token.line, "a text of more than 1 MiB; expected a name");
      raw.push_back(static_cast<char>(input_.get()));
    }
    input_.get();
    token.text = unescaped(raw);
  }

  void read_word(Token& token, TokenKind kind) {
    token.kind = kind;
    const auto belongs = [](int c) { return is_letter(c) || is_number_part(c) || c == '_'; };
    while (belongs(input_.peek())) {
      if (token.text.size() > kLongestText) fail(token.line, "a word of more than 1 MiB; expected a key or a number");
      token.text.push_back(static_cast<char>(input_.get()));
    }
    token.cut = input_.peek() == TextInput::kEnd;
  }

  TextInput input_;
};

std::optional<std::int64_t> integer_of(std::string_view text) noexcept {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  return parse_number<std::int64_t>(text);
}

class GmlReader {
 public:
  GmlReader(ByteSource& source, PartSink& sink) : lexer_(source), sink_(sink) {}

  [[nodiscard]] OperatorGraph read() {
    while (!cut_ && next_entry(false)) {
      if (!is_record_) continue;
      if (key_.text == "graph") {
        read_graph();
      } else {
        skip_record();
      }
    }
    if (!graph_seen_) lexer_.fail(1, "no 'graph [' in the file; expected a GML graph");
    if (cut_) {
      sink_.diagnostics.count(diagnostic("truncated_file"), lexer_.at_line(key_.line), "used up to the cut");
    }
    resolve_edges();
    if (graph_.nodes.empty() && cut_)
      lexer_.fail(key_.line, "the file ends before the first whole node; expected a GML graph");
    return std::move(graph_);
  }

 private:
  struct RawEdge {
    std::int64_t source = 0;
    std::int64_t target = 0;
    std::uint32_t line = 0;
  };

  /// Reads "key value" or "key [" into key_ and value_. Returns false at the record's ']' and at the end of the file.
  /// `inside` states whether a record is open. If the file ends inside a record, sets cut_, because the file is
  /// truncated.
  bool next_entry(bool inside) {
    Token token = lexer_.next();
    if (token.kind == TokenKind::kEnd) {
      cut_ = inside;
      return false;
    }
    if (token.kind == TokenKind::kClose) {
      if (!inside) lexer_.fail(token.line, "']' without its '['; expected a key or the end of the file");
      return false;
    }
    if (token.kind != TokenKind::kKey) lexer_.fail(token.line, fmt::format("{} found; expected a key", what_is(token)));
    key_ = std::move(token);
    value_ = lexer_.next();
    is_record_ = value_.kind == TokenKind::kOpen;
    if (value_.kind == TokenKind::kClose)
      lexer_.fail(value_.line, fmt::format("']' after key '{}'; expected its value", shown(key_.text)));
    const bool ended = value_.kind == TokenKind::kEnd || value_.cut;
    cut_ = ended && inside;
    return !ended;
  }

  static std::string what_is(const Token& token) {
    if (token.kind == TokenKind::kOpen) return "'['";
    return fmt::format("'{}'", shown(token.text, 60));
  }

  /// Skips the record whose '[' was just read. Counts brackets, so nesting needs no stack.
  void skip_record() {
    std::size_t depth = 1;
    while (depth > 0) {
      const Token token = lexer_.next();
      if (token.kind == TokenKind::kEnd) {
        cut_ = true;
        return;
      }
      if (token.kind == TokenKind::kOpen) ++depth;
      if (token.kind == TokenKind::kClose) --depth;
    }
  }

  void read_graph() {
    if (graph_seen_) {
      count_bad(diagnostic("second_graph"), key_.line, "more than one graph in the file");
      return skip_record();
    }
    graph_seen_ = true;
    while (!cut_ && next_entry(true)) {
      if (!is_record_) continue;
      if (key_.text == "node") {
        read_node();
      } else if (key_.text == "edge") {
        read_edge();
      } else {
        skip_record();
      }
    }
  }

  void read_node() {
    const std::uint32_t line = key_.line;
    ++sink_.events;
    std::optional<std::int64_t> id;
    std::optional<std::string> label;
    OperatorGraph::Node node;
    while (!cut_ && next_entry(true)) {
      if (is_record_) {
        skip_record();
      } else if (key_.text == "id") {
        id = integer_of(value_.text);
      } else if (key_.text == "label") {
        label = value_.text;
      } else if (value_.text != "_networkx_list_start") {
        node.attributes.push_back({key_.text, value_.text});
      }
    }
    if (cut_) return;
    if (!id.has_value()) return count_bad(diagnostic("node_without_id"), line, "node without an integer id");
    node.label = label.has_value() ? std::move(*label) : std::to_string(*id);
    ids_.emplace_back(*id, static_cast<std::uint32_t>(graph_.nodes.size()));
    lines_.push_back(line);
    graph_.nodes.push_back(std::move(node));
  }

  void read_edge() {
    const std::uint32_t line = key_.line;
    ++sink_.events;
    std::optional<std::int64_t> source;
    std::optional<std::int64_t> target;
    while (!cut_ && next_entry(true)) {
      if (is_record_) {
        skip_record();
      } else if (key_.text == "source") {
        source = integer_of(value_.text);
      } else if (key_.text == "target") {
        target = integer_of(value_.text);
      }
    }
    if (cut_) return;
    if (!source.has_value() || !target.has_value()) {
      return count_bad(diagnostic("edge_without_ends"), line, "edge without an integer source and target");
    }
    edges_.push_back({*source, *target, line});
  }

  void resolve_edges() {
    std::stable_sort(ids_.begin(), ids_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 1; i < ids_.size(); ++i) {
      if (ids_[i].first == ids_[i - 1].first) {
        count_bad(diagnostic("duplicate_node"), lines_[ids_[i].second], "two nodes with one id; edges go to the first");
      }
    }
    const auto find = [&](std::int64_t id) -> std::optional<std::uint32_t> {
      const auto place = std::lower_bound(ids_.begin(), ids_.end(), id,
                                          [](const auto& entry, std::int64_t value) { return entry.first < value; });
      return place != ids_.end() && place->first == id ? std::optional{place->second} : std::nullopt;
    };
    for (const RawEdge& edge : edges_) {
      const auto source = find(edge.source);
      const auto target = find(edge.target);
      if (source.has_value() && target.has_value()) {
        graph_.edges.push_back({*source, *target});
      } else {
        count_bad(
            diagnostic("edge_to_unknown_node"), edge.line,
            fmt::format("edge to node {}, which is not in the file", source.has_value() ? edge.target : edge.source));
      }
    }
  }

  void count_bad(const Diagnostic& what, std::uint32_t line, std::string_view detail) {
    sink_.skip(what, lexer_.at_line(line), detail);
  }

  Lexer lexer_;
  PartSink& sink_;
  OperatorGraph graph_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> ids_;
  std::vector<std::uint32_t> lines_;  // line of each node
  std::vector<RawEdge> edges_;
  Token key_;
  Token value_;
  bool is_record_ = false;
  bool graph_seen_ = false;
  bool cut_ = false;
};

int recognise_gml(std::string_view file_name, std::string_view head) {
  const bool named = file_name.ends_with(".gml") || file_name.ends_with(".gml.gz");
  const std::size_t graph = head.find("graph");
  const bool looks = graph != std::string_view::npos && head.find('[', graph) != std::string_view::npos;
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  const bool starts = first != std::string_view::npos &&
                      (head.substr(first).starts_with("graph") || head.substr(first).starts_with("Creator"));
  if (named) return 90;
  return looks && starts ? 70 : 0;
}

void read_gml(Input& input, PartSink& sink) { sink.add(GmlReader(input.stream(), sink).read()); }

}  // namespace

extern const Format gml_format{"gml",
                               "ByteProfile and dPRO dag.gml: operators and their dependencies, written by networkx",
                               recognise_gml, read_gml};

namespace {

/// True if networkx writes the value without quotes. It quotes integers that do not fit into 32 bits.
bool is_bare_number(std::string_view value) {
  if (parse_number<std::int32_t>(value)) return true;
  if (value == "NAN" || value == "+INF" || value == "-INF") return true;
  const auto number = parse_number<double>(value);
  return number && std::isfinite(*number) && value.find('.') != std::string_view::npos;
}

}  // namespace

std::string gml_text(const OperatorGraph& graph) {
  std::string out = "graph [\n  directed 1\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const OperatorGraph::Node& node = graph.nodes[i];
    out += fmt::format("  node [\n    id {}\n    label {}\n", i, gml_quoted(node.label));
    for (const OperatorGraph::Attribute& attribute : node.attributes) {
      out += fmt::format("    {} {}\n", attribute.key,
                         is_bare_number(attribute.value) ? attribute.value : gml_quoted(attribute.value));
    }
    out += "  ]\n";
  }
  std::vector<OperatorGraph::Edge> edges = graph.edges;
  std::stable_sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.source < b.source; });
  for (const OperatorGraph::Edge& edge : edges)
    out += fmt::format("  edge [\n    source {}\n    target {}\n  ]\n", edge.source, edge.target);
  return out + "]\n";
}

}  // namespace stepsim::ingest
