#include "ingest/load/recognise.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// The beginnings of files that sim/export writes, without blanks because JSON formatters add some.
constexpr std::string_view kAnswer = R"({"schema":"stepsim.)";
constexpr std::string_view kTimeline = R"({"displayTimeUnit":"ns","otherData":{"program":"stepsim")";
constexpr std::array<std::string_view, 4> kOwnBeginnings{kAnswer, R"(Creator"stepsim"graph[)", kTimeline,
                                                         R"({"name":"stepsimreplay","hosts":)"};

/// True for a database that stepsim wrote: its application_id (sqlite.org/fileformat2.html) is the one that
/// sim/export/container/sqlite.cpp sets.
bool is_own_database(std::string_view head) {
  constexpr std::size_t kApplicationId = 68;
  constexpr std::string_view kOurs = "step";
  return head.starts_with("SQLite format 3") && head.size() >= kApplicationId + kOurs.size() &&
         head.substr(kApplicationId, kOurs.size()) == kOurs;
}

/// True for an Office document: a zip archive whose first member is its list of types.
bool is_workbook(std::string_view head) {
  constexpr std::size_t kName = 30;
  return head.starts_with("PK\x03\x04") && head.size() > kName && head.substr(kName).starts_with("[Content_Types].xml");
}

/// True for a Perfetto trace that stepsim wrote: its first packet describes the track "stepsim: provenance".
bool is_own_perfetto_trace(std::string_view head) {
  constexpr std::size_t kFirstPacket = 64;
  return head.starts_with('\n') && head.substr(0, kFirstPacket).find("stepsim: provenance") != std::string_view::npos;
}

bool is_own_picture(std::string_view head) {
  constexpr std::size_t kStart = 512;
  return head.starts_with("<svg ") && head.substr(0, kStart).find("<metadata>stepsim ") != std::string_view::npos;
}

/// True for a CSV table that stepsim wrote: its last column is "made by", and the text "stepsim " occurs in it.
bool is_own_rows(std::string_view head) {
  return head.substr(0, head.find('\n')).ends_with(",made by\r") && head.find("stepsim ") != std::string_view::npos;
}

/// Returns the first `length` non-blank characters of a text.
std::string without_blanks(std::string_view text, std::size_t length) {
  std::string dense;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') dense += c;
    if (dense.size() == length) break;
  }
  return dense;
}

}  // namespace

bool is_own_export(std::string_view head) {
  constexpr std::size_t kLongest = 64;
  const std::string begin = without_blanks(head, kLongest);
  return std::any_of(kOwnBeginnings.begin(), kOwnBeginnings.end(),
                     [&begin](std::string_view own) { return begin.starts_with(own); }) ||
         is_own_database(head) || is_workbook(head) || is_own_perfetto_trace(head) || is_own_picture(head) ||
         is_own_rows(head);
}

bool is_own_timeline(std::string_view head) { return without_blanks(head, kTimeline.size()) == kTimeline; }

bool is_own_answer(std::string_view head) { return without_blanks(head, kAnswer.size()) == kAnswer; }

std::string_view format_of_file(const std::string& path) {
  const Format* const found = recognise(Input::open(path));
  return found == nullptr ? std::string_view() : found->name;
}

const KnownOther* recognise_other(const Input& input) {
  return find_known_other(file_name_of(input.name()), input.head());
}

const Format* recognise(const Input& input) {
  constexpr int kSure = 60;
  const std::string_view name = file_name_of(input.name());
  const Format* best = nullptr;
  int best_score = 0;
  for (const Format* format : formats()) {
    const int score = format->recognise(name, input.head());
    if (score <= best_score) continue;
    best = format;
    best_score = score;
  }
  return best_score < kSure && recognise_other(input) != nullptr ? nullptr : best;
}

std::string_view known_formats() noexcept {
  return "a PyTorch profiler .json or .json.gz, an Nsight Systems .sqlite, a stepsim capture, or another format that "
         "'stepsim help formats' lists";
}

}  // namespace stepsim::ingest
