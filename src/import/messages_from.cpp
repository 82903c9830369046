#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/ipc_field.h"
#include "arrow/owned.h"
#include "definitions/named_channel.h"
#include "import/binding.h"
#include "import/cell.h"
#include "import/cell_numbers.h"
#include "import/row_encoder.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/import_tables.h"
#include "kitbag/registry.h"
#include "kitbag/transcode.h"

// What the messages are is decided before the first row: the type is that of a definition that was
// named, or the one that the table has with it. In the second case the channel is the one that was
// exported, with its encoding and metadata.
//
//     a batch of Arrow -> Cell, a view of a row -> RowEncoder -> Encoder -> payload
//
// Columns that fit no field are told before the first row. What is wrong with a row is an error
// with its place: the line of CSV, or the number of the row.

namespace kitbag {

namespace {

/// Names of columns and fields that an error or a warning lists.
constexpr std::size_t kMostNamed = 5;
/// A message of defaults alone may have this many values.
constexpr std::uint32_t kMostDefaults = 1 << 24;

std::string listed(const std::vector<std::string>& names, const char* between) {
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() < kMostNamed) shown.push_back(escaped(name));
  }
  std::string more = names.size() > shown.size()
                         ? fmt::format("{}and {} more", between, names.size() - shown.size())
                         : "";
  return fmt::format("{}{}", fmt::join(shown, between), more);
}

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// The topic whose export_name() the name of a file is; "" for standard input.
std::string topic_of_file(std::string_view path) {
  if (path == "-") return {};
  std::size_t slash = path.rfind('/');
  std::string_view name = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
  std::size_t point = name.rfind('.');
  if (point != std::string_view::npos && point > 0) name = name.substr(0, point);
  std::string topic = "/";
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with("__")) {
      topic += '/';
      ++i;
      continue;
    }
    bool has_code = name[i] == '%' && i + 2 < name.size();
    int high = has_code ? hexadecimal(name[i + 1]) : -1;
    int low = has_code ? hexadecimal(name[i + 2]) : -1;
    if (high >= 0 && low >= 0) {
      topic += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      topic += name[i];
    }
  }
  return topic.size() > 1 ? topic : "";
}

/// A channel that was exported.
std::shared_ptr<Channel> stored_channel(const TableFile& table, const Session& session) {
  std::shared_ptr<Channel> channel;
  try {
    channel = channel_of_table(table.key_values, session);
  } catch (const Error& error) {
    throw Error(error.code(), error.message(), table.name);
  }
  if (channel) return channel;
  throw Error(ErrorCode::invalid,
              "does not say the type of its messages, such as geometry_msgs/Pose", table.name);
}

void find_missing(const FieldSource& source, std::vector<std::string>& missing) {
  if (source.missing > 0) {
    missing.push_back(fmt::format("{} ({})", source.path, source.missing));
  }
  for (const FieldSource& child : source.children) find_missing(child, missing);
}

