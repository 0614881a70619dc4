#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/bytes/byte_source.h"
#include "ingest/formats/chakra/node.h"
#include "ingest/formats/execution_trace/process_groups.h"
#include "ingest/formats/format.h"
#include "ingest/json/json_reader.h"
#include "ingest/json/json_values.h"
#include "ingest/parts/names.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/limits.h"
#include "model/base/text.h"

// Chakra execution traces (mlcommons/chakra): the computation and communication of one rank, as a graph. Files *.et
// contain Protobuf messages (schema/protobuf/et_def.proto): a GlobalMetadata, then the Nodes, each preceded by its
// length. There is also a JSON form.

namespace stepsim::ingest {
namespace {
/// Reads a sequence of Protobuf messages, each preceded by its length as a varint. Memory: the largest message, but
/// never more than the bytes that the source contains.
class DelimitedMessages {
 public:
  /// Maximum size of a message in bytes; a larger one is rejected as corrupt. The largest real messages are nodes with
  /// long lists of tensors and have a few hundred kilobytes.
  static constexpr std::uint64_t kLongest = std::uint64_t{64} << 20U;

  /// `source` must outlive this object.
  explicit DelimitedMessages(ByteSource& source) : source_(source) {}

  /// Returns the next message, valid until the next call; nullopt after the last one, and if the rest is not a message.
  [[nodiscard]] std::optional<std::string_view> next();
  /// Offset at which the last message begins, or should have begun.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// Describes why next() returned nullopt: what was found and what was expected. Empty if the file ends after a whole
  /// message.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  /// Reads until buffer_ has `size` bytes from at_ on, or the source ends. Returns the number of bytes available.
  std::size_t fill(std::size_t size);

  ByteSource& source_;
  std::string buffer_;
  std::size_t at_ = 0;  // index in buffer_ of the first unread byte
  std::uint64_t offset_ = 0;
  std::uint64_t next_offset_ = 0;
  bool ended_ = false;
  std::string problem_;
};

std::optional<std::string_view> DelimitedMessages::next() {
  constexpr std::size_t kLongestVarint = 10;
  constexpr std::size_t kBitsInByte = 7;
  offset_ = next_offset_;
  if (!problem_.empty()) return std::nullopt;
  const std::size_t there = std::min(fill(kLongestVarint), kLongestVarint);
  if (there == 0) return std::nullopt;
  std::uint64_t size = 0;
  std::size_t digits = 0;
  bool more = true;
  while (more && digits < there) {
    const auto byte = static_cast<unsigned char>(buffer_[at_ + digits]);
    size |= static_cast<std::uint64_t>(byte & 0x7FU) << (kBitsInByte * digits);
    more = byte >= 0x80U;
    ++digits;
  }
  if (more) {
    problem_ = there < kLongestVarint ? "the file is truncated within the length of a message; expected a whole file"
                                      : "the length of a message has more than 10 bytes; expected a varint";
    return std::nullopt;
  }
  if (size > kLongest) {
    problem_ = fmt::format("a message of {} bytes; expected at most {}", size, kLongest);
    return std::nullopt;
  }
  at_ += digits;
  const std::size_t body = fill(size);
  if (body < size) {
    problem_ = fmt::format("a message of {} bytes is truncated after {}; expected a whole file", size, body);
    return std::nullopt;
  }
  const std::string_view message = std::string_view{buffer_}.substr(at_, size);
  at_ += message.size();
  next_offset_ += digits + message.size();
  return message;
}

std::size_t DelimitedMessages::fill(std::size_t size) {
  constexpr std::size_t kPiece = std::size_t{256} << 10U;
  if (buffer_.size() - at_ < size) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  while (!ended_ && buffer_.size() - at_ < size) {
    const std::size_t old = buffer_.size();
    buffer_.resize(old + kPiece);
    const std::size_t read = source_.read({buffer_.data() + old, kPiece});
    buffer_.resize(old + read);
    ended_ = read == 0;
  }
  return buffer_.size() - at_;
}

class ChakraJsonReader {
 public:
  ChakraJsonReader(ByteSource& source, const std::string& file, PartSink& sink, ExecutionGraphBuilder& graph)
      : json_(source), file_{file, {}}, sink_(sink), graph_(graph) {}

  void read() {
    try {
      json_.object([this](const std::string& key) { read_member(key); });
      json_.expect_end();
    } catch (const InputError& error) {
      if (!json_.ended() || nodes_ == 0) throw;
      sink_.diagnostics.count(diagnostic("truncated_file"), {file_.name, json_.offset(), {}});
    }
  }

