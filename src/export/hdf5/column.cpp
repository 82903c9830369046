#include "export/hdf5/column.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "export/hdf5/leaf.h"
#include "kitbag/error.h"

// What a column becomes:
//
//   a number, a boolean, a text   a dataset; fixed-size lists around it are its further dimensions
//   a structure                   a group with its fields
//   a list, bytes                 a group: `values`, those of all rows one after the other, and
//                                 `offsets`, where each row begins, and behind the last one its end
//
// Values of variable length could also be HDF5's own. These are not compressed, and their readers
// make an object of each row; two arrays of numbers are what NumPy, MATLAB and Julia are good at.
//
// HDF5 has no nulls. A column `x` that has some gets a dataset `x__valid` beside it.

namespace kitbag::hdf5 {
namespace {

constexpr std::size_t kMostDimensions = H5S_MAX_RANK - 1;

Id make_group(const ColumnPlace& place, const std::string& name) {
  return {H5Gcreate2(place.group, name.c_str(), utf8_links().get(), H5P_DEFAULT, H5P_DEFAULT),
          H5Gclose};
}

/// The values of a fixed-size list that is null do not exist either.
Validity repeated(const Validity& valid, std::size_t times) {
  Validity all;
  all.reserve(valid.size() * times);
  for (std::byte each : valid) all.insert(all.end(), times, each);
  return all;
}

class StructColumn final : public Column {
 public:
  StructColumn(const ArrowSchema& schema, const ColumnPlace& place)
      : name_(place.names->take(schema.name)),
        group_(make_group(place, name_)),
        mask_(place, name_),
        fields_(make_fields(schema, {group_.get(), &names_, place.dimensions})) {}

  void append(const ArrowArray& array, std::int64_t first, std::int64_t count,
              const Validity& valid) override {
    if (count == 0) return;
    Validity own = combined(array, first, count, valid);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      fields_[i]->append(*array.children[i], array.offset + first, count, own);
    }
    mask_.append(own, count);
  }
  std::uint64_t held_bytes() const override {
    std::uint64_t all = mask_.held_bytes();
    for (const auto& field : fields_) all += field->held_bytes();
    return all;
  }
  void flush() override {
    for (auto& field : fields_) field->flush();
    mask_.flush();
  }
  std::uint64_t replaced_texts() const override {
    std::uint64_t all = 0;
    for (const auto& field : fields_) all += field->replaced_texts();
    return all;
  }

 private:
  std::string name_;
  Names names_;
  Id group_;
  Mask mask_;
  std::vector<std::unique_ptr<Column>> fields_;
};

/// Fixed-size lists have no group of their own, and so no place for a mask: their values tell.
class FixedListColumn final : public Column {
 public:
  FixedListColumn(const ArrowSchema& schema, ColumnPlace place) : width_(width_of(schema)) {
    place.dimensions.push_back(width_);
    ArrowSchema element = *schema.children[0];  // a view
    element.name = schema.name;
    element_ = make_column(element, place);
  }

  void append(const ArrowArray& array, std::int64_t first, std::int64_t count,
              const Validity& valid) override {
    auto width = static_cast<std::int64_t>(width_);
    element_->append(*array.children[0], (array.offset + first) * width, count * width,
                     repeated(combined(array, first, count, valid), width_));
  }
  std::uint64_t held_bytes() const override { return element_->held_bytes(); }
  void flush() override { element_->flush(); }
  std::uint64_t replaced_texts() const override { return element_->replaced_texts(); }

 private:
  std::size_t width_;
  std::unique_ptr<Column> element_;
};

/// Lists, and bytes of any number.
class ListColumn final : public Column {
 public:
  ListColumn(const ArrowSchema& schema, const ColumnPlace& place)
      : name_(place.names->take(schema.name)),
        group_(make_group(place, name_)),
        mask_(place, name_),
        offsets_(group_.get(), names_.take("offsets"), H5T_STD_I64LE, sizeof end_, {}) {
    bool is_bytes = schema.n_children == 0;
    ArrowSchema element = is_bytes ? ArrowSchema{} : *schema.children[0];  // a view
    element.name = "values";
    if (is_bytes) {
      bytes_ = std::make_unique<Dataset>(group_.get(), names_.take("values"), H5T_STD_U8LE, 1,
                                         Dimensions());
    } else {
      values_ = make_column(element, {group_.get(), &names_, {}});
    }
    for (hsize_t size : place.dimensions) lists_of_a_row_ *= size;
    if (lists_of_a_row_ > 1) {
      set_attribute(group_.get(), "lists_of_a_row", std::to_string(lists_of_a_row_));
    }
    offsets_.append(std::as_bytes(std::span(&end_, 1)));
  }

