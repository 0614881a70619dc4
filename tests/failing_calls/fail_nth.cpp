// A library for LD_PRELOAD that makes the n-th call of one kind fail. failing_calls.py runs the program with it.
//
//     FAIL_CALL=open   kind of the call: one of the names in kNames below
//     FAIL_AT=7        number of the call that fails, from 1; 0 or unset: no call fails, but all are counted
//     FAIL_HOW=every   all later calls of the kind fail too
//     FAIL_HOW=short   the call does not fail: a read or write transfers one byte
//     FAIL_HOW=again   the call fails as if interrupted by a signal: EINTR
//     FAIL_LOG=FILE    file for the counts: one 8-byte integer per kind, in the order of kNames, for its calls; then
//                      one for the number of calls that failed
//     FAIL_PLACES=FILE file whose n-th 8-byte integer is a hash of the callers of the n-th malloc, up to a million
//
// Most of the replacements below call the kernel or glibc's own allocator directly. They do not look up the function
// that they replace, because looking up a symbol would allocate memory.

#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): glibc's own names
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

namespace {

enum Kind : std::size_t {
  kMalloc,
  kRead,
  kWrite,
  kOpen,
  kStat,
  kFstat,
  kRename,
  kFsync,
  kThread,
  kFolder,
  kMap,
  kKinds
};
struct KindNames {
  const char* name;
  int error;
};
constexpr std::array<KindNames, kKinds> kNames{{{"malloc", ENOMEM},
                                                {"read", EIO},
                                                {"write", ENOSPC},
                                                {"open", EMFILE},
                                                {"stat", EIO},
                                                {"fstat", EIO},
                                                {"rename", EIO},
                                                {"fsync", EIO},
                                                {"thread", EAGAIN},
                                                {"folder", EIO},
                                                {"map", ENOMEM}}};

using Counter = std::atomic<std::uint64_t>;
static_assert(Counter::is_always_lock_free && sizeof(Counter) == 8, "the log holds them");

std::array<Counter, kKinds + 1> in_memory{};  // used if FAIL_LOG is not set
[[gnu::tls_model("initial-exec")]] thread_local bool in_dlopen = false;
[[gnu::tls_model("initial-exec")]] thread_local bool in_backtrace = false;
constexpr std::size_t kPlaces = 1'000'000;
struct Order {
  Counter* counts = in_memory.data();
  std::size_t kind = kKinds;
  std::uint64_t at = 0;
  std::string_view how;
  Counter* places = nullptr;
};

Counter* open_log(const char* path, std::size_t size) {
  const int file = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (file < 0 || ::syscall(SYS_ftruncate, file, size) != 0) ::abort();
  const long place = ::syscall(SYS_mmap, nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::syscall(SYS_close, file);
  if (place < 0) ::abort();
  return reinterpret_cast<Counter*>(place);  // NOLINT(performance-no-int-to-ptr): an address
}

Order read_order() {
  Order order;
  const char* const kind = ::getenv("FAIL_CALL");
  const char* const at = ::getenv("FAIL_AT");
  const char* const how = ::getenv("FAIL_HOW");
  const char* const log = ::getenv("FAIL_LOG");
  for (std::size_t i = 0; kind != nullptr && i < kKinds; ++i) {
    if (std::strcmp(kind, kNames[i].name) == 0) order.kind = i;
  }
  if (at != nullptr) order.at = std::strtoull(at, nullptr, 10);
  if (how != nullptr) order.how = how;
  const char* const places = ::getenv("FAIL_PLACES");
  if (log != nullptr) order.counts = open_log(log, sizeof(in_memory));
  if (places != nullptr) order.places = open_log(places, kPlaces * sizeof(Counter));
  return order;
}

const Order& order() {
  static const Order order = read_order();
  return order;
}

/// Returns a hash of the innermost callers of the calling function, to identify the place of a call.
std::uint64_t place() {
  std::array<void*, 8> callers{};
  const int depth = ::backtrace(callers.data(), static_cast<int>(callers.size()));
  std::uint64_t mixed = 0;
  for (const void* caller : std::span{callers}.first(static_cast<std::size_t>(depth))) {
    mixed = (mixed ^ reinterpret_cast<std::uintptr_t>(caller)) * 0x9E3779B97F4A7C15U;
    mixed ^= mixed >> 29U;
  }
  return mixed;
}

/// Records where the malloc with this number was called.
void note_place(std::uint64_t number) {
  if (order().places == nullptr || number > kPlaces) return;
  in_backtrace = true;  // backtrace() allocates in its first call
  order().places[number - 1] = place();
  in_backtrace = false;
}

/// Counts a call and returns whether it is the one to fail. Calls before the environment exists (by the dynamic linker)
/// are not counted. Calls by dlopen() are not counted either: if dlopen() has no memory for its error message, glibc
/// 2.36 reads a null pointer.
bool is_call_to_fail(Kind kind) {
  if (environ == nullptr || in_dlopen || in_backtrace) return false;
  const std::uint64_t number = order().counts[kind].fetch_add(1) + 1;
  if (kind == kMalloc) note_place(number);
  const bool turn = number == order().at || (number > order().at && order().how == "every");
  if (kind != order().kind || order().at == 0 || !turn) return false;
  order().counts[kKinds].fetch_add(1);
  return true;
}

/// Counts a call and returns whether it must fail. If so, errno is set.
bool fails(Kind kind) {
  if (!is_call_to_fail(kind)) return false;
  errno = order().how == "again" ? EINTR : kNames[kind].error;
  return true;
}

/// Like fails(kind), but with FAIL_HOW=short the selected call does not fail: `size` becomes 1.
bool fails(Kind kind, std::size_t& size) {
  if (order().how != "short") return fails(kind);
  if (is_call_to_fail(kind) && size > 1) size = 1;
  return false;
}

/// Makes a system call. Returns -1 and sets errno on failure, like glibc's wrappers.
template <typename... Arguments>
int call(long number, Arguments... arguments) {
  return static_cast<int>(::syscall(number, arguments...));
}

int open_at(int folder, const char* path, int flags, std::va_list rest) {
  if (fails(kOpen)) return -1;
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  return call(SYS_openat, folder, path, flags, mode);
}

int stat_at(int folder, const char* path, struct stat* status, int flags) {
  return fails(kStat) ? -1 : call(SYS_newfstatat, folder, path, status, flags);
}

template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return fails(kMalloc) ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return fails(kMalloc) ? nullptr : __libc_calloc(count, size); }
void* realloc(void* old, std::size_t size) { return fails(kMalloc) ? nullptr : __libc_realloc(old, size); }
void* memalign(std::size_t alignment, std::size_t size) {
  return fails(kMalloc) ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** place, std::size_t alignment, std::size_t size) {
  *place = memalign(alignment, size);
  return *place == nullptr ? ENOMEM : 0;
}

ssize_t read(int file, void* to, std::size_t size) {
  return fails(kRead, size) ? -1 : ::syscall(SYS_read, file, to, size);
}
ssize_t pread(int file, void* to, std::size_t size, off_t offset) {
  return fails(kRead, size) ? -1 : ::syscall(SYS_pread64, file, to, size, offset);
}
ssize_t pread64(int file, void* to, std::size_t size, off_t offset) { return pread(file, to, size, offset); }
ssize_t write(int file, const void* from, std::size_t size) {
  return fails(kWrite, size) ? -1 : ::syscall(SYS_write, file, from, size);
}

int open(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const int file = open_at(AT_FDCWD, path, flags, rest);
  va_end(rest);
  return file;
}
int open64(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const int file = open_at(AT_FDCWD, path, flags, rest);
  va_end(rest);
  return file;
}
int openat(int folder, const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const int file = open_at(folder, path, flags, rest);
  va_end(rest);
  return file;
}

int stat(const char* path, struct stat* status) { return stat_at(AT_FDCWD, path, status, 0); }
int lstat(const char* path, struct stat* status) { return stat_at(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW); }
int fstatat(int folder, const char* path, struct stat* status, int flags) {
  return stat_at(folder, path, status, flags);
}
int statx(int folder, const char* path, int flags, unsigned mask, struct statx* status) {
  return fails(kStat) ? -1 : call(SYS_statx, folder, path, flags, mask, status);
}
int fstat(int file, struct stat* status) { return fails(kFstat) ? -1 : call(SYS_fstat, file, status); }
int fstat64(int file, struct stat64* status) { return fails(kFstat) ? -1 : call(SYS_fstat, file, status); }

int rename(const char* from, const char* to) { return fails(kRename) ? -1 : call(SYS_rename, from, to); }
int fsync(int file) { return fails(kFsync) ? -1 : call(SYS_fsync, file); }
int fdatasync(int file) { return fails(kFsync) ? -1 : call(SYS_fdatasync, file); }

int pthread_create(pthread_t* thread, const pthread_attr_t* settings, void* (*run)(void*), void* argument) {
  static const auto next = real<decltype(&pthread_create)>("pthread_create");
  return fails(kThread) ? EAGAIN : next(thread, settings, run, argument);
}

void* dlopen(const char* path, int flags) {
  static const auto next = real<decltype(&dlopen)>("dlopen");
  in_dlopen = true;
  void* const library = next(path, flags);
  in_dlopen = false;
  return library;
}

DIR* opendir(const char* path) {
  static const auto next = real<decltype(&opendir)>("opendir");
  return fails(kFolder) ? nullptr : next(path);
}
struct dirent* readdir(DIR* folder) {
  static const auto next = real<decltype(&readdir)>("readdir");
  return fails(kFolder) ? nullptr : next(folder);
}

void* mmap(void* place, std::size_t size, int protection, int flags, int file, off_t offset) {
  if (fails(kMap)) return MAP_FAILED;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address
  return reinterpret_cast<void*>(::syscall(SYS_mmap, place, size, protection, flags, file, offset));
}

}  // extern "C"
