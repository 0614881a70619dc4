#include "cli/sweep/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ingest/bytes/input.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

using scenarios::Outcome;
using Done = std::vector<std::pair<std::size_t, Outcome>>;

constexpr std::size_t kLargestPart = std::size_t{1} << 30U;
constexpr std::ptrdiff_t kNamed = 6;

std::string text_of(const std::vector<Fields>& lines) {
  std::string text;
  for (const Fields& fields : lines) text += sealed(fields);
  return text;
}

bool same(const Outcome& a, const Outcome& b) {
  return a.iteration == b.iteration && a.problem == b.problem && a.refusal == b.refusal && a.workers == b.workers &&
         a.batches == b.batches && a.devices == b.devices && a.note == b.note && a.memory == b.memory;
}

std::string in_words(const Outcome& outcome) {
  return outcome.iteration ? fmt::format("{} ns, from {} to {}", outcome.iteration->mid.count(),
                                         outcome.iteration->low.count(), outcome.iteration->high.count())
                           : "no step time";
}

/// Collects the points from the lines of one file. A point may occur several times if its outcomes are equal; otherwise
/// read() throws InputError.
class PointLines {
 public:
  PointLines(const scenarios::Points& points, const std::string& path) : points_(points), path_(path) {}

  void read(const Fields& fields, std::size_t line) {
    PointLine found = read_point_line(fields, path_, line);
    if (found.point >= points_.size()) {
      fail(line, fmt::format("has point {} of {}; expected a point of the sweep", found.point, points_.size()));
    }
    const auto [first, added] = line_of_.try_emplace(found.point, line, done_.size());
    if (added) {
      done_.emplace_back(found.point, std::move(found.outcome));
      return;
    }
    const auto [first_line, place] = first->second;
    const Outcome& before = done_[place].second;
    if (same(before, found.outcome)) return;
    fail(line, fmt::format("has {} for {}, and line {} has {}; expected one answer per point", in_words(found.outcome),
                           shown(to_text(points_.at(found.point))), first_line, in_words(before)));
  }

  [[nodiscard]] Done take() { return std::move(done_); }

 private:
  [[noreturn]] void fail(std::size_t line, std::string_view problem) const {
    throw InputError({path_, {}, static_cast<std::uint32_t>(line)}, problem);
  }

  const scenarios::Points& points_;
  const std::string& path_;
  std::unordered_map<std::size_t, std::pair<std::size_t, std::size_t>> line_of_;  ///< by point: line, index in done_
  Done done_;
};

Done read_points(std::span<const Fields> lines, std::size_t from, const scenarios::Points& points,
                 const std::string& path) {
  PointLines read(points, path);
  for (std::size_t i = from; i < lines.size(); ++i) read.read(lines[i], i + 1);
  return read.take();
}

void refuse_damaged(const SealedLines& read, const std::string& path) {
  if (!read.damaged) return;
  throw InputError({path, {}, static_cast<std::uint32_t>(read.lines.size() + 1)},
                   "the line is damaged, and it is not the last one; expected an unchanged part of a sweep");
}

/// The outcome of a point, and the part (the file of one shard) that contains it.
struct FoundOutcome {
  Outcome outcome;
  const SweepPart* part = nullptr;
};

/// Describes what is missing in `parts`: first the shards that have no part, then the points that the existing parts
/// lack. Names at most kNamed shards and points in total.
std::string describe_missing_points(const std::vector<SweepPart>& parts,
                                    const std::vector<std::optional<FoundOutcome>>& found) {
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
    const scenarios::Points& points = parts.front().head.points;
    const std::size_t shard = shard_of(points, point, shards);
    if (found[point] || !present[shard]) continue;
    names.push_back(fmt::format("{} of shard {}/{}", shown(to_text(points.at(point))), shard, shards));
  }
  const auto named = std::min(std::ssize(names), kNamed);
  const bool has_more = named < std::ssize(names);
  names.resize(static_cast<std::size_t>(named));
  return joined(
             names, [](const std::string& name) { return name; }, "; ") +
         (has_more ? " and more" : "");
}

void add_part(const SweepPart& part, std::vector<std::optional<FoundOutcome>>& found) {
  for (const auto& [point, outcome] : part.done) {
    if (found[point] && !same(found[point]->outcome, outcome)) {
      throw InputError({part.path, {}, {}},
                       fmt::format("has {} for {}, and {} has {}; expected parts of one sweep", in_words(outcome),
                                   shown(to_text(part.head.points.at(point))), shown(found[point]->part->path),
                                   in_words(found[point]->outcome)));
    }
    found[point] = {outcome, &part};
  }
}

