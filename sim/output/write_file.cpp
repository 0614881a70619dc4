#include "sim/output/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <dirent.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <limits>
#include <memory>
#include <system_error>
#include <vector>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::sim {
namespace {

constexpr std::string_view kSuffix = ".stepsim-tmp";
constexpr std::size_t kBufferSize = 1U << 18U;
/// The longest part of the target's name in a temporary file's name; a file name has at most 255 bytes.
constexpr std::size_t kMostOfName = 200;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

bool is_of_proc(const std::string& folder) {
  struct statfs system {};
  return ::statfs(folder.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/// True for a process's descriptor, such as /dev/fd/1, or a link to one, such as /dev/stdout.
bool is_descriptor(const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length <= 0) return false;
  target.resize(static_cast<std::size_t>(length));
  return is_of_proc(folder_of(path)) || is_of_proc(folder_of(target));
}

/// True for a file that cannot be replaced by another: a terminal, a pipe, a descriptor.
bool is_written_in_place(const std::string& path) {
  if (is_descriptor(path)) return true;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

struct CloseFolder {
  void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};

/// Removes a temporary file that no writer has locked. A writer keeps its temporary file locked, so one that can be
/// locked is stale.
void remove_if_unlocked(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  ::close(descriptor);
}

/// Makes the rename survive a power failure. Some file systems cannot sync a folder; that is not an error.
void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  static_cast<void>(::fsync(descriptor));
  ::close(descriptor);
}

std::string free_space(const std::string& folder, std::uint64_t needed) {
  struct statvfs space {};
  if (::statvfs(folder.c_str(), &space) != 0) return fmt::format("; {} bytes or more are needed", needed);
  return fmt::format("; {} bytes or more are needed, {} are free", needed, space.f_bavail * space.f_frsize);
}

[[noreturn]] void fail_to_write(const std::string& path, int error_number, std::string_view more = {}) {
  throw OutputError(fmt::format("{}: cannot be written: {}{}",
                                path == kStandardOutput ? "standard output" : shown(path),
                                std::generic_category().message(error_number), more));
}

void refuse_no_file_name(const std::string& path) {
  if (path.empty()) fail_to_write(path, ENOENT);
  if (path.back() == '/' || is_folder(path)) fail_to_write(path, EISDIR);
}

}  // namespace

struct Gzip::State {
  isal_zstream stream{};
  std::vector<std::uint8_t> level = std::vector<std::uint8_t>(ISAL_DEF_LVL3_DEFAULT);
  std::array<std::uint8_t, std::size_t{1} << 16U> out{};
};

Gzip::Gzip() : state_(std::make_unique<State>()) {
  isal_zstream& stream = state_->stream;
  isal_deflate_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.level = 3;  // levels 1 and 2 sometimes give different bytes (ISA-L 2.30)
  stream.level_buf = state_->level.data();
  stream.level_buf_size = static_cast<std::uint32_t>(state_->level.size());
}

Gzip::~Gzip() = default;

void Gzip::add(std::string_view text, std::string& out) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), kMost))) deflate(text.substr(0, kMost), out);
}

void Gzip::finish(std::string& out) {
  state_->stream.end_of_stream = 1;
  deflate({}, out);
}

void Gzip::deflate(std::string_view text, std::string& out) {
  isal_zstream& stream = state_->stream;
  // The library only reads the text, although its pointer is not const.
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<std::uint32_t>(text.size());
  do {
    stream.next_out = state_->out.data();
    stream.avail_out = static_cast<std::uint32_t>(state_->out.size());
    const int result = isal_deflate(&stream);
    STEPSIM_ASSERT(result == COMP_OK, "the compression is set up");
    out.append(reinterpret_cast<const char*>(state_->out.data()), state_->out.size() - stream.avail_out);
  } while (stream.avail_out == 0);
}

void refuse_unwritable(const std::string& path) {
  if (path == kStandardOutput) return;  // the first write will report problems
  refuse_no_file_name(path);
  const bool possible = is_written_in_place(path) ? ::access(path.c_str(), W_OK) == 0
                                                  : ::access((folder_of(path) + "/.").c_str(), W_OK | X_OK) == 0;
  if (!possible) fail_to_write(path, errno);
}

OutputFile::OutputFile(std::string path, Compression compression)
    : path_(std::move(path)),
      folder_(folder_of(path_)),
      gzip_(compression == Compression::kGzip ? std::make_unique<Gzip>() : nullptr) {
  refuse_no_file_name(path_);
  buffer_.reserve(kBufferSize);
  if (path_ == kStandardOutput || is_written_in_place(path_)) {
    open_in_place();
    return;
  }
  prefix_ = fmt::format(".{}.", name_of(path_).substr(0, kMostOfName));
  remove_stale_temporaries();
  open_temporary();
}

OutputFile::~OutputFile() { drop_temporary(); }

void OutputFile::drop_temporary() noexcept {
  close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::open_in_place() {
  descriptor_ = path_ == kStandardOutput ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                                         : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(errno);
}

void OutputFile::open_temporary() {
  static std::atomic<unsigned> count{0};
  do {
    temporary_ = fmt::format("{}/{}{}-{}{}", folder_, prefix_, ::getpid(), count++, kSuffix);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0 && errno != EEXIST) {
      temporary_.clear();
      fail(errno);
    }
  } while (descriptor_ < 0 || !lock_temporary());
}

/// Locks the new temporary file. Returns false if another process removed it as stale before that.
bool OutputFile::lock_temporary() {
  struct stat status {};
  // NFS may not support locks.
  const bool locked = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  const int problem = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
  if (locked && problem == 0 && status.st_nlink > 0) return true;
  drop_temporary();
  if (problem != 0) fail(problem);
  return false;
}

void OutputFile::remove_stale_temporaries() const {
  const std::unique_ptr<DIR, CloseFolder> folder{::opendir(folder_.c_str())};
  if (folder == nullptr) return;
  std::vector<std::string> found;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    const bool ours = name.size() > prefix_.size() + kSuffix.size() && name.substr(0, prefix_.size()) == prefix_ &&
                      name.substr(name.size() - kSuffix.size()) == kSuffix;
    if (ours) found.push_back(fmt::format("{}/{}", folder_, name));
  }
  for (const std::string& path : found) remove_if_unlocked(path);
}

void OutputFile::write(std::string_view text) {
  if (buffer_.size() + text.size() > kBufferSize) flush();
  if (gzip_ != nullptr) {
    gzip_->add(text, buffer_);
  } else {
    buffer_ += text;
  }
  if (buffer_.size() >= kBufferSize) flush();
}

void OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  flushed_ += buffer_.size();
  buffer_.clear();
}

void OutputFile::commit() {
  if (gzip_ != nullptr) gzip_->finish(buffer_);
  flush();
  if (temporary_.empty()) {
    close();
    return;
  }
  if (::fsync(descriptor_) != 0) fail(errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
  close();
  sync_folder(folder_);
}

void OutputFile::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void OutputFile::fail(int error_number) const {
  std::string more;
  if (path_ == kStandardOutput) fail_to_write(path_, error_number);
  if (error_number == ENOSPC || error_number == EDQUOT) more = free_space(folder_, bytes_written());
  if (error_number == EFBIG) more = fmt::format("; {} bytes or more are needed (see ulimit -f)", bytes_written());
  fail_to_write(path_, error_number, more);
}

void write_file(const std::string& path, std::string_view text) {
  OutputFile file{path};
  file.write(text);
  file.commit();
}

}  // namespace stepsim::sim
