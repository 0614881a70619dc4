#include "ingest/formats/chakra/protobuf.h"

#include <protozero/pbf_reader.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace stepsim::ingest {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

// Node
constexpr protozero::pbf_tag_type kId = 1;
constexpr protozero::pbf_tag_type kName = 2;
constexpr protozero::pbf_tag_type kType = 3;
constexpr protozero::pbf_tag_type kControl = 4;
constexpr protozero::pbf_tag_type kData = 5;
constexpr protozero::pbf_tag_type kDuration = 7;
constexpr protozero::pbf_tag_type kInputs = 8;
constexpr protozero::pbf_tag_type kAttribute = 10;

/// A field that is used has another type than et_def.proto gives it.
struct WrongType {};

pbf_reader& typed(pbf_reader& field, pbf_wire_type type) {
  if (!field.has_wire_type(type)) throw WrongType{};
  return field;
}

std::string_view text_of(pbf_reader& field) {
  const protozero::data_view view = typed(field, pbf_wire_type::length_delimited).get_view();
  return {view.data(), view.size()};
}

std::int64_t integer_of(pbf_reader& field) {
  return static_cast<std::int64_t>(typed(field, pbf_wire_type::varint).get_uint64());
}

/// Repeated numbers, packed or one by one: a reader has to take both.
void append_to(std::vector<std::int64_t>& list, pbf_reader& field) {
  if (field.has_wire_type(pbf_wire_type::varint)) {
    list.push_back(integer_of(field));
    return;
  }
  std::string_view packed = text_of(field);
  const char* at = packed.data();
  const char* const end = at + packed.size();
  while (at != end) list.push_back(static_cast<std::int64_t>(protozero::decode_varint(&at, end)));
}

/// The value of an attribute: a number of any type, or a text. Lists are of no use here.
struct Value {
  std::optional<std::int64_t> number;
  std::string_view text;
};

std::optional<std::int64_t> whole(double value) {
  constexpr double kLargest = 9e18;
  if (!(std::abs(value) <= kLargest)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

void read_value(pbf_reader& field, Value& value) {
  switch (field.tag()) {
    case 3: value.number = whole(typed(field, pbf_wire_type::fixed64).get_double()); break;
    case 5: value.number = whole(static_cast<double>(typed(field, pbf_wire_type::fixed32).get_float())); break;
    case 7:
    case 9:
    case 11:
    case 13:
    case 27: value.number = integer_of(field); break;
    case 15:
    case 17: value.number = protozero::decode_zigzag64(static_cast<std::uint64_t>(integer_of(field))); break;
    case 19: value.number = typed(field, pbf_wire_type::fixed32).get_fixed32(); break;
    case 23: value.number = typed(field, pbf_wire_type::fixed32).get_sfixed32(); break;
    case 21: value.number = static_cast<std::int64_t>(typed(field, pbf_wire_type::fixed64).get_fixed64()); break;
    case 25: value.number = typed(field, pbf_wire_type::fixed64).get_sfixed64(); break;
    case 29:
    case 31: value.text = text_of(field); break;
    default: field.skip();
  }
}

void use(std::string_view name, const Value& value, ChakraNode& node) {
  if (name == "pg_name") {
    node.group = value.number ? std::to_string(*value.number) : std::string(value.text);
    return;
  }
  if (!value.number) return;
  take_chakra_number(name, *value.number, node);
}

void read_attribute(pbf_reader attribute, ChakraNode& node) {
  constexpr protozero::pbf_tag_type kAttributeName = 1;
  constexpr protozero::pbf_tag_type kDocumentation = 2;
  std::string_view name;
  Value value;
  while (attribute.next()) {
    if (attribute.tag() == kAttributeName) {
      name = text_of(attribute);
    } else if (attribute.tag() == kDocumentation) {
      attribute.skip();
    } else {
      read_value(attribute, value);
    }
  }
  use(name, value, node);
}

/// IOInfo: only the texts of its values are used, and those of metadata alone.
std::string_view values_of(pbf_reader inputs) {
  constexpr protozero::pbf_tag_type kValues = 1;
  std::string_view values;
  while (inputs.next()) {
    if (inputs.tag() == kValues) {
      values = text_of(inputs);
    } else {
      inputs.skip();
    }
  }
  return values;
}

pbf_reader message_of(pbf_reader& field) { return typed(field, pbf_wire_type::length_delimited).get_message(); }

void read_field(pbf_reader& field, ChakraNode& node) {
  constexpr std::int64_t kNanoseconds = 1000;
  constexpr std::int64_t kMostMicroseconds = 9'000'000'000'000'000;
  switch (field.tag()) {
    case kId: node.id = integer_of(field); break;
    case kName: node.name = text_of(field); break;
    case kType: node.type = integer_of(field); break;
    case kControl: append_to(node.control, field); break;
    case kData: append_to(node.data, field); break;
    case kDuration: {
      const std::int64_t micros = integer_of(field);
      node.nanoseconds = micros < 0 || micros > kMostMicroseconds ? -1 : micros * kNanoseconds;
      break;
    }
    case kInputs: node.values = values_of(message_of(field)); break;
    case kAttribute: read_attribute(message_of(field), node); break;
    default: field.skip();
  }
}

}  // namespace

bool read_chakra_node(std::string_view message, ChakraNode& node) {
  node.clear();
  try {
    pbf_reader fields{message.data(), message.size()};
    while (fields.next()) read_field(fields, node);
    if (!node.id) node.id = 0;  // proto3 does not write a number that is 0
    return true;
  } catch (const protozero::exception&) {
    return false;
  } catch (const WrongType&) {
    return false;
  }
}

int looks_like_chakra(std::string_view head) noexcept {
  constexpr int kSure = 95;
  constexpr int kLikely = 70;
  constexpr std::size_t kShortLength = 2;  // bytes of the first message's length
  constexpr unsigned char kText1 = 0x0A;   // field 1 or 2, a text or a message
  constexpr unsigned char kText2 = 0x12;
  constexpr unsigned char kNodeId = 0x08;  // field 1, a number
  std::size_t at = 0;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kShortLength && i < head.size(); ++i) {
    const auto byte = static_cast<unsigned char>(head[i]);
    length |= static_cast<std::size_t>(byte & 0x7FU) << (7 * i);
    at = i + 1;
    if (byte < 0x80U) break;
    if (i + 1 == kShortLength) return 0;
  }
  if (at + length > head.size() || length == 0) return 0;
  const std::string_view metadata = head.substr(at, length);
  const auto first = static_cast<unsigned char>(metadata.front());
  if (first != kText1 && first != kText2) return 0;
  std::string_view node = head.substr(at + length);
  while (!node.empty() && static_cast<unsigned char>(node.front()) >= 0x80U) node.remove_prefix(1);
  if (node.size() < 2 || static_cast<unsigned char>(node[1]) != kNodeId) return 0;
  const bool has_version = first == kText1 && metadata.size() >= 5 && metadata.find('.') != std::string_view::npos;
  return has_version || metadata.find("schema") != std::string_view::npos ? kSure : kLikely;
}

}  // namespace stepsim::ingest
