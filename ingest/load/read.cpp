#include "ingest/load/read.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ingest/bytes/archive.h"
#include "ingest/bytes/input.h"
#include "ingest/combined/combined_trace.h"
#include "ingest/config/config.h"
#include "ingest/load/contents.h"
#include "ingest/load/recognise.h"
#include "ingest/stitch/host_device/host_device.h"
#include "ingest/stored/stored_part.h"
#include "model/base/error.h"
#include "model/base/known_diagnostics.h"
#include "model/base/missing_file.h"
#include "model/base/side_by_side.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

namespace fs = std::filesystem;

/// Adds up the bytes read from several files and reports the sum, one call at a time.
class ReadProgress {
 public:
  ReadProgress(const LoadOptions& options, const std::vector<FoundFile>& files) : report_(options.progress) {
    for (const FoundFile& file : files) total_ += file.size;
  }

  std::function<void(std::uint64_t)> counter() {
    if (!report_) return {};
    return [this](std::uint64_t bytes) {
      const std::lock_guard lock(mutex_);
      done_ += bytes;
      report_(done_, total_);
    };
  }

 private:
  const std::function<void(std::uint64_t, std::uint64_t)>& report_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

/// The result of reading one file.
struct FileContent {
  std::vector<ReadInput> inputs;
  std::vector<InputFile> files;
  std::optional<JobMember> job;
  std::optional<OtherFile> other;
  Diagnostics diagnostics;
  std::exception_ptr error;
};

/// Returns the format called `name`, a name that a combined trace or a part contains. Throws InputError if the name is
/// unknown, which means that another version of stepsim wrote the file.
const Format& format_in_file(const std::string& name, const Input& input) {
  if (const Format* const format = find_format(name)) return *format;
  throw InputError({input.name(), {}, {}},
                   fmt::format("its format '{}' is unknown; expected {}", shown(name), known_formats()));
}

/// Settings for reading one input.
struct Reading {
  bool details = false;
  int threads = 1;
};

ReadInput read_with(const Format& format, Input& input, Reading reading) {
  const fs::path folder = fs::path(absolute_path(input.name())).parent_path();
  ReadInput read{input.name(), folder.string(), folder.parent_path().string(), format.name, {}, {}};
  read.sink.details = reading.details;
  read.sink.threads = reading.threads;
  format.read(input, read.sink);
  for (PartSink::Item& item : read.sink.parts) {
    if (auto* const trace = std::get_if<HostDeviceTrace>(&item.part)) join_collectives(*trace);
  }
  read.contents = contents_of(read.name, read.format, read.sink);
  return read;
}

bool is_job_file(const std::string& name) { return fs::path(name).filename() == "job.yaml"; }

void note_unknown(const Input& input, FileContent& content) {
  const std::string& name = input.name();
  if (is_job_file(name)) return;  // find_job_file() handles job.yaml
  const KnownOther* const other = recognise_other(input);
  if (other != nullptr && !content.other) content.other = OtherFile{name, other};
  content.diagnostics.count(diagnostic("file_not_used"), {name, {}, {}},
                            other == nullptr ? shown(name) : fmt::format("{} is {}", shown(name), other->what));
}

[[noreturn]] void refuse_unknown(const Input& input) {
  const KnownOther* const other = recognise_other(input);
  if (other != nullptr) throw InputError({input.name(), 0, {}}, problem_of(*other));
  throw InputError({input.name(), 0, {}}, fmt::format("not a recognised trace; expected {}", known_formats()));
}

/// Counts a file that stepsim itself wrote, and that is therefore not read as a capture. Next to the captures that it
/// was made from, such a file would look like one more rank.
void note_own_export(const std::string& name, Diagnostics& diagnostics) {
  diagnostics.count(diagnostic("own_export_not_used"), {name, {}, {}},
                    fmt::format("{} is an answer of stepsim, or a replay in another form", shown(name)));
}

void note_archive(const std::string& name, Diagnostics& diagnostics) {
  diagnostics.count(diagnostic("archive_not_opened"), {name, {}, {}});
}

/// Reads one archive.
class ArchiveFile {
 public:
  /// `wanted` is a file or folder in the archive to read; empty = all.
  ArchiveFile(Input& input, std::string_view wanted, Reading reading, FileContent& content)
      : input_(input), wanted_(wanted), reading_(reading), archive_(input), content_(content) {}

