#pragma once

#include <vector>

#include "kitbag/message.h"
#include "storage/rosbag/records.h"

/// Metadata records in the file header, each in a field of its own, `kitbag_metadata`, which other
/// programs pass over: texts, each behind its u32 length, the record's name and then its keys and
/// values in turn. docs/formats/rosbag-2.0.md.
namespace kitbag::rosbag {

/// Those that make no sense are left out.
std::vector<Metadata> parse_metadata(const Fields& file_header);

/// Adds the field of `record`.
void append_metadata(RecordWriter& file_header, const Metadata& record);

}  // namespace kitbag::rosbag
