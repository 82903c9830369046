#include "storage/mcap/extras.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "base/crc32.h"
#include "io/file_slice.h"

// An attachment may be larger than memory, so it is opened as a slice of the file:
//
//     09 | length | log time, create time, name, media type, data length | data | CRC
//                 |<-------------------- covered by the CRC ------------------->|
//
// The CRC follows the data, so it is known to be right only when all of the data was read. Whoever
// reads the data wants to know before the first byte. So the first read() goes through the whole
// attachment once, and later ones are plain reads. An attachment that nobody reads costs its head.
//
// A private record is passed on as it is, except the one in which an append has hidden the old end
// of the file (append.cpp): that belongs to this file and not to a copy of it.

namespace kitbag::mcap {

namespace {

constexpr std::size_t kCrcPieceBytes = 256 << 10;
/// What is read first of an attachment's head; more where its names are longer.
constexpr std::size_t kAttachmentHeadBytes = 512;

/// The head of an attachment, and the memory that its names lie in.
struct LoadedHead {
  Buffer bytes;
  AttachmentHead head;
};

std::optional<LoadedHead> load_head(const ReadFile& file, std::uint64_t offset) {
  for (std::uint64_t wanted = kAttachmentHeadBytes; wanted <= kMaxDefinitionBytes; wanted *= 2) {
    LoadedHead loaded;
    loaded.bytes.resize(static_cast<std::size_t>(wanted));
    loaded.bytes.resize(file.read(offset + kRecordHead, loaded.bytes.span()));
    auto head = parse_attachment_head(loaded.bytes.view());
    if (head) loaded.head = *head;
    if (head) return loaded;
    if (loaded.bytes.size() < wanted) return std::nullopt;
  }
  return std::nullopt;
}

/// The CRC of `size` bytes at `offset`; nothing if they are not all there.
std::optional<std::uint32_t> crc_of(const ReadFile& file, std::uint64_t offset,
                                    std::uint64_t size) {
  Buffer piece;
  std::uint32_t crc = 0;
  while (size > 0) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size, kCrcPieceBytes)));
    if (file.read(offset, piece.span()) < piece.size()) return std::nullopt;
    crc = crc32(piece.view(), crc);
    offset += piece.size();
    size -= piece.size();
  }
  return crc;
}

/// The data of an attachment. Verified as a whole before the first of it is given.
class AttachmentData final : public ReadFile {
 public:
  AttachmentData(const std::shared_ptr<const ReadFile>& file, std::string path,
                 std::uint64_t offset, std::uint64_t data_offset, std::uint64_t size,
                 ReadOptions options)
      : file_(file),
        path_(std::move(path)),
        offset_(offset),
        data_(file, data_offset, size),
        options_(std::move(options)) {}

  std::uint64_t size() const override { return data_.size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (options_.check_crc) verify();
    return data_.read(offset, into);
  }

 private:
  void verify() const {
    std::lock_guard lock(mutex_);
    if (is_verified_) return;
    std::string what = verify_attachment(*file_, offset_);
    if (!what.empty()) {
      report(options_.on_problem,
             Error(ErrorCode::corrupt, what, path_, offset_, Loss{.messages = 0}));
    }
    is_verified_ = true;
  }

  std::shared_ptr<const ReadFile> file_;
  std::string path_;
  std::uint64_t offset_;
  FileSlice data_;
  ReadOptions options_;
  mutable std::mutex mutex_;
  mutable bool is_verified_ = false;
};

std::optional<Metadata> load_metadata(const ReadFile& file, std::uint64_t offset,
                                      std::uint64_t bytes) {
  if (bytes > kMaxDefinitionBytes) return std::nullopt;
  Buffer record;
  record.resize(static_cast<std::size_t>(bytes));
  record.resize(file.read(offset, record.span()));
  auto whole = parse_record(record.view());
  auto metadata = whole ? parse_metadata(whole->content) : std::nullopt;
  if (!metadata) return std::nullopt;
  return Metadata{std::string(metadata->name), std::move(metadata->values)};
}

}  // namespace

std::optional<Attachment> read_attachment(const std::shared_ptr<const ReadFile>& file,
                                          const std::string& path, std::uint64_t offset,
                                          const ReadOptions& options) {
  auto loaded = load_head(*file, offset);
  if (!loaded) return std::nullopt;
  const AttachmentHead& head = loaded->head;
  Attachment attachment;
  attachment.name = head.name;
  attachment.media_type = head.media_type;
  attachment.log_time = time_of(head.log_time);
  attachment.create_time = time_of(head.create_time);
  attachment.data = std::make_shared<const AttachmentData>(
      file, path, offset, offset + kRecordHead + head.bytes, head.data_size, options);
  return attachment;
}

std::string verify_attachment(const ReadFile& file, std::uint64_t offset) {
  constexpr const char* kCut = "the attachment here is incomplete";
  auto loaded = load_head(file, offset);
  if (!loaded) return "the header of the attachment here is damaged";
  std::uint64_t content = offset + kRecordHead;
  std::uint64_t size = loaded->head.bytes + loaded->head.data_size;
  std::byte stored[sizeof(std::uint32_t)];
  if (file.read(content + size, stored) < sizeof(stored)) return kCut;
  auto expected = load_le<std::uint32_t>(stored);
  if (expected == 0) return {};
  auto crc = crc_of(file, content, size);
  if (!crc) return kCut;
  if (*crc == expected) return {};
  return fmt::format("the attachment '{}' is damaged: its CRC is {:08x}, expected {:08x}",
                     loaded->head.name, *crc, expected);
}

std::optional<Extra> read_extra(const std::shared_ptr<const ReadFile>& file,
                                const std::string& path, std::uint64_t offset, std::uint8_t op,
                                std::uint64_t bytes, const ReadOptions& options) {
  if (op == static_cast<std::uint8_t>(Op::attachment)) {
    return read_attachment(file, path, offset, options);
  }
  if (op == static_cast<std::uint8_t>(Op::metadata)) return load_metadata(*file, offset, bytes);
  if (op < kFirstPrivateOp || is_dead_tail(*file, offset, op, bytes)) return std::nullopt;
  return PrivateRecord{
      kFormatName, op,
      std::make_shared<const FileSlice>(file, offset + kRecordHead, bytes - kRecordHead)};
}

}  // namespace kitbag::mcap