  void read() {
    while (const std::optional<Archive::Member> member = archive_.next()) {
      const std::string name = input_.name() + '/' + member->name;
      if (!member->unreadable_reason.empty()) {
        if (is_wanted(member->name)) note_unreadable(name, member->unreadable_reason);
      } else if (!is_hidden(member->name)) {
        note_member(member->name);
        if (is_wanted(member->name)) read_member(name);
        found_wanted_ = found_wanted_ || (is_wanted(member->name) && !is_job_file(name));
      }
    }
    if (!archive_.damage().empty() || input_.stream().truncated()) {
      content_.diagnostics.count(diagnostic("damaged_archive"), {input_.name(), {}, {}}, archive_.damage());
    }
    if (content_.inputs.empty() && content_.other) {
      throw InputError({content_.other->name, {}, {}},
                       fmt::format("no trace found in this archive: {}", problem_of(*content_.other->kind)));
    }
    const std::string place = wanted_.empty() ? input_.name() : fmt::format("{}/{}", input_.name(), wanted_);
    if (!found_wanted_ && archive_.damage().empty() && !wanted_.empty()) {
      throw InputError(
          {place, {}, {}},
          fmt::format("the archive has no such trace{}; expected a file or a folder in it", what_it_holds()));
    }
    if (content_.inputs.empty()) {
      throw InputError({place, {}, {}}, fmt::format("no trace found in this archive{}{}; expected {}",
                                                    archive_.damage().empty() ? "" : ", which is damaged or truncated",
                                                    what_it_holds(), known_formats()));
    }
    std::stable_sort(content_.inputs.begin(), content_.inputs.end(),
                     [](const ReadInput& a, const ReadInput& b) { return natural_less(a.name, b.name); });
  }

 private:
  static bool is_hidden(const std::string& name) {
    return name.starts_with('.') || name.find("/.") != std::string::npos;
  }

  /// Returns for example ", which holds a.json, b.json, notes.txt and 3 more"; empty if the archive contains no plain
  /// file.
  [[nodiscard]] std::string what_it_holds() const {
    if (members_ == 0) return {};
    const std::string names = joined(first_members_, [](const std::string& name) { return shown(name); });
    const std::size_t more = members_ - first_members_.size();
    return fmt::format(", which holds {}{}", names, more == 0 ? "" : fmt::format(" and {} more", more));
  }

  void note_member(const std::string& name) {
    constexpr std::size_t kShown = 3;
    if (members_++ < kShown) first_members_.push_back(name);
  }

  /// True for the requested member, for members of the requested folder, and for a job.yaml next to or above them. If
  /// nothing was requested, true for all members.
  [[nodiscard]] bool is_wanted(std::string_view name) const {
    const auto is_in = [](std::string_view path, std::string_view folder) {
      return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
    };
    if (wanted_.empty() || name == wanted_ || is_in(name, wanted_)) return true;
    const std::size_t slash = name.rfind('/');
    return is_job_file(std::string(name)) && (slash == std::string_view::npos || is_in(wanted_, name.substr(0, slash)));
  }

  void read_member(const std::string& name) {
    if (is_job_file(name)) return read_job(name);
    Input member(archive_.open(name));
    if (is_own_export(member.head())) return note_own_export(name, content_.diagnostics);
    const Format* const format = recognise(member);
    if (format == nullptr) return note_unknown(member, content_);
    content_.inputs.push_back(read_with(*format, member, reading_));
  }

  /// Reads a job.yaml. The one nearest to the archive's root is used.
  void read_job(const std::string& name) {
    const auto depth = [](const std::string& path) { return std::count(path.begin(), path.end(), '/'); };
    if (content_.job && depth(content_.job->name) < depth(name)) return;
    if (content_.job && depth(content_.job->name) == depth(name)) {
      throw InputError({name, {}, {}},
                       fmt::format("the archive has a second job.yaml, {}; expected one", shown(content_.job->name)));
    }
    const std::unique_ptr<ByteSource> source = archive_.open(name);
    content_.job = JobMember{name, read_text(*source, kLargestJobFile)};
  }

  void note_unreadable(const std::string& name, std::string_view unreadable_reason) {
    content_.diagnostics.count(diagnostic("member_not_used"), {name, {}, {}}, unreadable_reason);
  }

