#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/fields.h"
#include "kitbag/session.h"
#include "kitbag/text.h"
#include "payload/condition.h"

// A channel is judged before its messages. Where a field is missing from the type, or has a value
// that cannot be compared so, the channel is dropped and nothing of it is decoded; where the topic
// decides alone, its messages stay and are not decoded either. JSON without a schema has no type,
// and its messages decide. The condition sees values as the decoder passes them: no tree is made,
// and a message costs the decoding of all its fields, because decoders do not stop early.

namespace kitbag {

namespace {

/// What where() and containing() differ in: a condition on the messages of one channel.
class ChannelTest {
 public:
  virtual ~ChannelTest() = default;
  /// Messages must be decoded.
  virtual bool has_fields() const = 0;
  /// Takes the values of a message from here on.
  virtual Visitor& begin() = 0;
  /// Whether the message meets it.
  virtual bool is_met(const Message& message) = 0;
};

/// Makes the test of a channel. Null: none of its messages can meet it.
using MakeTest = std::function<std::unique_ptr<ChannelTest>(const Channel& channel)>;

/// A condition on the fields that an expression names.
class FieldTest final : public ChannelTest {
 public:
  explicit FieldTest(std::unique_ptr<Condition> condition) : condition_(std::move(condition)) {}

  bool has_fields() const override { return condition_->has_fields(); }
  Visitor& begin() override {
    condition_->collector().begin();
    return condition_->collector();
  }
  bool is_met(const Message& message) override {
    return condition_->decided().value_or(true) && condition_->is_met(message);
  }

 private:
  std::unique_ptr<Condition> condition_;
};

/// What an expression means for a channel, or why none of its messages can meet it.
struct ChannelCondition {
  std::unique_ptr<Condition> condition;
  std::optional<Error> misfit;
};

ChannelCondition condition_for_type(const ExpressionNode& expression, const Channel& channel,
                                    const Type* type) {
  try {
    return {std::make_unique<Condition>(expression, channel, type), std::nullopt};
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    return {nullptr, error};
  }
}

/// Throws Error as type_of() does.
ChannelCondition condition_for(const ExpressionNode& expression, const Channel& channel,
                               const Session& session) {
  // What the topic decides needs no definition.
  ChannelCondition found = condition_for_type(expression, channel, nullptr);
  if (!found.condition || found.condition->decided() || !found.condition->has_fields()) {
    return found;
  }
  TypePtr type = type_of(channel, session);
  return type ? condition_for_type(expression, channel, type.get()) : std::move(found);
}

/// Of ASCII. The case of other letters is not in a byte, and some change their length with it.
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// A text that contains a word, in any field.
class WordTest final : public ChannelTest, private LeafVisitor<WordTest> {
 public:
  explicit WordTest(const std::string& word) : word_(word) {}

  bool has_fields() const override { return true; }
  Visitor& begin() override {
    is_met_ = false;
    return *this;
  }
  bool is_met(const Message&) override { return is_met_; }

 private:
  friend LeafVisitor<WordTest>;

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
  Where(MakeTest make_test, OnError on_error, TranscodeReport* report, const Session& session)
      : make_test_(std::move(make_test)), on_error_(on_error), report_(report), session_(session) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    if (lanes_.size() <= channel->slot) lanes_.resize(channel->slot + 1);
    Lane& lane = lanes_[channel->slot];
    try {
      lane.test = make_test_(*channel);
      if (!lane.test) return nullptr;
      if (lane.test->has_fields()) lane.decoder = decoder_of(*channel, session_);
    } catch (const Error& error) {
      lane.test = nullptr;
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
    std::unique_ptr<ChannelTest> test;  ///< null: what cannot be decoded stays
    std::unique_ptr<Decoder> decoder;   ///< null: the test needs no values
  };

  bool is_wanted(const Message& message) {
    Lane& lane = lanes_[message.channel->slot];
    if (!lane.test) return true;
    if (!lane.decoder) return lane.test->is_met(message);
    try {
      lane.decoder->decode(message.data, lane.test->begin());
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      return is_wanted_despite(error, message, *lane.decoder);
    }
    return lane.test->is_met(message);
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

  MakeTest make_test_;
  OnError on_error_;
  TranscodeReport* report_;
  Session session_;
  std::vector<Lane> lanes_;  ///< by slot
};

std::string list_some(const std::set<std::string>& names) {
  constexpr std::size_t kMostShown = 10;
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() < kMostShown) shown.push_back(name);
  }
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (names.size() > shown.size()) text += fmt::format(" and {} more", names.size() - shown.size());
  return text;
}

/// What require_condition() learns from channels that cannot meet a condition.
class Misfits {
 public:
  explicit Misfits(const ExpressionNode& expression) : missing_(paths_in(expression)) {}

