#include "ingest/formats/execution_trace/observed_operator.h"

#include <array>
#include <limits>

#include "ingest/json/item_cursor.h"
#include "ingest/json/json_values.h"

namespace stepsim::ingest {
namespace {

constexpr int kDeepest = 3;  // a list of lists of tensors
constexpr std::size_t kTensorMembers = 6;

bool is_list(std::string_view value) noexcept { return value.starts_with('['); }
bool is_text(std::string_view value) noexcept { return value.starts_with('"'); }

/// The members of a tensor; false if the list is none.
bool tensor_in(std::string_view list, ObservedTensor& tensor) {
  std::array<std::int64_t, kTensorMembers - 1> numbers{};
  ItemCursor items{list};
  std::string_view item;
  std::size_t count = 0;
  while (items.next(item)) {
    if (count < numbers.size()) {
      const auto number = is_text(item) || is_list(item) ? std::nullopt : as_integer(item);
      if (!number) return false;
      numbers[count] = *number;
    } else if (count > numbers.size() || !is_text(item)) {
      return false;
    } else {
      const std::string device = as_text(item);
      tensor.on_device = !device.empty() && !device.starts_with("cpu") && !device.starts_with("meta");
    }
    ++count;
  }
  if (count != kTensorMembers) return false;
  const auto [id, storage, offset, elements, size] = numbers;
  const bool fits = elements >= 0 && size >= 0 && (size == 0 || elements <= (std::int64_t{1} << 60U) / size);
  tensor.storage = storage;
  tensor.bytes = fits ? elements * size : 0;
  return true;
}

void append_tensors(std::string_view values, std::vector<ObservedTensor>& tensors, int depth) {
  ItemCursor items{values};
  std::string_view item;
  while (items.next(item)) {
    if (!is_list(item)) continue;
    ObservedTensor tensor;
    if (tensor_in(item, tensor)) {
      tensors.push_back(tensor);
    } else if (depth < kDeepest) {
      append_tensors(item, tensors, depth + 1);
    }
  }
}

/// The type of a tensor, or of the first in a list: "float" of "GenericList[Tensor(float)]".
std::string_view element_in(std::string_view type) {
  constexpr std::string_view kTensor = "Tensor(";
  const std::size_t begin = type.find(kTensor);
  if (begin == std::string_view::npos) return type;
  const std::string_view rest = type.substr(begin + kTensor.size());
  return rest.substr(0, rest.find(')'));
}

void take_values(JsonReader& json, std::string& values, std::string* shapes, std::string* types) {
  if (json.peek() != '{') return json.skip();
  json.object([&](const std::string& key) {
    if (key == "values") {
      values = json.raw();
    } else if (key == "shapes" && shapes != nullptr) {
      *shapes = json.raw();
    } else if (key == "types" && types != nullptr) {
      *types = json.raw();
    } else {
      json.skip();
    }
  });
}

/// {"name": "rf_id", "type": "uint64", "value": 4}
void take_attribute(JsonReader& json, ObservedOperator& node) {
  if (json.peek() != '{') return json.skip();
  std::string name;
  std::string value;
  json.object([&](const std::string& key) {
    if ((key == "name" || key == "value") && json.peek() == '"') {
      (key == "name" ? name : value) = json.text();
    } else {
      json.skip();
    }
  });
  if (name == "op_schema") node.schema = std::move(value);
  if (name == "collective_name") node.collective = std::move(value);
  if (name == "pg_name") node.group = std::move(value);
}

bool is_number(JsonReader& json) {
  const char first = json.peek();
  return first == '-' || (first >= '0' && first <= '9');
}

void take_member(JsonReader& json, const std::string& key, ObservedOperator& node) {
  if (key == "id" && is_number(json)) {
    node.id = as_integer(json.number());
  } else if ((key == "parent" || key == "ctrl_deps") && is_number(json)) {
    node.parent = as_integer(json.number()).value_or(0);
  } else if (key == "name" && json.peek() == '"') {
    node.name = json.text();
  } else if (key == "op_schema" && json.peek() == '"') {
    node.schema = json.text();
  } else if (key == "inputs" && json.peek() == '{') {
    take_values(json, node.inputs, &node.input_shapes, &node.input_types);
  } else if (key == "inputs") {
    node.inputs = json.raw();
  } else if (key == "input_shapes") {
    node.input_shapes = json.raw();
  } else if (key == "input_types") {
    node.input_types = json.raw();
  } else if (key == "outputs" && json.peek() == '{') {
    take_values(json, node.outputs, nullptr, nullptr);
  } else if (key == "outputs") {
    node.outputs = json.raw();
  } else if (key == "attrs" && json.peek() == '[') {
    json.array([&] { take_attribute(json, node); });
  } else {
    json.skip();
  }
}

}  // namespace

void ObservedOperator::clear() {
  id.reset();
  parent = 0;
  for (std::string* const text : {&name, &schema, &inputs, &input_shapes, &input_types, &outputs, &collective, &group})
    text->clear();
}

void read_observed_operator(JsonReader& json, ObservedOperator& node) {
  node.clear();
  if (json.peek() != '{') return json.skip();
  json.object([&](const std::string& key) { take_member(json, key, node); });
}

void append_tensors(std::string_view values, std::vector<ObservedTensor>& tensors) {
  append_tensors(values, tensors, 1);
}

std::string kineto_types(std::string_view types) {
  std::string list = "[";
  ItemCursor items{types};
  std::string_view item;
  while (items.next(item)) {
    if (list.size() > 1) list += ',';
    const std::string type = as_text(item);
    std::string plain{element_in(type)};
    std::erase_if(plain, [](char c) { return c == '"' || c == '\\'; });
    list += '"' + plain + '"';
  }
  return list + ']';
}

CommunicationCall communication_call(const ObservedOperator& node) {
  CommunicationCall call{.operation = node.collective, .group = node.group};
  ItemCursor items{node.inputs};
  std::string_view item;
  bool has_group = !node.group.empty();
  while (items.next(item)) {
    if (is_text(item)) {
      if (call.operation.empty()) call.operation = as_text(item);
    } else if (is_list(item)) {
      ItemCursor members{item};  // ["0", "default_pg"], else tensors or sizes
      std::string_view first;
      if (!has_group && members.next(first) && is_text(first)) {
        call.group = as_text(first);
        has_group = true;
      }
    } else if (const auto number = as_integer(item)) {
      if (call.sequence < 0) {
        call.sequence = *number;
      } else if (!has_group) {
        call.group = std::to_string(*number);
        call.is_local = true;
        has_group = true;
      }
    }
  }
  return call;
}

}  // namespace stepsim::ingest
