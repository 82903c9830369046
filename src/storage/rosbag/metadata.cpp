#include "storage/rosbag/metadata.h"

#include "base/cursor.h"

namespace kitbag::rosbag {

namespace {

constexpr std::string_view kField = "kitbag_metadata";

std::optional<Metadata> parse_value(ByteView value) {
  Cursor cursor(value);
  auto name = cursor.sized_bytes();
  if (!name) return std::nullopt;
  Metadata record{std::string(as_text(*name)), {}};
  while (!cursor.at_end()) {
    auto key = cursor.sized_bytes();
    auto text = cursor.sized_bytes();
    if (!key || !text) return std::nullopt;
    record.values.insert_or_assign(std::string(as_text(*key)), std::string(as_text(*text)));
  }
  return record;
}

void append_sized(Buffer& out, std::string_view text) {
  store_le(out.extend(sizeof(std::uint32_t)), static_cast<std::uint32_t>(text.size()));
  out.append(as_bytes(text));
}

}  // namespace

std::vector<Metadata> parse_metadata(const Fields& file_header) {
  std::vector<Metadata> records;
  for (const auto& [name, value] : file_header) {
    if (name != kField) continue;
    if (auto record = parse_value(value)) records.push_back(std::move(*record));
  }
  return records;
}

void append_metadata(RecordWriter& file_header, const Metadata& record) {
  Buffer value;
  append_sized(value, record.name);
  for (const auto& [key, text] : record.values) {
    append_sized(value, key);
    append_sized(value, text);
  }
  file_header.field(kField, as_text(value.view()));
}

}  // namespace kitbag::rosbag
