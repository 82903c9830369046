#include "codec/cdr/encoder.h"

#include <fmt/format.h>

#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "base/little_endian.h"
#include "codec/cdr/alignment.h"
#include "codec/cdr/encapsulation.h"
#include "codec/cdr/wide_text.h"
#include "kitbag/error.h"
#include "model/type/positional_encoder.h"

// Writes little-endian and plain XCDR1, as ROS 2 does: numbers are aligned to their size, counted
// from behind the header of four bytes. If the members of the outermost type have ids, the header
// says parameter list. Such members, and optional ones of any structure, have a header of their
// own, from whose end alignment is counted anew (XTypes 1.3, 7.4.1):
//
//     01 3f   08 00   id, four bytes   length, four bytes   value
//
// This is the extended header. The short one has 16 bits for the length, and that is known only
// when the value is complete: a value that turns out to be longer than 64 KiB would have to be
// moved. The four bytes are patched instead. `Open` remembers where they are, and from where the
// structure around counts its alignment.

namespace kitbag::cdr {

namespace {

constexpr std::uint16_t kMustUnderstand = 0x4000;
/// Bytes behind an extended parameter's id: the id and the length proper.
constexpr std::uint16_t kExtendedBytes = 8;

/// Types may contain themselves: each of `seen` is looked at once.
void require_cdr(const Type& type, std::set<const Type*>& seen) {
  if (type.kind == Kind::any) {
    throw Error(ErrorCode::unsupported, "CDR does not support values without a type");
  }
  if (!seen.insert(&type).second) return;
  if (type.element) require_cdr(*type.element, seen);
  for (const Field& field : type.fields) require_cdr(*field.type, seen);
}

class Encoder final : public PositionalEncoder<Encoder> {
 public:
  static constexpr const char* kName = "CDR";

  explicit Encoder(const TypePtr& type) : type_(type) {
    std::set<const Type*> seen;
    require_cdr(*type_, seen);
  }

  void begin(Arena& arena) override {
    open(arena);
    std::byte* head = arena.extend(Encapsulation::kBytes);
    std::memset(head, 0, Encapsulation::kBytes);
    head[1] = type_->extensibility == Extensibility::by_id ? std::byte{3} : std::byte{1};
    origin_ = Encapsulation::kBytes;
    open_.clear();
  }

  void begin_struct(const Type& type) override {
    open_.push_back({&type, origin_});
    // ROS 2 gives a message without fields a byte.
    bool is_empty = type.fields.empty() && type.extensibility != Extensibility::by_id;
    if (is_empty) *arena_->extend(1) = std::byte{0};
  }

  void field(const Field& field) override {
    Open& inside = open_.back();
    if (inside.member_size > 0) end_member();
    bool has_head = inside.type->extensibility == Extensibility::by_id || field.is_optional;
    if (has_head) begin_member(field);
  }

  void end_struct() override {
    if (open_.back().member_size > 0) end_member();
    if (open_.back().type->extensibility == Extensibility::by_id) {
      std::byte* sentinel = room(sizeof(std::uint32_t), sizeof(std::uint32_t));
      sentinel = store_le(sentinel, kSentinelId);
      store_le(sentinel, std::uint16_t{0});
    }
    open_.pop_back();
  }

  void text(const Type& type, std::string_view value) override {
    if (type.kind == Kind::wide_text) {  // four bytes each, as ROS 2's middlewares write them
      std::u16string wide = utf16_of(value, replaced_bytes_);
      put_count(wide.size());
      for (char16_t unit : wide) {
        store_le(arena_->extend(sizeof(std::uint32_t)), static_cast<std::uint32_t>(unit));
      }
      return;
    }
    put_count(value.size() + 1);
    arena_->put(as_bytes(value));
    *arena_->extend(1) = std::byte{0};
  }

  /// The header of the member is there, with length 0: that it has no value shows only now.
  void nothing(const Type& type) override {
    bool is_member = !open_.empty() && open_.back().member_size > 0;
    if (is_member) return;
    throw Error(ErrorCode::unsupported,
                fmt::format("CDR cannot omit a value of type {}", type_name(type)));
  }

  void packed(const Type& type, ByteView bytes) override {
    if (bytes.empty()) return;
    align(first_alignment(type));
    bool is_aligned = (position() - origin_) % type.flat_alignment == 0;
    if (!is_aligned) return unpack(type, bytes, *this);  // padding lies inside
    arena_->put(bytes);
  }

  std::byte* room(std::size_t bytes) { return room(bytes, bytes); }

 private:
  /// A structure that has been begun.
  struct Open {
    const Type* type;
    std::size_t origin;           ///< of alignment, before its open member
    std::size_t member_size = 0;  ///< where the open member's length stands; 0: none is open
  };

  std::size_t position() { return arena_->open().size(); }

  void align(std::size_t to) {
    std::size_t past = (position() - origin_) % to;
    if (past > 0) std::memset(arena_->extend(to - past), 0, to - past);
  }

  std::byte* room(std::size_t bytes, std::size_t alignment) {
    if (alignment > 1) align(alignment);
    return arena_->extend(bytes);
  }

  /// Always with an extended header, since the length of a member is known only when it is
  /// complete.
  void begin_member(const Field& field) {
    constexpr std::size_t kHead = 4 + kExtendedBytes;
    std::byte* head = room(kHead, sizeof(std::uint32_t));
    std::uint16_t flags = field.is_key ? kMustUnderstand : std::uint16_t{0};
    head = store_le(head, static_cast<std::uint16_t>(kExtendedId | flags));
    head = store_le(head, kExtendedBytes);
    head = store_le(head, field.id);
    store_le(head, std::uint32_t{0});
    Open& inside = open_.back();
    inside.member_size = position() - sizeof(std::uint32_t);
    inside.origin = std::exchange(origin_, position());
  }

  void end_member() {
    Open& inside = open_.back();
    std::size_t begin = inside.member_size + sizeof(std::uint32_t);
    std::size_t size = position() - begin;
    if (size > UINT32_MAX) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("CDR does not support members of {} bytes", size));
    }
    store_le(arena_->open().data() + inside.member_size, static_cast<std::uint32_t>(size));
    origin_ = inside.origin;
    inside.member_size = 0;
  }

  TypePtr type_;
  std::size_t origin_ = 0;
  std::vector<Open> open_;
};

}  // namespace

std::unique_ptr<kitbag::Encoder> make_encoder(const TypePtr& type) {
  return std::make_unique<Encoder>(type);
}

}  // namespace kitbag::cdr
