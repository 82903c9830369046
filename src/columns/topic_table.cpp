#include "columns/topic_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arrow/column.h"
#include "arrow/owned.h"
#include "kitbag/error.h"

namespace kitbag {

namespace {

void warn(const ColumnsRequest& request, const std::string& sentence) {
  if (request.on_warning) request.on_warning(Error(ErrorCode::remark, sentence));
}

/// The channels of one topic, in their slots.
ChannelsPtr channels_of(const std::string& topic, const Channels& channels) {
  auto own = std::make_shared<Channels>(channels);
  for (ChannelPtr& channel : *own) {
    if (channel && channel->topic != topic) channel = nullptr;
  }
  return own;
}

/// Whether a channel of `channels` has the field.
bool has_field(const std::string& field, const Channels& channels, ColumnsRequest request,
               const Session& session) {
  request.fields = {field};
  request.on_warning = {};
  try {
    plan_columns(channels, request, session);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return false;
  }
}

bool can_be_decoded(const ColumnPlan& plan, const Channels& channels) {
  for (std::size_t slot = 0; slot < channels.size(); ++slot) {
    if (channels[slot] && plan.channels[slot].type) return true;
  }
  return false;
}

}  // namespace

/// One of the formats.
class TopicTable::Writer {
 public:
  Writer(const ColumnPlan& plan, const ExportRequest& request, BytesOut out) {
    arrow::Owned<ArrowSchema> schema;
    arrow::export_schema(plan.table, schema.get());
    if (request.format == TableFormat::parquet) {
      parquet_ = parquet_writer(*schema, std::move(out), request.parquet);
    } else {
      arrow_ = arrow_ipc_writer(*schema, std::move(out), ArrowIpcForm::file);
    }
  }

  void write(const ArrowArray& rows) {
    if (parquet_) return parquet_->write(rows);
    arrow_->write(rows);
  }
  std::uint64_t held_bytes() const { return parquet_ ? parquet_->held_bytes() : 0; }
  void flush() {
    if (parquet_) parquet_->end_row_group();
  }
  void finish() {
    if (parquet_) return parquet_->finish();
    arrow_->finish();
  }

 private:
  std::unique_ptr<ParquetWriter> parquet_;
  std::unique_ptr<ArrowIpcWriter> arrow_;
};

std::optional<ColumnPlan> TopicTable::plan(const std::string& topic, const ChannelsPtr& channels,
                                           ColumnsRequest& request, const Session& session) {
  ChannelsPtr own = channels_of(topic, *channels);
  if (!request.fields.empty()) {
    auto is_missing = [&](const std::string& field) {
      return !has_field(field, *own, request, session);
    };
    std::size_t asked = request.fields.size();
    std::erase_if(request.fields, is_missing);
    if (request.fields.empty()) {
      warn(request, fmt::format("{} has none of the fields; the topic is left out", topic));
      return std::nullopt;
    }
    if (std::size_t missing = asked - request.fields.size(); missing > 0) {
      warn(request, fmt::format("{} has only {} of the {} fields: {}", topic, asked - missing,
                                asked, fmt::join(request.fields, ", ")));
    }
  }
  ColumnPlan plan = plan_columns(*own, request, session);
  if (can_be_decoded(plan, *own)) return plan;
  if (request.report) request.report->topics[topic].is_dropped = true;
  return std::nullopt;
}

TopicTable::TopicTable(const std::string& topic, std::string path, const ChannelsPtr& channels,
                       ColumnPlan plan, const ColumnsRequest& columns, const ExportRequest& request,
                       std::unique_ptr<WriteFile> file, const Session& session)
    : writer_(std::make_unique<Writer>(plan, request,
                                       [to = file.get()](ByteView bytes) { to->append(bytes); })),
      topic_(topic),
      path_(std::move(path)),
      file_(std::move(file)),
      table_(channels_of(topic, *channels), std::move(plan), columns, session) {}

TopicTable::~TopicTable() = default;

void TopicTable::decode(const ChannelsPtr& channels) {
  if (messages_.empty()) return;
  table_.read(messages_, channels, [&](const ArrowArray& given) {
    arrow::Owned<ArrowArray> rows;
    *rows.get() = given;
    if (rows.is_empty()) return;
    writer_->write(*rows);
    rows_ += static_cast<std::uint64_t>(given.length);
  });
  messages_.clear();
}

std::uint64_t TopicTable::held_bytes() const {
  return writer_->held_bytes();
}

void TopicTable::flush() {
  writer_->flush();
}

ExportedTable TopicTable::finish() {
  writer_->finish();
  std::uint64_t size_bytes = file_->size();
  file_->commit();
  return {topic_, path_, rows_, size_bytes};
}

}  // namespace kitbag
