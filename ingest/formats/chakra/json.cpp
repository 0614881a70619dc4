#include "ingest/formats/chakra/json.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/formats/chakra/node.h"
#include "ingest/json/json_reader.h"
#include "ingest/json/json_values.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"

namespace stepsim::ingest {
namespace {

/// "ctrlDeps" and "ctrl_deps", "Id" and "id" are one key.
std::string plain(std::string_view key) {
  std::string letters;
  for (const char c : key) {
    if (c != '_') letters.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return letters;
}

class ChakraJsonReader {
 public:
  ChakraJsonReader(ByteSource& source, const std::string& file, PartSink& sink, ExecutionGraphBuilder& graph)
      : json_(source), file_(file), sink_(sink), graph_(graph) {}

  void read() {
    try {
      json_.object([this](const std::string& key) { read_member(key); });
      json_.expect_end();
    } catch (const InputError& error) {
      if (!json_.ended() || nodes_ == 0) throw;
      sink_.diagnostics.count(diagnostic("truncated_file"), {file_, json_.offset(), {}});
    }
  }

 private:
  void read_member(const std::string& key) {
    if (key == "workload_graph" && json_.peek() == '[') {
      json_.array([this] { read_node(); });
    } else if (key == "ngpus" && is_number()) {
      const std::int64_t world = number().value_or(0);
      if (world > 0 && world <= kMostRanks) graph_.graph().world = static_cast<std::size_t>(world);
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
      json_.object([this](const std::string& key) { read_node_member(plain(key)); });
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

  static constexpr std::int64_t kMostRanks = 100'000;

  JsonReader json_;
  const std::string& file_;
  PartSink& sink_;
  ExecutionGraphBuilder& graph_;
  ChakraNode node_;
  std::uint64_t nodes_ = 0;
};

}  // namespace

void read_chakra_json(ByteSource& source, const std::string& file, PartSink& sink, ExecutionGraphBuilder& graph) {
  ChakraJsonReader(source, file, sink, graph).read();
}

}  // namespace stepsim::ingest
