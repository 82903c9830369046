#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/columns.h"
#include "kitbag/stream.h"
#include "tests/support/arrow_values.h"

/// Tables of messages that a test makes, and what they hold.
namespace kitbag::test {

/// Bytes of a payload in ROS 1's encoding.
class Bytes {
 public:
  template <class T>
  Bytes& put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Bytes& text(const std::string& value) {
    put(static_cast<std::uint32_t>(value.size()));
    bytes_ += value;
    return *this;
  }
  operator std::string() const { return bytes_; }  // NOLINT(google-explicit-constructor)

 private:
  std::string bytes_;
};

/// Messages that the test makes.
class ListedSource final : public Source {
 public:
  std::size_t add_channel(const std::string& topic, const std::string& definition,
                          const std::string& type = "test/Type") {
    auto channel = std::make_shared<Channel>();
    channel->topic = topic;
    channel->encoding = "ros1";
    channel->schema = std::make_shared<Schema>(Schema{type, "ros1msg", definition});
    channel->slot = static_cast<std::uint32_t>(channels_->size());
    channels_->push_back(channel);
    return channels_->size() - 1;
  }
  void add(std::size_t channel, std::int64_t time, std::string payload) {
    messages_.push_back({channel, time, std::move(payload)});
  }

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait& wait) override {
    (void)wait;
    batch.channels = channels_;
    if (next_ == messages_.size()) return false;
    while (next_ < messages_.size() && !batch.full()) {
      const Listed& each = messages_[next_++];
      batch.add({(*channels_)[each.channel].get(), 0, 0, from_ns(each.time), from_ns(each.time + 1),
                 as_bytes(each.payload)});
    }
    return true;
  }

 private:
  struct Listed {
    std::size_t channel;
    std::int64_t time;
    std::string payload;
  };
  std::shared_ptr<Channels> channels_ = std::make_shared<Channels>();
  std::vector<Listed> messages_;
  std::size_t next_ = 0;
};

/// A batch as text: "time|column=value|..." for each row.
class Printed {
 public:
  Printed(const ArrowSchema& schema, const ArrowArray& array) {
    for (std::int64_t row = 0; row < array.length; ++row) {
      std::string line;
      for (std::int64_t i = 0; i < schema.n_children; ++i) {
        if (i > 0) line += ' ';
        line += schema.children[i]->name;
        line += '=';
        line += text_of(*schema.children[i], *array.children[i], row);
      }
      rows.push_back(line);
    }
  }

  std::vector<std::string> rows;

 private:
  static std::string text_of(const ArrowSchema& schema, const ArrowArray& array,
                             std::int64_t index) {
    if (is_null(array, index)) return "null";
    std::string format = schema.format;
    if (array.dictionary) {
      return std::string(bytes_at(*array.dictionary, element<std::int32_t>(array, 1, index)));
    }
    if (format == "tsn:" || format == "tDn") {
      return std::to_string(element<std::int64_t>(array, 1, index));
    }
    if (format == "u" || format == "z") return std::string(bytes_at(array, index));
    if (format == "b") return bit_at(array.buffers[1], index) ? "true" : "false";
    if (format == "i") return std::to_string(element<std::int32_t>(array, 1, index));
    if (format == "l") return std::to_string(element<std::int64_t>(array, 1, index));
    if (format == "C") return std::to_string(element<std::uint8_t>(array, 1, index));
    if (format == "I") return std::to_string(element<std::uint32_t>(array, 1, index));
    if (format == "g") return number(element<double>(array, 1, index));
    if (format == "f") return number(static_cast<double>(element<float>(array, 1, index)));
    if (format == "+s") {
      std::string all = "{";
      for (std::int64_t i = 0; i < schema.n_children; ++i) {
        if (i > 0) all += ',';
        all += std::string(schema.children[i]->name) + ':' +
               text_of(*schema.children[i], *array.children[i], index);
      }
      return all + "}";
    }
    std::int64_t begin = 0;
    std::int64_t end = 0;
    if (format == "+l") {
      begin = element<std::int32_t>(array, 1, index);
      end = element<std::int32_t>(array, 1, index + 1);
    } else {
      std::int64_t width = std::stol(format.substr(3));
      begin = index * width;
      end = begin + width;
    }
    std::string all = "[";
    for (std::int64_t i = begin; i < end; ++i) {
      if (i > begin) all += ',';
      all += text_of(*schema.children[0], *array.children[0], i);
    }
    return all + "]";
  }

  static std::string number(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  }
};

inline std::vector<std::string> rows_of(Columns& table) {
  Released<ArrowSchema> schema;
  table.schema(&schema);
  std::vector<std::string> all;
  for (;;) {
    Released<ArrowArray> batch;
    if (!table.next(&batch)) return all;
    for (std::string& row : Printed(*schema, *batch).rows) all.push_back(std::move(row));
  }
}

}  // namespace kitbag::test
