#include "ingest/privacy/scrubbed_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ingest/bytes/archive.h"
#include "ingest/bytes/input.h"
#include "ingest/chrome/trace_copy.h"
#include "ingest/formats/kineto/members.h"
#include "ingest/load/discover.h"
#include "ingest/load/recognise.h"
#include "model/base/error.h"

namespace stepsim::ingest {
namespace {

namespace fs = std::filesystem;

TextForm form_of(const Input& input) {
  const Format* const format = recognise(input);
  if (format != nullptr && format->is_chrome_trace) return TextForm::kTrace;
  const std::size_t first = first_character(input.head());
  const bool json = first != std::string_view::npos && (input.head()[first] == '{' || input.head()[first] == '[');
  return json ? TextForm::kJson : TextForm::kLines;
}

void look_into(Input& input, Scrubber& scrubber) {
  const TextForm form = form_of(input);
  scrubber.scrub(input.stream(), form, [](std::string_view) {});
}

void look_into_archive(Input& input, Scrubber& scrubber) {
  Archive archive(input);
  while (const std::optional<Archive::Member> member = archive.next()) {
    if (!member->unreadable_reason.empty()) continue;
    Input content(archive.open(input.name() + '/' + member->name));
    look_into(content, scrubber);
  }
}

Input open_to_scrub(const FoundFile& file, const LoadOptions& options) {
  if (file.path == kStandardInput) {
    throw InputError(
        {file.path, {}, {}},
        "--scrub reads its input twice, but standard input can be read only once; expected a file or a folder");
  }
  Input input = Input::open(file.path, {.stop = options.stop, .progress = {}});
  if (is_archive(input.head()))
    throw InputError({file.path, {}, {}}, "--scrub does not rewrite archives; expected the unpacked files");
  if (input.head().find('\0') != std::string_view::npos) {
    throw InputError({file.path, {}, {}},
                     "--scrub rewrites only text; expected JSON or plain text, not a database or another binary file");
  }
  return input;
}

/// Returns the file's path relative to the folder that the user named; empty if the user named only this file.
std::string name_below(const std::string& path, const std::vector<std::string>& traces) {
  std::error_code ignored;
  for (const std::string& trace : traces) {
    if (trace == path) return traces.size() == 1 ? std::string() : fs::path(path).filename().string();
    if (!fs::is_directory(trace, ignored)) continue;
    const fs::path below = fs::path(path).lexically_relative(trace);
    if (!below.empty() && *below.begin() != "..") return below.string();
  }
  return fs::path(path).filename().string();
}

/// The part of a damaged trace that ChromeEventReader can read.
struct Readable {
  ChromeFrame frame;
  std::vector<RecordSpan> records;
};

/// Reads the trace to its end. Returns true if its reader could not use all of it.
bool read_trace(const FoundFile& file, const LoadOptions& options, Diagnostics& diagnostics, Readable* readable) {
  Input input = open_to_scrub(file, options);
  ChromeEventReader reader(input.stream(), diagnostics);
  ChromeEvent event;
  while (reader.next(event)) {
    if (readable != nullptr) readable->records.emplace_back(event);
  }
  if (readable != nullptr) readable->frame = reader.frame();
  return reader.skipped() > 0 || !reader.frame().head_is_json || !reader.frame().tail_is_json;
}

/// A file to scrub.
class FileToScrub {
 public:
  FileToScrub(FoundFile file, const LoadOptions& options, Diagnostics& diagnostics)
      : file_(std::move(file)), options_(options), form_(form_of(open_to_scrub(file_, options))) {
    if (form_ != TextForm::kTrace || !read_trace(file_, options_, diagnostics, nullptr)) return;
    Diagnostics counted_before;
    static_cast<void>(read_trace(file_, options_, counted_before, &readable_.emplace()));
  }

  [[nodiscard]] const std::string& path() const noexcept { return file_.path; }
  [[nodiscard]] TextForm form() const noexcept { return form_; }

  /// Calls `take(source)` with the file's text, or, for a damaged trace, with the part that its reader delivers.
  template <class Take>
  void with_text(Take&& take) const {
    Input input = open_to_scrub(file_, options_);
    if (!readable_) return take(input.stream());
    TraceCopy copy(input.stream(), readable_->frame, readable_->records);
    take(copy);
  }

 private:
  FoundFile file_;
  const LoadOptions& options_;
  TextForm form_;
  std::optional<Readable> readable_;  ///< set for a damaged trace
};

/// Returns where the extensions of a trace's file begin: "a@b.org.pt.trace.json.gz" keeps ".pt.trace.json.gz".
std::size_t begin_of_extensions(std::string_view name) {
  constexpr std::array<std::string_view, 8> kExtensions{".gz", ".json", ".trace", ".pt",
                                                        ".et", ".txt",  ".gml",   ".yaml"};
  std::size_t begin = name.size();
  for (bool found = true; found;) {
    const auto ends_in = [rest = name.substr(0, begin)](std::string_view other) { return rest.ends_with(other); };
    const auto* const extension = std::find_if(kExtensions.begin(), kExtensions.end(), ends_in);
    found = extension != kExtensions.end();
    if (found) begin -= extension->size();
  }
  return begin;
}

/// Replaces private content in each component of a path, but not in the extensions.
std::string scrubbed_path(const std::string& path, Scrubber& scrubber) {
  fs::path result;
  for (const fs::path& part : fs::path(path)) {
    const std::string name = part.string();
    const std::size_t end = begin_of_extensions(name);
    result /= scrubber.text(name.substr(0, end)) + name.substr(end);
  }
  return result.string();
}

}  // namespace

std::vector<PrivateContent> find_private_content(const std::vector<std::string>& traces, const LoadOptions& options) {
  Scrubber scrubber;
  std::error_code ignored;
  for (const FoundFile& file : discover(traces).files) {
    if (file.path == kStandardInput || !fs::is_regular_file(file.path, ignored)) continue;
    try {
      Input input = Input::open(file.path, {.stop = options.stop, .progress = {}});
      if (!is_archive(input.head())) {
        look_into(input, scrubber);
      } else if (file.named) {
        look_into_archive(input, scrubber);
      }
    } catch (const InputError&) {
      continue;  // the readable part was examined; the damage is reported when the trace is read as a capture
    }
  }
  return scrubber.found();
}

ScrubbedFiles scrub_files(const std::vector<std::string>& traces, const LoadOptions& options,
                          const ScrubTargets& targets) {
  Scrubber scrubber;
  Diagnostics diagnostics;
  std::vector<FileToScrub> files;
  for (const FoundFile& found : discover(traces).files) {
    const FileToScrub& file = files.emplace_back(found, options, diagnostics);
    scrubber.learn_host(host_in_file_name(file.path()));
    file.with_text([&](ByteSource& text) { scrubber.learn(text, file.form()); });
  }
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const FileToScrub& file : files) names.push_back(scrubbed_path(name_below(file.path(), traces), scrubber));
  targets.expect(names);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const FileToScrub& file = files[i];
    const ScrubTarget target = targets.open(names[i]);
    file.with_text([&](ByteSource& text) { scrubber.scrub(text, file.form(), target.write); });
    target.commit();
  }
  return {scrubber.found(), std::move(diagnostics)};
}

}  // namespace stepsim::ingest
