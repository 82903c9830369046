#include "export/hdf5/leaf.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

// The last step of a column: values of Arrow become rows of a dataset. Numbers without nulls go as
// they lie in the buffer.
//
// `valid` is what the structures and lists around a column say: a value is there only if all of
// these are. The mask is not created before the first null comes. What was in front of that is not
// written: its fill value says "valid".

namespace kitbag::hdf5 {
namespace {

bool bit_at(const std::uint8_t* bits, std::int64_t i) {
  return (bits[i >> 3] >> (i & 7) & 1) != 0;
}

bool has_nulls(const Validity& valid) {
  return std::find(valid.begin(), valid.end(), std::byte{0}) != valid.end();
}

bool is_there(const Validity& valid, std::int64_t i) {
  return valid.empty() || valid[static_cast<std::size_t>(i)] != std::byte{0};
}

/// The metadata of a column: numbers of the machine, and texts with their lengths.
std::map<std::string, std::string> metadata_of(const ArrowSchema& schema) {
  std::map<std::string, std::string> all;
  const char* at = schema.metadata;
  if (!at) return all;
  auto number = [&] {
    std::int32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  };
  auto text = [&] {
    auto size = static_cast<std::size_t>(number());
    std::string value(at, size);
    at += size;
    return value;
  };
  for (std::int32_t count = number(); count > 0; --count) {
    std::string key = text();
    all[key] = text();
  }
  return all;
}

void describe(hid_t object, const ArrowSchema& schema) {
  std::string_view format = schema.format;
  if (format.starts_with("tsn:")) {
    set_attribute(object, "units", "ns since 1970-01-01T00:00:00Z");
  } else if (format == "tDn") {
    set_attribute(object, "units", "ns");
  }
  auto metadata = metadata_of(schema);
  if (metadata["ARROW:extension:name"] == "arrow.json") set_attribute(object, "format", "json");
  if (auto names = metadata.find("kitbag.enumerators"); names != metadata.end()) {
    set_attribute(object, "enumerators", names->second);
  }
}

/// A type of numbers.
struct NumberType {
  hid_t type;
  std::size_t bytes;
  bool is_real = false;
};

/// Nothing if it is none.
std::optional<NumberType> number_type(std::string_view format) {
  if (format == "c") return NumberType{H5T_STD_I8LE, 1};
  if (format == "C") return NumberType{H5T_STD_U8LE, 1};
  if (format == "s") return NumberType{H5T_STD_I16LE, 2};
  if (format == "S") return NumberType{H5T_STD_U16LE, 2};
  if (format == "i") return NumberType{H5T_STD_I32LE, 4};
  if (format == "I") return NumberType{H5T_STD_U32LE, 4};
  if (format == "l") return NumberType{H5T_STD_I64LE, 8};
  if (format == "L") return NumberType{H5T_STD_U64LE, 8};
  if (format == "f") return NumberType{H5T_IEEE_F32LE, 4, true};
  if (format == "g") return NumberType{H5T_IEEE_F64LE, 8, true};
  if (format.starts_with("tsn:") || format == "tDn") return NumberType{H5T_STD_I64LE, 8};
  return std::nullopt;
}

/// Numbers and booleans.
class NumberColumn final : public Column {
 public:
  NumberColumn(const ArrowSchema& schema, const ColumnPlace& place, NumberType type)
      : type_(type),
        is_bool_(std::string_view(schema.format) == "b"),
        name_(place.names->take(schema.name)),
        dataset_(place.group, name_, type.type, type.bytes, place.dimensions),
        mask_(place, name_) {
    describe(dataset_.id(), schema);
  }

  void append(const ArrowArray& array, std::int64_t first, std::int64_t count,
              const Validity& valid) override {
    if (count == 0) return;
    Validity own = combined(array, first, count, valid);
    if (!is_bool_ && !has_nulls(own)) {
      dataset_.append({values_of(array, first), static_cast<std::size_t>(count) * type_.bytes});
    } else {
      std::vector<std::byte> values =
          is_bool_
              ? unpacked(array, first, count)
              : std::vector<std::byte>(values_of(array, first), values_of(array, first + count));
      blank(values, own);
      dataset_.append(values);
    }
    mask_.append(own, count);
  }
  std::uint64_t held_bytes() const override { return dataset_.held_bytes() + mask_.held_bytes(); }
  void flush() override {
    dataset_.flush();
    mask_.flush();
  }

 private:
  const std::byte* values_of(const ArrowArray& array, std::int64_t first) const {
    return buffer_of<std::byte>(array, 1) +
           static_cast<std::size_t>(array.offset + first) * type_.bytes;
  }

