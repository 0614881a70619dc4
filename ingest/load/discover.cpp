#include "ingest/load/discover.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <new>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <glob.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/missing_file.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

namespace fs = std::filesystem;

/// Number of folder levels to search upwards for job.yaml. It may be next to a trial's folder, which is three levels
/// above a GPU's folder.
constexpr int kLevels = 3;

using Inode = std::pair<std::uint64_t, std::uint64_t>;

[[noreturn]] void fail(const std::string& path, int code, std::string_view expected) {
  throw InputError({path, {}, {}}, fmt::format("cannot be accessed ({}); expected {}",
                                               std::generic_category().message(code), expected));
}

/// Returns the status of the file at `path`; nullopt if there is none.
std::optional<struct ::stat> status_of(const std::string& path, std::string_view expected) {
  struct ::stat status {};
  if (::stat(path.c_str(), &status) == 0) return status;
  if (errno != ENOENT && errno != ENOTDIR) fail(path, errno, expected);
  return std::nullopt;
}

[[noreturn]] void refuse_missing(const std::string& trace) {
  const bool is_address = trace.find("://") != std::string::npos;
  throw MissingFile(
      {trace, {}, {}},
      is_address
          ? "stepsim does not read URLs; expected a downloaded file, or - with a pipe: curl URL | stepsim replay -"
          : "no such file or folder; expected a trace");
}

bool is_link(const std::string& path) {
  struct ::stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

/// Throws bad_alloc if `error` reports a lack of memory. For other errors, such as a removed working folder, it does
/// nothing and the caller leaves its path unchanged.
void throw_if_out_of_memory(std::error_code error) {
  if (error == std::errc::not_enough_memory) throw std::bad_alloc();
}

/// A path that continues after a file, such as "run.tar.gz/job/rank0.json".
struct InFile {
  std::string file;
  struct ::stat status {};
  std::string member;
};

std::optional<InFile> in_file(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  for (std::size_t end = path.rfind('/'); end != std::string_view::npos && end > 0; end = path.rfind('/', end - 1)) {
    std::string_view before = path.substr(0, end);
    while (before.ends_with('/')) before.remove_suffix(1);
    std::string file(before);
    const auto status = status_of(file, "a trace");
    if (status && S_ISREG(status->st_mode)) return InFile{std::move(file), *status, std::string(path.substr(end + 1))};
    if (status) return std::nullopt;
  }
  return std::nullopt;
}

/// Returns the place of the first character in a path that makes it a pattern (glob(7)); npos if there is none.
std::size_t find_wildcard(std::string_view path) { return path.find_first_of("*?["); }

/// Returns the files and folders that match a pattern such as "run/rank*.json.gz", in natural order.
std::vector<std::string> matches_of(const std::string& pattern) {
  ::glob_t found{};
  const int failed = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + (failed == 0 ? found.gl_pathc : 0));
  ::globfree(&found);
  if (failed == GLOB_NOSPACE) throw std::bad_alloc();
  if (paths.empty()) throw MissingFile({pattern, {}, {}}, "no file or folder matches this pattern; expected a trace");
  std::sort(paths.begin(), paths.end(), natural_less);
  return paths;
}

struct Found {
  std::string path;
  struct ::stat status;
};

/// Lists the entries of `folder`, except hidden files, sorted by name because the system's order differs between
/// machines.
std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!at->path().filename().string().starts_with('.')) entries.push_back(at->path().string());
  }
  if (error) {
    throw InputError({folder, {}, {}},
                     fmt::format("the folder cannot be read ({}); expected a readable folder", error.message()));
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

/// Lists everything below `folder` except folders, in natural order.
std::vector<Found> all_below(const std::string& folder) {
  std::vector<Found> all;
  std::vector<std::string> folders{folder};
  while (!folders.empty()) {
    const std::string current = std::move(folders.back());
    folders.pop_back();
    for (std::string& path : entries_of(current)) {
      struct ::stat status {};
      if (::lstat(path.c_str(), &status) != 0)
        fail(path, errno, "a folder that can be searched and that nothing changes");
      if (S_ISDIR(status.st_mode)) {
        folders.push_back(std::move(path));
      } else {
        all.push_back({std::move(path), status});
      }
    }
  }
  std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return natural_less(a.path, b.path); });
  return all;
}

