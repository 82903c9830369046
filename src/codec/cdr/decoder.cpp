#include "codec/cdr/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "codec/cdr/alignment.h"
#include "codec/cdr/encapsulation.h"
#include "codec/cdr/reader.h"
#include "codec/cdr/wide_text.h"
#include "kitbag/error.h"
#include "model/type/value_budget.h"

// A flat type whose first number is aligned has no padding and is passed to the visitor as it is.
//
// {uint8 a; string b; double c} with b = "hi", as XCDR1; `--` is padding, which is not looked at:
//
//     00 01 00 00   a  -- -- --   03 00 00 00   68 69 00 --   -- -- -- --   c, eight bytes
//     header        1             length of b   "hi", NUL     up to 16
//
// In XCDR2, c would begin at 12. There, sizes stand in front of appendable structures, of
// structures whose members have ids, and of all lists but those of plain numbers (XTypes 1.3,
// 7.4.3). A type that is flat in XCDR1 is not flat in XCDR2 if there is such a list in it:
// `framed_` knows these.
//
// Whether a payload has the sizes that its type asks for is told by its header and not by the type:
// writers without a notion of extensibility send an appendable type as plain XCDR2. Their header
// says so for the outermost structure, and what it says holds for all structures in it.
//
// Payloads end with up to seven bytes of padding: Cyclone DDS and rmw_cyclonedds fill them up to a
// multiple of four. In XCDR2 two bits of the header count these bytes, but ROS 2 leaves them zero,
// so they are not read. A count is compared with the bytes that are left before the visitor hears
// of it. Elements that take no bytes are charged to a budget in its place.

namespace kitbag::cdr {

namespace {

/// Middlewares pad payloads to 4 or 8 bytes.
constexpr std::size_t kMostPadding = 7;

using Types = std::vector<const Type*>;

/// Lists of these elements have no frame in XCDR2.
bool is_plain(const Type& element) {
  return is_scalar(element.kind) && element.kind != Kind::enumeration;
}

/// Adds `type` and the types in it to `framed`, if there are framed lists in them. Returns whether
/// there are any in `type`.
bool find_framed(const Type& type, std::map<const Type*, bool>& known, Types& framed) {
  auto [found, is_new] = known.emplace(&type, false);
  if (!is_new) return found->second;
  bool is_framed = is_list(type.kind) && !is_plain(*type.element);
  if (type.element) is_framed |= find_framed(*type.element, known, framed);
  for (const Field& field : type.fields) is_framed |= find_framed(*field.type, known, framed);
  if (is_framed) framed.push_back(&type);
  return found->second = is_framed;
}

template <bool kSwap>
class Walk {
 public:
  Walk(ByteView payload, const Encapsulation& encapsulation, const Type& outermost,
       const Types& framed, Visitor& visitor)
      : in_(payload, encapsulation.is_version_2),
        is_version_2_(encapsulation.is_version_2),
        framed_(framed),
        budget_(payload.size()),
        visitor_(visitor) {
    // A writer that does not delimit the outermost type, although it could, delimits none.
    heeds_appendable_ = outermost.extensibility != Extensibility::appendable ||
                        encapsulation.is_delimited || encapsulation.is_list;
    heeds_ids_ = outermost.extensibility != Extensibility::by_id || encapsulation.is_list;
  }

  std::size_t left() const { return in_.left(); }
  std::size_t position() const { return in_.position(); }

  void value(const Type& type) {
    if (type.flat_bytes > 0 && flat(type)) return;
    switch (type.kind) {
      case Kind::structure:
      case Kind::tagged_union:
        return compound(type);
      case Kind::text:
        return text(type);
      case Kind::wide_text:
        return wide_text(type);
      case Kind::array:
        return list(type);
      case Kind::sequence:
        return list(type);
      default:
        scalar(type);
    }
  }

 private:
  /// False: there may be padding, or the byte order differs.
  bool flat(const Type& type) {
    if (kSwap || type.kind == Kind::array) return false;
    if (has_header(type) || has_frames(type)) return false;
    in_.align(first_alignment(type));
    if (!in_.is_aligned(type.flat_alignment)) return false;
    visitor_.packed(type, {in_.take(type.flat_bytes), type.flat_bytes});
    return true;
  }

