#include "columns/row_visitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/registry.h"

// Fills columns by visiting all values of a message: for encodings without a reader of single
// fields, for payloads that are unusual, and to find what is wrong with those that are damaged.
//
// A value can be wanted several times: as a part of a structure, and by a path of its own. So the
// visitor follows all Targets of a value at once.

namespace kitbag {

namespace {

using arrow::Column;
using arrow::Layout;
using arrow::Number;
using arrow::Target;
using Targets = std::vector<const Target*>;

/// A value that is written as JSON while it is visited.
struct Capture {
  std::unique_ptr<Encoder> encoder;
  Arena arena;
  std::vector<Column*> columns;
  std::size_t depth = 0;  ///< of structures and lists in it that are open
};

/// A time or duration: two integers.
struct PendingTime {
  std::vector<Column*> columns;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  std::size_t numbers = 0;
  std::size_t depth = 0;
};

class FillingVisitor final : public RowVisitor {
 public:
  FillingVisitor(const Target& target, const Session& session)
      : json_(find_codec(session.registry(), "json")), root_({&target}) {}

  void begin() override {
    levels_.clear();
    captures_.clear();
    time_.reset();
    next_ = root_;
  }

  void begin_struct(const Type& type) override {
    begin_captures();
    if (type.role != Role::none) begin_time();
    for (const Target* target : next_) {
      for (Column* column : target->columns) {
        if (column->layout() == Layout::structure) column->add_parent();
      }
      for (Column* column : target->absent) column->add_null();
    }
    for (Capture& capture : captures_) capture.encoder->begin_struct(type), ++capture.depth;
    push({std::move(next_), &type, false});
  }

  void field(const Field& field) override {
    for (Capture& capture : captures_) capture.encoder->field(field);
    Level& level = levels_.back();
    if (level.type->kind == Kind::tagged_union && field.index > 0) level.branch = field.index;
    next_.clear();
    for (const Target* target : level.targets) {
      auto found = target->fields.find(field.index);
      if (found != target->fields.end()) next_.push_back(&found->second);
    }
  }

  void end_struct() override {
    Level& level = levels_.back();
    if (level.type->kind == Kind::tagged_union) {
      for (const Target* target : level.targets) {
        for (const auto& [index, field] : target->fields) {
          if (index > 0 && index != level.branch) add_nulls(field);
        }
      }
    }
    pop();
    for (Capture& capture : captures_) capture.encoder->end_struct(), --capture.depth;
    end_time();
    end_value();
  }

  void begin_array(const Type& type, std::size_t count) override {
    begin_captures();
    for (const Target* target : next_) begin_list(*target, count);
    for (Capture& capture : captures_) capture.encoder->begin_array(type, count), ++capture.depth;
    push({std::move(next_), &type, true});
    levels_.back().count = count;
    bytes_.clear();
    choose_element();
  }

  void end_array() override {
    Level& level = levels_.back();
    for (const Target* target : level.targets) {
      for (Column* column : target->columns) {
        bool is_bytes =
            column->layout() == Layout::binary || column->layout() == Layout::fixed_binary;
        if (is_bytes && !level.is_packed) column->add_bytes(bytes_);
      }
      for (const auto& [index, element] : target->elements) {
        if (index >= level.count) add_nulls(element);
      }
    }
    pop();
    for (Capture& capture : captures_) capture.encoder->end_array(), --capture.depth;
    end_value();
  }

  void packed(const Type& type, ByteView bytes) override {
    if (captures_.empty() && take_packed(type, bytes)) return;
    unpack(type, bytes, *this);
  }

  void boolean(const Type& type, bool value) override { leaf(type, value); }
  void integer(const Type& type, std::int64_t value) override {
    if (collects_bytes(type)) bytes_.push_back(static_cast<std::byte>(value));
    leaf(type, value);
  }
  void unsigned_integer(const Type& type, std::uint64_t value) override {
    if (collects_bytes(type)) bytes_.push_back(static_cast<std::byte>(value));
    leaf(type, value);
  }
  void real(const Type& type, double value) override { leaf(type, value); }
  void text(const Type& type, std::string_view value) override { leaf(type, value); }
  void nothing(const Type& type) override {
    for (Capture& capture : captures_) capture.encoder->nothing(type);
    for (const Target* target : next_) add_nulls(*target);
    end_value();
  }

 private:
  struct Level {
    Targets targets;  ///< of the structure or list
    const Type* type = nullptr;
    bool is_list = false;
    std::size_t count = 0;      ///< of a list
    std::uint64_t element = 0;  ///< the next one
    bool is_packed = false;     ///< its bytes have been taken
    std::uint32_t branch = 0;   ///< of a union: the field that is present
  };

  void push(Level level) {
    levels_.push_back(std::move(level));
    next_.clear();
  }
  void pop() {
    levels_.pop_back();
    next_.clear();
  }

  /// What is wanted of the next element of the list.
  void choose_element() {
    next_.clear();
    const Level& level = levels_.back();
    for (const Target* target : level.targets) {
      if (target->each) next_.push_back(target->each.get());
      auto found = target->elements.find(level.element);
      if (found != target->elements.end()) next_.push_back(&found->second);
    }
  }

  /// A value has ended.
  void end_value() {
    finish_captures();
    if (levels_.empty()) {
      next_ = root_;
    } else if (levels_.back().is_list) {
      ++levels_.back().element;
      choose_element();
    } else {
      next_.clear();
    }
  }

