#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "storage/mcap/records.h"

/// Records as the JSON that the conformance cases expect: every number a string of its digits,
/// fields sorted by name.
namespace kitbag::mcap::conformance {

inline std::string quoted(std::string_view text) {
  std::string json = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      json += fmt::format("\\u{:04x}", byte);
    } else {
      json += c;
    }
  }
  return json + '"';
}

/// Gathers fields; their order is that of their names.
class RecordJson {
 public:
  explicit RecordJson(std::string type) : type_(std::move(type)) {}

  RecordJson& number(const std::string& name, std::uint64_t value) {
    return put(name, quoted(std::to_string(value)));
  }
  RecordJson& string(const std::string& name, std::string_view value) {
    return put(name, quoted(value));
  }
  RecordJson& bytes(const std::string& name, ByteView value) {
    std::string list;
    for (std::byte b : value) {
      list += (list.empty() ? "" : ",") + quoted(std::to_string(std::to_integer<unsigned>(b)));
    }
    return put(name, "[" + list + "]");
  }
  template <class Map>
  RecordJson& map(const std::string& name, const Map& values) {
    std::string list;
    for (const auto& [key, value] : values) {
      list += (list.empty() ? "" : ",") + quoted(fmt::format("{}", key)) + ":" +
              quoted(fmt::format("{}", value));
    }
    return put(name, "{" + list + "}");
  }

  std::string text() const {
    std::string list;
    for (const auto& [name, value] : fields_) {
      list += (list.empty() ? "[" : ",[") + quoted(name) + "," + value + "]";
    }
    return "{\"type\":" + quoted(type_) + ",\"fields\":[" + list + "]}";
  }

 private:
  RecordJson& put(const std::string& name, const std::string& json) {
    fields_[name] = json;
    return *this;
  }

  std::string type_;
  std::map<std::string, std::string> fields_;
};

inline std::string to_json(const Header& header) {
  return RecordJson("Header")
      .string("library", header.library)
      .string("profile", header.profile)
      .text();
}

inline std::string to_json(const Footer& footer) {
  return RecordJson("Footer")
      .number("summary_start", footer.summary_start)
      .number("summary_offset_start", footer.summary_offset_start)
      .number("summary_crc", footer.summary_crc)
      .text();
}

inline std::string to_json(const SchemaRecord& schema) {
  return RecordJson("Schema")
      .number("id", schema.id)
      .string("name", schema.name)
      .string("encoding", schema.encoding)
      .bytes("data", schema.data)
      .text();
}

inline std::string to_json(const ChannelRecord& channel) {
  return RecordJson("Channel")
      .number("id", channel.id)
      .number("schema_id", channel.schema_id)
      .string("topic", channel.topic)
      .string("message_encoding", channel.message_encoding)
      .map("metadata", channel.metadata)
      .text();
}

inline std::string to_json(const MessageHead& head, ByteView data) {
  return RecordJson("Message")
      .number("channel_id", head.channel_id)
      .number("sequence", head.sequence)
      .number("log_time", head.log_time)
      .number("publish_time", head.publish_time)
      .bytes("data", data)
      .text();
}

inline std::string to_json(const ChunkIndex& index) {
  return RecordJson("ChunkIndex")
      .number("message_start_time", index.start)
      .number("message_end_time", index.end)
      .number("chunk_start_offset", index.chunk_offset)
      .number("chunk_length", index.chunk_bytes)
      .map("message_index_offsets", index.message_index_offsets)
      .number("message_index_length", index.message_index_bytes)
      .string("compression", index.compression)
      .number("compressed_size", index.compressed_size)
      .number("uncompressed_size", index.uncompressed_size)
      .text();
}

inline std::string to_json(const AttachmentHead& head, ByteView data) {
  return RecordJson("Attachment")
      .number("log_time", head.log_time)
      .number("create_time", head.create_time)
      .string("name", head.name)
      .string("media_type", head.media_type)
      .bytes("data", data)
      .text();
}

inline std::string to_json(const AttachmentIndex& index) {
  return RecordJson("AttachmentIndex")
      .number("offset", index.offset)
      .number("length", index.bytes)
      .number("log_time", index.log_time)
      .number("create_time", index.create_time)
      .number("data_size", index.data_size)
      .string("name", index.name)
      .string("media_type", index.media_type)
      .text();
}

inline std::string to_json(const Statistics& statistics) {
  return RecordJson("Statistics")
      .number("message_count", statistics.messages)
      .number("schema_count", statistics.schemas)
      .number("channel_count", statistics.channels)
      .number("attachment_count", statistics.attachments)
      .number("metadata_count", statistics.metadata)
      .number("chunk_count", statistics.chunks)
      .number("message_start_time", statistics.start)
      .number("message_end_time", statistics.end)
      .map("channel_message_counts", statistics.channel_messages)
      .text();
}

inline std::string to_json(const MetadataRecord& metadata) {
  return RecordJson("Metadata")
      .string("name", metadata.name)
      .map("metadata", metadata.values)
      .text();
}

inline std::string to_json(const MetadataIndex& index) {
  return RecordJson("MetadataIndex")
      .number("offset", index.offset)
      .number("length", index.bytes)
      .string("name", index.name)
      .text();
}

inline std::string to_json(const SummaryOffset& offset) {
  return RecordJson("SummaryOffset")
      .number("group_opcode", offset.op)
      .number("group_start", offset.start)
      .number("group_length", offset.bytes)
      .text();
}

inline std::string data_end_to_json(std::uint32_t data_crc) {
  return RecordJson("DataEnd").number("data_section_crc", data_crc).text();
}

}  // namespace kitbag::mcap::conformance