 private:
  void read_member(const std::string& key) {
    if (key == "workload_graph" && json_.peek() == '[') {
      json_.array([this] { read_node(); });
    } else if (key == "ngpus" && is_number()) {
      const std::int64_t world = number().value_or(0);
      if (is_rank_count(world)) graph_.graph().world = static_cast<std::size_t>(world);
    } else if ((key == "version" || key == "schema") && json_.peek() == '"') {
      file_.version = json_.text();
    } else {
      json_.skip();
    }
  }

  void read_node() {
    const std::uint64_t offset = json_.offset();
    ++sink_.events;
    node_.clear();
    if (json_.peek() != '{') {
      json_.skip();
    } else {
      json_.object([this](const std::string& key) { read_node_member(plain_name(key)); });
    }
    add_chakra_node(node_, offset, file_, sink_, graph_);
    ++nodes_;
  }

  void read_node_member(const std::string& key) {
    if (key == "ctrldeps") return read_list(node_.control);
    if (key == "datadeps") return read_list(node_.data);
    if (key == "name" && json_.peek() == '"') {
      node_.name = json_.text();
    } else if (key == "pgname" && json_.peek() == '"') {
      node_.group = json_.text();
    } else if ((key == "runtime" || key == "durationmicros") && is_number()) {
      node_.nanoseconds = microseconds_as_ns(json_.number()).value_or(-1);
    } else if (json_.peek() == 't' || json_.peek() == 'f') {
      if (key == "iscpuop") node_.on_host = json_.peek() == 't';
      json_.skip();
    } else if (is_number()) {
      if (const auto value = number()) take_number(key, *value);
    } else {
      json_.skip();
    }
  }

  void take_number(const std::string& key, std::int64_t value) {
    if (key == "id") {
      node_.id = value;
    } else if (key == "nodetype" || key == "type") {
      node_.type = value;
    } else {
      take_chakra_number(key, value, node_);
    }
  }

  void read_list(std::vector<std::int64_t>& list) {
    if (json_.peek() != '[') return json_.skip();
    json_.array([&] {
      if (!is_number()) return json_.skip();
      if (const auto value = number()) list.push_back(*value);
    });
  }

  [[nodiscard]] bool is_number() {
    const char first = json_.peek();
    return first == '-' || (first >= '0' && first <= '9');
  }
  [[nodiscard]] std::optional<std::int64_t> number() { return as_integer(json_.number()); }