  static std::vector<std::byte> unpacked(const ArrowArray& array, std::int64_t first,
                                         std::int64_t count) {
    std::vector<std::byte> values(static_cast<std::size_t>(count));
    const auto* bits = buffer_of<std::uint8_t>(array, 1);
    for (std::int64_t i = 0; i < count; ++i) {
      values[static_cast<std::size_t>(i)] =
          static_cast<std::byte>(bit_at(bits, array.offset + first + i));
    }
    return values;
  }

  /// Nulls have values that mean nothing.
  void blank(std::vector<std::byte>& values, const Validity& valid) const {
    float real = std::numeric_limits<float>::quiet_NaN();
    double long_real = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < valid.size(); ++i) {
      if (valid[i] != std::byte{0}) continue;
      std::byte* at = values.data() + i * type_.bytes;
      if (!type_.is_real) {
        std::memset(at, 0, type_.bytes);
      } else if (type_.bytes == sizeof real) {
        std::memcpy(at, &real, sizeof real);
      } else {
        std::memcpy(at, &long_real, sizeof long_real);
      }
    }
  }

  NumberType type_;
  bool is_bool_;
  std::string name_;
  Dataset dataset_;
  Mask mask_;
};

class TextColumn final : public Column {
 public:
  TextColumn(const ArrowSchema& schema, const ColumnPlace& place)
      : name_(place.names->take(schema.name)),
        dataset_(place.group, name_, place.dimensions),
        mask_(place, name_) {
    describe(dataset_.id(), schema);
  }

  void append(const ArrowArray& array, std::int64_t first, std::int64_t count,
              const Validity& valid) override {
    if (count == 0) return;
    Validity own = combined(array, first, count, valid);
    const auto* offsets = buffer_of<std::int32_t>(array, 1) + array.offset + first;
    const char* bytes = buffer_of<char>(array, 2);
    for (std::int64_t i = 0; i < count; ++i) {
      std::string_view text;
      if (is_there(own, i) && offsets[i + 1] > offsets[i]) {
        text = {bytes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
      }
      std::size_t replaced = 0;
      dataset_.add(text, replaced);
      if (replaced > 0) ++replaced_texts_;
    }
    mask_.append(own, count);
  }
  std::uint64_t held_bytes() const override {
    return dataset_.held_text_bytes() + mask_.held_bytes();
  }
  void flush() override {
    dataset_.flush_texts();
    mask_.flush();
  }
  std::uint64_t replaced_texts() const override { return replaced_texts_; }

 private:
  std::string name_;
  TextDataset dataset_;
  Mask mask_;
  std::uint64_t replaced_texts_ = 0;
};

}  // namespace

Validity combined(const ArrowArray& array, std::int64_t first, std::int64_t count,
                  const Validity& valid) {
  const auto* bits = array.n_buffers > 0 ? buffer_of<std::uint8_t>(array, 0) : nullptr;
  if (!bits || array.null_count == 0) return valid;
  Validity all(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    bool is_valid = bit_at(bits, array.offset + first + i) && is_there(valid, i);
    all[static_cast<std::size_t>(i)] = static_cast<std::byte>(is_valid);
  }
  return all;
}

Mask::Mask(const ColumnPlace& place, const std::string& of)
    : place_(place), name_(place.names->take(of + "__valid")) {}

void Mask::append(const Validity& valid, std::int64_t count) {
  auto values = static_cast<std::size_t>(count);
  if (!dataset_ && has_nulls(valid)) {
    signed char yes = 1;
    dataset_ = std::make_unique<Dataset>(place_.group, name_, bool_type().get(), 1,
                                         place_.dimensions, &yes);
    dataset_->skip(values_ / dataset_->values_of_a_row());
  }
  values_ += values;
  if (dataset_) dataset_->append(valid.empty() ? Validity(values, std::byte{1}) : valid);
}

std::size_t width_of(const ArrowSchema& schema) {
  std::string_view format = schema.format;
  return std::strtoull(format.substr(format.find(':') + 1).data(), nullptr, 10);
}

std::unique_ptr<Column> make_leaf(const ArrowSchema& schema, const ColumnPlace& place) {
  std::string_view format = schema.format;
  if (schema.dictionary) return nullptr;
  if (format == "u") return std::make_unique<TextColumn>(schema, place);
  if (format == "b") {
    Id type = bool_type();
    return std::make_unique<NumberColumn>(schema, place, NumberType{type.get(), 1});
  }
  auto number = number_type(format);
  return number ? std::make_unique<NumberColumn>(schema, place, *number) : nullptr;
}

}  // namespace kitbag::hdf5
