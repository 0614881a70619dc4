// metadata.json of a dPRO trial of TensorFlow: its operators.
//
//   {"m/a": {"op": "MatMul", "input": [{"name": "x:0", "shape": [8, 4], "dtype": "float32"}], "output": [...]}}
#include <string>
#include <string_view>
#include <utility>

#include "ingest/formats/format.h"
#include "ingest/formats/tensor_size.h"
#include "ingest/json/json_reader.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// Returns the operator "x" of the inputs "x:0" and "^x"; the latter is a pure ordering dependency.
std::string operator_of(std::string_view tensor) {
  if (tensor.starts_with('^')) tensor.remove_prefix(1);
  return std::string{tensor.substr(0, tensor.rfind(':'))};
}

class MetadataReader {
 public:
  MetadataReader(Input& input, PartSink& sink) : json_(input.stream()), file_(input.name()), sink_(sink) {}

  [[nodiscard]] OperatorMetadata read() {
    json_.object([&](const std::string& name) {
      if (json_.peek() == '{') {
        read_operator(name);
      } else {
        json_.skip();
      }
    });
    json_.expect_end();
    if (metadata_.operators.empty()) {
      throw InputError({file_, std::uint64_t{0}, {}},
                       R"(no operator in the file; expected members such as "m/a": {"op": .., "input": [..]})");
    }
    return std::move(metadata_);
  }

 private:
  void read_operator(const std::string& name) {
    ++sink_.events;
    OperatorMetadata::Operator made{name, {}, {}, {}};
    json_.object([&](const std::string& key) {
      if (key == "op" && json_.peek() == '"') {
        made.type = json_.text();
      } else if (key == "input" && json_.peek() == '[') {
        json_.array([&] { made.inputs.push_back(operator_of(read_tensor().name)); });
        std::erase(made.inputs, std::string{});
      } else if (key == "output" && json_.peek() == '[') {
        bool first = true;
        json_.array([&] {
          const Tensor tensor = read_tensor();
          if (std::exchange(first, false)) made.output = tensor_size(tensor.shape, tensor.dtype);
        });
      } else {
        json_.skip();
      }
    });
    metadata_.operators.push_back(std::move(made));
  }

  struct Tensor {
    std::string name;
    std::string shape = "?";
    std::string dtype;
  };

  Tensor read_tensor() {
    Tensor tensor;
    if (json_.peek() == '"') {
      tensor.name = json_.text();
    } else if (json_.peek() == '{') {
      json_.object([&](const std::string& key) {
        if (key == "name" && json_.peek() == '"') {
          tensor.name = json_.text();
        } else if (key == "dtype" && json_.peek() == '"') {
          tensor.dtype = json_.text();
        } else if (key == "shape" && json_.peek() == '[') {
          tensor.shape = read_shape();
        } else {
          json_.skip();
        }
      });
    } else {
      json_.skip();
    }
    return tensor;
  }

  std::string read_shape() {
    std::string shape;
    json_.array([&] {
      const char next = json_.peek();
      if (is_digit(next) || next == '-') {
        (shape += json_.number()) += ',';
      } else {
        shape += '?';  // an unknown extent
        json_.skip();
      }
    });
    return shape;
  }

  JsonReader json_;
  std::string file_;
  PartSink& sink_;
  OperatorMetadata metadata_;
};

constexpr Sign kMetadataSigns[]{
    {.sure = 90, .named = {"metadata.json", "metadata.json.gz"}, .all = {"\"op\"", "\"input\""}}};

void read_operator_metadata(Input& input, PartSink& sink) { sink.add(MetadataReader(input, sink).read()); }

}  // namespace

extern const Format operator_metadata_format;
const Format operator_metadata_format{"operator_metadata",
                                      "dPRO trial, metadata.json: TensorFlow operators with types, shapes and inputs",
                                      kMetadataSigns, read_operator_metadata};

}  // namespace stepsim::ingest