class RowSource final : public Source {
 public:
  RowSource(TableFile table, ImportRequest request, const Session& session)
      : table_(std::move(table)), request_(std::move(request)), session_(session) {
    prototype_ = request_.type.empty() ? stored_channel(table_, session)
                                       : named_channel(request_.type, request_.encoding,
                                                       request_.definitions, session);
    stored_topic_ = std::exchange(prototype_->topic, request_.topic);
    type_ = type_of(*prototype_, session);
    if (!type_) type_ = TypePtr(TypePtr(), &builtin_type(Kind::any));
    bind();
    const Codec* codec = find_codec(session.registry(), prototype_->encoding);
    if (!codec) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("has messages of the encoding \"{}\", which is not known",
                              escaped(prototype_->encoding)),
                  table_.name);
    }
    encoder_ = codec->encoder(type_, {});
    rows_ = std::make_unique<RowEncoder>(
        binding_.root, type_, table_.is_empty_missing, request_.time_unit_ns,
        [this](std::uint64_t row) { return place_of(row); }, session);
    channels_ = std::make_shared<Channels>();
    choose_topic();
  }

  ChannelsPtr channels() const override { return channels_; }

  bool read(Batch& batch, const Wait& wait) override {
    batch.channels = channels_;
    while (row_ == row_count_) {
      if (wait.stop.stop_requested()) return true;
      if (!next_table(wait)) {
        tell_missing();
        return false;
      }
    }
    std::uint64_t replaced = encoder_->replaced_bytes();
    while (row_ < row_count_ && !batch.full()) add_row(batch);
    replaced_ += encoder_->replaced_bytes() - replaced;
    batch.channels = channels_;
    std::size_t size = arena_.size();
    batch.keep(arena_.release(), size);
    return true;
  }

 private:
  void warn(const std::string& sentence) const {
    if (!request_.on_warning) return;
    request_.on_warning(Error(ErrorCode::remark, sentence, table_.name));
  }

  void bind() {
    arrow::Owned<ArrowSchema> schema;
    table_.columns->schema(schema.get());
    root_ = arrow::ipc_field(*schema);
    try {
      binding_ = bind_columns(root_, *type_, request_.time_column);
    } catch (const Error& error) {
      throw Error(error.code(), error.message(), table_.name);
    }
    if (!binding_.unfit.empty() && !request_.ignores_columns) {
      throw Error(ErrorCode::invalid,
                  fmt::format("columns that fit no field of {}: {}",
                              type_->name.empty() ? "the message" : escaped(type_->name),
                              listed(binding_.unfit, "; ")),
                  table_.name);
    }
    if (!binding_.unfit.empty()) {
      warn(fmt::format("columns that fit no field are left out: {}", listed(binding_.unfit, "; ")));
    }
    if (!binding_.unused.empty()) {
      warn(fmt::format("left out: {}", listed(binding_.unused, ", ")));
    }
    if (binding_.absent.empty()) return;
    // Each row would have all of them, so a small table would become a huge bag.
    if (type_->default_values > kMostDefaults) {
      throw Error(ErrorCode::limit,
                  fmt::format("columns are missing for fields of {}, whose defaults have {} values",
                              escaped(type_->name), type_->default_values),
                  table_.name);
    }
    warn(fmt::format("there is no column for {}; {} the default", listed(binding_.absent, ", "),
                     binding_.absent.size() == 1 ? "the field has" : "these fields have"));
  }

  /// Where all rows have the same topic it is known from the beginning.
  void choose_topic() {
    // What was asked for, a column, what the table says, and at last the name of the file.
    if (prototype_->topic.empty() && binding_.row.topic != SIZE_MAX) return;
    if (prototype_->topic.empty()) prototype_->topic = stored_topic_;
    if (prototype_->topic.empty()) prototype_->topic = topic_of_file(table_.name);
    if (prototype_->topic.empty()) {
      throw Error(ErrorCode::invalid, "does not say the topic of its messages", table_.name);
    }
    only_ = add_channel(prototype_->topic);
  }

  /// The table is replaced and not changed: batches that were given have the old one.
  const Channel* add_channel(const std::string& topic) {
    auto more = std::make_shared<Channels>(*channels_);
    auto channel = std::make_shared<Channel>(*prototype_);
    channel->topic = topic;
    channel->slot = static_cast<std::uint32_t>(more->size());
    more->push_back(channel);
    channels_ = std::move(more);
    by_topic_[topic] = channel.get();
    return channel.get();
  }

  const Channel* channel_of(const Cell& row) {
    if (only_) return only_;
    Cell cell = row.child(binding_.row.topic);
    if (cell.is_null() || cell.text().empty()) throw Error(ErrorCode::invalid, "has no topic");
    auto found = by_topic_.find(cell.text());
    return found != by_topic_.end() ? found->second : add_channel(std::string(cell.text()));
  }

  bool next_table(const Wait& wait) {
    first_row_ += static_cast<std::uint64_t>(row_count_);
    row_ = row_count_ = 0;
    if (!table_.columns->next(batch_.get(), wait)) return false;
    row_count_ = (*batch_).length;
    return true;
  }

  std::uint64_t row_of_table() const { return first_row_ + static_cast<std::uint64_t>(row_); }

  std::string place_of(std::uint64_t row) const {
    return table_.place_of_row ? table_.place_of_row(row) : fmt::format("row {}", row + 1);
  }

  void add_row(Batch& batch) {
    try {
      Cell row(root_, *batch_, row_);
      const Channel* channel = channel_of(row);
      Time log_time = from_ns(time_of(row, binding_.row.time, unit_));
      Time publish_time = binding_.row.publish_time == SIZE_MAX
                              ? log_time
                              : from_ns(time_of(row, binding_.row.publish_time, publish_unit_));
      encoder_->begin(arena_);
      rows_->write(row, *encoder_);
      batch.add({channel, 0, 0, log_time, publish_time, encoder_->end()});
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      throw Error(error.code(), fmt::format("{}: {}", place_of(row_of_table()), error.message()),
                  table_.name);
    }
    ++row_;
  }

  std::int64_t time_of(const Cell& row, std::size_t column, UnitOfColumn& unit) const {
    Cell cell = row.child(column);
    try {
      if (request_.time_unit_ns == 0) {
        unit.check(cell, row_of_table(), [this](std::uint64_t at) { return place_of(at); });
      }
      return time_in(cell, false, request_.time_unit_ns);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("column {}: {}", escaped(root_.children[column].name),
                                            error.message()));
    }
  }

  void tell_missing() {
    if (is_told_) return;
    is_told_ = true;
    std::vector<std::string> missing;
    find_missing(binding_.root, missing);
    if (!missing.empty()) {
      warn(fmt::format("missing values became NaN or the default: {}", listed(missing, ", ")));
    }
    if (replaced_ > 0) {
      warn(fmt::format("{} bytes of texts were not UTF-8 and became U+FFFD", replaced_));
    }
  }

  TableFile table_;
  ImportRequest request_;
  Session session_;
  std::shared_ptr<Channel> prototype_;  ///< of all channels, but for the topic
  std::string stored_topic_;            ///< as the table says
  TypePtr type_;
  arrow::IpcField root_;
  Binding binding_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<RowEncoder> rows_;
  UnitOfColumn unit_;  ///< of the log times
  UnitOfColumn publish_unit_;
  ChannelsPtr channels_;
  const Channel* only_ = nullptr;  ///< null: each row has its topic
  std::map<std::string, const Channel*, std::less<>> by_topic_;
  arrow::Owned<ArrowArray> batch_;
  std::int64_t row_ = 0;  ///< the next one of the batch
  std::int64_t row_count_ = 0;
  std::uint64_t first_row_ = 0;
  Arena arena_;
  std::uint64_t replaced_ = 0;
  bool is_told_ = false;
};

}  // namespace

std::unique_ptr<Source> messages_from(TableFile table, const ImportRequest& request,
                                      const Session& session) {
  return std::make_unique<RowSource>(std::move(table), request, session);
}

}  // namespace kitbag
