#pragma once

#include <rapidjson/document.h>

#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/crc32.h"
#include "storage/mcap/records.h"
#include "storage/mcap/write/summary_builder.h"

namespace kitbag::mcap::conformance {

/// Writes the file that a conformance case describes: up to DataEnd by its records, the rest by its
/// features.
class CaseWriter {
 public:
  explicit CaseWriter(const rapidjson::Value& root) : records_(root["records"]) {
    for (const auto& feature : root["meta"]["variant"]["features"].GetArray()) {
      features_.insert(feature.GetString());
    }
  }

  const Buffer& write() {
    file_.append(as_bytes(kMagic));
    for (const auto& record : records_.GetArray()) {
      std::string type = record["type"].GetString();
      if (type == "DataEnd") break;
      fields_ = &record["fields"];
      put(type);
    }
    close_chunk();
    append_data_end(file_, crc32(file_.view()));
    SummaryParts parts;
    parts.schemas = has("rsh");
    parts.channels = has("rch");
    parts.statistics = has("st");
    parts.metadata_indexes = has("mdx");
    parts.attachment_indexes = has("ax");
    parts.chunk_indexes = has("chx");
    parts.offsets = has("sum");
    Buffer end;
    summary_.write(file_.size(), parts, [&](ByteView bytes) { end.append(bytes); });
    file_.append(end.view());
    return file_;
  }

 private:
  bool has(const std::string& feature) const { return features_.contains(feature); }
  Buffer& records() { return has("ch") ? chunk_ : file_; }

  const rapidjson::Value& field(const std::string& name) const {
    for (const auto& pair : fields_->GetArray()) {
      if (pair[0].GetString() == name) return pair[1];
    }
    throw std::runtime_error("there is no field " + name);
  }
  template <class T>
  T number(const std::string& name) const {
    return static_cast<T>(std::stoull(field(name).GetString()));
  }
  std::string text(const std::string& name) const { return field(name).GetString(); }
  std::string bytes(const std::string& name) const {
    std::string data;
    for (const auto& one : field(name).GetArray()) {
      data += static_cast<char>(std::stoul(one.GetString()));
    }
    return data;
  }
  StringMap map(const std::string& name) const {
    StringMap values;
    for (const auto& one : field(name).GetObject()) {
      values[one.name.GetString()] = one.value.GetString();
    }
    return values;
  }

  void put(const std::string& type) {
    if (type == "Header") {
      std::string profile = text("profile");
      std::string library = text("library");
      append(file_, Header{profile, library});
    } else if (type == "Schema") {
      std::string name = text("name");
      std::string encoding = text("encoding");
      std::string data = bytes("data");
      SchemaRecord schema{number<std::uint16_t>("id"), name, encoding, as_bytes(data)};
      append(records(), schema);
      summary_.add(schema);
    } else if (type == "Channel") {
      put_channel();
    } else if (type == "Message") {
      put_message();
    } else if (type == "Attachment") {
      put_attachment();
    } else if (type == "Metadata") {
      std::string name = text("name");
      std::uint64_t offset = file_.size();
      append(file_, MetadataRecord{name, map("metadata")});
      summary_.add(MetadataIndex{offset, file_.size() - offset, name});
    } else {
      throw std::runtime_error("a record of type " + type + " before DataEnd");
    }
  }

  void put_channel() {
    std::string topic = text("topic");
    std::string encoding = text("message_encoding");
    ChannelRecord channel{number<std::uint16_t>("id"), number<std::uint16_t>("schema_id"), topic,
                          encoding, map("metadata")};
    append(records(), channel);
    summary_.add(channel);
  }

  void put_message() {
    MessageHead head{number<std::uint16_t>("channel_id"), number<std::uint32_t>("sequence"),
                     number<std::uint64_t>("log_time"), number<std::uint64_t>("publish_time")};
    std::string data = bytes("data");
    index_[head.channel_id].emplace_back(head.log_time, chunk_.size());
    start_ = std::min(start_, head.log_time);
    end_ = std::max(end_, head.log_time);
    RecordWriter record(records(), Op::message);
    record.number(head.channel_id)
        .number(head.sequence)
        .number(head.log_time)
        .number(head.publish_time)
        .bytes(as_bytes(data))
        .finish();
    summary_.add_messages(head.channel_id, 1, head.log_time, head.log_time);
  }

  void put_attachment() {
    std::string name = text("name");
    std::string media_type = text("media_type");
    std::string data = bytes("data");
    AttachmentHead head{number<std::uint64_t>("log_time"), number<std::uint64_t>("create_time"),
                        name, media_type, data.size()};
    std::uint64_t offset = file_.size();
    append(file_, head);
    file_.append(as_bytes(data));
    std::uint32_t crc = crc32(file_.view().subspan(offset + kRecordHead));
    store_le(file_.extend(sizeof(crc)), crc);
    summary_.add(AttachmentIndex{offset, file_.size() - offset, head.log_time, head.create_time,
                                 head.data_size, name, media_type});
  }

  void close_chunk() {
    if (chunk_.size() == 0) return;
    if (index_.empty()) start_ = 0;
    ChunkHead head{start_, end_, chunk_.size(), crc32(chunk_.view()), "", chunk_.size()};
    ChunkIndex index;
    index.start = start_;
    index.end = end_;
    index.chunk_offset = file_.size();
    index.compressed_size = index.uncompressed_size = chunk_.size();
    append(file_, head);
    file_.append(chunk_.view());
    index.chunk_bytes = file_.size() - index.chunk_offset;
    std::size_t indexes = file_.size();
    for (const auto& [channel, entries] : index_) {
      if (!has("mx")) break;
      index.message_index_offsets.emplace_back(channel, file_.size());
      RecordWriter record(file_, Op::message_index);
      record.number(channel).number(static_cast<std::uint32_t>(entries.size() * 16));
      for (const auto& [time, offset] : entries) record.number(time).number(offset);
      record.finish();
    }
    index.message_index_bytes = file_.size() - indexes;
    summary_.add(index);
  }

  const rapidjson::Value& records_;
  const rapidjson::Value* fields_ = nullptr;
  std::set<std::string> features_;
  Buffer file_;
  Buffer chunk_;
  std::map<std::uint16_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> index_;
  std::uint64_t start_ = UINT64_MAX;
  std::uint64_t end_ = 0;
  SummaryBuilder summary_;
};

}  // namespace kitbag::mcap::conformance
