#include "ingest/config/cluster_measured.h"

#include <fmt/format.h>

#include <string>

#include "model/job/timed_collective.h"

namespace stepsim::ingest {
namespace {

constexpr std::uint32_t kMostRanks = 100'000;
constexpr std::size_t kMostSizes = 1'000;
constexpr std::size_t kMostTables = 1'000;

struct Entry {
  MeasuredCollective table;
  std::vector<Bytes> bytes;
  std::vector<Duration> times;
};

const std::vector<YamlKey<Entry>>& keys() {
  static const std::vector<YamlKey<Entry>> keys{
      {"op",
       [](Entry& to, const YamlField& field) {
         std::vector<std::string> names;
         for (const CollectiveOp op : kNamedOps) names.emplace_back(name_of(op));
         to.table.op = kNamedOps[field.one_of_words(names)];
       }},
      {"ranks", [](Entry& to, const YamlField& field) { to.table.ranks = field.count(2, kMostRanks); }},
      {"hosts", [](Entry& to, const YamlField& field) { to.table.hosts = field.count(1, kMostRanks); }},
      {"link", [](Entry& to, const YamlField& field) { to.table.link = field.bandwidth(); }},
      {"bandwidth", [](Entry& to, const YamlField& field) { to.table.bandwidth = field.bandwidth(); }},
      {"bytes",
       [](Entry& to, const YamlField& field) {
         for (const YamlField& one : field.list("a list of sizes such as [1MiB, 8MiB]"))
           to.bytes.push_back(one.bytes(1));
       }},
      {"times",
       [](Entry& to, const YamlField& field) {
         for (const YamlField& one : field.list("a list of times such as [60us, 120us]")) {
           to.times.push_back(one.duration());
           if (to.times.back() <= Duration{}) one.reject("a time above 0");
         }
       }},
  };
  return keys;
}

MeasuredCollective read_table(const YamlField& field) {
  if (!field.is(YamlValue::Kind::kMap))
    field.reject("a map such as {op: all_reduce, ranks: 4, link: 240GB/s, bytes: [1MiB], times: [60us]}");
  Entry entry;
  read_map(field, keys(), entry);
  MeasuredCollective& table = entry.table;
  if (table.link <= Bandwidth{}) field.fail(fmt::format("'{}' has no link; expected what it carries", field.name));
  if (table.bandwidth <= Bandwidth{}) table.bandwidth = table.link;
  if (table.hosts > table.ranks) field.fail(fmt::format("'{}' has more hosts than ranks", field.name));
  if (entry.bytes.empty() || entry.bytes.size() != entry.times.size() || entry.bytes.size() > kMostSizes) {
    field.fail(fmt::format("'{}' has {} sizes and {} times; expected as many of both, from 1 to {}", field.name,
                           entry.bytes.size(), entry.times.size(), kMostSizes));
  }
  for (std::size_t i = 0; i < entry.bytes.size(); ++i) {
    if (i > 0 && entry.bytes[i] <= entry.bytes[i - 1])
      field.fail(fmt::format("the sizes of '{}' do not rise; expected them in order", field.name));
    table.times.emplace_back(entry.bytes[i], entry.times[i]);
  }
  return table;
}

}  // namespace

std::vector<MeasuredCollective> read_measured(const YamlField& field) {
  std::vector<MeasuredCollective> tables;
  for (const YamlField& item : field.list("a list of measured collectives")) tables.push_back(read_table(item));
  if (tables.size() > kMostTables)
    field.fail(fmt::format("{} tables; expected at most {}", tables.size(), kMostTables));
  return tables;
}

}  // namespace stepsim::ingest
