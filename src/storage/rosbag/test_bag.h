#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "kitbag/registry.h"
#include "kitbag/session.h"
#include "storage/rosbag/chunk_walk.h"
#include "storage/rosbag/format.h"
#include "storage/rosbag/records.h"

/// Bags put together record by record, for tests of what no writer of ours would write.
namespace kitbag::rosbag {

class TestBag {
 public:
  TestBag() {
    bytes.append(as_bytes(kVersionLine));
    put_file_header(0, 0, 0);
  }

  /// A connection record as our writer makes it.
  static Buffer connection(std::uint32_t id, const std::string& topic) {
    Buffer data;
    append_field(data, "md5sum", "992ce8a1687cec8c8bd883ec73ca41d1");
    append_field(data, "message_definition", "string data\n");
    append_field(data, "topic", topic);
    append_field(data, "type", "std_msgs/String");
    Buffer record;
    RecordWriter(record, Op::connection).field("conn", id).field("topic", topic).data(data.view());
    return record;
  }

  static Buffer message(std::uint32_t connection, std::uint64_t time, const std::string& data) {
    auto header = MessageLayout().header(connection, time);
    Buffer record;
    store_le(record.extend(4), static_cast<std::uint32_t>(header.size()));
    record.append(header);
    store_le(record.extend(4), static_cast<std::uint32_t>(data.size()));
    record.append(as_bytes(data));
    return record;
  }

  /// A chunk record of these records, with its index records behind it; its place.
  std::uint64_t chunk(const std::vector<Buffer>& records, bool has_fields = true) {
    Buffer content;
    for (const Buffer& record : records) content.append(record.view());
    std::uint64_t offset = bytes.size();
    RecordWriter writer(bytes, Op::chunk);
    if (has_fields) {
      writer.field("compression", "none").field("size", static_cast<std::uint32_t>(content.size()));
    }
    writer.data(content.view());
    put_index(content.view());
    return offset;
  }

  /// Times as stored: seconds, with nanoseconds in the upper half.
  void chunk_info(std::uint64_t offset, std::uint64_t start, std::uint64_t end,
                  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& counts) {
    Buffer data;
    for (auto [connection, count] : counts) {
      store_le(store_le(data.extend(8), connection), count);
    }
    RecordWriter(bytes, Op::chunk_info)
        .field("ver", kIndexVersion)
        .field("chunk_pos", offset)
        .field("start_time", start)
        .field("end_time", end)
        .field("count", static_cast<std::uint32_t>(counts.size()))
        .data(data.view());
  }

  void append(const Buffer& record) { bytes.append(record.view()); }

  /// Rewrites the file header record.
  void close(std::uint64_t index_pos, std::uint32_t connections, std::uint32_t chunks) {
    Buffer whole = std::exchange(bytes, Buffer());
    bytes.append(as_bytes(kVersionLine));
    put_file_header(index_pos, connections, chunks);
    bytes.append(whole.view().subspan(bytes.size()));
  }

  Input input() const {
    ByteView head = bytes.view().first(std::min(bytes.size(), Input::kHeadBytes));
    return {"test.bag", {head.begin(), head.end()}, memory_file(bytes.view())};
  }
  BagPtr open(const OnProblem& on_problem = {}) const {
    return rosbag_format().open(input(), {.on_problem = on_problem}, Session(Registry()));
  }
  std::vector<std::string> findings() const {
    std::vector<std::string> all;
    rosbag_format().check(input(), {.on_problem = [&](const Error& e) { all.push_back(e.what()); }},
                          Session(Registry()));
    return all;
  }

  Buffer bytes;

 private:
  void put_file_header(std::uint64_t index_pos, std::uint32_t connections, std::uint32_t chunks) {
    std::size_t start = bytes.size();
    RecordWriter header(bytes, Op::file_header);
    header.field("index_pos", index_pos).field("conn_count", connections);
    header.field("chunk_count", chunks);
    std::size_t padding = kFileHeaderBytes - (bytes.size() - start - 4);
    header.data_size(padding);
    std::memset(bytes.extend(padding), ' ', padding);
  }

  void put_index(ByteView content) {
    std::map<std::uint32_t, Buffer> entries;
    walk_chunk(
        content,
        [&](std::uint32_t connection, std::uint64_t time, std::size_t offset, ByteView) {
          std::byte* to = entries[connection].extend(kIndexEntryBytes);
          store_le(store_le(to, time), static_cast<std::uint32_t>(offset));
        },
        [](const Record&, std::size_t) {});
    for (const auto& [connection, data] : entries) {
      RecordWriter(bytes, Op::index)
          .field("ver", kIndexVersion)
          .field("conn", connection)
          .field("count", static_cast<std::uint32_t>(data.size() / kIndexEntryBytes))
          .data(data.view());
    }
  }
};

/// "TOPIC SECONDS PAYLOAD" of all messages.
inline std::vector<std::string> lines_of(const Bag& bag, const Query& query = {}) {
  std::vector<std::string> lines;
  auto source = bag.read(query);
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    for (const Message& message : batch.messages()) {
      lines.push_back(message.channel->topic + " " +
                      std::to_string(to_ns(message.log_time) / 1'000'000'000) + " " +
                      std::string(as_text(message.data)));
    }
  }
  return lines;
}

}  // namespace kitbag::rosbag