  void scalar(const Type& type) {
    if (type.kind == Kind::enumeration) return enumerator(type);
    switch (type.kind) {
      case Kind::boolean:
        return visitor_.boolean(type, in_.template number<std::uint8_t>() != 0);
      case Kind::int8:
        return visitor_.integer(type, in_.template number<std::int8_t>());
      case Kind::int16:
        return visitor_.integer(type, in_.template number<std::int16_t>());
      case Kind::int32:
        return visitor_.integer(type, in_.template number<std::int32_t>());
      case Kind::int64:
        return visitor_.integer(type, in_.template number<std::int64_t>());
      case Kind::uint16:
      case Kind::wide_char:
        return visitor_.unsigned_integer(type, in_.template number<std::uint16_t>());
      case Kind::uint32:
        return visitor_.unsigned_integer(type, in_.template number<std::uint32_t>());
      case Kind::uint64:
        return visitor_.unsigned_integer(type, in_.template number<std::uint64_t>());
      case Kind::float32:
        return visitor_.real(type, static_cast<double>(in_.template number<float>()));
      case Kind::float64:
        return visitor_.real(type, in_.template number<double>());
      case Kind::uint8:
      case Kind::octet:
      case Kind::character:
        return visitor_.unsigned_integer(type, in_.template number<std::uint8_t>());
      default:
        throw Error(ErrorCode::unsupported,
                    fmt::format("CDR does not support values of type {}", type_name(type)));
    }
  }

  void enumerator(const Type& type) {
    std::int64_t value = in_.integer(type);
    auto is_it = [&](const Enumerator& one) { return one.value == value; };
    if (std::none_of(type.enumerators.begin(), type.enumerators.end(), is_it)) {
      throw Error(ErrorCode::corrupt,
                  fmt::format("{} is not a value of {}", value, type_name(type)), {}, position());
    }
    visitor_.integer(type, value);
  }

  /// The length counts the NUL at the end, which some leave out.
  void text(const Type& type) {
    auto size = in_.template number<std::uint32_t>();
    std::string_view value = as_text({in_.take(size), size});
    if (value.ends_with('\0')) value.remove_suffix(1);
    visitor_.text(type, value);
  }

  void wide_text(const Type& type) {
    auto count = in_.template number<std::uint32_t>();
    // XCDR2 counts bytes, of characters of two bytes; XCDR1 counts characters.
    std::size_t unit = is_version_2_ ? 1 : wide_unit(in_.rest(), count, kSwap);
    if (count > left() / unit) in_.fail("a wide string is longer than the payload");
    std::size_t bytes = std::size_t{count} * unit;
    visitor_.text(type, utf8_of({in_.take(bytes), bytes}, unit == 4 ? 4 : 2, kSwap));
  }

  bool is_delimited(const Type& type) const {
    if (!is_version_2_) return false;
    return (type.extensibility == Extensibility::appendable && heeds_appendable_) ||
           (type.extensibility == Extensibility::by_id && heeds_ids_);
  }
  bool has_members(const Type& type) const {
    return type.extensibility == Extensibility::by_id && heeds_ids_;
  }
  bool has_header(const Type& type) const {
    return is_compound(type.kind) && (is_delimited(type) || has_members(type));
  }

  /// There are lists in a value that have a frame.
  bool has_frames(const Type& type) const {
    return is_version_2_ && std::binary_search(framed_.begin(), framed_.end(), &type);
  }

  void list(const Type& type) {
    const Type& element = *type.element;
    bool is_framed = is_version_2_ && !is_plain(element);
    std::size_t outer_end = is_framed ? in_.enter_delimited() : 0;
    std::uint64_t count =
        type.kind == Kind::array ? type.length : in_.template number<std::uint32_t>();
    auto least = std::max<std::uint64_t>(1, has_header(element) ? 1 : element.least_bytes);
    if (count > left() / least) {
      in_.fail(fmt::format("{} elements of {} do not fit into the remaining {} bytes", count,
                           type_name(element), left()));
    }
    if (element.least_bytes == 0) budget_.charge(count);
    visitor_.begin_array(type, count);
    if (count > 0 && !packed_elements(element, count)) {
      for (std::uint64_t i = 0; i < count; ++i) value(element);
    }
    visitor_.end_array();
    if (is_framed) in_.leave_delimited(outer_end);
  }

  bool packed_elements(const Type& element, std::uint64_t count) {
    if (element.flat_bytes == 0 || has_header(element) || has_frames(element)) return false;
    in_.align(first_alignment(element));
    // The padding may have taken what the count was compared with. value() finds where it ends.
    bool is_whole = count <= left() / element.flat_bytes;
    if (!in_.is_aligned(element.flat_alignment) || !is_whole) return false;
    if (!kSwap || element.flat_bytes == 1) {
      std::size_t bytes = count * element.flat_bytes;
      visitor_.packed(element, {in_.take(bytes), bytes});
      return true;
    }
    if (!is_scalar(element.kind)) return false;
    const std::byte* from = in_.take(count * element.flat_bytes);
    swapped_.assign(from, from + count * element.flat_bytes);
    for (auto at = swapped_.begin(); at != swapped_.end(); at += element.flat_bytes) {
      std::reverse(at, at + element.flat_bytes);
    }
    visitor_.packed(element, swapped_);
    return true;
  }