  JsonReader json_;
  ChakraFile file_;
  PartSink& sink_;
  ExecutionGraphBuilder& graph_;
  ChakraNode node_;
  std::uint64_t nodes_ = 0;
};

/// Reads a Chakra trace in JSON, {"workload_graph": [{"Id": 1, ...}], "ngpus": 8}. Its keys are those of Chakra's
/// JSONNode and of et_def.proto, in any case. Throws InputError at a syntax error; if the file is truncated, the nodes
/// before the cut are used.
void read_chakra_json(ByteSource& source, const std::string& file, PartSink& sink, ExecutionGraphBuilder& graph) {
  ChakraJsonReader(source, file, sink, graph).read();
}

using protozero::pbf_reader;
using protozero::pbf_wire_type;

// Field numbers of the message Node.
constexpr protozero::pbf_tag_type kId = 1;
constexpr protozero::pbf_tag_type kName = 2;
constexpr protozero::pbf_tag_type kType = 3;
constexpr protozero::pbf_tag_type kControl = 4;
constexpr protozero::pbf_tag_type kData = 5;
constexpr protozero::pbf_tag_type kDuration = 7;
constexpr protozero::pbf_tag_type kInputs = 8;
constexpr protozero::pbf_tag_type kAttribute = 10;

/// Thrown if a field that stepsim uses has another type than in et_def.proto.
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

/// Appends repeated numbers, which may be packed or separate: Protobuf requires readers to accept both.
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

/// The value of an attribute: a number of any type, or a text. Lists are not used.
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

/// Returns the text of the values in an IOInfo message. Only those of metadata nodes are used.
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

/// Reads one Node message of et_def.proto into `node` and reuses its memory. Fields are identified by number; unknown
/// fields are skipped. Returns false if the message is damaged, or if a field that stepsim uses has another type.
bool read_chakra_node(std::string_view message, ChakraNode& node) {
  node.clear();
  try {
    pbf_reader fields{message.data(), message.size()};
    while (fields.next()) read_field(fields, node);
    if (!node.id) node.id = 0;  // proto3 does not write a field whose value is 0
    return true;
  } catch (const protozero::exception&) {
    return false;
  } catch (const WrongType&) {
    return false;
  }
}

/// Returns the certainty, 0 to 100, that `head` is the beginning of a Chakra trace in Protobuf: a GlobalMetadata and a
/// Node, each preceded by its length.
int looks_like_chakra(std::string_view head) noexcept {
  constexpr int kSure = 95;
  constexpr int kLikely = 70;
  constexpr std::size_t kShortLength = 2;  // at most 2 bytes encode the length of the first message
  constexpr unsigned char kText1 = 0x0A;   // Protobuf's tag of a field 1 that is a text or a message
  constexpr unsigned char kText2 = 0x12;   // Protobuf's tag of a field 2 that is a text or a message
  constexpr unsigned char kNodeId = 0x08;  // Protobuf's tag of a field 1 that is a number
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

bool is_json(std::string_view head) {
  const std::size_t first = first_character(head);
  return first != std::string_view::npos && head[first] == '{';
}

int recognise_chakra(std::string_view file_name, std::string_view head) {
  constexpr int kSure = 96;
  constexpr int kByName = 65;
  if (is_json(head)) return head.find("\"workload_graph\"") != std::string_view::npos ? kSure : 0;
  const int sure = looks_like_chakra(head);
  return sure == 0 && file_name.ends_with(".et") && !head.empty() ? kByName : sure;
}

/// Returns the version in a GlobalMetadata: its first field, else the attribute "schema" that converters of PyTorch's
/// traces write. Empty if there is none.
std::string version_in(std::string_view metadata) {
  constexpr protozero::pbf_tag_type kVersion = 1;
  constexpr protozero::pbf_tag_type kAttributes = 2;
  constexpr protozero::pbf_tag_type kText = 29;
  std::string version;
  try {
    for (pbf_reader fields{metadata.data(), metadata.size()}; fields.next();) {
      if (fields.tag() == kVersion) {
        version = text_of(fields);
      } else if (fields.tag() == kAttributes) {
        pbf_reader attribute = message_of(fields);
        std::string_view name;
        while (attribute.next()) {
          if (attribute.tag() == 1) {
            name = text_of(attribute);
          } else if (attribute.tag() == kText && name == "schema" && version.empty()) {
            version = text_of(attribute);
          } else {
            attribute.skip();
          }
        }
      } else {
        fields.skip();
      }
    }
  } catch (const protozero::exception&) {
    return {};
  } catch (const WrongType&) {
    return {};
  }
  return version;
}

void read_protobuf(Input& input, PartSink& sink, ExecutionGraphBuilder& graph) {
  DelimitedMessages messages{input.stream()};
  ChakraNode node;
  ChakraFile file{input.name(), {}};
  bool is_first = true;
  while (const auto message = messages.next()) {
    // The first field of a GlobalMetadata is a text or a message; that of a Node is its id.
    const bool is_metadata = is_first && (message->empty() || message->front() != '\x08');
    is_first = false;
    if (is_metadata) {
      file.version = version_in(*message);
      continue;
    }
    ++sink.events;
    if (read_chakra_node(*message, node)) {
      add_chakra_node(node, messages.offset(), file, sink, graph);
    } else {
      sink.skip(diagnostic("bad_node"), {input.name(), messages.offset(), {}});
    }
  }
  const std::string& problem = messages.problem();
  if (problem.empty() && !input.stream().truncated()) return;
  if (graph.empty()) throw InputError({input.name(), messages.offset(), {}}, problem);
  sink.diagnostics.count(diagnostic("truncated_file"), {input.name(), messages.offset(), {}}, problem);
}

void read_chakra(Input& input, PartSink& sink) {
  ExecutionGraphBuilder graph{sink, input.name()};
  graph.graph().rank = rank_of_execution_trace(input.name());
  if (is_json(input.head())) {
    read_chakra_json(input.stream(), input.name(), sink, graph);
  } else {
    read_protobuf(input, sink, graph);
  }
  sink.add(std::move(graph).finish());
}

}  // namespace

extern const Format chakra_format{
    .name = "chakra",
    .summary = "Chakra execution trace (Protobuf or JSON): compute, communication and dependencies of one rank",
    .recognise = recognise_chakra,
    .read = read_chakra,
};

}  // namespace stepsim::ingest
