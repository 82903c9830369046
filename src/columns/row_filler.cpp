#include "columns/row_filler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arrow/row_reader.h"
#include "arrow/target.h"
#include "columns/column_reader.h"
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

}  // namespace

TableContext::TableContext(ColumnPlan plan, const ColumnsRequest& request, const Session& session)
    : plan_(std::move(plan)),
      request_(request),
      session_(session),
      pool_(std::make_shared<arrow::MemoryPool>(kIdleBytes)) {}

std::int32_t TableContext::index_of(const std::string& topic) {
  // Asked once for each channel and filler: there is no need for a map.
  auto found = std::find(topics_.begin(), topics_.end(), topic);
  if (found == topics_.end()) found = topics_.insert(found, topic);
  return static_cast<std::int32_t>(found - topics_.begin());
}

const ColumnPlan::Planned& TableContext::planned(const Channel& channel) {
  if (channel.slot < plan_.channels.size()) return plan_.channels[channel.slot];
  auto found = later_.find(channel.slot);
  if (found == later_.end()) {
    found = later_.emplace(channel.slot, plan_channel(channel, plan_, request_, session_)).first;
  }
  return found->second;
}

/// What is known of a channel.
struct RowFiller::Lane {
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

RowFiller::RowFiller(TableContext& context, TranscodeReport* report)
    : context_(context),
      plan_(context.plan()),
      request_(context.request()),
      report_(report),
      table_(plan_.table, context.pool(), replaced_bytes_) {}

RowFiller::~RowFiller() = default;

// `inline`: what follows is done for each message.

inline RowFiller::Lane& RowFiller::lane_of(const Channel& channel) {
  if (channel.slot < lanes_.size() && lanes_[channel.slot]) return *lanes_[channel.slot];
  if (lanes_.size() <= channel.slot) lanes_.resize(channel.slot + 1);
  lanes_[channel.slot] = make_lane(channel);
  return *lanes_[channel.slot];
}

inline void RowFiller::begin_row(Lane& lane, const Message& message) {
  if (!lane.has_stamp) {
    bool is_published = request_.time == RowTime::publish_time;
    column(0).add(to_ns(is_published ? message.publish_time : message.log_time));
  }
  if (request_.has_topic) column(1).add_index(lane.topic);
  for (arrow::Column* absent : lane.absent) absent->add_null();
}

void RowFiller::take_back() {
  for (arrow::Column& each : table_.children()) each.truncate(rows_);
}

/// False: the message is left out.
inline bool RowFiller::fill(Lane& lane, const Message& message) {
  begin_row(lane, message);
  if (lane.reader && lane.reader->read(message.data)) return true;
  return fill_by_decoder(lane, message);
}

inline void RowFiller::add_row(const Message& message) {
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
  if (replaced_bytes_ > replaced && report_) {
    ++report_->topics[message.channel->topic].replaced_texts;
  }
}

void RowFiller::add(std::span<const Message> messages, std::size_t& at, std::uint64_t batch_rows) {
  while (at < messages.size() && rows_ < batch_rows) add_row(messages[at++]);
}

bool RowFiller::takes(const Channel& channel) {
  return !lane_of(channel).is_left_out;
}

/// Of a message that the lane's reader does not understand.
bool RowFiller::fill_by_decoder(Lane& lane, const Message& message) {
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
    // Decodes the message once more, into the same columns, to find the path of the field.
    Error found = located(error, message, *lane.decoder, lane.visitor.get());
    take_back();
    return fill_without_fields(lane, message, &found);
  }
}

bool RowFiller::fill_without_fields(Lane& lane, const Message& message, const Error* error) {
  if (error && request_.on_error == OnError::stop) throw *error;
  bool is_kept = request_.on_error == OnError::raw;
  if (report_) {
    TranscodeReport::Topic& topic = report_->topics[message.channel->topic];
    if (error && topic.first_error.empty()) topic.first_error = error->message();
    ++(is_kept ? topic.raw : topic.skipped);
  }
  take_back();
  if (!is_kept) return false;
  begin_row(lane, message);
  for (std::size_t i = plan_.first_field; i < table_.children().size(); ++i) {
    // The channel's absent columns have theirs from begin_row().
    if (column(i).length() <= rows_) column(i).add_null();
  }
  // Without its stamp, the row has the time at which it was logged.
  if (lane.has_stamp) column(0).add(to_ns(message.log_time));
  return true;
}

std::unique_ptr<RowFiller::Lane> RowFiller::make_lane(const Channel& channel) {
  auto lane = std::make_unique<Lane>();
  const ColumnPlan::Planned& planned = context_.planned(channel);
  lane->is_left_out = planned.is_left_out;
  lane->topic = context_.index_of(channel.topic);
  lane->type = planned.type;
  std::vector<bool> has_field(table_.children().size());
  if (!request_.has_fields && !planned.has_stamp) {
    lane->reader = std::make_unique<NoFields>();
  } else if (lane->type) {
    bind_fields(*lane, planned, has_field);
    lane->has_stamp = planned.has_stamp;
    if (lane->has_stamp) stamp_path().bind(*lane->type, lane->target, column(0));
    const Codec* codec = find_codec(context_.session().registry(), channel.encoding);
    if (codec->row_reader) lane->reader = codec->row_reader(lane->type, lane->target);
    lane->decoder = decoder_of(channel, context_.session());
    lane->visitor = make_row_visitor(lane->target, context_.session());
  }
  for (std::size_t i = plan_.first_field; i < has_field.size(); ++i) {
    if (!has_field[i]) lane->absent.push_back(&column(i));
  }
  return lane;
}

void RowFiller::bind_fields(Lane& lane, const ColumnPlan::Planned& planned,
                            std::vector<bool>& has_field) {
  for (std::size_t i = 0; i < plan_.paths.size(); ++i) {
    auto own = plan_.paths[i].column_type(*lane.type);
    if (!own || planned.unfit.contains(plan_.first_field + i)) continue;
    has_field[plan_.first_field + i] = true;
    plan_.paths[i].bind(*lane.type, lane.target, column(plan_.first_field + i));
  }
  bool is_value = plan_.has_value && !is_compound(lane.type->kind);
  if (is_value && !planned.unfit.contains(has_field.size() - 1)) {
    has_field.back() = true;
    bind_whole(*lane.type, lane.target, table_.children().back());
  }
}

void RowFiller::hand_over(ArrowArray* out) {
  for (arrow::Column& each : table_.children()) {
    if (each.length() != rows_) {
      throw Error(ErrorCode::invalid,
                  fmt::format("the column {} has {} values for {} rows; this is an error of the "
                              "program",
                              each.type().name, each.length(), rows_));
    }
  }
  table_.add_parents(rows_);
  table_.move_to(out, context_.topics());
  rows_ = bytes_ = 0;
}

void RowFiller::clear() {
  rows_ = bytes_ = 0;
  take_back();
}

}  // namespace kitbag