  void append(const ArrowArray& array, std::int64_t first, std::int64_t count,
              const Validity& valid) override {
    if (count == 0) return;
    const auto* offsets = buffer_of<std::int32_t>(array, 1) + array.offset + first;
    std::vector<std::int64_t> ends(static_cast<std::size_t>(count));
    // Offsets of a batch are of its own values; those of the file go on over all batches.
    for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = end_ + offsets[i + 1] - offsets[0];
    std::int64_t added = offsets[count] - offsets[0];
    if (bytes_ && added > 0) {
      bytes_->append(
          {buffer_of<std::byte>(array, 2) + offsets[0], static_cast<std::size_t>(added)});
    } else if (!bytes_) {
      values_->append(*array.children[0], offsets[0], added, {});
    }
    offsets_.append(std::as_bytes(std::span(ends)));
    end_ = ends.back();
    mask_.append(combined(array, first, count, valid), count);
  }
  std::uint64_t held_bytes() const override {
    return offsets_.held_bytes() + mask_.held_bytes() +
           (bytes_ ? bytes_->held_bytes() : values_->held_bytes());
  }
  void flush() override {
    offsets_.flush();
    bytes_ ? bytes_->flush() : values_->flush();
    mask_.flush();
  }
  std::uint64_t replaced_texts() const override { return bytes_ ? 0 : values_->replaced_texts(); }

 private:
  std::string name_;
  Names names_;
  Id group_;
  Mask mask_;
  std::int64_t end_ = 0;  ///< of the values so far
  Dataset offsets_;
  std::uint64_t lists_of_a_row_ = 1;
  std::unique_ptr<Dataset> bytes_;  ///< or `values_`
  std::unique_ptr<Column> values_;
};

/// Bytes of a fixed number: one dimension more.
class FixedBytesColumn final : public Column {
 public:
  FixedBytesColumn(const ArrowSchema& schema, const ColumnPlace& place) : width_(width_of(schema)) {
    ColumnPlace inner = place;
    inner.dimensions.push_back(width_);
    ArrowSchema byte{};
    byte.format = "C";
    byte.name = schema.name;
    bytes_ = make_leaf(byte, inner);
  }

  void append(const ArrowArray& array, std::int64_t first, std::int64_t count,
              const Validity& valid) override {
    auto width = static_cast<std::int64_t>(width_);
    const void* buffers[] = {nullptr, array.buffers[1]};
    ArrowArray bytes{};  // the same as single numbers
    bytes.n_buffers = 2;
    bytes.buffers = buffers;
    bytes_->append(bytes, (array.offset + first) * width, count * width,
                   repeated(combined(array, first, count, valid), width_));
  }
  std::uint64_t held_bytes() const override { return bytes_->held_bytes(); }
  void flush() override { bytes_->flush(); }

 private:
  std::size_t width_;
  std::unique_ptr<Column> bytes_;
};

/// A list that is always empty has no values: a group that is empty, too.
class EmptyColumn final : public Column {
 public:
  EmptyColumn(const ArrowSchema& schema, const ColumnPlace& place) {
    make_group(place, place.names->take(schema.name));
  }
  void append(const ArrowArray&, std::int64_t, std::int64_t, const Validity&) override {}
  std::uint64_t held_bytes() const override { return 0; }
  void flush() override {}
};

}  // namespace

std::unique_ptr<Column> make_column(const ArrowSchema& schema, const ColumnPlace& place) {
  std::string_view format = schema.format;
  bool is_fixed = format.starts_with("+w:") || format.starts_with("w:");
  if (is_fixed && width_of(schema) == 0) return std::make_unique<EmptyColumn>(schema, place);
  if (is_fixed && place.dimensions.size() >= kMostDimensions) {
    throw Error(ErrorCode::unsupported, fmt::format("HDF5 has {} dimensions at most; {} has more",
                                                    kMostDimensions + 1, schema.name));
  }
  if (format.starts_with("+w:")) return std::make_unique<FixedListColumn>(schema, place);
  if (format.starts_with("w:")) return std::make_unique<FixedBytesColumn>(schema, place);
  if (format == "+s") return std::make_unique<StructColumn>(schema, place);
  if (format == "+l" || format == "z") return std::make_unique<ListColumn>(schema, place);
  if (auto leaf = make_leaf(schema, place)) return leaf;
  throw Error(ErrorCode::unsupported,
              fmt::format("HDF5 has no place for {}, of Arrow's type {}", schema.name, format));
}

std::vector<std::unique_ptr<Column>> make_fields(const ArrowSchema& schema,
                                                 const ColumnPlace& place) {
  std::vector<std::unique_ptr<Column>> fields;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    fields.push_back(make_column(*schema.children[i], place));
  }
  return fields;
}

}  // namespace kitbag::hdf5
