#include "capi/numbers.h"

#include <array>

#include "kitbag/error.h"

namespace kitbag::c {

namespace {

struct NumberKind {
  kitbag_kind c;
  Kind kind;
};
/// type_of_numbers() takes the first line of a kind. The last three are types that look the same to
/// C.
constexpr std::array kNumberKinds = {
    NumberKind{KITBAG_BOOL, Kind::boolean},    NumberKind{KITBAG_INT8, Kind::int8},
    NumberKind{KITBAG_UINT8, Kind::uint8},     NumberKind{KITBAG_INT16, Kind::int16},
    NumberKind{KITBAG_UINT16, Kind::uint16},   NumberKind{KITBAG_INT32, Kind::int32},
    NumberKind{KITBAG_UINT32, Kind::uint32},   NumberKind{KITBAG_INT64, Kind::int64},
    NumberKind{KITBAG_UINT64, Kind::uint64},   NumberKind{KITBAG_FLOAT32, Kind::float32},
    NumberKind{KITBAG_FLOAT64, Kind::float64}, NumberKind{KITBAG_UINT8, Kind::octet},
    NumberKind{KITBAG_UINT8, Kind::character}, NumberKind{KITBAG_UINT16, Kind::wide_char},
};

}  // namespace

kitbag_kind number_kind(const Type& type) {
  Kind kind = type.kind == Kind::enumeration ? type.base : type.kind;
  for (const NumberKind& each : kNumberKinds) {
    if (each.kind == kind) return each.c;
  }
  return KITBAG_NOTHING;
}

const Type& type_of_numbers(kitbag_kind kind) {
  for (const NumberKind& each : kNumberKinds) {
    if (each.c == kind) return builtin_type(each.kind);
  }
  throw Error(ErrorCode::invalid, "the kind is not that of a number");
}

}  // namespace kitbag::c
