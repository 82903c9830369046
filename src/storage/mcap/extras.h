#pragma once

#include <optional>
#include <string>

#include "kitbag/bag.h"
#include "kitbag/file.h"
#include "storage/mcap/records.h"

namespace kitbag::mcap {

/// What is reported of an attachment or metadata record of which read_extra() makes nothing.
inline constexpr const char* kDamagedExtra =
    "the attachment or metadata record here is damaged; it is left out";
constexpr bool is_promised_extra(std::uint8_t op) {
  return op == static_cast<std::uint8_t>(Op::attachment) ||
         op == static_cast<std::uint8_t>(Op::metadata);
}

/// The attachment whose record begins at `offset`. Its data is read on demand, and verified with
/// its CRC when it is first read; damage is then reported as `options` say. Nothing if there is
/// none.
std::optional<Attachment> read_attachment(const std::shared_ptr<const ReadFile>& file,
                                          const std::string& path, std::uint64_t offset,
                                          const ReadOptions& options);

/// What is wrong with the CRC of the attachment record at `offset`; empty: nothing, or it has none.
std::string verify_attachment(const ReadFile& file, std::uint64_t offset);

/// The extra that the record at `offset` is: an attachment, metadata or a private record; `op` and
/// `bytes`, those of the whole record, are its head's. Nothing for records of other kinds, and for
/// what is damaged.
std::optional<Extra> read_extra(const std::shared_ptr<const ReadFile>& file,
                                const std::string& path, std::uint64_t offset, std::uint8_t op,
                                std::uint64_t bytes, const ReadOptions& options);

/// What was the end of the file before it was appended to, as a record that readers step over; see
/// append.cpp.
inline constexpr std::uint8_t kDeadTailOp = 0xDE;
/// A private record of that opcode is no such end unless it ends as files do.
bool is_dead_tail(const ReadFile& file, std::uint64_t offset, std::uint8_t op, std::uint64_t bytes);

/// The name by which private records know their format.
inline constexpr const char* kFormatName = "mcap";

}  // namespace kitbag::mcap
