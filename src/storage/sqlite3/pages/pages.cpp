#include "storage/sqlite3/pages/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "storage/sqlite3/pages/big_endian.h"

// A write-ahead log (fileformat2, section 4) holds pages that are newer than those of the file:
//
//     head, 32 bytes | frame head, 24 bytes | page | frame head | page | ...
//                      page number u32, pages of the database u32 (0: no commit here), salts, sum
//
// Frames become valid together, by the frame that commits them. The sum runs on over all frames
// from the head, and the salts are those of the head. SQLite reuses a log from its beginning, so
// old frames may stand behind the new ones; they have other salts, and the sum does not reach them.
// Reading ends at the first frame that does not agree. A later frame of the same page replaces an
// earlier one.
//
// The log is read once, when the bag is opened, and the places of its pages are kept. So readers
// get the bag of that moment. When its writer starts the log again from the front, it has copied
// all pages to the file before, and the new frames have other salts. From then on the pages are
// read from the file, where the bag may have grown.

namespace kitbag::sqlite3 {

namespace {

constexpr std::size_t kChangesOffset = 24;  ///< in the head of the database
constexpr std::size_t kLogHeadBytes = 32;
constexpr std::size_t kFrameHeadBytes = 24;
constexpr std::uint32_t kLogMagic = 0x377f0682;  // its last bit: the sums are big-endian

/// The checksum of the log: it goes on over all frames.
class LogSum {
 public:
  explicit LogSum(bool is_big_endian) : is_big_endian_(is_big_endian) {}

  void add(ByteView bytes) {
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      first_ += word(bytes.data() + i) + second_;
      second_ += word(bytes.data() + i + 4) + first_;
    }
  }
  bool is_at(const std::byte* stored) const {
    return load_be32(stored) == first_ && load_be32(stored + 4) == second_;
  }

 private:
  std::uint32_t word(const std::byte* bytes) const {
    return is_big_endian_ ? load_be32(bytes) : load_le<std::uint32_t>(bytes);
  }

  bool is_big_endian_;
  std::uint32_t first_ = 0;
  std::uint32_t second_ = 0;
};

}  // namespace

PageFile::PageFile(std::shared_ptr<const ReadFile> file, std::string path,
                   std::shared_ptr<const ReadFile> log)
    : file_(std::move(file)),
      path_(std::move(path)),
      log_(std::move(log)),
      identity_(file_->identity()) {
  read_head();
  if (log_) read_log();
}

void PageFile::read_head() {
  std::array<std::byte, kHeadBytes> head;
  if (file_->read(0, head) < head.size()) {
    throw Error(ErrorCode::truncated, "the file ends within its first bytes; nothing can be saved",
                path_, file_->size());
  }
  if (as_text(head).substr(0, kMagic.size()) != kMagic) {
    throw Error(ErrorCode::corrupt, "the file does not begin with the SQLite signature", path_, 0);
  }
  std::uint32_t size = load_be16(head.data() + 16);
  page_bytes_ = size == 1 ? 65536 : size;
  bool is_power = (page_bytes_ & (page_bytes_ - 1)) == 0;
  auto reserved = static_cast<std::uint32_t>(head[20]);
  if (page_bytes_ < 512 || !is_power || page_bytes_ - reserved < 480) {
    throw Error(ErrorCode::corrupt, fmt::format("invalid page size: {} bytes", size), path_, 16);
  }
  usable_bytes_ = page_bytes_ - reserved;
  std::uint64_t whole = file_->size() / page_bytes_;
  count_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(whole, UINT32_MAX - 1));
  // The head has the number of pages, unless something older than it has written them.
  changes_ = load_be32(head.data() + kChangesOffset);
  bool is_declared = changes_ == load_be32(head.data() + 92);
  std::uint32_t declared = load_be32(head.data() + 28);
  promised_count_ = is_declared && declared != 0 ? declared : count_;
}

/// What a program that has died had committed to the log, or what one that lives has.
void PageFile::read_log() {
  std::array<std::byte, kLogHeadBytes> head;
  if (log_->read(0, head) < head.size()) return;
  std::uint32_t magic = load_be32(head.data());
  if ((magic & ~1U) != kLogMagic || load_be32(head.data() + 8) != page_bytes_) return;
  LogSum sum((magic & 1U) != 0);
  sum.add(ByteView(head).first(24));
  if (!sum.is_at(head.data() + 24)) return;
  std::copy_n(head.begin() + 16, salts_.size(), salts_.begin());
  std::unordered_map<std::uint32_t, std::uint64_t> open;
  std::vector<std::byte> frame(kFrameHeadBytes + page_bytes_);
  std::uint32_t pages = 0;
  for (std::uint64_t at = kLogHeadBytes; log_->read(at, frame) == frame.size();
       at += frame.size()) {
    bool is_of_this_log = std::equal(salts_.begin(), salts_.end(), frame.begin() + 8);
    sum.add(ByteView(frame).first(8));
    sum.add(ByteView(frame).subspan(kFrameHeadBytes));
    if (!is_of_this_log || !sum.is_at(frame.data() + 16)) break;
    open[load_be32(frame.data())] = at;
    std::uint32_t committed = load_be32(frame.data() + 4);
    if (committed == 0) continue;
    for (auto [page, place] : open) logged_[page] = place;
    open.clear();
    pages = committed;
  }
  if (pages != 0) count_ = promised_count_ = pages;
}

bool PageFile::has_changed() const {
  if (!identity_.empty() && file_->identity() == identity_) return false;
  std::array<std::byte, 4> changes;
  return file_->read(kChangesOffset, changes) == changes.size() &&
         load_be32(changes.data()) != changes_;
}

void PageFile::read(std::uint32_t number, std::uint32_t most, Buffer& into) const {
  into.clear();
  // Where a log was committed, the file may have old pages behind its end.
  if (number == 0 || (number > count_ && has_log() && !has_changed())) return;
  if (auto logged = logged_.find(number); logged != logged_.end()) {
    if (read_logged(logged->second, into)) return;
    most = 1;
  }
  std::uint32_t count = number > count_ ? 1 : std::min(most, count_ - number + 1);
  std::uint32_t together = 1;
  while (together < count && !logged_.contains(number + together)) ++together;
  into.resize(std::size_t{together} * page_bytes_);
  into.resize(file_->read(offset_of(number), into.span()));
  into.resize(into.size() / page_bytes_ * page_bytes_);
}

/// Reads the page of the frame at `place`. False: the writer has started the log again. SQLite
/// writes the head of a frame before its page, so the head is read after the page.
bool PageFile::read_logged(std::uint64_t place, Buffer& into) const {
  into.resize(page_bytes_);
  if (log_->read(place + kFrameHeadBytes, into.span()) < into.size()) return false;
  std::array<std::byte, kFrameHeadBytes> head;
  return log_->read(place, head) == head.size() &&
         std::equal(salts_.begin(), salts_.end(), head.begin() + 8);
}

Error PageFile::error(ErrorCode code, std::uint32_t page, const std::string& what,
                      const std::optional<Loss>& loss) const {
  return {code, what, path_, page == 0 ? Error::kNoOffset : offset_of(page), loss};
}

}  // namespace kitbag::sqlite3