  void add(const Channel& channel, const Error* error, const Session& session) {
    topics_.insert(channel.topic);
    if (!error) return;
    std::optional<Error>& first = error->code() == ErrorCode::not_found ? first_missing_ : invalid_;
    if (!first) first.emplace(*error);
    if (error->code() != ErrorCode::not_found) return;
    ++missing_count_;
    TypePtr type = type_of(channel, session);
    for (std::string& path : all_paths(*type)) known_.insert(std::move(path));
    std::erase_if(missing_, [&](const FieldSteps& steps) {
      try {
        find_place(*type, steps);
        return true;
      } catch (const Error&) {
        return false;
      }
    });
  }

  [[noreturn]] void fail(const std::string& expression) const {
    if (invalid_) {
      throw Error(ErrorCode::invalid,
                  fmt::format("condition \"{}\": {}", expression, invalid_->message()));
    }
    if (!first_missing_) {
      throw Error(ErrorCode::not_found,
                  fmt::format("no topic meets the condition \"{}\"; available topics: {}",
                              expression, list_some(topics_)));
    }
    std::string text = fmt::format("no topic has all fields of the condition \"{}\"", expression);
    if (missing_count_ == 1) {
      text += ": " + first_missing_->message();
    } else if (!missing_.empty()) {
      std::string path = path_of(missing_.front(), missing_.front().size());
      auto nearest = nearest_texts(path, {known_.begin(), known_.end()}, 3);
      text += fmt::format(": none has {}", path);
      if (!nearest.empty()) text += fmt::format("; similar: {}", fmt::join(nearest, ", "));
    } else {
      text += ": they are in different topics";
    }
    throw Error(ErrorCode::not_found, text);
  }

 private:
  std::vector<FieldSteps> missing_;  ///< that no type has
  std::set<std::string> known_;
  std::set<std::string> topics_;
  std::optional<Error> invalid_;
  std::optional<Error> first_missing_;
  std::size_t missing_count_ = 0;
};

}  // namespace

std::unique_ptr<Stage> where(const std::string& expression, OnError on_error,
                             TranscodeReport* report, const Session& session) {
  auto parsed = std::make_shared<const ExpressionNode>(parse_expression(expression));
  auto make_test = [parsed, session](const Channel& channel) -> std::unique_ptr<ChannelTest> {
    ChannelCondition found = condition_for(*parsed, channel, session);
    if (!found.condition || !found.condition->decided().value_or(true)) return nullptr;
    return std::make_unique<FieldTest>(std::move(found.condition));
  };
  return std::make_unique<Where>(make_test, on_error, report, session);
}

void require_condition(const std::string& expression, const Channels& channels,
                       const Session& session) {
  ExpressionNode parsed = parse_expression(expression);
  Misfits misfits(parsed);
  bool has_channels = false;
  for (const ChannelPtr& channel : channels) {
    if (!channel) continue;
    has_channels = true;
    try {
      ChannelCondition found = condition_for(parsed, *channel, session);
      if (found.condition && found.condition->decided().value_or(true)) return;
      misfits.add(*channel, found.misfit ? &*found.misfit : nullptr, session);
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      return;  // it cannot be decoded, and might have met the condition
    }
  }
  if (has_channels) misfits.fail(expression);
}

std::vector<std::string> fields_of_condition(const std::string& expression) {
  std::vector<std::string> fields;
  for (FieldSteps& steps : paths_in(parse_expression(expression))) {
    // `ranges[3]` needs the field `ranges`.
    std::erase_if(steps, [](const FieldStep& step) { return step.name.empty(); });
    std::string field = path_of(steps, steps.size());
    if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
  }
  return fields;
}

std::unique_ptr<Stage> containing(const std::string& word, OnError on_error,
                                  TranscodeReport* report, const Session& session) {
  if (word.empty()) throw Error(ErrorCode::invalid, "there is no word to search for");
  auto make_test = [word](const Channel&) { return std::make_unique<WordTest>(word); };
  return std::make_unique<Where>(make_test, on_error, report, session);
}

}  // namespace kitbag
