#include <algorithm>
#include <memory>
#include <variant>

#include "base/crc32.h"
#include "base/little_endian.h"
#include "storage/mcap/extras.h"
#include "storage/mcap/write/writer.h"
#include "storage/rosbag2/conventions.h"

// Attachments, metadata and private records stand between chunks, and the summary says where. Their
// content may be larger than memory, so it is copied from where it is, piece by piece.

namespace kitbag::mcap {

namespace {

constexpr std::size_t kExtraPiece = 1 << 20;

/// Calls `take` with all bytes of `file`, piece by piece.
template <class Take>
void read_pieces(const std::shared_ptr<const ReadFile>& file, const std::string& path,
                 Take&& take) {
  Buffer piece;
  std::uint64_t size = file ? file->size() : 0;
  for (std::uint64_t at = 0; at < size; at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size - at, kExtraPiece)));
    if (file->read(at, piece.span()) < piece.size()) {
      throw Error(ErrorCode::io, "the data to copy into the file became shorter in the meantime",
                  path);
    }
    take(piece.view());
  }
}

}  // namespace

void BagWriter::take(const Extra& extra) {
  const auto* record = std::get_if<PrivateRecord>(&extra);
  if (record && record->format != kFormatName) return left_out().add(extra);
  if (!settings_.is_chunked) drain();  // it goes behind the messages that came before it
  write_header();
  if (const auto* attachment = std::get_if<Attachment>(&extra)) {
    write_attachment(*attachment);
  } else if (const auto* metadata = std::get_if<Metadata>(&extra)) {
    write_metadata(*metadata);
  } else {
    write_private(*record);
  }
}

void BagWriter::write_attachment(const Attachment& attachment) {
  AttachmentHead head;
  head.log_time = stored_time(attachment.log_time);
  head.create_time = stored_time(attachment.create_time);
  head.name = attachment.name;
  head.media_type = attachment.media_type;
  head.data_size = attachment.data ? attachment.data->size() : 0;
  std::uint64_t offset = file().size();
  Buffer bytes;
  mcap::append(bytes, head);
  // Of the fields and the data, without the head of the record.
  std::uint32_t crc = crc32(bytes.view().subspan(kRecordHead));
  put(bytes.view());
  read_pieces(attachment.data, path(), [&](ByteView piece) {
    crc = crc32(piece, crc);
    put(piece);
  });
  bytes.clear();
  store_le(bytes.extend(sizeof(crc)), settings_.has_data_crc ? crc : 0);
  put(bytes.view());
  summary_.add(AttachmentIndex{offset, file().size() - offset, head.log_time, head.create_time,
                               head.data_size, head.name, head.media_type});
}

void BagWriter::write_metadata(const Metadata& metadata) {
  std::uint64_t offset = file().size();
  Buffer bytes;
  Metadata readable = rosbag2::readable_by(metadata, settings_.conventions.metadata_version);
  mcap::append(bytes, MetadataRecord{readable.name, readable.values});
  put(bytes.view());
  summary_.add(MetadataIndex{offset, bytes.size(), metadata.name});
}

void BagWriter::write_private(const PrivateRecord& record) {
  Buffer head;
  RecordWriter(head, record.opcode).finish(record.data ? record.data->size() : 0);
  put(head.view());
  read_pieces(record.data, path(), [&](ByteView piece) { put(piece); });
}

}  // namespace kitbag::mcap
