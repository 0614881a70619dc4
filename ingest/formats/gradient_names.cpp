// The gradients of a job by number. gradient_name_list.txt has one per line:
//
//   fc1_weight;shape=(512, 1024);dtype=float16
//
// gradient_name_list.json is {"gradient_name_list": [...], "model_name": "..."} or the bare list; its entries are such
// lines or lists of the same fields. BytePS writes the sizes of its tensors only in gradient_name_list.
// gradient_name2ID.json of dPRO maps each name to its number, {"fc1_weight": 0}.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ingest/bytes/text_input.h"
#include "ingest/formats/format.h"
#include "ingest/json/json_reader.h"
#include "ingest/parts/names.h"
#include "model/base/known_diagnostics.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kNumbers = "gradient_name2ID.json";

class GradientNamesReader {
 public:
  explicit GradientNamesReader(PartSink& sink) : sink_(sink) {}

  /// Adds a gradient, given as "name;shape=(512, 1024);dtype=float16" or any part of it.
  void add(std::string_view line, const InputLocation& where) {
    ++sink_.events;
    const std::size_t name_end = std::min(line.find(';'), line.size());
    TensorTable::Tensor tensor{std::string(line.substr(0, name_end)), {}};
    std::optional<std::string_view> shape;
    std::string_view dtype = "float32";
    for (std::size_t begin = name_end; begin < line.size();) {
      const std::size_t end = std::min(line.find(';', begin + 1), line.size());
      const std::string_view field = line.substr(begin + 1, end - begin - 1);
      if (field.starts_with("shape=")) shape = field.substr(6);
      if (field.starts_with("dtype=")) dtype = field.substr(6);
      begin = end;
    }
    if (shape.has_value()) tensor.bytes = bytes_of(*shape, dtype, where);
    if (tensor.name.empty()) {
      count_bad(diagnostic("gradient_without_name"), where, "a gradient without a name");
    }
    table_.tensors.push_back(std::move(tensor));
  }

  /// Adds an entry for a number without a gradient.
  void add_unnamed() { table_.tensors.emplace_back(); }

  void count_bad(const Diagnostic& what, const InputLocation& where, std::string_view detail) {
    sink_.skip(what, where, detail);
  }

  [[nodiscard]] TensorTable take() && { return std::move(table_); }
  [[nodiscard]] bool empty() const noexcept { return table_.tensors.empty(); }

 private:
  std::optional<Bytes> bytes_of(std::string_view shape, std::string_view dtype, const InputLocation& where) {
    if (const auto size = tensor_size(shape, dtype)) return size;
    count_bad(diagnostic("unknown_tensor_size"), where,
              fmt::format("shape '{}' of dtype '{}' gives no size", shown(shape, 40), shown(dtype, 40)));
    return std::nullopt;
  }

  PartSink& sink_;
  TensorTable table_;
};

void check_gzip(const ByteSource& source, std::uint64_t offset, GradientNamesReader& reader) {
  if (source.truncated())
    reader.count_bad(diagnostic("truncated_file"), {source.name(), offset, {}}, "the gzip stream is cut short");
}

void read_lines(ByteSource& source, GradientNamesReader& reader) {
  TextInput input(source);
  while (input.peek() != TextInput::kEnd) {
    const InputLocation where = input.at_line(input.line());
    std::string line = input.next_line("a gradient's name");
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const bool last = input.peek() == TextInput::kEnd;
    if (!line.empty() || !last) reader.add(line, where);
  }
  check_gzip(source, input.offset(), reader);
}

/// Converts ["name", [512, 1024], "float16"] to the equivalent line. Nested numbers are the shape.
std::string line_of_list(JsonReader& json) {
  std::string name;
  std::string shape;
  std::string dtype;
  json.array([&] {
    switch (json.peek()) {
      case '"': (name.empty() ? name : dtype) = json.text(); break;
      case '[': json.array([&] { (shape += json.number()) += ','; }); break;
      default: json.skip();
    }
  });
  if (shape.empty()) return name;
  return fmt::format("{};shape=({}){}", name, shape, dtype.empty() ? "" : ";dtype=" + dtype);
}

void read_names(JsonReader& json, GradientNamesReader& reader, const std::string& file) {
  json.array([&] {
    const InputLocation where{file, json.offset(), {}};
    switch (json.peek()) {
      case '"': reader.add(json.text(), where); break;
      case '[': reader.add(line_of_list(json), where); break;
      default: json.skip(); reader.add("", where);
    }
  });
}

/// Reads the members of {"fc1_weight": 0}, which may be in any order.
void read_numbers(JsonReader& json, GradientNamesReader& reader, const std::string& file) {
  constexpr std::size_t kMostGradients = 1'000'000;
  std::map<std::size_t, std::string> names;
  json.object([&](const std::string& name) {
    const InputLocation where{file, json.offset(), {}};
    const auto number = is_digit(json.peek()) ? parse_number<std::size_t>(json.number()) : std::nullopt;
    if (!number)
      throw InputError(where, "a gradient's number is not a whole number; expected for example {\"name\": 0}");
    if (*number >= kMostGradients || !names.try_emplace(*number, name).second)
      reader.count_bad(diagnostic("gradient_without_name"), where, "a number that is too large or taken");
  });
  std::size_t next = 0;
  for (const auto& [number, name] : names) {
    for (; next < number; ++next) reader.add_unnamed();
    reader.add(name, {file, {}, {}});
    ++next;
  }
}

void read_document(JsonReader& json, GradientNamesReader& reader, const std::string& file) {
  if (json.peek() == '[') {
    read_names(json, reader, file);
  } else if (file_name_of(file).starts_with(kNumbers)) {
    read_numbers(json, reader, file);
  } else {
    json.object([&](const std::string& key) {
      if (key == "gradient_name_list" && reader.empty()) {
        read_names(json, reader, file);
      } else {
        json.skip();
      }
    });
  }
  json.expect_end();
}

void read_json(ByteSource& source, GradientNamesReader& reader) {
  JsonReader json(source);
  try {
    read_document(json, reader, source.name());
    check_gzip(source, json.offset(), reader);
  } catch (const InputError& error) {
    if (!json.ended() || reader.empty()) throw;
    reader.count_bad(diagnostic("truncated_file"), error.where(), "the list is truncated; it is used up to there");
  }
}

int recognise_gradient_names(std::string_view file_name, std::string_view head) {
  if (file_name.starts_with("gradient_name_list.") || file_name.starts_with(kNumbers)) return 95;
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  const bool braces = first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
  if (braces) return head.substr(0, 4096).find("\"gradient_name_list\"") != std::string_view::npos ? 80 : 0;
  return head.substr(0, head.find('\n')).find(";shape=(") != std::string_view::npos ? 60 : 0;
}

void read_gradient_names(Input& input, PartSink& sink) {
  GradientNamesReader reader(sink);
  const bool json = input.head().starts_with('{') || input.head().starts_with('[') || input.name().ends_with(".json") ||
                    input.name().ends_with(".json.gz");
  json ? read_json(input.stream(), reader) : read_lines(input.stream(), reader);
  if (reader.empty()) throw InputError({input.name(), 0, {}}, "no gradient in the file; expected one name per line");
  sink.add(std::move(reader).take());
}

}  // namespace

extern const Format gradient_names_format{"gradient_names",
                                          "gradient_name_list.txt and .json: gradients by number, with sizes",
                                          recognise_gradient_names, read_gradient_names};

}  // namespace stepsim::ingest
