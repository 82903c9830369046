#include "columns/column_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arrow/column.h"
#include "arrow/row_reader.h"
#include "columns/row_visitor.h"
#include "kitbag/error.h"
#include "kitbag/registry.h"

// Each channel has a lane: a Target, which says into which columns its fields go, and a reader that
// fills them. If the reader does not understand a payload, the row is taken back and the message is
// decoded, by a visitor that fills the same columns; so all that readers of single fields must get
// right is the usual payload. If decoding fails too, the row is taken back again, and the error is
// that of the decoder, with the path of the field.

namespace kitbag {

namespace {

/// Of messages of which no field is wanted.
class NoFields final : public arrow::RowReader {
 public:
  bool read(ByteView) override { return true; }
};

class ColumnReader final : public Columns {
 public:
  ColumnReader(std::unique_ptr<Source> source, ColumnPlan plan, ColumnsRequest request,
               const Session& session)
      : source_(std::move(source)),
        plan_(std::move(plan)),
        request_(std::move(request)),
        session_(session),
        pool_(std::make_shared<arrow::MemoryPool>(kIdleBytes)),
        table_(plan_.table, pool_, replaced_bytes_),
        batch_rows_(request_.first_batch_rows > 0
                        ? std::min(request_.first_batch_rows, request_.batch_rows)
                        : request_.batch_rows) {
    if (request_.batch_rows == 0) throw Error(ErrorCode::invalid, "a batch of 0 rows has no end");
  }

  void schema(ArrowSchema* out) const override { export_schema(plan_.table, out); }

  bool next(ArrowArray* out, const Wait& wait) override {
    out->release = nullptr;
    bool is_end = false;
    while (!is_end && !is_full()) {
      throw_if_stopped(wait);
      if (at_ < batch_.messages().size()) {
        add_rows();
        continue;
      }
      batch_.clear();
      at_ = 0;
      is_end = !source_->read(batch_, wait);
      if (batch_.messages().empty() && session_.clock()->steady() >= wait.until) break;
    }
    if (rows_ == 0 && is_end) return false;
    hand_over(out);
    return true;
  }

 private:
  /// What is known of a channel.
  struct Lane {
    bool is_left_out = false;
    bool has_stamp = false;
    std::int32_t topic = 0;
    TypePtr type;
    arrow::Target target;
    std::vector<arrow::Column*> absent;        ///< columns that the channel has nothing for
    std::unique_ptr<arrow::RowReader> reader;  ///< null: its messages are decoded
    std::unique_ptr<Decoder> decoder;          ///< null: they cannot be decoded
    std::unique_ptr<RowVisitor> visitor;
  };

  arrow::Column& column(std::size_t index) { return table_.children()[index]; }

  bool is_full() const { return rows_ >= batch_rows_ || bytes_ >= request_.batch_bytes; }

  void add_rows() {
    auto messages = std::as_const(batch_).messages();
    while (at_ < messages.size() && rows_ < batch_rows_) add_row(messages[at_++]);
    bytes_ = table_.bytes();
  }

  void add_row(const Message& message) {
    Lane& lane = lane_of(*message.channel);
    if (lane.is_left_out) return;
    std::uint64_t replaced = replaced_bytes_;
    try {
      if (!fill(lane, message)) return;
    } catch (...) {
      take_back();  // a next batch has whole rows only
      throw;
    }
    ++rows_;
    if (replaced_bytes_ > replaced && request_.report) {
      ++request_.report->topics[message.channel->topic].replaced_texts;
    }
  }

  /// False: the message is left out.
  bool fill(Lane& lane, const Message& message) {
    begin_row(lane, message);
    if (lane.reader && lane.reader->read(message.data)) return true;
    if (lane.reader) {
      take_back();
      begin_row(lane, message);
    }
    if (!lane.decoder) return fill_without_fields(lane, message, nullptr);
    try {
      lane.visitor->begin();
      lane.decoder->decode(message.data, *lane.visitor);
      return true;
    } catch (const Error& error) {
      take_back();
      if (is_final(error.code())) throw;
      begin_row(lane, message);
      lane.visitor->begin();
      Error found = located(error, message, *lane.decoder, lane.visitor.get());
      take_back();
      return fill_without_fields(lane, message, &found);
    }
  }

  bool fill_without_fields(Lane& lane, const Message& message, const Error* error) {
    if (error && request_.on_error == OnError::stop) throw *error;
    bool is_kept = request_.on_error == OnError::raw;
    if (request_.report) {
      TranscodeReport::Topic& topic = request_.report->topics[message.channel->topic];
      if (error && topic.first_error.empty()) topic.first_error = error->message();
      ++(is_kept ? topic.raw : topic.skipped);
    }
    take_back();
    if (!is_kept) return false;
    begin_row(lane, message);
    for (std::size_t i = plan_.first_field; i < table_.children().size(); ++i) {
      if (column(i).length() <= rows_) column(i).add_null();
    }
    if (lane.has_stamp) column(0).add(to_ns(message.log_time));
    return true;
  }

