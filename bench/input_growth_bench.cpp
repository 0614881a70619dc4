#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/live_bytes.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/config/config.h"
#include "ingest/load/load.h"
#include "ingest/privacy/private_text.h"
#include "ingest/privacy/scrubber.h"
#include "model/cost/network/network.h"
#include "model/job/dag_builder.h"
#include "sim/engine/engine.h"

/// Measures how time grows with the size of the input; bench/growth_bench.cpp measures how it grows with the size of
/// the job. Inputs are made before the measurement. Each result is counted or compared with a formula; a wrong one ends
/// the benchmark with an error.
namespace stepsim {
namespace {

using std::chrono_literals::operator""ms;

/// A temporary folder, removed at the end.
class Folder {
 public:
  explicit Folder(const char* name) : path_(std::filesystem::temp_directory_path() / name) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::string path = (path_ / name).string();
    std::ofstream(path) << text;
    return path;
  }

 private:
  std::filesystem::path path_;
};

/// Reads Kineto files that do not state their rank. Each file gets the next free rank.
void files_without_a_rank(benchmark::State& state, int threads) {
  const auto files = static_cast<std::size_t>(state.range(0));
  const Folder folder("stepsim-files-without-a-rank");
  for (std::size_t i = 0; i < files; ++i) {
    static_cast<void>(folder.write(
        fmt::format("trace-{:06}.json", i),
        R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2,)"
        R"( "args": {"device": 0, "stream": 7, "correlation": 1}}]})"));
  }
  for ([[maybe_unused]] auto _ : state) {
    if (ingest::load({folder.path()}, {.threads = threads}).recording.ranks.size() != files) {
      state.SkipWithError("there are not as many ranks as files");
      break;
    }
  }
}
BENCHMARK_CAPTURE(files_without_a_rank, one_thread, 1)
    ->RangeMultiplier(2)
    ->Range(5000, 20'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(files_without_a_rank, two_threads, 2)
    ->RangeMultiplier(2)
    ->Range(5000, 20'000)
    ->Unit(benchmark::kMillisecond);

/// Reads a folder with one file per rank. Every second rank is selected, as with --ranks.
void selected_ranks(benchmark::State& state) {
  const auto files = static_cast<Rank>(state.range(0));
  const Folder folder("stepsim-selected-ranks");
  ingest::LoadOptions options{.threads = 2};
  for (Rank rank = 0; rank < files; ++rank) {
    static_cast<void>(folder.write(
        fmt::format("rank{}.json", rank),
        fmt::format(
            R"({{"distributedInfo": {{"rank": {}}}, "traceEvents": [{{"ph": "X", "cat": "kernel", "name": "k", "pid": 0,)"
            R"( "tid": 7, "ts": 1, "dur": 2, "args": {{"device": 0, "stream": 7, "correlation": 1}}}}]}})",
            rank)));
    if (rank % 2 == 0) options.ranks.push_back(rank);
  }
  for ([[maybe_unused]] auto _ : state) {
    if (ingest::load({folder.path()}, options).recording.ranks.size() != options.ranks.size()) {
      state.SkipWithError("there are not as many ranks as were selected");
      break;
    }
  }
}
BENCHMARK(selected_ranks)->RangeMultiplier(10)->Range(200, 2000)->Unit(benchmark::kMillisecond);

/// What a rank contains beside its main thread: no other threads, one thread with a single operator for every five of
/// the main thread's operators, or as many threads that each wait in one collective from the first operator to the
/// last.
enum class Beside : std::uint8_t { kNothing, kThreads, kCollectives };

/// Loads and replays operators of 10 us on one thread. One starts every millisecond, so the thread is idle after each.
void silences(benchmark::State& state, Beside beside) {
  const auto operators = static_cast<std::size_t>(state.range(0));
  const auto threads = beside == Beside::kNothing ? 0 : operators / 5;
  const Folder folder("stepsim-silences");
  std::string text = R"({"traceEvents": [)";
  for (std::size_t i = 0; i < operators; ++i) {
    text +=
        fmt::format(R"({}{{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": {}, "dur": 10}})",
                    i == 0 ? "" : ",", 1000 * (i + 1));
  }
  for (std::size_t i = 0; i < threads; ++i) {
    const bool waits = beside == Beside::kCollectives;
    text += fmt::format(R"(,{{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": {}, "ts": {}, "dur": {}}})",
                        waits ? "user_annotation" : "cpu_op", waits ? "gloo:all_reduce" : "aten::mul", i + 2,
                        waits ? 1000 : 1000 * operators - 20, waits ? 1000 * (operators - 1) + 10 : 10);
  }
  const std::string file = folder.write("trace.json", text + "]}");
  const Duration expected = std::chrono::milliseconds{operators - 1} + std::chrono::microseconds{10};
  for ([[maybe_unused]] auto _ : state) {
    const Capture capture = ingest::load({file}, {});
    const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine::as_recorded(capture));
    const Duration found = *std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{};
    // Collectives begin in a silence, after which they are replayed: one silence more.
    if (found < expected || found > expected + (beside == Beside::kCollectives ? 2ms : 0ms)) {
      state.SkipWithError("the replay does not take as long as the operators and the time between them");
      break;
    }
  }
}
BENCHMARK_CAPTURE(silences, alone, Beside::kNothing)
    ->RangeMultiplier(10)
    ->Range(1000, 100'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(silences, beside_threads, Beside::kThreads)
    ->RangeMultiplier(10)
    ->Range(1000, 100'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(silences, beside_collectives, Beside::kCollectives)
    ->RangeMultiplier(10)
    ->Range(1000, 100'000)
    ->Unit(benchmark::kMillisecond);

/// Searches a string for private data (secrets, e-mail addresses, ...). The string repeats `piece`, which contains
/// `found` such items.
void private_string(benchmark::State& state, const char* piece, std::size_t found) {
  const auto times = static_cast<std::size_t>(state.range(0));
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  for ([[maybe_unused]] auto _ : state) {
    if (ingest::find_private(text).size() != found * times) {
      state.SkipWithError("not as much is private as was written");
      break;
    }
  }
}
BENCHMARK_CAPTURE(private_string, begins_of_tokens, "hf_-", 0)->RangeMultiplier(10)->Range(10'000, 1'000'000);
BENCHMARK_CAPTURE(private_string, addresses, "a@example.com ", 1)->RangeMultiplier(10)->Range(1000, 100'000);

std::string scrubbed(const std::string& trace) {
  ingest::Scrubber scrubber;
  scrubber.learn(*ingest::memory_source(trace, "trace"), ingest::TextForm::kTrace);
  std::string out;
  scrubber.scrub(*ingest::memory_source(trace, "trace"), ingest::TextForm::kTrace,
                 [&out](std::string_view piece) { out += piece; });
  return out;
}

/// Searches strings that repeat the beginning of a token, a value, a URL or a path, each of which could continue to the
/// end of the string. A search that follows each of them so far takes quadratic time: 10 s for 300,000 bytes.
void beginnings(benchmark::State& state) {
  std::vector<std::string> texts;
  for (const std::string_view piece :
       {"sk-",  "eyJ-",    "hf_-",        "token::",   "token:1", "--token ", "token=\"  \"",   "a@",
        "a://", "a:// @:", "-----BEGIN ", "mysql -p ", "C:\\",    "/a/",      "1.1.1.",         "token=\"",
        "a(b",  ".local-", "ip-1-",       "a:b:",      "\\\\a",   "%3D",      "password =     "}) {
    std::string& text = texts.emplace_back();
    while (text.size() < static_cast<std::size_t>(state.range(0))) text += piece;
  }
  for ([[maybe_unused]] auto _ : state) {
    for (const std::string& text : texts) {
      const std::vector<ingest::PrivatePiece> found = ingest::find_private(text);
      if (std::adjacent_find(found.begin(), found.end(),
                             [](const auto& a, const auto& b) { return a.end > b.begin; }) != found.end()) {
        state.SkipWithError("pieces overlap");
        break;
      }
    }
  }
}
BENCHMARK(beginnings)->RangeMultiplier(10)->Range(3000, 300'000)->Unit(benchmark::kMillisecond);

/// Looks for private data in a trace whose 1,000 collectives each name all ranks of the job. The names of the ranks
/// must be searched once, not in each collective.
void named_ranks(benchmark::State& state) {
  std::string list;
  for (std::int64_t rank = 0; rank < state.range(0); ++rank) list += fmt::format("{}{}", rank == 0 ? "[" : ", ", rank);
  std::string text = R"({"traceEvents": [{"name": "first"})";
  for (int i = 0; i < 1000; ++i)
    text += fmt::format(R"(, {{"name": "all-reduce", "args": {{"Process Group Ranks": "{}]"}}}})", list);
  text += "]}";
  for ([[maybe_unused]] auto _ : state) {
    ingest::Scrubber scrubber;
    scrubber.scrub(*ingest::memory_source(text, "trace"), ingest::TextForm::kTrace, [](std::string_view) {});
    if (scrubber.searched() > 2 * list.size() + 1000) {
      state.SkipWithError("the names of ranks are searched several times");
      break;
    }
  }
}
BENCHMARK(named_ranks)->RangeMultiplier(2)->Range(64, 4096)->Unit(benchmark::kMillisecond);

/// Scrubs one long name that repeats the name of a user, who is learned from the same trace.
void scrubbed_name(benchmark::State& state) {
  std::string name;
  while (name.size() < static_cast<std::size_t>(state.range(0))) name += "bob ";
  const std::string text = R"({"username":"bob","traceEvents":[{"name":")" + name + R"("}]})";
  for ([[maybe_unused]] auto _ : state) {
    if (const std::string out = scrubbed(text); out.empty() || out.find("bob") != std::string::npos) {
      state.SkipWithError("a name is left");
      break;
    }
  }
}
BENCHMARK(scrubbed_name)->RangeMultiplier(10)->Range(4000, 400'000)->Unit(benchmark::kMillisecond);

/// Scrubs a trace whose events are named after files in the home folders of many users. The scrubber first learns the
/// users' names and then replaces them.
void scrubbed_names(benchmark::State& state) {
  const auto users = static_cast<std::size_t>(state.range(0));
  std::string text = R"({"traceEvents": [)";
  for (std::size_t i = 0; i < users; ++i)
    text += fmt::format(R"({}{{"ph": "X", "name": "/home/user{}/train.py(1): step"}})", i == 0 ? "" : ",", i);
  text += "]}";
  for ([[maybe_unused]] auto _ : state) {
    if (const std::string out = scrubbed(text); out.empty() || out.find("/home/user") != std::string::npos) {
      state.SkipWithError("a name is left");
      break;
    }
  }
}
BENCHMARK(scrubbed_names)->RangeMultiplier(10)->Range(1000, 100'000)->Unit(benchmark::kMillisecond);

/// Returns a task graph with simultaneous transfers over a route of links with 1 GB/s and 10 ns.
std::string task_graph(std::size_t transfers, std::size_t links) {
  std::string text = R"({"hosts": 2, "links": [{"bandwidth_Bps": 1e9, "latency_s": 1e-8}], "routes": {"0-1": [0)";
  for (std::size_t i = 1; i < links; ++i) text += ",0";
  text += R"(]}, "tasks": [)";
  for (std::size_t i = 0; i < transfers; ++i) {
    text += fmt::format(R"({}{{"id": {}, "kind": "transfer", "src": 0, "dst": 1, "bytes": 1000, "after": []}})",
                        i == 0 ? "" : ",", i);
  }
  return text + "]}";
}

/// Reads a task graph in which the route and the transfers take at most a megabyte of text each. Replays it as
/// recorded.
void long_route(benchmark::State& state) {
  const auto links = static_cast<std::size_t>(state.range(0));
  const Folder folder("stepsim-long-route");
  const std::string file = folder.write("graph.tasks.json", task_graph(links / 40, links));
  for ([[maybe_unused]] auto _ : state) {
    const Capture capture = ingest::load({file}, {});
    const sim::Machine machine{capture.dag};
    const sim::Timeline timeline = sim::replay(capture.dag, machine);
    // Each transfer takes as long as it does alone: the latencies of the route and the time of 1,000 bytes.
    const Duration expected{static_cast<std::int64_t>(10 * links + 1000)};
    if (std::any_of(timeline.finish.begin(), timeline.finish.end(),
                    [=](Time finish) { return finish - Time{} != expected; })) {
      state.SkipWithError("a transfer does not take its route's latency and its bytes");
      break;
    }
  }
}
BENCHMARK(long_route)->RangeMultiplier(2)->Range(125'000, 500'000)->Unit(benchmark::kMillisecond);

/// Returns a task graph of ring all-reduces, one after the other, as in docs/internals/test-data.md. Each message has
/// 1,000 bytes and crosses a link with 1 GB/s and 10 ns.
std::string ring_graph(std::size_t ranks, std::size_t rounds) {
  std::string text =
      fmt::format(R"({{"hosts": {}, "links": [{{"bandwidth_Bps": 1e9, "latency_s": 1e-8}}], "routes": {{)", ranks);
  for (std::size_t i = 0; i < ranks; ++i)
    text += fmt::format(R"({}"{}-{}": [0])", i == 0 ? "" : ", ", i, (i + 1) % ranks);
  text += R"(}, "tasks": [)";
  for (std::size_t id = 0; id < ranks * rounds; ++id) {
    const std::size_t rank = id % ranks;
    const std::size_t round_before = id - rank - ranks;
    text += fmt::format(R"({}{{"id": {}, "kind": "transfer", "src": {}, "dst": {}, "bytes": 1000, "after": [)",
                        id == 0 ? "" : ",\n", id, rank, (rank + 1) % ranks);
    if (id >= ranks) text += fmt::format("{}, {}", round_before + rank, round_before + (rank + ranks - 1) % ranks);
    text += "]}";
  }
  return text + "]}";
}

/// Reads all-reduces over 64 ranks and replays them as recorded. Each round waits for the previous one.
void ring_of_messages(benchmark::State& state) {
  constexpr std::size_t kRanks = 64;
  const auto rounds = static_cast<std::size_t>(state.range(0)) * 2 * (kRanks - 1);
  const Folder folder("stepsim-ring-of-messages");
  const std::string file = folder.write("ring.tasks.json", ring_graph(kRanks, rounds));
  for ([[maybe_unused]] auto _ : state) {
    const Capture capture = ingest::load({file}, {});
    if (capture.dag.task_count() != kRanks * rounds || capture.dag.name_count() != kRanks * rounds ||
        capture.dag.edge_count() != 2 * kRanks * (rounds - 1)) {
      state.SkipWithError("there are not as many tasks, names and dependencies as were written");
      break;
    }
    const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine{capture.dag});
    const Duration expected{static_cast<std::int64_t>(1010 * rounds)};
    if (*std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{} != expected) {
      state.SkipWithError("the last round does not end after all rounds in a row");
      break;
    }
  }
}
BENCHMARK(ring_of_messages)->Arg(120)->Unit(benchmark::kMillisecond);

/// Replays transfers over the longest allowed route. With fifo they queue at the first link; with maxmin they share it.
/// The last transfer ends when all bytes have passed the first link and the transfer has crossed the others.
void longest_route(benchmark::State& state, const char* network) {
  const auto transfers = static_cast<std::size_t>(state.range(0));
  Cluster cluster;
  cluster.hosts = {{"a"}, {"b"}};
  cluster.endpoints = {{HostId{0}, {}}, {HostId{1}, {}}};
  Route& route = cluster.routes[{EndpointId{0}, EndpointId{1}}];
  for (std::size_t i = 0; i < sim::kLongestRoute; ++i) {
    cluster.links.push_back({.bandwidth = Bandwidth::from_bytes_per_second(1e9), .latency = Duration{10}});
    route.emplace_back(i);
  }
  DagBuilder builder;
  const LaneId lane = builder.add_lane({.name = "link", .from = EndpointId{0}, .to = EndpointId{1}});
  for (std::size_t i = 0; i < transfers; ++i) {
    builder.add_task(
        {.kind = TaskKind::kTransfer, .name = builder.intern("transfer"), .lane = lane, .bytes = Bytes{1000}});
  }
  const Dag dag = std::move(builder).build().dag;
  sim::Machine machine{dag};
  machine.set_network(*find_network_model(network), cluster);
  for ([[maybe_unused]] auto _ : state) {
    const sim::Timeline timeline = sim::replay(dag, machine);
    const Duration expected{static_cast<std::int64_t>(1000 * transfers + 10 * sim::kLongestRoute)};
    if (*std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{} != expected) {
      state.SkipWithError("the last transfer does not wait for all others and then take its latency");
      break;
    }
  }
}
BENCHMARK_CAPTURE(longest_route, fifo, "fifo")->RangeMultiplier(10)->Range(100, 10'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(longest_route, maxmin, "maxmin")
    ->RangeMultiplier(10)
    ->Range(100, 10'000)
    ->Unit(benchmark::kMillisecond);

/// The text of a cluster.yaml, and the numbers of links and endpoints that it describes.
struct ClusterText {
  std::string text;
  std::size_t links = 0;
  std::size_t endpoints = 0;
};

ClusterText one_route(std::size_t bytes) {
  std::string text = "hosts: 2\nlinks:\n  - {name: there, bandwidth: 1GB/s}\nroutes:\n  - {from: 0, to: 1, links: [0";
  for (std::size_t i = 0; i < bytes / 3; ++i) text += ", 0";
  return {text + "]}\n", 1, 2};
}

ClusterText many_links(std::size_t bytes) {
  std::string text = "hosts: 2\nlinks:\n";
  const std::size_t links = bytes / 38;
  for (std::size_t i = 0; i < links; ++i) text += fmt::format("  - {{name: l{}, bandwidth: 40Gb/s}}\n", i);
  return {text, links, 2};
}

ClusterText many_endpoints(std::size_t bytes) {
  std::string text =
      "hosts: 100\ndevices: 64\nnics: 64\nnic: {bandwidth: 1GB/s}\nnvlink: {bandwidth: 300GB/s}\nendpoints: [0/0";
  const std::size_t endpoints = bytes / 128 * 64 / 3 / 64 * 64;
  for (std::size_t i = 1; i < endpoints; ++i) text += fmt::format(", {}/{}", i / 64 % 100, i % 64);
  return {text + "]\n", std::size_t{2} * 100 * 64 * 2, endpoints};
}

void cluster_yaml(benchmark::State& state, ClusterText (*make)(std::size_t bytes)) {
  const ClusterText made = make(static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) {
    const Cluster cluster = ingest::parse_cluster(made.text, "cluster.yaml");
    if (cluster.links.size() != made.links || cluster.endpoints.size() != made.endpoints) {
      state.SkipWithError("the cluster does not have the links and endpoints of its file");
      break;
    }
  }
}
BENCHMARK_CAPTURE(cluster_yaml, one_route, one_route)
    ->RangeMultiplier(2)
    ->Range(750'000, 3'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cluster_yaml, many_links, many_links)
    ->RangeMultiplier(2)
    ->Range(750'000, 3'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cluster_yaml, many_endpoints, many_endpoints)
    ->RangeMultiplier(2)
    ->Range(750'000, 3'000'000)
    ->Unit(benchmark::kMillisecond);

std::string varint(std::size_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7U) bytes += static_cast<char>(0x80U | (number & 0x7FU));
  return bytes + static_cast<char>(number);
}

/// Returns a Chakra trace with `nodes` nodes. Each node depends on the previous one and has no optional data.
std::string chakra_nodes(std::size_t nodes) {
  std::string text =
      "\x07\x0A\x05"
      "1.1.1";
  for (std::size_t id = 1; id <= nodes; ++id) {
    const std::string before = varint(id - 1);
    std::string node = "\x08";
    node.append(varint(id)).append("\x18\x04\x38\x0A");  // compute, 10 us
    if (id > 1) node.append("*").append(varint(before.size())).append(before);
    text += varint(node.size()) + node;
  }
  return text;
}

/// Returns a Kineto trace with `threads` threads of one operator each.
std::string kineto_threads(std::size_t threads) {
  std::string text = R"({"traceEvents": [)";
  for (std::size_t i = 0; i < threads; ++i) {
    text += fmt::format(R"({}{{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":{},"ts":{},"dur":1}})",
                        i == 0 ? "" : ",\n", i, 2 * i);
  }
  return text + "]}";
}

/// Measures the peak memory of reading a file as a multiple of the file's size. `make` returns the text of a file with
/// `count` tasks.
void memory_over_file(benchmark::State& state, const char* name, std::string (*make)(std::size_t count)) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const Folder folder("stepsim-memory-over-file");
  const std::string file = folder.write(name, make(count));
  for ([[maybe_unused]] auto _ : state) {
    const std::size_t before = bench::live_bytes();
    bench::mark();
    if (ingest::load({file}, {.threads = 1}).dag.task_count() != count) {
      state.SkipWithError("there are not as many tasks as were written");
      break;
    }
    state.counters["memory_over_file"] =
        static_cast<double>(bench::most_live_bytes() - before) / static_cast<double>(std::filesystem::file_size(file));
  }
}
BENCHMARK_CAPTURE(memory_over_file, chakra_nodes, "trace.0.et", chakra_nodes)
    ->RangeMultiplier(10)
    ->Range(10'000, 1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(memory_over_file, kineto_threads, "trace.json", kineto_threads)
    ->RangeMultiplier(10)
    ->Range(1000, 100'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepsim
