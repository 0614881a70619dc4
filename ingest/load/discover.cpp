#include "ingest/load/discover.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

namespace fs = std::filesystem;

/// job.yaml may lie beside the trial's folder, three above a GPU's.
constexpr int kLevels = 3;

using Inode = std::pair<std::uint64_t, std::uint64_t>;

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::vector<std::string> folders{folder};
  while (!folders.empty()) {
    const std::string current = std::move(folders.back());
    folders.pop_back();
    std::error_code error;
    for (fs::directory_iterator at(current, error), end; !error && at != end; at.increment(error)) {
      if (at->path().filename().string().starts_with('.')) continue;
      std::error_code ignored;
      if (at->is_symlink(ignored)) continue;
      if (at->is_directory(ignored)) {
        folders.push_back(at->path().string());
      } else if (at->is_regular_file(ignored)) {
        files.push_back(at->path().string());
      }
    }
    if (error) {
      throw InputError({current, {}, {}},
                       fmt::format("the folder cannot be read ({}); expected a readable folder", error.message()));
    }
  }
  std::sort(files.begin(), files.end(), [](const std::string& a, const std::string& b) { return natural_less(a, b); });
  return files;
}

class Search {
 public:
  void add(const std::string& trace) {
    if (trace == kStandardInput) return add_standard_input();
    std::error_code error;
    const fs::file_status status = fs::status(trace, error);
    if (!fs::exists(status)) throw InputError({trace, {}, {}}, "there is no such file or folder; expected a trace");
    if (fs::is_directory(status)) {
      for (const std::string& file : files_below(trace)) add_file(file, false);
    } else {
      if (!fs::is_regular_file(status) && !fs::is_fifo(status))
        throw InputError({trace, {}, {}}, "this is no regular file; expected a trace file or a folder of them");
      add_file(trace, true);
    }
  }

  std::vector<FoundFile> take() { return std::move(files_); }

 private:
  void add_file(const std::string& path, bool named) {
    struct ::stat info {};
    if (::stat(path.c_str(), &info) != 0 || !seen_.insert({info.st_dev, info.st_ino}).second) return;
    files_.push_back({path, named, S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0});
  }

  void add_standard_input() {
    if (std::exchange(standard_input_, true)) return;
    files_.push_back({std::string{kStandardInput}, true, 0});
  }

  std::set<Inode> seen_;
  bool standard_input_ = false;
  std::vector<FoundFile> files_;
};

/// `file` from the working folder on, if `trace` was given so: it is shown and recorded.
std::string as_given(const std::string& file, const std::string& trace) {
  std::error_code unknown;
  return fs::path(trace).is_absolute() ? file : fs::proximate(file, unknown).string();
}

}  // namespace

std::vector<FoundFile> discover(const std::vector<std::string>& traces) {
  Search search;
  for (const std::string& trace : traces) search.add(trace);
  return search.take();
}

std::optional<std::string> find_job_file(const std::vector<std::string>& traces) {
  for (const std::string& trace : traces) {
    if (trace == kStandardInput) continue;
    const fs::path path = fs::absolute(trace).lexically_normal();
    std::error_code unreadable;  // it is reported where it is read
    const fs::path folder = fs::is_directory(path, unreadable) ? path : path.parent_path();
    fs::path place = folder.has_filename() ? folder : folder.parent_path();
    for (int level = 0; level <= kLevels; ++level, place = place.parent_path()) {
      const std::string file = (place / "job.yaml").string();
      if (fs::is_regular_file(file, unreadable)) return as_given(file, trace);
    }
  }
  return std::nullopt;
}

}  // namespace stepsim::ingest
