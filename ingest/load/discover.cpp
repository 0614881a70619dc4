#include "ingest/load/discover.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include <fmt/format.h>

#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHead = 65'536;

/// job.yaml may lie beside the trial's folder, three above a GPU's.
constexpr int kLevels = 3;

using Inode = std::pair<std::uint64_t, std::uint64_t>;

std::optional<Inode> regular_file(const std::string& path) {
  struct ::stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return Inode{info.st_dev, info.st_ino};
}

std::string head_of(ByteSource& source) {
  std::string head(kHead, '\0');
  std::size_t filled = 0;
  while (filled < head.size()) {
    const std::size_t got = source.read({head.data() + filled, head.size() - filled});
    if (got == 0) break;
    filled += got;
  }
  head.resize(filled);
  return head;
}

const Format* format_of(const std::string& path) {
  const std::unique_ptr<ByteSource> source = ByteSource::open(path);
  const std::string head = head_of(*source);
  const std::string name = fs::path(path).filename().string();
  const Format* best = nullptr;
  int best_score = 0;
  for (const Format* format : formats()) {
    const int score = format->recognise(name, head);
    if (score > best_score) std::tie(best, best_score) = std::pair{format, score};
  }
  return best;
}

std::string known_formats() {
  std::vector<std::string> names;
  for (const Format* format : formats()) names.emplace_back(format->name);
  return one_of(names);
}

FoundFile found(const std::string& path, const Format* format) {
  const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
  std::error_code ignored;
  return {path, format, fs::file_size(path, ignored), folder.string(), folder.parent_path().string()};
}

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
  explicit Search(Diagnostics& diagnostics) : diagnostics_(&diagnostics) {}

  void add(const std::string& trace) {
    std::error_code error;
    const fs::file_status status = fs::status(trace, error);
    if (!fs::exists(status)) throw InputError({trace, {}, {}}, "there is no such file or folder; expected a trace");
    if (fs::is_directory(status)) {
      for (const std::string& file : files_below(trace)) add_file(file, false);
    } else {
      if (!fs::is_regular_file(status))
        throw InputError({trace, {}, {}}, "this is no regular file; expected a trace file or a folder of them");
      add_file(trace, true);
    }
  }

  std::vector<FoundFile> take() { return std::move(files_); }

 private:
  void add_file(const std::string& path, bool named) {
    const std::optional<Inode> inode = regular_file(path);
    if (!inode || !seen_.insert(*inode).second) return;
    const Format* const format = format_of(path);
    if (format != nullptr) {
      files_.push_back(found(path, format));
    } else if (named) {
      throw InputError({path, 0, {}},
                       fmt::format("this is in no format that is known here; expected {}", known_formats()));
    } else if (fs::path(path).filename() != "job.yaml") {  // that one find_job_file() finds
      diagnostics_->count("file_not_used", Severity::kInfo, "files of no known trace format beside the traces",
                          {path, {}, {}});
    }
  }

  Diagnostics* diagnostics_;
  std::set<Inode> seen_;
  std::vector<FoundFile> files_;
};

/// `file` from the working folder on, if `trace` was given so: it is shown and recorded.
std::string as_given(const std::string& file, const std::string& trace) {
  std::error_code unknown;
  return fs::path(trace).is_absolute() ? file : fs::proximate(file, unknown).string();
}

}  // namespace

std::vector<FoundFile> discover(const std::vector<std::string>& traces, Diagnostics& diagnostics) {
  Search search(diagnostics);
  for (const std::string& trace : traces) search.add(trace);
  std::vector<FoundFile> files = search.take();
  if (files.empty()) {
    throw InputError(
        {traces.empty() ? std::string{} : traces.front(), {}, {}},
        fmt::format("no trace was found here; expected files in one of these formats: {}", known_formats()));
  }
  return files;
}

std::optional<std::string> find_job_file(const std::vector<std::string>& traces) {
  for (const std::string& trace : traces) {
    const fs::path path = fs::absolute(trace).lexically_normal();
    std::error_code unreadable;  // it is reported where it is read
    const fs::path folder = fs::is_directory(path, unreadable) ? path : path.parent_path();
    fs::path place = folder.has_filename() ? folder : folder.parent_path();
    for (int level = 0; level <= kLevels; ++level, place = place.parent_path()) {
      const std::string file = (place / "job.yaml").string();
      if (regular_file(file)) return as_given(file, trace);
    }
  }
  return std::nullopt;
}

}  // namespace stepsim::ingest
