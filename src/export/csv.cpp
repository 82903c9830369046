#include "export/csv.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "export/topic_fields.h"
#include "kitbag/error.h"
#include "kitbag/print.h"
#include "kitbag/transcode.h"
#include "kitbag/type.h"

// The rows are those of the printer (print.h). Its columns are fixed by the first message, so all
// channels of a file must have the same fields: a topic whose type has changed needs files by bag,
// or one definition for all.

namespace kitbag {
namespace {

class CsvFile final : public TopicExport {
 public:
  CsvFile(const ExportPart& part, const std::vector<std::string>& fields, const ExportJob& job)
      : topic_(part.topic),
        session_(job.session),
        skips_(job.request.columns.on_error == OnError::skip),
        report_(job.request.columns.report ? *job.request.columns.report : own_report_) {
    std::string name = part_name(part, ".csv", job.folder);
    path_ = job.folder.path_of(name);
    file_ = job.folder.create(name);
    PrintOptions options{.format = PrintFormat::csv, .fields = fields};
    options.time_format = job.request.csv.time_format;
    options.escapes_formulas = job.request.csv.escapes_formulas;
    options.on_error = job.request.columns.on_error;
    TextOut out{
        [to = file_.get()](std::string_view text) { to->append(std::as_bytes(std::span(text))); }};
    printer_ = printer(options, std::move(out), report_, session_);
  }

  void write(std::span<const Message> messages, const ChannelsPtr& channels) override {
    TranscodeReport::Topic& counts = report_.topics[topic_];
    std::uint64_t skipped = counts.skipped;
    Batch batch;
    batch.channels = channels;
    for (const Message& message : messages) {
      if (is_kept(*message.channel)) {
        batch.add(message);
      } else {
        ++counts.skipped;
      }
    }
    printer_->write(std::move(batch));
    rows_ += messages.size() - (counts.skipped - skipped);
  }

  Exported finish() override {
    printer_->close();
    std::uint64_t size_bytes = file_->size();
    file_->commit();
    return {topic_, path_, rows_, 1, size_bytes};
  }

 private:
  /// Looks at each channel once.
  bool is_kept(const Channel& channel) {
    if (channel.slot >= known_.size()) known_.resize(channel.slot + 1, Known::no);
    Known& known = known_[channel.slot];
    if (known == Known::no) known = look_at(channel);
    return known == Known::kept;
  }

  enum class Known : std::uint8_t { no, kept, left_out };

  Known look_at(const Channel& channel) {
    // If it is kept, the printer throws and says why.
    if (!is_decodable(channel, session_)) return skips_ ? Known::left_out : Known::kept;
    TypePtr type;
    try {
      type = type_of(channel, session_);
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      return Known::kept;  // the printer counts it, or throws
    }
    if (!type) return Known::kept;
    if (type_ && !same_shape(*type_, *type)) {
      throw Error(
          ErrorCode::invalid,
          fmt::format(
              "{} has types with different fields, {} and {}, and CSV has columns for one; "
              "write the table by bag, convert the bags to one definition, or use another format",
              topic_, type_name(*type_), type_name(*type)));
    }
    if (!type_) type_ = std::move(type);
    return Known::kept;
  }

  std::string topic_;
  const Session& session_;
  bool skips_;
  TranscodeReport own_report_;
  TranscodeReport& report_;
  std::string path_;
  std::unique_ptr<WriteFile> file_;
  std::unique_ptr<Sink> printer_;
  std::vector<Known> known_;  ///< by slot
  TypePtr type_;              ///< that of all
  std::uint64_t rows_ = 0;
};

bool can_be_decoded(const Channels& channels, const Session& session) {
  for (const ChannelPtr& channel : channels) {
    if (channel && is_decodable(*channel, session)) return true;
  }
  return false;
}

}  // namespace

std::vector<Exported> export_csv(ExportJob& job) {
  if (job.request.columns.on_error == OnError::raw) {
    throw Error(
        ErrorCode::invalid,
        "CSV cannot hold messages that cannot be decoded; skip them, or use another format");
  }
  if (job.request.columns.time != RowTime::log_time) {
    throw Error(
        ErrorCode::invalid,
        "CSV has the log time and the publish time; the header stamp is a field like others");
  }
  bool are_fields_known = require_fields(job);
  auto written = export_parts(
      job, [&](const ExportPart& part, const ChannelsPtr& channels) -> std::unique_ptr<CsvFile> {
        ColumnsRequest columns = job.request.columns;
        if (!part.is_first) columns.on_warning = {};  // it has been said
        if (!can_be_decoded(*channels, job.session)) {
          if (columns.report) columns.report->topics[part.topic].is_dropped = true;
          return nullptr;
        }
        if (!keep_fields(part.topic, *channels, columns, job.session)) return nullptr;
        return std::make_unique<CsvFile>(part, columns.fields, job);
      });
  if (!are_fields_known) require_fields(job);
  return written;
}

}  // namespace kitbag