class Search {
 public:
  void add(const std::string& trace) {
    if (trace == kStandardInput) return add_standard_input();
    if (const auto status = status_of(trace, "a trace")) return add_existing(trace, *status);
    const std::optional<InFile> inside = in_file(trace);
    if (inside) return add_file(inside->file, inside->status, true, inside->member);
    if (find_wildcard(trace) == std::string::npos) refuse_missing(trace);
    for (const std::string& match : matches_of(trace)) {
      const auto status = status_of(match, "a trace");
      if (!status) refuse_missing(match);  // a link that leads nowhere
      add_existing(match, *status);
    }
  }

  FoundFiles take() { return std::move(found_); }

 private:
  void add_existing(const std::string& trace, const struct ::stat& status) {
    if (S_ISDIR(status.st_mode)) {
      for (const Found& found : all_below(trace)) add_found(found);
      return;
    }
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
      throw InputError({trace, {}, {}}, "not a regular file; expected a trace file or a folder of them");
    add_file(trace, status, true);
  }

  void add_found(const Found& found) {
    if (S_ISREG(found.status.st_mode)) return add_file(found.path, found.status, false);
    const std::string_view kind = S_ISLNK(found.status.st_mode) ? "a link" : "a special file";
    found_.diagnostics.count(diagnostic("special_file_not_used"), {found.path, {}, {}},
                             fmt::format("{} is {}", shown(found.path), kind));
  }

  void add_file(const std::string& path, const struct ::stat& status, bool named, const std::string& member = {}) {
    if (!seen_.insert({{status.st_dev, status.st_ino}, member}).second) {
      return found_.diagnostics.count(diagnostic("same_file_again"), {path, {}, {}},
                                      fmt::format("{} is the same file as an earlier one", shown(path)));
    }
    const auto size = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
    found_.files.push_back({path, named, size, member});
  }

  void add_standard_input() {
    if (std::exchange(standard_input_, true)) return;
    found_.files.push_back({std::string{kStandardInput}, true, 0, {}});
  }

  std::set<std::pair<Inode, std::string>> seen_;  ///< files seen so far, with the requested archive member
  bool standard_input_ = false;
  FoundFiles found_;
};

/// Returns `file` relative to the working folder if `trace` is relative. The path is shown to users, who expect the
/// form in which they gave `trace`.
std::string relative_like(const std::string& file, const std::string& trace) {
  if (fs::path(trace).is_absolute()) return file;
  std::error_code unknown;
  const fs::path here = fs::current_path(unknown);
  throw_if_out_of_memory(unknown);
  return unknown ? file : fs::path(file).lexically_proximate(here).string();
}

}  // namespace

FoundFiles discover(const std::vector<std::string>& traces) {
  Search search;
  for (const std::string& trace : traces) search.add(trace);
  return search.take();
}

std::optional<std::string> find_job_file(const std::vector<std::string>& traces) {
  constexpr std::string_view kExpected = "a folder that can be searched for job.yaml, or --job FILE";
  for (const std::string& trace : traces) {
    if (trace == kStandardInput) continue;
    const fs::path path = absolute_path(trace);
    const auto status = status_of(path.string(), kExpected);
    const fs::path before_pattern = path.string().substr(0, status ? std::string::npos : find_wildcard(path.string()));
    const fs::path folder = status && S_ISDIR(status->st_mode) ? path : before_pattern.parent_path();
    fs::path place = folder.has_filename() ? folder : folder.parent_path();
    for (int level = 0; level <= kLevels; ++level, place = place.parent_path()) {
      const std::string file = (place / "job.yaml").string();
      const auto found = status_of(file, kExpected);
      if (found && S_ISREG(found->st_mode)) return relative_like(file, trace);
      if (found || is_link(file)) {
        throw InputError({file, {}, {}}, "is not a regular file; expected job settings, or --job FILE");
      }
    }
  }
  return std::nullopt;
}

std::string absolute_path(const std::string& path) {
  std::error_code unknown;
  const fs::path absolute = fs::absolute(path, unknown);
  throw_if_out_of_memory(unknown);
  return (unknown ? fs::path(path) : absolute).lexically_normal().string();
}

}  // namespace stepsim::ingest
