#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "kitbag/registry.h"
#include "kitbag/session.h"
#include "storage/rosbag/format.h"
#include "storage/rosbag/records.h"

/// Bags of the old versions put together piece by piece, for tests.
namespace kitbag::rosbag {

inline constexpr const char* kStringMd5 = "992ce8a1687cec8c8bd883ec73ca41d1";

class OldBag {
 public:
  OldBag& text(std::string_view text) {
    bytes.append(as_bytes(text));
    return *this;
  }
  /// What stands behind the lines: time, length, data.
  OldBag& message(std::uint32_t sec, std::uint32_t nsec, std::string_view data) {
    store_le(bytes.extend(4), sec);
    store_le(bytes.extend(4), nsec);
    store_le(bytes.extend(4), static_cast<std::uint32_t>(data.size()));
    return text(data);
  }
  /// A record of version 1.2; where it begins. Numbers are given as their bytes.
  std::uint64_t record(Op op, std::map<std::string, std::string> fields,
                       std::string_view data = {}) {
    fields["op"] = std::string(1, static_cast<char>(op));
    std::uint64_t offset = bytes.size();
    Buffer header;
    for (const auto& [name, value] : fields) append_field(header, name, value);
    store_le(bytes.extend(4), static_cast<std::uint32_t>(header.size()));
    bytes.append(header.view());
    store_le(bytes.extend(4), static_cast<std::uint32_t>(data.size()));
    text(data);
    return offset;
  }
  std::uint64_t message_1_2(const std::string& topic, std::uint32_t sec, std::string_view data,
                            std::map<std::string, std::string> more = {}) {
    more.insert({{"topic", topic},
                 {"type", "std_msgs/String"},
                 {"md5", kStringMd5},
                 {"sec", number(sec)},
                 {"nsec", number(std::uint32_t{0})}});
    return record(Op::message, std::move(more), data);
  }
  std::uint64_t definition_1_2(const std::string& topic, const std::string& definition) {
    return record(
        Op::message_definition,
        {{"topic", topic}, {"type", "std_msgs/String"}, {"md5", kStringMd5}, {"def", definition}});
  }
  /// A file header record, padded; rewritten by another call at `offset`.
  std::uint64_t file_header_1_2(std::uint64_t index_pos) {
    return record(Op::file_header, {{"index_pos", number(index_pos)}}, std::string(4066, ' '));
  }

  template <std::integral T>
  static std::string number(T value) {
    std::byte stored[sizeof(T)];
    store_le(stored, value);
    return std::string(as_text(stored));
  }

  Input input() const {
    ByteView head = bytes.view().first(std::min(bytes.size(), Input::kHeadBytes));
    return {"old.bag", {head.begin(), head.end()}, memory_file(bytes.view())};
  }
  /// Damage is collected in `problems`.
  BagPtr open() {
    problems.clear();
    return rosbag_format().open(
        input(), {.on_problem = [this](const Error& e) { problems.push_back(e.what()); }},
        Session(Registry()));
  }
  BagPtr open_strictly() const { return rosbag_format().open(input(), {}, Session(Registry())); }
  std::vector<std::string> findings() const {
    std::vector<std::string> all;
    ReadOptions options{.on_problem = [&](const Error& e) { all.push_back(e.what()); }};
    rosbag_format().check(input(), options, Session(Registry()));
    return all;
  }

  Buffer bytes;
  std::vector<std::string> problems;
};

/// "TOPIC SECONDS.NANOSECONDS PAYLOAD" of all messages, in file order.
inline std::vector<std::string> lines_in_file_order(const Bag& bag) {
  std::vector<std::string> lines;
  Query query;
  query.order = Order::file;
  auto source = bag.read(query);
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    for (const Message& message : batch.messages()) {
      std::int64_t ns = to_ns(message.log_time);
      lines.push_back(message.channel->topic + " " + std::to_string(ns / 1'000'000'000) + "." +
                      std::to_string(ns % 1'000'000'000) + " " +
                      std::string(as_text(message.data)));
    }
  }
  return lines;
}

}  // namespace kitbag::rosbag
