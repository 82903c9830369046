#include <string>
#include <utility>

#include "capi/handles.h"
#include "capi/numbers.h"

// For a visitor that wants whole lists of numbers, the beginning and the end of such a list are
// held back: one call of `numbers` stands for all of it. A text is copied once, to end it with a
// zero byte.
//
// There is no other way to end a visit in the middle than an Error, so a `false` of the caller
// becomes KITBAG_CANCELLED.

namespace kitbag::c {

namespace {

/// Calls the functions of a visitor of C. One that says no ends everything, by an Error.
class Forward final : public Visitor {
 public:
  explicit Forward(const kitbag_visitor& to) : to_(to) {}

  void begin_struct(const Type& type) override { tell(to_.begin_structure, type.name.c_str()); }
  void field(const Field& field) override { tell(to_.field, field.name.c_str()); }
  void end_struct() override { tell(to_.end_structure); }
  void begin_array(const Type& type, std::size_t count) override {
    holds_back_ = to_.numbers && type.element && number_kind(*type.element) != KITBAG_NOTHING;
    if (!holds_back_) tell(to_.begin_list, std::uint64_t{count});
  }
  void end_array() override {
    if (!std::exchange(holds_back_, false)) tell(to_.end_list);
  }
  void boolean(const Type&, bool value) override { tell(to_.boolean, value); }
  void integer(const Type&, std::int64_t value) override { tell(to_.integer, value); }
  void unsigned_integer(const Type&, std::uint64_t value) override {
    tell(to_.unsigned_integer, value);
  }
  void real(const Type&, double value) override { tell(to_.real, value); }
  void text(const Type&, std::string_view value) override {
    std::string ended(value);
    tell(to_.text, ended.c_str(), std::uint64_t{value.size()});
  }
  void nothing(const Type&) override { tell(to_.nothing); }
  void packed(const Type& type, ByteView bytes) override {
    if (!holds_back_) return unpack(type, bytes, *this);
    tell(to_.numbers, number_kind(type), static_cast<const void*>(bytes.data()),
         std::uint64_t{bytes.size() / type.flat_bytes});
  }

 private:
  template <class... Arguments>
  void tell(bool (*function)(void*, Arguments...), std::type_identity_t<Arguments>... values) {
    if (function && !function(to_.context, values...)) {
      throw Error(ErrorCode::cancelled, "the visitor has ended the visit");
    }
  }

  const kitbag_visitor& to_;
  bool holds_back_ = false;  ///< the list that has begun is given as a whole
};

}  // namespace

}  // namespace kitbag::c

kitbag_code kitbag_visit(const kitbag_value* value, const char* path, const kitbag_visitor* visitor,
                         kitbag_error** error) {
  using namespace kitbag::c;
  return call(error, [&] {
    require(visitor, "visitor");
    auto known = versioned<kitbag_visitor>(visitor, KITBAG_VISITOR_INIT, "the visitor");
    Forward forward(known);
    kitbag::Value at = require(value, "value").value.get(text_of(path));
    // Lists of which single elements were set are packed again, so that `numbers` gets them whole.
    if (at.type().kind != kitbag::Kind::any) at = kitbag::fit(at, at.type());
    kitbag::visit(at, forward);
  });
}
