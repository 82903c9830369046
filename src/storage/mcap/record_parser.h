#pragma once

#include "storage/chunked/run_parser.h"
#include "storage/mcap/records.h"

namespace kitbag::mcap {

/// What finds its way through a file, or a chunk's content, record by record, over damage. The slot
/// of a message is the id of its channel.
class RecordParser final : public RunParser {
 public:
  RunRecord parse(ByteView bytes, RunScratch& scratch) const override;
  Channel describe(std::string_view) const override { return {}; }
  std::size_t find_record(ByteView bytes) const override;
};

}  // namespace kitbag::mcap
