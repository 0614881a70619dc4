#include "ingest/config/json_file.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <set>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

using simdjson::ondemand::json_type;

/// No configuration is nested deeper. simdjson does not limit the depth, but recursion does.
constexpr int kDeepest = 64;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view without_mark(std::string_view text) noexcept {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

/// Builds the tree of a document.
class JsonTree {
 public:
  JsonTree(std::string_view text, const std::string& name) : name_(name), text_(text) {}

  YamlValue parse() {
    simdjson::dom::parser strict;  // checks all of it, but does not know lines
    if (const auto error = strict.parse(text_).error(); error != simdjson::SUCCESS)
      throw InputError({name_, {}, {}}, fmt::format("this is not JSON: {}", simdjson::error_message(error)));
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    check(parser.iterate(text_).get(document));
    simdjson::ondemand::value value;
    // A scalar alone is not a value for simdjson.
    if (document.get_value().get(value) != simdjson::SUCCESS) fail("expected an object");
    return tree_of(value, 0);
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    throw InputError({name_, std::nullopt, line_}, fmt::format("this is not JSON: {}", problem));
  }

  void check(simdjson::error_code error) const {
    if (error != simdjson::SUCCESS) fail(simdjson::error_message(error));
  }

  /// Takes `place`, which lies in the text and not before the last place, as the place of what follows.
  void move_to(const char* place) {
    const auto at = static_cast<std::size_t>(place - text_.data());
    if (at <= at_ || at > text_.size()) return;
    line_ += static_cast<std::uint32_t>(std::count<const char*>(text_.data() + at_, place, '\n'));
    at_ = at;
  }

  // NOLINTNEXTLINE(misc-no-recursion): kDeepest limits the depth
  YamlValue tree_of(simdjson::ondemand::value value, int depth) {
    if (depth > kDeepest) fail(fmt::format("it is nested deeper than {} levels", kDeepest));
    const char* place = nullptr;
    check(value.current_location().get(place));
    move_to(place);
    json_type type{};
    check(value.type().get(type));
    YamlValue tree;
    tree.line = line_;
    switch (type) {
      case json_type::array: {
        tree.kind = YamlValue::Kind::kList;
        simdjson::ondemand::array items;
        check(value.get_array().get(items));
        for (auto item : items) {
          simdjson::ondemand::value one;
          check(item.get(one));
          tree.items.push_back(tree_of(one, depth + 1));
        }
        break;
      }
      case json_type::object: add_members(value, depth, tree); break;
      case json_type::null: {
        bool is_null = false;
        check(value.is_null().get(is_null));
        if (!is_null) fail("a value begins like null");
        break;
      }
      default: tree = scalar_of(value, type);
    }
    return tree;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void add_members(simdjson::ondemand::value value, int depth, YamlValue& tree) {
    tree.kind = YamlValue::Kind::kMap;
    std::set<std::string, std::less<>> known;
    simdjson::ondemand::object members;
    check(value.get_object().get(members));
    for (auto member : members) {
      simdjson::ondemand::field field;
      check(std::move(member).get(field));
      std::string_view key;
      check(field.unescaped_key().get(key));
      YamlValue of_key{.kind = YamlValue::Kind::kScalar, .line = line_, .text = std::string(key), .items = {}};
      YamlValue of_value = tree_of(field.value(), depth + 1);
      of_key.line = of_value.line;
      if (!known.insert(of_key.text).second) {
        throw InputError({name_, std::nullopt, of_key.line},
                         fmt::format("the key '{}' appears twice; expected it once", shown(key)));
      }
      tree.items.push_back(std::move(of_key));
      tree.items.push_back(std::move(of_value));
    }
  }

  YamlValue scalar_of(simdjson::ondemand::value value, json_type type) {
    YamlValue tree{.kind = YamlValue::Kind::kScalar, .line = line_, .text = {}, .items = {}};
    if (type == json_type::string) {
      std::string_view text;
      check(value.get_string().get(text));
      tree.text = text;
    } else if (type == json_type::boolean) {
      bool flag = false;
      check(value.get_bool().get(flag));
      tree.text = flag ? "true" : "false";
    } else {
      const std::string_view token = value.raw_json_token();
      tree.text = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
      double number = 0;
      check(value.get_double().get(number));
    }
    return tree;
  }

  const std::string& name_;
  simdjson::padded_string text_;
  std::size_t at_ = 0;      ///< place up to which lines are counted
  std::uint32_t line_ = 1;  ///< line of that place
};

}  // namespace

bool begins_like_json(std::string_view text) noexcept {
  const std::string_view content = without_mark(text);
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && content[first] == '{';
}

YamlValue parse_json(std::string_view text, const std::string& name) {
  return JsonTree(without_mark(text), name).parse();
}

YamlValue parse_json_or_yaml(std::string_view text, const std::string& name, const YamlForm& form) {
  return begins_like_json(text) ? parse_json(text, name) : parse_yaml(without_mark(text), name, form);
}

}  // namespace stepsim::ingest
