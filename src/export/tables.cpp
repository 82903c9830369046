#include "export/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "arrow/column.h"
#include "arrow/owned.h"
#include "columns/given_table.h"
#include "columns/plan.h"
#include "kitbag/error.h"
#include "kitbag/parquet.h"
#include "kitbag/table_origin.h"

namespace kitbag {
namespace {

/// The content of one file.
class TableWriter {
 public:
  virtual ~TableWriter() = default;
  virtual void write(const ArrowArray& rows) = 0;
  virtual std::uint64_t held_bytes() const { return 0; }
  virtual void flush() {}
  virtual void finish() = 0;
};

class Parquet final : public TableWriter {
 public:
  Parquet(const ArrowSchema& schema, BytesOut out, const ParquetOptions& options)
      : writer_(parquet_writer(schema, std::move(out), options)) {}
  void write(const ArrowArray& rows) override { writer_->write(rows); }
  std::uint64_t held_bytes() const override { return writer_->held_bytes(); }
  void flush() override { writer_->end_row_group(); }
  void finish() override { writer_->finish(); }

 private:
  std::unique_ptr<ParquetWriter> writer_;
};

class ArrowFile final : public TableWriter {
 public:
  ArrowFile(const ArrowSchema& schema, BytesOut out)
      : writer_(arrow_ipc_writer(schema, std::move(out), ArrowIpcForm::file)) {}
  void write(const ArrowArray& rows) override { writer_->write(rows); }
  void finish() override { writer_->finish(); }

 private:
  std::unique_ptr<ArrowIpcWriter> writer_;
};

/// How the tables of a format are written.
struct TableFormat {
  std::string_view extension;
  /// `origin` is what the table says of its messages, if the format has a place for it.
  std::function<std::unique_ptr<TableWriter>(const ArrowSchema& schema, KeyValues origin,
                                             BytesOut out)>
      make;
};

void warn(const ColumnsRequest& request, const std::string& sentence) {
  if (request.on_warning) request.on_warning(Error(ErrorCode::remark, sentence));
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

/// What the table says of its messages: only the topic if they are of several definitions.
KeyValues origin_of(const std::string& topic, const Channels& channels, const Session& session) {
  const Channel* first = nullptr;
  for (const ChannelPtr& channel : channels) {
    if (!channel) continue;
    bool is_other = first && (first->encoding != channel->encoding || !first->schema ||
                              !channel->schema || *first->schema != *channel->schema);
    if (is_other) return {{kTableTopic, topic}};
    if (!first) first = channel.get();
  }
  return first ? table_key_values(*first, session) : KeyValues();
}

bool can_be_decoded(const ColumnPlan& plan, const Channels& channels) {
  for (std::size_t slot = 0; slot < channels.size(); ++slot) {
    if (channels[slot] && plan.channels[slot].type) return true;
  }
  return false;
}

/// Leaves in `request` the fields that the channels of `topic` have, and plans their columns;
/// nothing if there are none, or if the topic cannot be decoded, which is reported.
std::optional<ColumnPlan> plan_topic(const std::string& topic, const Channels& channels,
                                     ColumnsRequest& request, const Session& session) {
  if (!request.fields.empty()) {
    std::size_t asked = request.fields.size();
    std::erase_if(request.fields, [&](const std::string& field) {
      return !has_field(field, channels, request, session);
    });
    if (request.fields.empty()) {
      warn(request, fmt::format("{} has none of the fields; the topic is left out", topic));
      return std::nullopt;
    }
    if (std::size_t missing = asked - request.fields.size(); missing > 0) {
      warn(request, fmt::format("{} has only {} of the {} fields: {}", topic, asked - missing,
                                asked, fmt::join(request.fields, ", ")));
    }
  }
  ColumnPlan plan = plan_columns(channels, request, session);
  if (can_be_decoded(plan, channels)) return plan;
  if (request.report) request.report->topics[topic].is_dropped = true;
  return std::nullopt;
}

class TopicTable final : public TopicExport {
 public:
  TopicTable(const std::string& topic, const ChannelsPtr& channels, ColumnPlan plan,
             const ColumnsRequest& columns, const TableFormat& format, const ExportJob& job)
      : topic_(topic) {
    std::string name = job.folder.name_of(topic, format.extension);
    path_ = job.folder.path_of(name);
    file_ = job.folder.create(name);
    arrow::Owned<ArrowSchema> schema;
    arrow::export_schema(plan.table, schema.get());
    writer_ = format.make(*schema, origin_of(topic, *channels, job.session),
                          [to = file_.get()](ByteView bytes) { to->append(bytes); });
    table_.emplace(channels, std::move(plan), columns, job.session);
  }

  void write(std::span<const Message> messages, const ChannelsPtr& channels) override {
    table_->read(messages, channels, [&](const ArrowArray& given) {
      arrow::Owned<ArrowArray> rows;
      *rows.get() = given;
      if (rows.is_empty()) return;
      writer_->write(*rows);
      rows_ += static_cast<std::uint64_t>(given.length);
    });
  }

  std::uint64_t held_bytes() const override { return writer_->held_bytes(); }
  void flush() override { writer_->flush(); }

  Exported finish() override {
    writer_->finish();
    std::uint64_t size_bytes = file_->size();
    file_->commit();
    return {topic_, path_, rows_, 1, size_bytes};
  }

 private:
  std::string topic_;
  std::string path_;
  std::unique_ptr<WriteFile> file_;
  std::unique_ptr<TableWriter> writer_;
  std::optional<GivenTable> table_;
  std::uint64_t rows_ = 0;
};

/// A field that no topic has is an error, which names those that are similar. Returns false if no
/// channel is known yet, as of a stream.
bool require_fields(const ExportJob& job) {
  ChannelsPtr channels = job.source.channels();
  bool is_known = std::any_of(channels->begin(), channels->end(),
                              [](const ChannelPtr& channel) { return channel != nullptr; });
  if (!is_known) return false;
  ColumnsRequest one = job.request.columns;
  one.on_warning = {};
  for (const std::string& field : job.request.columns.fields) {
    one.fields = {field};
    try {
      plan_columns(*channels, one, job.session);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::not_found) throw;
    }
  }
  return true;
}

std::vector<Exported> export_tables(const ExportJob& job, const TableFormat& format) {
  bool are_fields_known = require_fields(job);
  auto written = export_topics(job, [&](const std::string& topic, const ChannelsPtr& channels) {
    ColumnsRequest columns = job.request.columns;
    columns.has_topic = false;
    auto plan = plan_topic(topic, *channels, columns, job.session);
    return plan ? std::make_unique<TopicTable>(topic, channels, std::move(*plan), columns, format,
                                               job)
                : nullptr;
  });
  if (!are_fields_known) require_fields(job);
  return written;
}

}  // namespace

std::vector<Exported> export_parquet(ExportJob& job) {
  auto make = [&](const ArrowSchema& schema, KeyValues origin, BytesOut out) {
    ParquetOptions options = job.request.parquet;
    options.key_values.insert(options.key_values.end(), origin.begin(), origin.end());
    return std::make_unique<Parquet>(schema, std::move(out), options);
  };
  return export_tables(job, {".parquet", make});
}

std::vector<Exported> export_arrow(ExportJob& job) {
  return export_tables(job,
                       {".arrow", [](const ArrowSchema& schema, const KeyValues&, BytesOut out) {
                          return std::make_unique<ArrowFile>(schema, std::move(out));
                        }});
}

}  // namespace kitbag
