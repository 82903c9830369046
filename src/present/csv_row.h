#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kitbag/bytes.h"
#include "kitbag/session.h"
#include "kitbag/type.h"
#include "present/decoding_printer.h"

// depth_ counts how deep the visitor is inside of a cell of variable length, which is JSON; at
// depth 0 a leaf is a cell.
//
// A number that is none is `nan`, `inf` or `-inf`, without quotes: pandas, NumPy, R and SQL engines
// read these as numbers. A spreadsheet has no such numbers, takes them for texts, and leaves them
// out of sums.
//
// In lists, which are JSON, NaN is null and the infinities are texts, which `kitbag import` reads.
//
// A spreadsheet takes a cell that begins with =, +, - or @ for a formula, and a bag may come from
// somebody else. Only texts are protected: numbers may begin with a minus.

namespace kitbag {

/// Whether `type` is a fixed list of few numbers, which has a column for each; other lists are one
/// cell, as JSON.
bool has_columns(const Type& type);

/// "1767225600.009000000", "2026-01-01T00:00:00.009000000Z", or nanoseconds.
std::string time_cell(std::int64_t ns, TimeFormat format);

/// How texts become cells.
class CsvTexts {
 public:
  CsvTexts(bool is_terminal, bool escapes_formulas)
      : is_terminal_(is_terminal), escapes_formulas_(escapes_formulas) {}

  /// Control characters, which RFC 4180 does not allow, are escaped, except line breaks, which are
  /// quoted; at a terminal all are escaped. `replaced` counts bytes that are not UTF-8.
  std::string cell(std::string_view text, std::size_t& replaced) const;

 private:
  bool is_terminal_;
  bool escapes_formulas_;
};

/// Seconds and nanoseconds of a time or duration.
struct TimeParts {
  std::int64_t seconds = 0;
  std::int64_t ns = 0;
  std::size_t count = 0;

  void add(std::int64_t part) { (count++ == 0 ? seconds : ns) = part; }
};

/// A row: texts as they are, everything else as JSON has it, lists and unions whole.
class CsvRow final : public LeafVisitor<CsvRow> {
 public:
  /// `replaced` counts bytes that are not UTF-8.
  CsvRow(const PrintOptions& options, CsvTexts cells, std::size_t& replaced, const Session& session)
      : maker_(for_lists(options.codec), session),
        cells_(cells),
        time_format_(options.time_format),
        replaced_(replaced) {}

  /// `payload_bytes`: the size of the message.
  void begin(std::size_t payload_bytes) {
    maker_.arena.limit_for(payload_bytes);
    row_.clear();
    depth_ = 0;
    is_in_columns_ = false;
    time_.reset();
  }
  const std::string& row() const { return row_; }

  void begin_struct(const Type& type) override {
    if (depth_ == 0 && type.role != Role::none && time_format_ != TimeFormat::ns) {
      time_.emplace();
      is_duration_ = type.role == Role::duration;
      return;
    }
    if (depth_ == 0 && type.kind == Kind::structure) return;
    open();
    json_.begin_struct(type);
  }
  void field(const Field& field) override {
    if (depth_ > 0) json_.field(field);
  }
  void end_struct() override {
    if (depth_ == 0 && time_) put_time();
    if (depth_ == 0) return;
    json_.end_struct();
    close();
  }
  void begin_array(const Type& type, std::size_t count) override {
    if (depth_ == 0 && has_columns(type)) {
      is_in_columns_ = true;
      return;
    }
    open();
    json_.begin_array(type, count);
  }
  void end_array() override {
    if (is_in_columns_ && depth_ == 0) {
      is_in_columns_ = false;
      return;
    }
    json_.end_array();
    close();
  }
  template <class Value>
  void leaf(const Type& type, Value value) {
    if (time_ && depth_ == 0) return time_->add(static_cast<std::int64_t>(value));
    one([&] { visit_leaf(type, value, json_); });
  }
  void leaf(const Type& type, double value) {
    if (depth_ > 0 || std::isfinite(value)) return one([&] { json_.real(type, value); });
    put(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  }
  void leaf(const Type& type, std::string_view value) {
    if (depth_ > 0) return json_.text(type, value);
    put(cells_.cell(value, replaced_));
  }
  void leaf(const Type& type, std::nullopt_t) {
    if (depth_ > 0) return json_.nothing(type);
    put({});
  }
  void packed(const Type& type, ByteView bytes) override {
    if (depth_ > 0) return json_.packed(type, bytes);
    unpack(type, bytes, *this);
  }

 private:
  static CodecOptions for_lists(CodecOptions options) {
    using NotANumber = CodecOptions::NotANumber;
    if (options.not_a_number == NotANumber::null) options.not_a_number = NotANumber::null_nan;
    return options;
  }

  void open() {
    if (depth_++ > 0) return;
    replaced_in_json_ = json_.replaced_bytes();
    json_.begin(maker_.arena);
  }
  void close();
  template <class Tell>
  void one(Tell tell) {
    if (depth_ > 0) return tell();
    open();
    tell();
    close();
  }
  void put(std::string_view cell) {
    row_ += ',';
    row_ += cell;
  }

  void put_time();

  JsonMaker maker_;
  Encoder& json_ = *maker_.encoder;
  CsvTexts cells_;
  TimeFormat time_format_;
  std::optional<TimeParts> time_;  ///< inside of one that is a cell
  bool is_duration_ = false;
  std::size_t& replaced_;
  std::uint64_t replaced_in_json_ = 0;  ///< before the cell
  std::string row_;
  std::size_t depth_ = 0;  ///< inside of one cell
  bool is_in_columns_ = false;
};

}  // namespace kitbag