  static void begin_list(const Target& target, std::size_t count) {
    for (Column* column : target.columns) {
      if (column->layout() == Layout::list) column->begin_list(count);
      if (column->layout() == Layout::fixed_list) column->add_parent();
    }
    for (Column* column : target.absent) column->add_null();
  }

  void begin_captures() {
    for (const Target* target : next_) {
      for (Column* column : target->columns) {
        if (column->layout() != Layout::json) continue;
        Capture& capture = captures_.emplace_back();
        // Consumers parse the text, where "NaN" would be a text.
        capture.encoder = json_->encoder(nullptr, {.not_a_number = CodecOptions::NotANumber::null});
        capture.encoder->begin(capture.arena);
        capture.columns.push_back(column);
      }
    }
  }

  /// Inner values were begun last.
  void finish_captures() {
    while (!captures_.empty() && captures_.back().depth == 0) {
      Capture& capture = captures_.back();
      std::string_view text = as_text(capture.encoder->end());
      for (Column* column : capture.columns) column->add_text(text);
      captures_.pop_back();
    }
  }

  void begin_time() {
    PendingTime time;
    for (const Target* target : next_) {
      for (Column* column : target->columns) {
        Number number = column->type().number;
        if (number == Number::time || number == Number::duration) time.columns.push_back(column);
      }
    }
    if (time.columns.empty()) return;
    time.depth = levels_.size();
    time_ = std::move(time);
  }

  template <class Value>
  void take_time(Value value) {
    if constexpr (std::is_integral_v<Value>) {
      (time_->numbers++ == 0 ? time_->seconds : time_->nanoseconds) =
          static_cast<std::int64_t>(value);
    }
  }

  void end_time() {
    if (!time_ || levels_.size() > time_->depth) return;
    std::int64_t time = 0;
    if (__builtin_mul_overflow(time_->seconds, std::int64_t{1'000'000'000}, &time) ||
        __builtin_add_overflow(time, time_->nanoseconds, &time)) {
      throw Error(
          ErrorCode::limit,
          fmt::format("the time {} s does not fit into 64 bits of nanoseconds", time_->seconds));
    }
    for (Column* column : time_->columns) column->add(time);
    time_.reset();
  }

  template <class Value>
  void leaf(const Type& type, Value value) {
    begin_captures();
    for (Capture& capture : captures_) visit_leaf(type, value, *capture.encoder);
    if (time_) take_time(value);
    for (const Target* target : next_) {
      for (Column* column : target->columns) {
        if (column->layout() != Layout::json) add(type, *column, value);
      }
    }
    end_value();
  }

  template <class Value>
  static void add(const Type& type, Column& column, Value value) {
    bool has_room = true;
    if constexpr (std::is_same_v<Value, std::string_view>) {
      column.add_text(value);
    } else if constexpr (std::is_same_v<Value, bool>) {
      if (column.layout() == Layout::bits) return column.add_bit(value);
      has_room = column.add_unsigned(value ? 1 : 0);
    } else if constexpr (std::is_same_v<Value, std::int64_t>) {
      has_room = column.add_integer(value);
    } else if constexpr (std::is_same_v<Value, std::uint64_t>) {
      has_room = column.add_unsigned(value);
    } else {
      has_room = column.add_real(value);
    }
    if (has_room) return;
    throw Error(ErrorCode::limit, fmt::format("the value is not in the range of the column {} ({})",
                                              column.type().name, type_name(type)));
  }

  /// A column may want the bytes of a list as one value, and they come one by one in JSON.
  bool collects_bytes(const Type& type) const {
    return is_byte(type.kind) && !levels_.empty() && levels_.back().is_list;
  }

  /// Elements that have the bytes of their column are taken at once.
  bool take_packed(const Type& type, ByteView bytes) {
    if (levels_.empty() || !levels_.back().is_list) return next_.empty() && !time_ && skip();
    Level& level = levels_.back();
    for (const Target* target : level.targets) {
      if (!target->elements.empty()) return false;
      if (target->each && !are_stored_alike(type, *target->each)) return false;
    }
    for (const Target* target : level.targets) {
      for (Column* column : target->columns) {
        bool is_bytes =
            column->layout() == Layout::binary || column->layout() == Layout::fixed_binary;
        if (is_bytes) column->add_bytes(bytes);
      }
      if (!target->each) continue;
      for (Column* column : target->each->columns) column->add_packed(bytes);
    }
    level.is_packed = true;
    return true;
  }

  /// Nobody wants the value.
  bool skip() {
    end_value();
    return true;
  }

  static bool are_stored_alike(const Type& type, const Target& each) {
    return each.fields.empty() && each.absent.empty() && !each.each && each.elements.empty() &&
           std::all_of(each.columns.begin(), each.columns.end(),
                       [&](const Column* column) { return is_stored_alike(type, column->type()); });
  }

  const Codec* json_;
  Targets root_;
  Targets next_;  ///< of the value that comes
  std::vector<Level> levels_;
  // Encoders have the addresses of their arenas, so captures stay where they are.
  std::deque<Capture> captures_;
  std::optional<PendingTime> time_;
  std::vector<std::byte> bytes_;  ///< of a list of bytes whose elements come one by one
};

}  // namespace

std::unique_ptr<RowVisitor> make_row_visitor(const arrow::Target& target, const Session& session) {
  return std::make_unique<FillingVisitor>(target, session);
}

}  // namespace kitbag
