#include "server/slices/slice_form.h"

#include <fmt/format.h>

#include <utility>

#include "kitbag/bag_stream.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/transcode.h"
#include "server/api/served.h"
#include "server/slices/parquet_form.h"
#include "server/slices/video_form.h"

// A body that has begun cannot become an error any more, so each form has a place behind the
// messages for what went wrong on the way: a key "damage" in JSON, a last line in NDJSON, a trailer
// of HTTP with CSV, Parquet and MP4, a metadata record in MCAP. An error that is no damage aborts
// the connection instead.
//
// The MCAP is written by the ordinary writer into the stream, in small chunks: a chunk leaves when
// it is complete, and a player should not wait for megabytes. One thread, as every client would
// have a pool.

namespace kitbag::server {
namespace {

/// An MCAP leaves chunk by chunk: small ones, cut by what the messages are and never by how long
/// they took to read, since two answers with one ETag have the same bytes.
constexpr std::size_t kChunkBytes = 128 << 10;
constexpr std::chrono::milliseconds kChunkDuration{100};

/// What printers of messages share.
class PrintedForm : public SliceForm {
 public:
  PrintedForm(const FormRequest& asked, PrintFormat format, OnError on_error,
              const Session& session) {
    PrintOptions print;
    print.format = format;
    print.fields = asked.fields;
    print.quotes_int64 = asked.quotes_int64;
    print.on_error = on_error;
    print.is_latched = asked.is_latched;
    print.codec = asked.codec;
    auto write = [this](std::string_view text) { *text_ += text; };
    printer_ = printer(print, {write}, report_, session);
  }

  void begin(std::string&) override {}
  void write(Batch&& batch, std::string& text) final {
    text_ = &text;
    printer_->write(std::move(batch));
  }
  void rest() final { printer_->flush(); }

 protected:
  const TranscodeReport& report() const { return report_; }

 private:
  TranscodeReport report_;
  std::string* text_ = nullptr;
  std::unique_ptr<Sink> printer_;
};

class JsonForm final : public PrintedForm {
 public:
  JsonForm(const FormRequest& asked, const Session& session)
      : PrintedForm(asked, PrintFormat::flat_json, OnError::raw, session),
        metadata_(asked.metadata),
        tells_limit_(asked.tells_limit) {}

  void begin(std::string& text) override { text += "{\n  " + metadata_ + "\"messages\": [\n"; }
  void end(const SliceReader& reader, std::string& text) override {
    std::vector<std::string> damage = reader.damage();
    text += "\n  ]";
    if (tells_limit_) text += fmt::format(",\n  \"is_limited\": {}", reader.is_limited());
    if (!damage.empty()) text += ",\n  \"damage\": " + json_list(damage);
    text += "\n}\n";
  }

 private:
  std::string metadata_;
  bool tells_limit_;
};

class LinesForm final : public PrintedForm {
 public:
  LinesForm(const FormRequest& asked, const Session& session)
      : PrintedForm(asked, PrintFormat::flat_json_lines, OnError::raw, session) {}

  void end(const SliceReader& reader, std::string& text) override {
    std::vector<std::string> damage = reader.damage();
    if (!damage.empty()) text += "{\"__damage\": " + json_list(damage) + "}\n";
  }
};

/// A table has no place for anything else, so a trailer says what is missing.
class CsvForm final : public PrintedForm {
 public:
  CsvForm(const FormRequest& asked, const Session& session)
      : PrintedForm(asked, PrintFormat::csv, OnError::skip, session) {}

  void end(const SliceReader& reader, std::string&) override {
    damage_ = reader.damage();
    for (std::string& each : left_out(report())) damage_.push_back(std::move(each));
  }
  TextPairs trailers() const override {
    if (damage_.empty()) return {};
    return {{kDamageHeader, json_list(damage_)}};
  }

 private:
  std::vector<std::string> damage_;
};

class McapForm final : public SliceForm {
 public:
  explicit McapForm(const Session& session) {
    WriteOptions options;
    options.format = "mcap";
    options.chunk_bytes = kChunkBytes;
    options.chunk_duration = kChunkDuration;
    options.threads = 1;
    writer_ =
        create_bag_stream([this](ByteView bytes) { *text_ += as_text(bytes); }, options, session);
  }

  void begin(std::string&) override {}
  void write(Batch&& batch, std::string& text) override {
    text_ = &text;
    writer_->write(std::move(batch));
  }
  void end(const SliceReader& reader, std::string& text) override {
    std::vector<std::string> damage = reader.damage();
    text_ = &text;
    if (!damage.empty()) {
      Metadata metadata{"damage", {}};
      for (const std::string& each : damage) {
        metadata.values.emplace(std::to_string(metadata.values.size() + 1), each);
      }
      Batch batch;
      batch.extras.push_back(std::move(metadata));
      writer_->write(std::move(batch));
    }
    writer_->close();
  }

 private:
  std::string* text_ = nullptr;
  std::unique_ptr<Writer> writer_;
};

void check_csv(const std::vector<ChannelPtr>& channels, const Session& session) {
  const Channel* first = nullptr;
  for (const ChannelPtr& channel : channels) {
    if (!is_decodable(*channel, session)) {
      throw Error(ErrorCode::invalid,
                  fmt::format("CSV cannot hold {}, whose messages cannot be decoded; select other "
                              "topics, or another format",
                              escaped(channel->topic)));
    }
    if (!first) first = channel.get();
    if (first->type() == channel->type()) continue;
    throw Error(ErrorCode::invalid,
                fmt::format("CSV has columns for one type, but {} has {} and {} has {}; select the "
                            "topics of one type",
                            escaped(first->topic), escaped(first->type()), escaped(channel->topic),
                            escaped(channel->type())));
  }
}

}  // namespace

const std::vector<std::string>& form_names() {
  static const std::vector<std::string> names = {"json", "ndjson", "csv", "parquet", "mcap", "mp4"};
  return names;
}

std::string media_type_of_form(const std::string& format) {
  if (format == "ndjson") return "application/x-ndjson";
  if (format == "csv") return "text/csv; charset=utf-8";
  if (format == "parquet") return "application/vnd.apache.parquet";
  if (format == "mcap") return "application/mcap";
  if (format == "mp4") return "video/mp4";
  return "application/json";
}

std::string trailer_of_form(const std::string& format) {
  bool has_trailer = format == "csv" || format == "parquet" || format == "mp4";
  return has_trailer ? kDamageHeader : "";
}

void check_form(const FormRequest& asked, const std::vector<ChannelPtr>& channels,
                const Session& session) {
  bool is_printed = asked.format != "mcap" && asked.format != "bag" && asked.format != "mp4";
  if (!is_printed && !asked.fields.empty()) {
    throw Error(ErrorCode::invalid, "fields cannot be selected with format=" + asked.format);
  }
  if (asked.quotes_int64 && asked.format != "json" && asked.format != "ndjson") {
    throw Error(ErrorCode::invalid, "int64=string is for format=json and format=ndjson only");
  }
  if (asked.format == "csv") check_csv(channels, session);
}

std::unique_ptr<SliceForm> make_form(const FormRequest& asked, const Session& session) {
  if (asked.format == "ndjson") return std::make_unique<LinesForm>(asked, session);
  if (asked.format == "csv") return std::make_unique<CsvForm>(asked, session);
  if (asked.format == "parquet") return parquet_form(asked, session);
  if (asked.format == "mcap") return std::make_unique<McapForm>(session);
  if (asked.format == "mp4") return video_form(asked, session);
  return std::make_unique<JsonForm>(asked, session);
}

}  // namespace kitbag::server
