#include "export/tables.h"

#include <optional>
#include <string>
#include <utility>

#include "arrow/column.h"
#include "arrow/owned.h"
#include "columns/given_table.h"
#include "columns/plan.h"
#include "export/topic_fields.h"
#include "kitbag/error.h"
#include "kitbag/parquet.h"
#include "kitbag/table_origin.h"

// A table is made in three steps:
//
//     export_parts()   which messages are one file        TopicExport
//     Rows             messages to batches of rows        GivenTable
//     TableExport      batches to a file                  Parquet, Arrow, HDF5
//
// Between the last two are structs of Arrow's C interface and nothing else, so that HDF5, which is
// a plugin, decodes nothing.

namespace kitbag {
namespace {

/// A file with the rows of one part.
class TableFile : public TableExport {
 public:
  TableFile(const ExportPart& part, std::string_view extension, ExportFolder& folder) {
    std::string name = part_name(part, extension, folder);
    path_ = folder.path_of(name);
    file_ = folder.create(name);
  }

  Exported finish(const Channels& /*channels*/) final {
    end();
    std::uint64_t size_bytes = file_->size();
    file_->commit();
    return {.topic = {}, .path = path_, .size_bytes = size_bytes};
  }

 protected:
  /// Writes the end.
  virtual void end() = 0;
  BytesOut out() {
    return [to = file_.get()](ByteView bytes) { to->append(bytes); };
  }

 private:
  std::string path_;
  std::unique_ptr<WriteFile> file_;
};

/// What a table says of its messages: only the topic if they are of several definitions.
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

/// How Parquet is written for a topic.
ParquetOptions parquet_options(const std::string& topic, const Channels& channels,
                               const ExportJob& job) {
  ParquetOptions options = job.request.parquet;
  KeyValues origin = origin_of(topic, channels, job.session);
  options.key_values.insert(options.key_values.end(), origin.begin(), origin.end());
  return options;
}

class ParquetFile final : public TableFile {
 public:
  ParquetFile(const ExportPart& part, const Channels& channels, const ArrowSchema& schema,
              const ExportJob& job)
      : TableFile(part, ".parquet", job.folder),
        writer_(parquet_writer(schema, out(), parquet_options(part.topic, channels, job))) {}
  void write(const ArrowArray& rows) override { writer_->write(rows); }
  std::uint64_t held_bytes() const override { return writer_->held_bytes(); }
  void flush() override { writer_->end_row_group(); }

 protected:
  void end() override { writer_->finish(); }

 private:
  std::unique_ptr<ParquetWriter> writer_;
};

class ArrowFile final : public TableFile {
 public:
  ArrowFile(const ExportPart& part, const Channels& /*channels*/, const ArrowSchema& schema,
            const ExportJob& job)
      : TableFile(part, ".arrow", job.folder),
        writer_(arrow_ipc_writer(schema, out(), ArrowIpcForm::file)) {}
  void write(const ArrowArray& rows) override { writer_->write(rows); }

 protected:
  void end() override { writer_->finish(); }

 private:
  std::unique_ptr<ArrowIpcWriter> writer_;
};

bool can_be_decoded(const ColumnPlan& plan, const Channels& channels) {
  for (std::size_t slot = 0; slot < channels.size(); ++slot) {
    if (channels[slot] && plan.channels[slot].type) return true;
  }
  return false;
}

/// Plans the columns of a topic; nothing if it has none of the fields, or cannot be decoded, which
/// is reported.
std::optional<ColumnPlan> plan_topic(const std::string& topic, const Channels& channels,
                                     ColumnsRequest& request, const Session& session) {
  if (!keep_fields(topic, channels, request, session)) return std::nullopt;
  ColumnPlan plan = plan_columns(channels, request, session);
  if (can_be_decoded(plan, channels)) return plan;
  if (request.report) request.report->topics[topic].is_dropped = true;
  return std::nullopt;
}

/// Makes rows of the messages of a part.
class Rows final : public TopicExport {
 public:
  Rows(const ExportPart& part, const ChannelsPtr& channels, ColumnPlan plan,
       const ColumnsRequest& columns, const MakeTableExport& make, const Session& session)
      : topic_(part.topic), channels_(channels) {
    arrow::Owned<ArrowSchema> schema;
    arrow::export_schema(plan.table, schema.get());
    target_ = make(part, *channels, *schema);
    table_.emplace(channels, std::move(plan), columns, session);
  }

  void write(std::span<const Message> messages, const ChannelsPtr& channels) override {
    channels_ = channels;
    table_->read(messages, channels, [&](const ArrowArray& given) {
      arrow::Owned<ArrowArray> rows;
      *rows.get() = given;
      if (rows.is_empty()) return;
      target_->write(*rows);
      rows_ += static_cast<std::uint64_t>(given.length);
    });
  }

  std::uint64_t held_bytes() const override { return target_->held_bytes(); }
  void flush() override { target_->flush(); }

  Exported finish() override {
    Exported written = target_->finish(*channels_);
    written.topic = topic_;
    written.messages = rows_;
    return written;
  }

 private:
  std::string topic_;
  ChannelsPtr channels_;
  std::unique_ptr<TableExport> target_;
  std::optional<GivenTable> table_;
  std::uint64_t rows_ = 0;
};

template <class File>
std::vector<Exported> export_files(const ExportJob& job) {
  return export_tables(
      job, [&](const ExportPart& part, const Channels& channels, const ArrowSchema& schema) {
        return std::make_unique<File>(part, channels, schema, job);
      });
}

}  // namespace

std::vector<Exported> export_tables(const ExportJob& job, const MakeTableExport& make) {
  // A stream has no channels before its first message. Then fields are asked for at the end.
  bool are_fields_known = require_fields(job);
  auto begin = [&](const ExportPart& part, const ChannelsPtr& channels) -> std::unique_ptr<Rows> {
    ColumnsRequest columns = job.request.columns;
    columns.has_topic = false;
    if (!part.is_first) columns.on_warning = {};  // it has been said
    auto plan = plan_topic(part.topic, *channels, columns, job.session);
    if (!plan) return nullptr;
    return std::make_unique<Rows>(part, channels, std::move(*plan), columns, make, job.session);
  };
  auto written = export_parts(job, begin);
  if (!are_fields_known) require_fields(job);
  return written;
}

std::vector<Exported> export_parquet(ExportJob& job) {
  return export_files<ParquetFile>(job);
}

std::vector<Exported> export_arrow(ExportJob& job) {
  return export_files<ArrowFile>(job);
}

}  // namespace kitbag
