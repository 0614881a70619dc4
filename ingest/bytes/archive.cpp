#include "ingest/bytes/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "model/base/error.h"

namespace stepsim::ingest {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10U;

}  // namespace

void ArchiveReader::Free::operator()(::archive* reader) const noexcept { ::archive_read_free(reader); }

ArchiveReader::ArchiveReader(ByteSource& bytes, std::initializer_list<int (*)(::archive*)> support)
    : bytes_(bytes), piece_(kPiece), reader_(::archive_read_new()) {
  if (reader_ == nullptr) throw std::bad_alloc();
  const bool supported =
      std::all_of(support.begin(), support.end(), [this](auto* turn_on) { return goes_on(turn_on(get())); });
  // Calls the three steps of archive_read_open() one by one, because that function ignores a lack of memory in its
  // second step and then crashes.
  const bool opened = supported && goes_on(::archive_read_set_read_callback(get(), &ArchiveReader::read_more)) &&
                      goes_on(::archive_read_set_callback_data(get(), this)) && goes_on(::archive_read_open1(get()));
  // libarchive gives a text for every failure except a lack of memory.
  if (!opened && ::archive_error_string(get()) == nullptr) throw std::bad_alloc();
}

/// Called from C code of libarchive, so exceptions are stored and rethrown by goes_on().
std::ptrdiff_t ArchiveReader::read_more(::archive* reader, void* data, const void** buffer) noexcept {
  ArchiveReader& self = *static_cast<ArchiveReader*>(data);
  try {
    *buffer = self.piece_.data();
    return static_cast<std::ptrdiff_t>(self.bytes_.read(self.piece_));
  } catch (...) {
    self.error_ = std::current_exception();
    ::archive_set_error(reader, EIO, "the source cannot be read");
    return ARCHIVE_FATAL;
  }
}

bool ArchiveReader::goes_on(std::ptrdiff_t result) {
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  if (result >= 0 || result == ARCHIVE_WARN) return true;
  if (::archive_errno(get()) == ENOMEM) throw std::bad_alloc();
  const char* const text = ::archive_error_string(get());
  damage_ = text == nullptr ? "damaged" : text;
  return false;
}

namespace {

constexpr std::uint64_t kMostMembers = 1'000'000;
// Limits against decompression bombs: a member of more than kLargestUnsuspected bytes may be at most kMostGrowth times
// as large as the part of the archive read so far. Deflate makes JSON traces 10 to 50 times smaller. It cannot make any
// data more than 1,032 times smaller.
constexpr std::uint64_t kLargestUnsuspected = std::uint64_t{1} << 30U;
constexpr std::uint64_t kMostGrowth = 250;

std::string name_of(archive_entry* entry) {
  const char* name = ::archive_entry_pathname_utf8(entry);
  if (name == nullptr) name = ::archive_entry_pathname(entry);
  std::string_view text = name == nullptr ? std::string_view{} : name;
  while (text.starts_with("./")) text.remove_prefix(2);
  return std::string{text};
}

/// True if `name` is a relative path without "..", so that it stays inside the archive.
bool is_below(std::string_view name) {
  if (name.empty() || name.front() == '/') return false;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return false;
    begin = end + 1;
  }
  return true;
}

std::string_view why_unreadable(archive_entry* entry, std::string_view name) {
  if (!is_below(name)) return "its path escapes the archive";
  if (::archive_entry_hardlink(entry) != nullptr || ::archive_entry_filetype(entry) == AE_IFLNK) return "a link";
  if (::archive_entry_filetype(entry) != AE_IFREG) return "a special file";
  if (::archive_entry_is_data_encrypted(entry) != 0) return "encrypted";
  if (::archive_entry_sparse_count(entry) > 0) return "a sparse file";
  return {};
}

/// A unique_ptr deleter that calls a function of libarchive.
template <auto free>
struct Freed {
  void operator()(auto* made) const noexcept { free(made); }
};

}  // namespace

bool is_archive(std::string_view head) noexcept {
  constexpr std::size_t kUstar = 257;
  return head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06") ||
         (head.size() > kUstar && head.substr(kUstar).starts_with("ustar"));
}

struct Archive::State {
  explicit State(Input& from)
      : input(from),
        reader(from.stream(), {&::archive_read_support_format_tar, &::archive_read_support_format_zip_streamable}) {
    if (entry == nullptr) throw std::bad_alloc();
  }

  std::size_t read(std::span<char> out, const std::string& name) {
    if (!reader.damage().empty()) return 0;
    const la_ssize_t got = ::archive_read_data(reader.get(), out.data(), out.size());
    if (!reader.goes_on(got) || got < 0) return 0;
    given += static_cast<std::uint64_t>(got);
    if (given > kLargestUnsuspected && given / kMostGrowth > input.taken()) {
      throw InputError({name, given, {}},
                       "the member is more than 250 times as large as the archive before it, as in a decompression "
                       "bomb; expected a trace");
    }
    return static_cast<std::size_t>(got);
  }

  Input& input;
  ArchiveReader reader;
  // Allocated here, because archive_read_next_header() would use the reader's own entry without checking that its
  // allocation succeeded.
  std::unique_ptr<archive_entry, Freed<&::archive_entry_free>> entry{::archive_entry_new()};
  std::uint64_t members = 0;
  std::uint64_t given = 0;  // bytes read of the current member
};

namespace {

/// A ByteSource that calls `read(out, name)` until `out` is full or nothing is left.
template <class Read>
class MemberSource final : public ByteSource {
 public:
  MemberSource(std::string name, Read read) : ByteSource(std::move(name)), read_(std::move(read)) {}
  std::size_t read(std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      const std::size_t got = read_(out.subspan(done), name());
      if (got == 0) break;
      done += got;
    }
    return done;
  }

 private:
  Read read_;
};

}  // namespace

Archive::Archive(Input& input) : state_(std::make_unique<State>(input)) {}

Archive::~Archive() = default;

std::optional<Archive::Member> Archive::next() {
  State& state = *state_;
  while (state.reader.damage().empty()) {
    archive_entry* const entry = state.entry.get();
    const int result = ::archive_read_next_header2(state.reader.get(), entry);
    if (!state.reader.goes_on(result) || result == ARCHIVE_EOF) break;
    if (++state.members > kMostMembers) {
      throw InputError({state.input.name(), {}, {}},
                       "the archive has more than 1,000,000 members; expected the traces of one job");
    }
    state.given = 0;
    std::string name = name_of(entry);
    if (::archive_entry_filetype(entry) == AE_IFDIR) continue;
    const std::string_view unreadable_reason = why_unreadable(entry, name);
    return Member{std::move(name), unreadable_reason};
  }
  return std::nullopt;
}

std::unique_ptr<ByteSource> Archive::open(std::string name) {
  auto read = [state = state_.get()](std::span<char> out, const std::string& shown_as) {
    return state->read(out, shown_as);
  };
  return std::make_unique<MemberSource<decltype(read)>>(std::move(name), std::move(read));
}

const std::string& Archive::damage() const noexcept { return state_->reader.damage(); }

}  // namespace stepsim::ingest
