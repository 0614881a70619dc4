#include "cli/sweep/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/sweep/head_lines.h"
#include "ingest/bytes/small_file.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

using scenarios::Outcome;
using Done = std::vector<std::pair<std::size_t, Outcome>>;

constexpr std::size_t kLargestPart = std::size_t{1} << 30U;
constexpr std::ptrdiff_t kNamed = 6;

Fields fields_of(std::size_t point, const Outcome& outcome) {
  if (outcome.iteration) return {"point", std::to_string(point), std::to_string(outcome.iteration->count())};
  return {"refused", std::to_string(point), outcome.problem};
}

std::string text_of(const std::vector<Fields>& lines) {
  std::string text;
  for (const Fields& fields : lines) text += sealed(fields);
  return text;
}

std::pair<std::size_t, Outcome> read_point(const Fields& fields, std::size_t points, const std::string& path,
                                           std::size_t line) {
  const bool refused = fields.front() == "refused";
  if (fields.size() == 3 && (refused || fields.front() == "point")) {
    const std::size_t point = whole_number(fields[1], path, line);
    if (point < points && refused) return {point, {std::nullopt, fields[2]}};
    const auto nanoseconds = refused ? 0 : static_cast<std::int64_t>(whole_number(fields[2], path, line) & INT64_MAX);
    if (point < points) return {point, {Duration{nanoseconds}, {}}};
  }
  throw InputError({path, {}, static_cast<std::uint32_t>(line)},
                   fmt::format("'{}' is not a point of the sweep; expected a part of it", shown(fields.front(), 60)));
}

Done read_points(std::span<const Fields> lines, std::size_t from, std::size_t points, const std::string& path) {
  Done done;
  for (std::size_t i = from; i < lines.size(); ++i) done.push_back(read_point(lines[i], points, path, i + 1));
  return done;
}

void refuse_damaged(const SealedLines& read, const std::string& path) {
  if (!read.damaged) return;
  throw InputError({path, {}, static_cast<std::uint32_t>(read.lines.size() + 1)},
                   "the line is damaged and others follow; expected a part as a sweep left it");
}

bool same(const Outcome& a, const Outcome& b) { return a.iteration == b.iteration && a.problem == b.problem; }

/// The shards without a part, then the first missing point of every other shard.
std::string what_is_missing(const std::vector<SweepPart>& parts, const std::vector<std::optional<Outcome>>& found) {
  const std::size_t shards = parts.front().shard.count;
  std::vector<bool> present(shards);
  for (const SweepPart& part : parts) {
    if (part.shard.count == shards) present[part.shard.index] = true;
  }
  std::vector<std::string> names;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    if (!present[shard]) names.push_back(fmt::format("all of shard {}/{}", shard, shards));
  }
  for (std::size_t point = 0; point < found.size(); ++point) {
    if (found[point] || !present[point % shards]) continue;
    const std::string setting = to_text(parts.front().head.points.at(point));
    names.push_back(fmt::format("{} of shard {}/{}", shown(setting), point % shards, shards));
  }
  const auto named = std::min(std::ssize(names), kNamed);
  return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + named, "; "),
                     named == std::ssize(names) ? "" : " and more");
}

void add_part(const SweepPart& part, std::vector<std::optional<Outcome>>& found) {
  for (const auto& [point, outcome] : part.done) {
    if (found[point] && !same(*found[point], outcome)) {
      throw InputError({part.path, {}, {}}, fmt::format("has another iteration for {} than an earlier part; expected "
                                                        "parts of one sweep",
                                                        shown(to_text(part.head.points.at(point)))));
    }
    found[point] = outcome;
  }
}

void check_same_sweep(const SweepPart& first, const SweepPart& part) {
  const std::string other = difference(head_lines(part.head, {}), head_lines(first.head, {}));
  if (other.empty()) return;
  throw InputError({part.path, {}, {}},
                   fmt::format("is of another sweep than {} ({} is not in that); expected parts of "
                               "one sweep",
                               shown(first.path), other));
}

}  // namespace

SweepPart read_part(const std::string& path) {
  const std::string text = ingest::read_small_file(path, kLargestPart).text;
  const SealedLines read = read_sealed(text);
  HeadRead head = read_head(read.lines, path);
  refuse_damaged(read, path);
  Done done = read_points(read.lines, head.lines, head.head.points.size(), path);
  return {path, std::move(head.head), std::move(head.shard), std::move(done), read.cut};
}

SweepAnswer merged(const std::vector<SweepPart>& parts) {
  SweepAnswer answer{parts.front().head, {}};
  std::vector<std::optional<Outcome>> found(answer.head.points.size());
  for (const SweepPart& part : parts) {
    check_same_sweep(parts.front(), part);
    add_part(part, found);
  }
  const auto missing = std::count(found.begin(), found.end(), std::nullopt);
  if (missing > 0) {
    throw InputError({parts.front().path, {}, {}},
                     fmt::format("with the other parts, {} of {} points are missing: {}; expected the parts of all "
                                 "shards (a shard that was killed goes on with --resume)",
                                 missing, found.size(), what_is_missing(parts, found)));
  }
  for (std::optional<Outcome>& outcome : found) answer.outcomes.push_back(std::move(*outcome));
  return answer;
}

SweepJournal::SweepJournal(const std::string& path, const SweepHead& head, const Shard& shard, bool resume)
    : file_(path) {
  const std::vector<Fields> lines = head_lines(head, shard);
  const std::string wanted = text_of(lines);
  const std::string text = resume ? file_.read() : std::string();
  if (wanted.starts_with(text) && wanted != text) {  // a new file, or killed while it was begun
    file_.cut(0);
    file_.append(wanted);
  } else {
    go_on(text, lines, head.points.size());
  }
}

void SweepJournal::go_on(std::string_view text, const std::vector<Fields>& head, std::size_t points) {
  const SealedLines read = read_sealed(text);
  const HeadRead found = read_head(read.lines, path());
  const std::span<const Fields> its_head(read.lines.data(), found.lines);
  const std::string other = difference(its_head, head);
  const bool same_shard = its_head.back() == head.back();
  if (!other.empty() || its_head.size() != head.size() || !same_shard) {
    throw InputError({path(), {}, {}}, fmt::format("holds points of another sweep ({}); expected those of this one, or "
                                                   "another file for --resume",
                                                   other.empty() ? "another shard" : other + " is not in this one"));
  }
  refuse_damaged(read, path());
  done_ = read_points(read.lines, found.lines, points, path());
  dropped_ = read.cut;
  file_.cut(read.bytes);
}

void SweepJournal::add(std::size_t point, const Outcome& outcome) { file_.append(sealed(fields_of(point, outcome))); }

}  // namespace stepsim::cli
