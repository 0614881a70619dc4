#include "ingest/chrome/records_ahead.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <utility>

#include "ingest/chrome/chrome_record.h"
#include "ingest/json/scanner.h"
#include "model/base/tbb_threads.h"

namespace stepsim::ingest {
namespace {

/// A piece of the trace: first its text, then the records scanned from it.
struct Piece {
  enum class State : std::uint8_t { kText, kScanning, kDone };

  State state = State::kDone;
  std::vector<char> text;  ///< followed by json::kPadding zeros
  std::size_t size = 0;
  std::size_t read = 0;  ///< bytes of the text that read() has returned
  bool scans = false;    ///< the piece seems to begin and end after a comma between two records
  bool whole = false;    ///< the piece contains nothing but `records`
  RecordPiece records;
  std::exception_ptr error;  ///< error from reading or scanning the piece
};

void scan_records(Piece& piece) {
  RecordPiece& records = piece.records;
  const char* const begin = piece.text.data();
  const char* const end = begin + piece.size;
  const auto offset = [&](const char* p) { return records.begin + static_cast<std::uint64_t>(p - begin); };
  std::vector<std::size_t> arguments_before;
  ChromeRecord fields;
  const char* p = begin;
  while (p != end) {
    json::Scanner scanner{p, end};
    char next = '\0';
    if (!scanner.next_char(next)) break;
    const char* const record = scanner.at();
    if (next != '{' || !fields.scan(scanner) || fields.wrong_member() != nullptr) return;
    ChromeEvent& event = records.events.emplace_back();
    fields.fill(event, records.unescaped);
    event.offset = offset(record);
    event.record = {record, static_cast<std::size_t>(scanner.at() - record)};
    event.odd = scanner.odd();
    arguments_before.push_back(records.arguments.size());
    records.arguments.insert(records.arguments.end(), event.argument_list.begin(), event.argument_list.end());
    if (!scanner.next_char(next) || next != ',') return;
    p = scanner.at() + 1;
  }
  for (std::size_t i = 0; i < records.events.size(); ++i) {
    std::span<const ChromeArgument>& list = records.events[i].argument_list;
    list = std::span{records.arguments}.subspan(arguments_before[i], list.size());
  }
  piece.whole = true;
}

}  // namespace

class RecordsAhead::Impl {
 public:
  Impl(ByteSource& source, int threads, std::size_t piece_bytes)
      : source_(source), piece_bytes_(piece_bytes), most_(static_cast<std::size_t>(threads) + 1) {
    auto first = std::make_unique<Piece>();
    ended_ = fill(*first);
    pieces_.push_back(std::move(first));
    if (ended_) return;
    HandOver::give();
    helpers_ = std::make_unique<TbbHelpers>(threads, help_);
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    helpers_.reset();
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::size_t read(std::span<char> out) {
    Piece* const piece = front();
    if (piece == nullptr) return 0;
    const std::size_t count = std::min(out.size(), piece->size - piece->read);
    std::memcpy(out.data(), piece->text.data() + piece->read, count);
    piece->read += count;
    return count;
  }

  RecordPiece* take(std::uint64_t offset) {
    Piece* const piece = front();
    if (piece == nullptr || !piece->whole || piece->read > 0 || piece->records.begin != offset) return nullptr;
    piece->read = piece->size;
    return &piece->records;
  }

  [[nodiscard]] bool truncated() const noexcept { return source_.truncated(); }

 private:
  /// Waits for the first piece that is not used up and returns it; null at the end. While it waits, it works on this
  /// piece or on later ones.
  Piece* front() {
    std::unique_lock lock(mutex_);
    while (true) {
      while (!pieces_.empty() && pieces_.front()->state == Piece::State::kDone &&
             pieces_.front()->read == pieces_.front()->size && !pieces_.front()->error) {
        unused_.push_back(std::move(pieces_.front()));
        pieces_.pop_front();
        changed_.notify_all();
      }
      if (pieces_.empty() && ended_) return nullptr;
      if (!pieces_.empty() && pieces_.front()->state == Piece::State::kDone) {
        if (pieces_.front()->error) std::rethrow_exception(pieces_.front()->error);
        return pieces_.front().get();
      }
      if (!work(lock)) changed_.wait(lock);
    }
  }

  void help() {
    std::unique_lock lock(mutex_);
    while (!over_) {
      if (!work(lock)) changed_.wait(lock);
    }
  }

  /// Scans the first unscanned piece, or else reads a new one. Returns false if there is nothing to do now.
  bool work(std::unique_lock<std::mutex>& lock) {
    for (const auto& piece : pieces_) {
      if (piece->state != Piece::State::kText) continue;
      piece->state = Piece::State::kScanning;
      lock.unlock();
      scan(*piece);
      lock.lock();
      piece->state = Piece::State::kDone;
      changed_.notify_all();
      return true;
    }
    if (reading_ || ended_ || pieces_.size() == most_) return false;
    reading_ = true;
    std::unique_ptr<Piece> piece = fresh_piece();
    lock.unlock();
    const bool last = fill(*piece);
    lock.lock();
    pieces_.push_back(std::move(piece));
    reading_ = false;
    ended_ = last;
    changed_.notify_all();
    return true;
  }

  static void scan(Piece& piece) {
    try {
      scan_records(piece);
    } catch (...) {
      piece.error = std::current_exception();
    }
  }

  /// Precondition: mutex_ is locked.
  std::unique_ptr<Piece> fresh_piece() {
    if (unused_.empty()) return std::make_unique<Piece>();
    std::unique_ptr<Piece> piece = std::move(unused_.back());
    unused_.pop_back();
    piece->size = piece->read = 0;
    piece->scans = piece->whole = false;
    RecordPiece& records = piece->records;
    records.events.clear();
    records.arguments.clear();
    records.unescaped.clear();
    return piece;
  }

  /// Reads the text of a piece; true if it is the last one. Only one thread may call this at a time.
  bool fill(Piece& piece) {
    bool last = false;
    try {
      last = fill_text(piece);
      piece.state = piece.scans ? Piece::State::kText : Piece::State::kDone;
    } catch (...) {
      piece.error = std::current_exception();
      piece.state = Piece::State::kDone;
      last = true;
    }
    return last;
  }

  bool fill_text(Piece& piece) {
    piece.records.begin = piece.records.end = read_to_;
    const std::size_t wanted = std::max(piece_bytes_, 2 * rest_.size());
    if (piece.text.size() < wanted + json::kPadding) piece.text.resize(wanted + json::kPadding);
    std::copy(rest_.begin(), rest_.end(), piece.text.begin());
    std::size_t size = rest_.size();
    rest_.clear();
    bool last = false;
    while (size < wanted && !last) {
      const std::size_t got = source_.read(std::span{piece.text.data() + size, wanted - size});
      last = got == 0;
      size += got;
    }
    const char* const begin = piece.text.data();
    const char* const cut = last ? begin + size : last_record_gap(begin, begin + size);
    piece.size = static_cast<std::size_t>(cut - begin);
    rest_.assign(cut, begin + size);
    std::memset(piece.text.data() + piece.size, 0, json::kPadding);
    piece.scans = begins_at_gap_ && !last && cut != begin + size;
    begins_at_gap_ = cut != begin + size;
    read_to_ += piece.size;
    piece.records.end = read_to_;
    return last;
  }

  ByteSource& source_;
  const std::size_t piece_bytes_;
  const std::size_t most_;  ///< maximum number of pieces in memory: the one in use, and one per thread to scan

  std::mutex mutex_;  ///< guards the members below
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Piece>> pieces_;
  std::vector<std::unique_ptr<Piece>> unused_;
  bool reading_ = false;
  bool ended_ = false;
  bool over_ = false;

  // Used only by the thread that reads the source.
  std::vector<char> rest_;  ///< text after the last cut
  std::uint64_t read_to_ = 0;
  bool begins_at_gap_ = false;

  const std::function<void()> help_ = [this] {
    HandOver::take();
    help();
  };
  std::unique_ptr<TbbHelpers> helpers_;  ///< null for a trace of one piece
};

RecordsAhead::RecordsAhead(ByteSource& source, int threads, std::size_t piece_bytes)
    : ByteSource(source.name()), impl_(std::make_unique<Impl>(source, threads, piece_bytes)) {}
RecordsAhead::~RecordsAhead() = default;

std::size_t RecordsAhead::read(std::span<char> out) { return impl_->read(out); }
bool RecordsAhead::truncated() const noexcept { return impl_->truncated(); }
RecordPiece* RecordsAhead::take(std::uint64_t offset) { return impl_->take(offset); }

}  // namespace stepsim::ingest
