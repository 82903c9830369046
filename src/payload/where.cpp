#include <algorithm>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/fields.h"
#include "kitbag/session.h"
#include "payload/expression.h"
#include "payload/field_collector.h"

namespace kitbag {

namespace {

std::string without_elements(const std::string& path) {
  std::string plain;
  bool is_inside = false;
  for (char c : path) {
    is_inside |= c == '[';
    if (!is_inside) plain += c;
    if (c == ']') is_inside = false;
  }
  return plain;
}

class Where final : public Stage {
 public:
  Where(const std::string& expression, OnError on_error, TranscodeReport* report,
        const Session& session)
      : expression_(expression),
        collector_(expression_.paths()),
        on_error_(on_error),
        report_(report),
        session_(session) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    if (lanes_.size() <= channel->slot) lanes_.resize(channel->slot + 1);
    Lane& lane = lanes_[channel->slot];
    try {
      TypePtr type = type_of(*channel, session_);
      if (type && !has_fields(*type)) return nullptr;
      lane.decoder = decoder_of(*channel, session_);
    } catch (const Error& error) {
      if (on_error_ == OnError::stop || is_final(error.code())) throw;
      bool is_dropped = on_error_ == OnError::skip;
      if (report_) {
        TranscodeReport::Topic& topic = report_->topics[channel->topic];
        topic.is_dropped = is_dropped;
        topic.first_error = error.message();
      }
      if (is_dropped) return nullptr;
    }
    return channel;
  }

  void apply(Batch& batch) override {
    batch.drop_if([this](const Message& message) { return !is_wanted(message); });
  }

 private:
  struct Lane {
    std::unique_ptr<Decoder> decoder;  ///< null: what cannot be decoded stays
  };

  bool has_fields(const Type& type) const {
    const auto& paths = expression_.paths();
    return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
      try {
        require_field(type, without_elements(path));
        return true;
      } catch (const Error& error) {
        if (error.code() == ErrorCode::not_found) return false;
        throw;
      }
    });
  }

  bool is_wanted(const Message& message) {
    Lane& lane = lanes_[message.channel->slot];
    if (!lane.decoder) return true;
    collector_.begin();
    try {
      lane.decoder->decode(message.data, collector_);
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      return is_wanted_despite(error, message, *lane.decoder);
    }
    return expression_.is_true(collector_.values());
  }

  bool is_wanted_despite(const Error& error, const Message& message, Decoder& decoder) {
    if (on_error_ == OnError::raw) return true;
    Error located_error = located(error, message, decoder);
    if (on_error_ == OnError::stop) throw located_error;
    if (report_) {
      TranscodeReport::Topic& topic = report_->topics[message.channel->topic];
      if (topic.skipped++ == 0) topic.first_error = located_error.message();
    }
    return false;
  }

  Expression expression_;
  FieldCollector collector_;
  OnError on_error_;
  TranscodeReport* report_;
  Session session_;
  std::vector<Lane> lanes_;  ///< by slot
};

}  // namespace

std::unique_ptr<Stage> where(const std::string& expression, OnError on_error,
                             TranscodeReport* report, const Session& session) {
  return std::make_unique<Where>(expression, on_error, report, session);
}

}  // namespace kitbag
