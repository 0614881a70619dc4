#include "bench/kineto_file.h"

#include <isa-l/igzip_lib.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "ingest/bytes/input.h"

namespace stepsim::bench {

namespace {

constexpr std::int64_t kCopyMicroseconds = 2'000'000;
constexpr std::int64_t kCopyIds = 1'000'000;
constexpr std::int64_t kCopySteps = 5;

std::string inflated(const std::string& path) {
  constexpr std::size_t kLargest = std::size_t{1} << 40U;
  return ingest::read_small_file(path, kLargest).text;
}

/// Returns `text` without line breaks and with each run of blanks shortened to one. The strings in the file contain no
/// line breaks and no runs of blanks, so they are unchanged.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == '\n' || c == ' ';
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
  }
  return line;
}

/// Returns the digits after `key` in `record`; empty if `record` does not contain `key`.
std::string_view number_behind(std::string_view record, std::string_view key) {
  const std::size_t at = record.find(key);
  if (at == std::string_view::npos) return {};
  const std::size_t end = record.find_first_not_of("0123456789", at + key.size());
  return record.substr(at + key.size(), end - at - key.size());
}

std::int64_t as_number(std::string_view digits) {
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

void shift(std::string& record, std::string_view key, std::int64_t by) {
  const std::string_view digits = number_behind(record, key);
  if (digits.empty()) return;
  const auto at = static_cast<std::size_t>(digits.data() - record.data());
  record.replace(at, digits.size(), std::to_string(as_number(digits) + by));
}

bool is_kept(std::string_view record) {
  return record.find(R"("ph": "X")") != std::string_view::npos &&
         record.find(R"("cat": "Trace")") == std::string_view::npos;
}

}  // namespace

KinetoFile make_kineto_file(const std::string& source, const std::string& path, int copies) {
  const std::string text = inflated(source);
  constexpr std::string_view kOpening = "\"traceEvents\": [";
  constexpr std::string_view kRecord = "\n  {";
  const std::size_t list = text.find(kOpening) + kOpening.size();
  const std::size_t list_end = text.rfind("\n  ]");
  std::vector<std::string> records;
  for (std::size_t at = text.find(kRecord, list); at < list_end;) {
    const std::size_t next = std::min(text.find(kRecord, at + 1), list_end);
    std::string_view record = std::string_view{text}.substr(at, next - at);
    record = record.substr(0, record.rfind('}') + 1);
    records.push_back(on_one_line(record));
    at = next;
  }

  KinetoFile file{.path = path};
  std::ofstream out{path, std::ios::binary};
  out << std::string_view{text}.substr(0, list) << '\n';
  for (int copy = 0; copy < copies; ++copy) {
    for (const std::string& original : records) {
      std::string record = original;
      shift(record, "\"ts\": ", copy * kCopyMicroseconds);
      shift(record, "\"External id\": ", copy * kCopyIds);
      shift(record, "\"correlation\": ", copy * kCopyIds);
      shift(record, "\"id\": ", copy * kCopyIds);
      shift(record, "ProfilerStep#", copy * kCopySteps);
      if (is_kept(record)) {
        ++file.events;
        file.checksum += as_number(number_behind(record, "\"ts\": ")) + as_number(number_behind(record, "\"dur\": "));
      }
      out << (file.records == 0 ? "" : ",\n") << record;
      ++file.records;
    }
  }
  out << std::string_view{text}.substr(list_end);
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path);
  file.bytes = std::filesystem::file_size(path);
  return file;
}

std::uint64_t damage_file(const std::string& path, const std::string& to) {
  constexpr std::uint64_t kEvery = 5'000;
  constexpr std::string_view kName = R"("name": ")";
  std::ifstream in{path, std::ios::binary};
  std::ofstream out{to, std::ios::binary};
  std::uint64_t named = 0;
  for (std::string line; std::getline(in, line);) {
    const std::size_t name = line.starts_with("{ ") ? line.find(kName) : std::string::npos;
    if (name != std::string::npos && ++named % kEvery == 0) line.erase(name + kName.size() - 1, 1);
    out << line << '\n';
  }
  out.close();
  if (!out) throw std::runtime_error("cannot write " + to);
  return named / kEvery;
}

void gzip_file(const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::vector<std::uint8_t> in(kPiece);
  std::vector<std::uint8_t> out(kPiece);
  std::vector<std::uint8_t> level(ISAL_DEF_LVL1_DEFAULT);
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.level = 1;
  stream.level_buf = level.data();
  stream.level_buf_size = static_cast<std::uint32_t>(level.size());
  std::ifstream from{path, std::ios::binary};
  std::ofstream to{path + ".gz", std::ios::binary};
  while (stream.internal_state.state != ZSTATE_END) {
    if (stream.avail_in == 0 && stream.end_of_stream == 0) {
      from.read(reinterpret_cast<char*>(in.data()), static_cast<std::streamsize>(in.size()));
      stream.next_in = in.data();
      stream.avail_in = static_cast<std::uint32_t>(from.gcount());
      stream.end_of_stream = from.eof() ? 1 : 0;
    }
    stream.next_out = out.data();
    stream.avail_out = static_cast<std::uint32_t>(out.size());
    if (isal_deflate(&stream) != COMP_OK) throw std::runtime_error("cannot compress " + path);
    to.write(reinterpret_cast<const char*>(out.data()), static_cast<std::streamsize>(out.size() - stream.avail_out));
  }
}

}  // namespace stepsim::bench