  Input& input_;
  std::string_view wanted_;
  Reading reading_;
  bool found_wanted_ = false;
  std::size_t members_ = 0;                 ///< plain files that are not hidden
  std::vector<std::string> first_members_;  ///< names of the first of these
  Archive archive_;
  FileContent& content_;
};

/// Reads the files inside a combined trace, under their original names.
void read_combined(Input& input, Reading reading, FileContent& content) {
  for (SeparatedFile& file : separate(input.stream(), content.diagnostics)) {
    const std::string name = fmt::format("{}/{}", input.name(), file.name);
    if (is_job_file(name)) {
      content.job = JobMember{name, std::move(file.text)};
      continue;
    }
    const std::string text = std::move(file.text);  // frees each text after use, to save memory
    Input member = Input::from_memory(text, name);
    content.inputs.push_back(read_with(format_in_file(file.format, member), member, reading));
  }
  if (content.inputs.empty()) {
    throw InputError({input.name(), {}, {}},
                     "this combined trace has no file; expected a trace that 'stepsim combine' wrote");
  }
}

/// Reads a part of a job: the inputs and files are those that it was made from.
void read_stored(Input& input, Reading reading, FileContent& content) {
  StoredPart part = read_stored_part(input.stream(), reading.details);
  content.diagnostics.merge(part.diagnostics);
  content.files = std::move(part.files);
  if (!part.job_name.empty()) content.job = JobMember{std::move(part.job_name), std::move(part.job_text)};
  for (StoredInput& one : part.inputs) {
    const std::string_view format = format_in_file(one.format, input).name;
    ReadInput& read = content.inputs.emplace_back(ReadInput{std::move(one.name), std::move(one.gpu_folder),
                                                            std::move(one.worker_folder), format, std::move(one.sink)});
    read.contents = contents_of(read.name, read.format, read.sink);
  }
}

/// As read_stored(). A part in a folder that cannot be used is left out, because the parts of other ranks can.
void read_stored_if_possible(const FoundFile& file, Input& input, Reading reading, FileContent& content) {
  try {
    read_stored(input, reading, content);
  } catch (const InputError& error) {
    if (file.named) throw;
    content = {};
    content.diagnostics.count(diagnostic("damaged_part"), error.where(), error.what());
  }
}

Input open_input(const FoundFile& file, Watch watch) {
  return file.path == kStandardInput ? Input::standard_input(std::move(watch))
                                     : Input::open(file.path, std::move(watch));
}

void read_file(const FoundFile& file, Watch watch, Reading reading, FileContent& content) {
  Input input = open_input(file, std::move(watch));
  if (!file.named && is_own_export(input.head())) {
    return note_own_export(input.name(), content.diagnostics);
  }
  if (is_archive(input.head())) {
    if (!file.named) return note_archive(input.name(), content.diagnostics);
    ArchiveFile(input, file.member, reading, content).read();
  } else if (!file.member.empty()) {
    throw MissingFile(
        {fmt::format("{}/{}", file.path, file.member), {}, {}},
        fmt::format("no such file or folder: {} is a file and not an archive; expected a trace", shown(file.path)));
  } else if (is_combined_trace(input.head())) {
    read_combined(input, reading, content);
  } else if (is_stored_part(input.head())) {
    return read_stored_if_possible(file, input, reading, content);
  } else if (is_own_timeline(input.head())) {
    // The spans in this timeline are tasks of stepsim, and a task may appear several times, as measured and in each
    // replay. If the timeline were read as a capture, the result would be a different job.
    throw InputError({input.name(), 0, {}},
                     "this is a timeline that stepsim wrote for viewers; expected the capture it was made from");
  } else if (const Format* const format = recognise(input)) {
    content.inputs.push_back(read_with(*format, input, reading));
  } else if (file.named) {
    refuse_unknown(input);
  } else {
    return note_unknown(input, content);
  }
  content.files.push_back(input.identify());
}

/// Shares the events of an input that is the trace of one rank.
void share_events(ReadInput& input, LikeTraces& like) {
  if (input.sink.parts.size() != 1) return;
  auto* const trace = std::get_if<HostDeviceTrace>(&input.sink.parts.front().part);
  if (trace != nullptr) input.events = like.share(*trace);
}

}  // namespace

ReadInputs read_inputs(const std::vector<FoundFile>& files, const LoadOptions& options, bool details,
                       LikeTraces* like) {
  std::vector<FileContent> contents(files.size());
  ReadProgress progress(options, files);
  const int files_at_once = static_cast<int>(std::min(files.size(), static_cast<std::size_t>(options.threads)));
  const Reading reading{details, options.threads / std::max(1, files_at_once)};
  side_by_side(options.threads, files.size(), [&](std::size_t i) {
    try {
      read_file(files[i], {options.stop, progress.counter()}, reading, contents[i]);
      if (like == nullptr) return;
      for (ReadInput& input : contents[i].inputs) share_events(input, *like);
    } catch (...) {
      contents[i].error = std::current_exception();
    }
  });
  ReadInputs all;
  for (FileContent& content : contents) {
    if (content.error) std::rethrow_exception(content.error);
    all.diagnostics.merge(content.diagnostics);
    std::move(content.inputs.begin(), content.inputs.end(), std::back_inserter(all.inputs));
    if (!all.job) all.job = std::move(content.job);
    if (!all.other) all.other = std::move(content.other);
    std::move(content.files.begin(), content.files.end(), std::back_inserter(all.files));
  }
  return all;
}

void refuse_empty(const ReadInputs& read, const std::vector<std::string>& traces) {
  if (!read.inputs.empty()) return;
  for (const Diagnostics::Entry& unused : read.diagnostics.entries()) {
    if (unused.name == diagnostic("archive_not_opened").name) {
      throw InputError(unused.first, "the folder has no trace, only archives; expected this archive as TRACE");
    }
    if (unused.name == diagnostic("damaged_part").name) {
      throw InputError(unused.first,
                       "the folder has no other trace, and this part is damaged, or another version of "
                       "stepsim wrote it; expected it as 'stepsim convert' wrote it");
    }
    if (unused.name == diagnostic("own_export_not_used").name) {
      throw InputError(
          unused.first,
          "the folder has no trace, only files that stepsim wrote; expected captures, or this file as TRACE");
    }
  }
  if (read.other) {
    throw InputError({read.other->name, {}, {}},
                     fmt::format("no trace found in this folder: {}", problem_of(*read.other->kind)));
  }
  throw InputError({traces.empty() ? std::string{} : traces.front(), {}, {}},
                   fmt::format("no trace found; expected {}", known_formats()));
}

}  // namespace stepsim::ingest
