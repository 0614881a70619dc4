#include "ingest/privacy/scrubbed_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "ingest/bytes/archive.h"
#include "ingest/bytes/input.h"
#include "ingest/formats/kineto/members.h"
#include "ingest/load/discover.h"
#include "ingest/load/recognise.h"
#include "model/base/error.h"

namespace stepsim::ingest {
namespace {

namespace fs = std::filesystem;

/// Formats whose files are a profiler's events with members beside them.
constexpr auto kTraceFormats =
    std::to_array<std::string_view>({"kineto", "byteps_comm", "byteprofile", "legacy_autograd", "tensorflow_timeline"});

TextForm form_of(const Input& input) {
  const Format* const format = recognise(input);
  const bool trace =
      format != nullptr && std::find(kTraceFormats.begin(), kTraceFormats.end(), format->name) != kTraceFormats.end();
  if (trace) return TextForm::kTrace;
  const std::size_t first = input.head().find_first_not_of(" \t\r\n\xEF\xBB\xBF");
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
    if (!member->whynot.empty()) continue;
    Input content(archive.open(input.name() + '/' + member->name));
    look_into(content, scrubber);
  }
}

Input open_to_scrub(const FoundFile& file, const LoadOptions& options) {
  if (file.path == kStandardInput) {
    throw InputError({file.path, {}, {}},
                     "standard input can be read once, and --scrub reads twice; expected a file or a folder");
  }
  Input input = Input::open(file.path, {.stop = options.stop, .progress = {}});
  if (is_archive(input.head()))
    throw InputError({file.path, {}, {}}, "--scrub does not rewrite archives; expected the files in it, unpacked");
  if (input.head().find('\0') != std::string_view::npos) {
    throw InputError({file.path, {}, {}},
                     "--scrub rewrites text, and this file is none; expected JSON or plain text (of an Nsight Systems "
                     "database, none)");
  }
  return input;
}

/// The file's path below the folder that was named; empty if the file itself was the only one.
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

/// Substitutes are for texts, so each part of a path is one.
std::string scrubbed_path(const std::string& path, Scrubber& scrubber) {
  fs::path result;
  for (const fs::path& part : fs::path(path)) result /= scrubber.text(part.string());
  return result.string();
}

}  // namespace

std::vector<PrivateContent> find_private_content(const std::vector<std::string>& traces, const LoadOptions& options) {
  Scrubber scrubber;
  for (const FoundFile& file : discover(traces).files) {
    if (file.path == kStandardInput) continue;
    try {
      Input input = Input::open(file.path, {.stop = options.stop, .progress = {}});
      if (!is_archive(input.head())) {
        look_into(input, scrubber);
      } else if (file.named) {
        look_into_archive(input, scrubber);
      }
    } catch (const InputError&) {
      continue;  // what could be read was looked at; the damage is the business of whoever reads the trace
    }
  }
  return scrubber.found();
}

std::vector<PrivateContent> scrub_files(const std::vector<std::string>& traces, const LoadOptions& options,
                                        const std::function<ScrubTarget(const std::string& name)>& open) {
  Scrubber scrubber;
  const std::vector<FoundFile> files = discover(traces).files;
  for (const FoundFile& file : files) {
    Input input = open_to_scrub(file, options);
    scrubber.learn_host(host_in_file_name(file.path));
    const TextForm form = form_of(input);
    scrubber.learn(input.stream(), form);
  }
  for (const FoundFile& file : files) {
    Input input = open_to_scrub(file, options);
    const TextForm form = form_of(input);
    const ScrubTarget target = open(scrubbed_path(name_below(file.path, traces), scrubber));
    scrubber.scrub(input.stream(), form, target.write);
    target.commit();
  }
  return scrubber.found();
}

}  // namespace stepsim::ingest
