#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/fields.h"
#include "kitbag/session.h"
#include "payload/expression.h"
#include "payload/field_collector.h"

// A channel is judged before its messages. Where a field is missing from the type, the channel is
// dropped and nothing of it is decoded; JSON without a schema has no type, and its messages decide.
// The condition sees values as the decoder passes them: no tree is made, and a message costs the
// decoding of all its fields, because decoders do not stop early.
//
// One collector serves all channels, since a stage sees one message at a time.

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

/// What where() and containing() differ in.
class Condition {
 public:
  virtual ~Condition() = default;
  /// Whether messages of that type can meet it.
  virtual bool fits(const Type& type) const = 0;
  /// Takes the values of a message from here on.
  virtual Visitor& begin() = 0;
  /// Whether the message meets it.
  virtual bool is_met() const = 0;
};

/// A condition on the fields that an expression names.
class FieldCondition final : public Condition {
 public:
  explicit FieldCondition(const std::string& expression)
      : expression_(expression), collector_(expression_.paths()) {}

  bool fits(const Type& type) const override {
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
  Visitor& begin() override {
    collector_.begin();
    return collector_;
  }
  bool is_met() const override { return expression_.is_true(collector_.values()); }

 private:
  Expression expression_;
  FieldCollector collector_;
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// A text that contains a word, in any field.
class WordCondition final : public Condition, private LeafVisitor<WordCondition> {
 public:
  explicit WordCondition(const std::string& word) : word_(word) {
    if (word.empty()) throw Error(ErrorCode::invalid, "there is no word to search for");
  }

  bool fits(const Type&) const override { return true; }
  Visitor& begin() override {
    is_met_ = false;
    return *this;
  }
  bool is_met() const override { return is_met_; }

 private:
  friend LeafVisitor<WordCondition>;

  void begin_struct(const Type&) override {}
  void field(const Field&) override {}
  void end_struct() override {}
  void begin_array(const Type&, std::size_t) override {}
  void end_array() override {}
  void packed(const Type&, ByteView) override {}  // numbers
  template <class Value>
  void leaf(const Type&, Value value) {
    if constexpr (std::is_same_v<Value, std::string_view>) {
      auto equal = [](char a, char b) { return lower(a) == lower(b); };
      auto found = std::search(value.begin(), value.end(), word_.begin(), word_.end(), equal);
      is_met_ |= found != value.end();
    }
  }

  std::string word_;
  bool is_met_ = false;
};

class Where final : public Stage {
 public:
  Where(std::unique_ptr<Condition> condition, OnError on_error, TranscodeReport* report,
        const Session& session)
      : condition_(std::move(condition)), on_error_(on_error), report_(report), session_(session) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    if (lanes_.size() <= channel->slot) lanes_.resize(channel->slot + 1);
    Lane& lane = lanes_[channel->slot];
    try {
      TypePtr type = type_of(*channel, session_);
      if (type && !condition_->fits(*type)) return nullptr;
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

  bool is_wanted(const Message& message) {
    Lane& lane = lanes_[message.channel->slot];
    if (!lane.decoder) return true;
    try {
      lane.decoder->decode(message.data, condition_->begin());
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      return is_wanted_despite(error, message, *lane.decoder);
    }
    return condition_->is_met();
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

  std::unique_ptr<Condition> condition_;
  OnError on_error_;
  TranscodeReport* report_;
  Session session_;
  std::vector<Lane> lanes_;  ///< by slot
};

}  // namespace

std::unique_ptr<Stage> where(const std::string& expression, OnError on_error,
                             TranscodeReport* report, const Session& session) {
  return std::make_unique<Where>(std::make_unique<FieldCondition>(expression), on_error, report,
                                 session);
}

std::vector<std::string> fields_of_condition(const std::string& expression) {
  std::vector<std::string> fields;
  Expression parsed(expression);
  for (const std::string& path : parsed.paths()) {
    std::string field = without_elements(path);
    if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
  }
  return fields;
}

std::unique_ptr<Stage> containing(const std::string& word, OnError on_error,
                                  TranscodeReport* report, const Session& session) {
  return std::make_unique<Where>(std::make_unique<WordCondition>(word), on_error, report, session);
}

}  // namespace kitbag
