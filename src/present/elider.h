#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kitbag/codec.h"

namespace kitbag {

/// Passes everything on, but of long lists only the first elements and a text that says how many
/// are left out. Long lists of bytes are such a text alone.
class Elider final : public LeafVisitor<Elider> {
 public:
  /// `most` elements are passed on; `bytes` says how lists of bytes are printed.
  Elider(std::size_t most, CodecOptions::Bytes bytes, Visitor& target)
      : most_(most), bytes_(bytes), target_(target) {}

  void begin_struct(const Type& type) override {
    if (!begins(1)) return;
    lists_.push_back({});
    target_.begin_struct(type);
  }
  void field(const Field& field) override {
    if (left_out_ == 0) target_.field(field);
  }
  void end_struct() override {
    if (!ends()) return;
    lists_.pop_back();
    target_.end_struct();
  }
  void begin_array(const Type& type, std::size_t count) override {
    if (!begins(1)) return;
    using Bytes = CodecOptions::Bytes;
    bool is_bytes = type.element && is_byte(type.element->kind) && bytes_ != Bytes::array;
    if (is_bytes && bytes_ == Bytes::base64 && count > most_) {
      say(fmt::format("... {} bytes", count));
      left_out_ = 1;
      return;
    }
    bool is_long = count > most_ && !is_bytes;
    lists_.push_back({.is_long = is_long, .count = count});
    target_.begin_array(type, is_long ? most_ + 1 : count);
  }
  void end_array() override {
    if (!ends()) return;
    if (lists_.back().is_long) say(fmt::format("... {} more", lists_.back().count - most_));
    lists_.pop_back();
    target_.end_array();
  }
  void packed(const Type& type, ByteView bytes) override {
    if (left_out_ > 0) return;
    if (!is_scalar(type.kind)) return unpack(type, bytes, *this);
    List* list = !lists_.empty() && lists_.back().is_long ? &lists_.back() : nullptr;
    std::size_t count = bytes.size() / type.flat_bytes;
    std::size_t wanted = list ? std::min(count, most_ - std::min(most_, list->passed)) : count;
    if (list) list->passed += count;
    if (wanted > 0) target_.packed(type, bytes.first(wanted * type.flat_bytes));
  }
  template <class Value>
  void leaf(const Type& type, Value value) {
    if (begins(0)) visit_leaf(type, value, target_);
  }

 private:
  /// A list or structure that is open.
  struct List {
    bool is_long = false;
    std::size_t count = 0;
    std::size_t passed = 0;
  };

  /// False: the value that begins is left out.
  bool begins(std::size_t levels) {
    bool is_behind = left_out_ == 0 && !lists_.empty() && lists_.back().is_long &&
                     lists_.back().passed++ >= most_;
    if (left_out_ == 0 && !is_behind) return true;
    left_out_ += levels;
    return false;
  }
  bool ends() {
    if (left_out_ == 0) return true;
    --left_out_;
    return false;
  }
  void say(const std::string& text) { target_.text(builtin_type(Kind::text), text); }

  std::size_t most_;
  CodecOptions::Bytes bytes_;
  Visitor& target_;
  std::vector<List> lists_;
  std::size_t left_out_ = 0;  ///< levels inside of what is left out
};

}  // namespace kitbag
