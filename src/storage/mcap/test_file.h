#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/crc32.h"
#include "kitbag/registry.h"
#include "kitbag/session.h"
#include "storage/mcap/format.h"
#include "storage/mcap/records.h"
#include "storage/mcap/write/summary_builder.h"

/// Files put together record by record, for tests of what no writer of ours would write.
namespace kitbag::mcap {

class TestFile {
 public:
  TestFile() {
    bytes.append(as_bytes(kMagic));
    mcap::append(bytes, Header{"", "test"});
  }

  static std::string schema(std::uint16_t id = 1, std::string_view text = "string data") {
    Buffer record;
    mcap::append(record, SchemaRecord{id, "test/Text", "ros1msg", as_bytes(text)});
    return std::string(as_text(record.view()));
  }
  static std::string channel(std::uint16_t id, const std::string& topic,
                             std::uint16_t schema_id = 1) {
    Buffer record;
    mcap::append(record, ChannelRecord{id, schema_id, topic, "ros1", {}});
    return std::string(as_text(record.view()));
  }
  static std::string message(std::uint16_t channel_id, std::uint64_t time, const std::string& data,
                             std::optional<std::uint64_t> publish_time = std::nullopt) {
    Buffer record;
    RecordWriter(record, Op::message)
        .number(channel_id)
        .number(std::uint32_t{0})
        .number(time)
        .number(publish_time.value_or(time))
        .bytes(as_bytes(data))
        .finish();
    return std::string(as_text(record.view()));
  }

  void append(const std::string& record) { bytes.append(as_bytes(record)); }
  /// An uncompressed chunk of these records, without indexes; its place.
  std::uint64_t chunk(const std::vector<std::string>& records, std::uint64_t start,
                      std::uint64_t end) {
    Buffer content;
    for (const std::string& record : records) content.append(as_bytes(record));
    std::uint64_t offset = bytes.size();
    mcap::append(
        bytes, ChunkHead{start, end, content.size(), crc32(content.view()), "", content.size(), 0});
    bytes.append(content.view());
    ChunkIndex index;
    index.start = start;
    index.end = end;
    index.chunk_offset = offset;
    index.chunk_bytes = bytes.size() - offset;
    index.compressed_size = index.uncompressed_size = content.size();
    summary.add(index);
    return offset;
  }
  void private_record(std::uint8_t op, const std::string& data) {
    RecordWriter(bytes, op).bytes(as_bytes(data)).finish();
  }
  /// DataEnd, summary, footer.
  void close(const SummaryParts& parts = {}) {
    append_data_end(bytes, 0);
    Buffer end;
    summary.write(bytes.size(), parts, [&](ByteView part) { end.append(part); });
    bytes.append(end.view());
  }

  Buffer bytes;
  SummaryBuilder summary;
};

/// What a lenient reader gets.
struct ReadBack {
  std::vector<std::string> payloads;
  std::vector<std::string> problems;
  std::vector<Loss> losses;
  std::vector<Extra> extras;
  Summary summary;
};

inline Input input_of(ByteView bytes) {
  ByteView head = bytes.first(std::min(bytes.size(), Input::kHeadBytes));
  return {"memory", {head.begin(), head.end()}, memory_file(bytes)};
}

inline ReadBack read_back(ByteView bytes, const Query& query = {}, bool trust_index = true) {
  ReadBack back;
  ReadOptions options;
  options.trust_index = trust_index;
  options.on_problem = [&](const Error& problem) {
    back.problems.push_back(problem.message());
    if (problem.loss()) back.losses.push_back(*problem.loss());
  };
  BagPtr bag = mcap_format().open(input_of(bytes), options, Session(Registry()));
  back.summary = bag->summary();
  back.extras = bag->extras();
  auto source = bag->read(query);
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    for (const Message& message : batch.messages()) {
      back.payloads.emplace_back(as_text(message.data));
    }
  }
  return back;
}

inline std::vector<std::string> findings(ByteView bytes) {
  std::vector<std::string> found;
  mcap_format().check(input_of(bytes),
                      {.on_problem = [&](const Error& e) { found.push_back(e.message()); }},
                      Session(Registry()));
  return found;
}

inline Query file_order() {
  Query query;
  query.order = Order::file;
  return query;
}

}  // namespace kitbag::mcap