  void begin_row(Lane& lane, const Message& message) {
    if (!lane.has_stamp) {
      bool is_published = request_.time == RowTime::publish_time;
      column(0).add(to_ns(is_published ? message.publish_time : message.log_time));
    }
    if (request_.has_topic) column(1).add_index(lane.topic);
    for (arrow::Column* absent : lane.absent) absent->add_null();
  }

  void take_back() {
    for (arrow::Column& each : table_.children()) each.truncate(rows_);
  }

  Lane& lane_of(const Channel& channel) {
    if (channel.slot < lanes_.size() && lanes_[channel.slot]) return *lanes_[channel.slot];
    if (lanes_.size() <= channel.slot) lanes_.resize(channel.slot + 1);
    lanes_[channel.slot] = make_lane(channel);
    return *lanes_[channel.slot];
  }

  std::unique_ptr<Lane> make_lane(const Channel& channel) {
    auto lane = std::make_unique<Lane>();
    ColumnPlan::Planned planned = channel.slot < plan_.channels.size()
                                      ? plan_.channels[channel.slot]
                                      : plan_channel(channel, plan_, request_, session_);
    lane->is_left_out = planned.is_left_out;
    lane->topic = index_of(channel.topic);
    lane->type = planned.type;
    std::vector<bool> has_field(table_.children().size());
    if (!request_.has_fields && !planned.has_stamp) {
      lane->reader = std::make_unique<NoFields>();
    } else if (lane->type) {
      bind_fields(*lane, has_field);
      lane->has_stamp = planned.has_stamp;
      if (lane->has_stamp) stamp_path().bind(*lane->type, lane->target, column(0));
      const Codec* codec = find_codec(session_.registry(), channel.encoding);
      if (codec->row_reader) lane->reader = codec->row_reader(lane->type, lane->target);
      lane->decoder = decoder_of(channel, session_);
      lane->visitor = make_row_visitor(lane->target, session_);
    }
    for (std::size_t i = plan_.first_field; i < has_field.size(); ++i) {
      if (!has_field[i]) lane->absent.push_back(&column(i));
    }
    return lane;
  }

  void bind_fields(Lane& lane, std::vector<bool>& has_field) {
    for (std::size_t i = 0; i < plan_.paths.size(); ++i) {
      auto own = plan_.paths[i].column_type(*lane.type);
      if (!own) continue;
      has_field[plan_.first_field + i] = true;
      plan_.paths[i].bind(*lane.type, lane.target, column(plan_.first_field + i));
    }
    if (plan_.has_value && !is_compound(lane.type->kind)) {
      has_field.back() = true;
      bind_whole(*lane.type, lane.target, table_.children().back());
    }
  }

  std::int32_t index_of(const std::string& topic) {
    auto found = std::find(topics_.begin(), topics_.end(), topic);
    if (found == topics_.end()) found = topics_.insert(found, topic);
    return static_cast<std::int32_t>(found - topics_.begin());
  }

  void hand_over(ArrowArray* out) {
    for (arrow::Column& each : table_.children()) {
      if (each.length() != rows_) {
        throw Error(ErrorCode::invalid,
                    fmt::format("the column {} has {} values for {} rows; this is an error of the "
                                "program",
                                each.type().name, each.length(), rows_));
      }
    }
    table_.add_parents(rows_);
    table_.move_to(out, topics_);
    rows_ = bytes_ = 0;
    batch_rows_ = std::min(batch_rows_ * 2, request_.batch_rows);
  }

  std::unique_ptr<Source> source_;
  const ColumnPlan plan_;
  ColumnsRequest request_;
  Session session_;
  std::shared_ptr<arrow::MemoryPool> pool_;
  std::uint64_t replaced_bytes_ = 0;
  arrow::Column table_;
  std::vector<std::string> topics_;
  std::vector<std::unique_ptr<Lane>> lanes_;  ///< by slot
  Batch batch_;
  std::size_t at_ = 0;  ///< the next message of `batch_`
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t batch_rows_;  ///< of this batch
};

}  // namespace

std::unique_ptr<Columns> make_column_reader(std::unique_ptr<Source> source, ColumnPlan plan,
                                            const ColumnsRequest& request, const Session& session) {
  return std::make_unique<ColumnReader>(std::move(source), std::move(plan), request, session);
}

}  // namespace kitbag