/// Throws InputError if `text`, the content of a file to be overwritten, contains points of a sweep or other data.
void refuse_to_overwrite_points(std::string_view text, const std::string& path) {
  if (text.empty()) return;
  if (!begins_like_a_part(text)) {
    throw InputError({path, {}, {}}, "exists already and does not contain points of a sweep; choose another file");
  }
  const SealedLines read = read_sealed(text);
  const auto head = std::find_if(read.lines.begin(), read.lines.end(), is_last_of_head);
  const auto points = std::max<std::ptrdiff_t>(0, read.lines.end() - head - 1);
  if (points == 0 && !read.damaged) return;
  throw InputError(
      {path, {}, {}},
      fmt::format(
          "contains {} points of a sweep{}; expected --resume to continue, or that the file is removed to start again",
          points, read.damaged ? " and is damaged" : ""));
}

void check_same_sweep(const SweepPart& first, const SweepPart& part) {
  const std::string other = difference(head_lines(part.head, {}), head_lines(first.head, {}));
  if (other.empty()) return;
  throw InputError({part.path, {}, {}},
                   fmt::format("belongs to another sweep than {} ({} is not in that one); expected parts of one sweep",
                               shown(first.path), other));
}

}  // namespace

SweepPart read_part(const std::string& path) {
  return parse_part(ingest::read_small_file(path, kLargestPart).text, path);
}

SweepPart parse_part(std::string_view text, const std::string& path) {
  refuse_old_part(text, path);
  const SealedLines read = read_sealed(text);
  HeadRead head = read_head(read.lines, path);
  refuse_damaged(read, path);
  Done done = read_points(read.lines, head.lines, head.head.points, path);
  return {path, std::move(head.head), std::move(head.shard), std::move(done), read.cut};
}

SweepAnswer merged(const std::vector<SweepPart>& parts) {
  SweepAnswer answer{parts.front().head, {}};
  std::vector<std::optional<FoundOutcome>> found(answer.head.points.size());
  for (const SweepPart& part : parts) {
    check_same_sweep(parts.front(), part);
    add_part(part, found);
  }
  const auto missing = std::count_if(found.begin(), found.end(), [](const auto& outcome) { return !outcome; });
  if (missing > 0) {
    throw InputError({parts.front().path, {}, {}},
                     fmt::format("{} of {} points are missing in all parts together: {}; give the parts of all shards "
                                 "(--resume continues a shard that was killed)",
                                 missing, found.size(), describe_missing_points(parts, found)));
  }
  for (std::optional<FoundOutcome>& point : found) answer.outcomes.push_back(std::move(point->outcome));
  return answer;
}

SweepJournal::SweepJournal(const std::string& path, const SweepHead& head, const Shard& shard, bool resume)
    : file_(path) {
  const std::string wanted = text_of(head_lines(head, shard));
  const std::string text = file_.read(kLargestPart);
  refuse_old_part(text, path);
  if (!resume) refuse_to_overwrite_points(text, path);
  if (!resume || (wanted.starts_with(text) && wanted != text)) {  // a new file, or a partly written head
    file_.cut(0);
    file_.append(wanted);
  } else {
    go_on(text, read_sealed(wanted).lines, head.points);
  }
}

void SweepJournal::go_on(std::string_view text, const std::vector<Fields>& head, const scenarios::Points& points) {
  const SealedLines read = read_sealed(text);
  const HeadRead found = read_head(read.lines, path());
  const std::span<const Fields> its_head(read.lines.data(), found.lines);
  const std::string other = difference(its_head, head);
  const bool same_shard = its_head.back() == head.back();
  if (!other.empty() || its_head.size() != head.size() || !same_shard) {
    throw InputError({path(), {}, {}},
                     fmt::format("contains points of another sweep ({}); choose another file for --resume",
                                 other.empty() ? "another shard" : other + " is not in this one"));
  }
  refuse_damaged(read, path());
  done_ = read_points(read.lines, found.lines, points, path());
  dropped_ = read.cut;
  file_.cut(read.bytes);
}

void SweepJournal::add(std::size_t point, const Outcome& outcome) { file_.append(sealed(point_line(point, outcome))); }

}  // namespace stepsim::cli
