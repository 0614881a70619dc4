#include "ingest/load/read.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "ingest/load/recognise.h"
#include "model/base/error.h"

namespace stepsim::ingest {
namespace {

namespace fs = std::filesystem;

/// Adds up the bytes that the readers of several files take, and passes the sum on, one call at a time.
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

/// What became of one file.
struct FileContent {
  std::vector<ReadInput> inputs;
  std::optional<InputFile> file;
  Diagnostics diagnostics;
  std::exception_ptr error;
};

ReadInput read_with(const Format& format, Input& input) {
  const fs::path folder = fs::absolute(input.name()).lexically_normal().parent_path();
  ReadInput read{input.name(), folder.string(), folder.parent_path().string(), {}};
  format.read(input, read.sink);
  return read;
}

void note_unknown(const FoundFile& file, Diagnostics& diagnostics) {
  if (file.named) {
    throw InputError({file.path, 0, {}},
                     fmt::format("this is in no format that is known here; expected {}", known_formats()));
  }
  if (fs::path(file.path).filename() == "job.yaml") return;  // find_job_file() finds that one
  diagnostics.count("file_not_used", Severity::kInfo, "files of no known trace format beside the traces",
                    {file.path, {}, {}});
}

void read_file(const FoundFile& file, Watch watch, FileContent& content) {
  Input input = Input::open(file.path, std::move(watch));
  const Format* const format = recognise(input);
  if (format == nullptr) return note_unknown(file, content.diagnostics);
  content.inputs.push_back(read_with(*format, input));
  content.file = input.identify();
}

}  // namespace

ReadInputs read_inputs(const std::vector<FoundFile>& files, const LoadOptions& options) {
  std::vector<FileContent> contents(files.size());
  ReadProgress progress(options, files);
  oneapi::tbb::task_arena arena(std::max(1, options.threads));
  arena.execute([&] {
    oneapi::tbb::parallel_for(std::size_t{0}, files.size(), [&](std::size_t i) {
      try {
        read_file(files[i], {options.stop, progress.counter()}, contents[i]);
      } catch (...) {
        contents[i].error = std::current_exception();
      }
    });
  });
  ReadInputs all;
  for (FileContent& content : contents) {
    if (content.error) std::rethrow_exception(content.error);
    all.diagnostics.merge(content.diagnostics);
    std::move(content.inputs.begin(), content.inputs.end(), std::back_inserter(all.inputs));
    if (content.file) all.files.push_back(std::move(*content.file));
  }
  return all;
}

}  // namespace stepsim::ingest