  void compound(const Type& type) {
    if (++depth_ > 2 * kMaxTypeDepth) in_.fail("the values are nested too deep");
    if (type.least_bytes == 0) budget_.charge(1);
    bool is_framed = is_delimited(type);
    std::size_t outer_end = is_framed ? in_.enter_delimited() : 0;
    visitor_.begin_struct(type);
    if (has_members(type)) {
      members(type);
    } else if (type.kind == Kind::tagged_union) {
      choice(type);
    } else {
      fields(type, is_framed);
    }
    visitor_.end_struct();
    if (is_framed) in_.leave_delimited(outer_end);
    --depth_;
  }

  /// `may_end`: fields that an older version of the type did not have may be missing at the end.
  void fields(const Type& type, bool may_end) {
    if (type.fields.empty() && !may_end) in_.take(1);  // ROS 2 gives such a message a byte
    for (const Field& field : type.fields) {
      visitor_.field(field);
      if (may_end && left() == 0) {
        absent(field);
      } else if (field.is_optional) {
        optional(field);
      } else {
        value(*field.type);
      }
    }
  }

  void absent(const Field& field) {
    budget_.charge(field.type->default_values);
    visit_default(field, visitor_);
  }

  void optional(const Field& field) {
    if (is_version_2_) {
      if (in_.template number<std::uint8_t>() == 0) return visitor_.nothing(*field.type);
      return value(*field.type);
    }
    auto member = in_.parameter();
    if (!member || member->begin == member->end) return visitor_.nothing(*field.type);
    in_.within(*member, [&] { value(*field.type); });
    in_.go_to(member->end);
  }

  /// The branch of a union that its discriminator selects.
  void choice(const Type& type) {
    const Field& discriminator = type.fields[0];
    visitor_.field(discriminator);
    // The value goes to the visitor as what it is, so it is read again, as the number that selects.
    std::size_t before = in_.position();
    value(*discriminator.type);
    std::size_t behind = in_.position();
    in_.go_to(before);
    const Field* field = find_branch(type, in_.integer(*discriminator.type));
    in_.go_to(behind);
    if (!field) return;
    visitor_.field(*field);
    value(*field->type);
  }

  /// Members may come in any order; they are passed on in the order of the type.
  void members(const Type& type) {
    std::vector<Member> found = in_.members();
    std::size_t behind = in_.position();
    auto with_id = [&](std::uint32_t id) {
      auto by_id = [](const Member& one, std::uint32_t other) { return one.id < other; };
      auto place = std::lower_bound(found.begin(), found.end(), id, by_id);
      return place != found.end() && place->id == id ? place : found.end();
    };
    bool is_union = type.kind == Kind::tagged_union;
    const Field* branch = is_union ? find_branch(type, 0) : nullptr;
    for (const Field& field : type.fields) {
      if (is_union && field.index > 0 && &field != branch) continue;
      visitor_.field(field);
      auto place = with_id(field.id);
      if (place == found.end() || place->begin == place->end) {
        absent(field);
        continue;
      }
      if (is_union && field.index == 0) {
        in_.within(*place, [&] { branch = find_branch(type, in_.integer(*field.type)); });
      }
      in_.within(*place, [&] { value(*field.type); });
    }
    in_.go_to(behind);
  }

  Reader<kSwap> in_;
  bool is_version_2_;
  const Types& framed_;
  bool heeds_appendable_ = true;
  bool heeds_ids_ = true;
  std::size_t depth_ = 0;
  std::vector<std::byte> swapped_;
  ValueBudget budget_;
  Visitor& visitor_;
};

template <bool kSwap>
void decode_as(ByteView payload, const Encapsulation& encapsulation, const Type& type,
               const Types& framed, Visitor& visitor) {
  Walk<kSwap> walk(payload, encapsulation, type, framed, visitor);
  walk.value(type);
  if (walk.left() > kMostPadding) {
    throw Error(ErrorCode::corrupt, fmt::format("{} bytes remain after the message", walk.left()),
                {}, walk.position());
  }
}

}  // namespace

Decoder::Decoder(TypePtr type) : type_(std::move(type)) {
  std::map<const Type*, bool> known;
  find_framed(*type_, known, framed_);
  std::sort(framed_.begin(), framed_.end());
}

void Decoder::decode(ByteView payload, Visitor& visitor) {
  Encapsulation encapsulation = parse_encapsulation(payload);
  if (encapsulation.is_big_endian) {
    decode_as<true>(payload, encapsulation, *type_, framed_, visitor);
  } else {
    decode_as<false>(payload, encapsulation, *type_, framed_, visitor);
  }
}

}  // namespace kitbag::cdr
