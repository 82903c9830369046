#include "parquet/value_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "kitbag/error.h"
#include "parquet/delta_decoder.h"
#include "parquet/page_bytes.h"
#include "parquet/run_decoder.h"

// One class an encoding. What each needs of its page in front of the values (lengths, widths) is
// read when it is made; the values are read when they are asked for.

namespace kitbag::parquet {

namespace {

/// Numbers as they are, booleans as bits, texts behind their length.
class PlainDecoder final : public ValueDecoder {
 public:
  PlainDecoder(const Stored& stored, ByteView page)
      : is_boolean_(stored.type == StoredType::boolean),
        width_(stored.value_bytes()),
        page_(page) {}

  void read_fixed(std::byte* out, std::size_t count) override {
    if (is_boolean_) return read_bits(out, count);
    if (count > page_.size() / width_) fail_truncated();
    ByteView from = take_front(page_, count * width_);
    if (!from.empty()) std::memcpy(out, from.data(), from.size());
  }
  ByteView read_bytes() override { return take_sized(page_); }

 private:
  void read_bits(std::byte* out, std::size_t count) {
    if (count > page_.size() * 8 - bit_) fail_truncated();
    for (std::size_t i = 0; i < count; ++i, ++bit_) {
      out[i] = page_[bit_ / 8] >> (bit_ % 8) & std::byte{1};
    }
  }

  bool is_boolean_;
  std::size_t width_;
  ByteView page_;
  std::size_t bit_ = 0;
};

/// Booleans as runs, behind the length of these.
class BooleanRuns final : public ValueDecoder {
 public:
  explicit BooleanRuns(ByteView page) : runs_(take_sized(page), 1) {}

  void read_fixed(std::byte* out, std::size_t count) override {
    runs_.read({reinterpret_cast<std::uint8_t*>(out), count});
  }

 private:
  RunDecoder runs_;
};

/// Indexes of the dictionary as runs, behind a byte that says how many bits each has.
class IndexDecoder final : public ValueDecoder {
 public:
  IndexDecoder(const Stored& stored, ByteView page, const Dictionary& dictionary)
      : dictionary_(dictionary), width_(stored.value_bytes()) {
    if (page.empty()) return;  // no value of it is there
    auto width = std::to_integer<unsigned>(page.front());
    runs_ = RunDecoder(page.subspan(1), width);
  }

  void read_fixed(std::byte* out, std::size_t count) override {
    while (count > 0) {
      std::size_t part = std::min(count, indexes_.size());
      runs_.read(std::span(indexes_).first(part));
      for (std::size_t i = 0; i < part; ++i, out += width_) {
        std::memcpy(out, dictionary_.fixed(checked(indexes_.at(i))), width_);
      }
      count -= part;
    }
  }
  ByteView read_bytes() override {
    runs_.read(std::span(indexes_).first(1));
    return dictionary_.bytes(checked(indexes_[0]));
  }

 private:
  std::size_t checked(std::uint32_t index) const {
    if (index >= dictionary_.size()) fail_corrupt("an index beyond the end of its dictionary");
    return index;
  }

  const Dictionary& dictionary_;
  std::size_t width_;
  RunDecoder runs_;
  std::array<std::uint32_t, 256> indexes_{};
};

class DeltaIntegers final : public ValueDecoder {
 public:
  DeltaIntegers(const Stored& stored, ByteView page)
      : width_(stored.value_bytes()), deltas_(page) {}

  void read_fixed(std::byte* out, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i, out += width_) {
      std::uint64_t value = deltas_.next();
      std::memcpy(out, &value, width_);
    }
  }

 private:
  std::size_t width_;
  DeltaDecoder deltas_;
};

/// DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes.
class DeltaLengths final : public ValueDecoder {
 public:
  explicit DeltaLengths(ByteView page) : lengths_(page), bytes_(lengths_.behind()) {}

  ByteView read_bytes() override { return take_front(bytes_, lengths_.next()); }

 private:
  DeltaDecoder lengths_;
  ByteView bytes_;
};

/// DELTA_BYTE_ARRAY: how much each value has in common with the one before, and the rest of it.
class DeltaTexts final : public ValueDecoder {
 public:
  DeltaTexts(const Stored& stored, ByteView page)
      : width_(stored.value_bytes()), prefixes_(page), suffixes_(prefixes_.behind()) {}

  ByteView read_bytes() override {
    std::uint64_t prefix = prefixes_.next();
    if (prefix > value_.size()) fail_corrupt("a text that begins as a longer one does");
    // A value may be as long as all before it together, for a few bytes. The reader of the table
    // charges each value that it gets.
    value_.resize(static_cast<std::size_t>(prefix));
    value_.append(suffixes_.read_bytes());
    return value_.view();
  }
  void read_fixed(std::byte* out, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i, out += width_) {
      ByteView value = read_bytes();
      if (value.size() != width_) fail_corrupt("bytes of another length than the column has");
      std::memcpy(out, value.data(), width_);
    }
  }

 private:
  std::size_t width_;
  DeltaDecoder prefixes_;
  DeltaLengths suffixes_;
  Buffer value_;
};

/// BYTE_STREAM_SPLIT: the first bytes of all values, then their second bytes, ...
class SplitBytes final : public ValueDecoder {
 public:
  SplitBytes(const Stored& stored, ByteView page)
      : width_(stored.value_bytes()), stride_(page.size() / width_), page_(page) {}

  void read_fixed(std::byte* out, std::size_t count) override {
    if (count > stride_ - at_) fail_truncated();
    for (std::size_t i = 0; i < count; ++i, ++at_) {
      for (std::size_t byte = 0; byte < width_; ++byte) *out++ = page_[byte * stride_ + at_];
    }
  }

 private:
  std::size_t width_;
  std::size_t stride_;  ///< the number of values
  ByteView page_;
  std::size_t at_ = 0;
};

}  // namespace

std::size_t Stored::value_bytes() const {
  constexpr std::size_t kInt96Bytes = 12;
  switch (type) {
    case StoredType::boolean:
      return 1;
    case StoredType::int32:
    case StoredType::float32:
      return sizeof(std::int32_t);
    case StoredType::int64:
    case StoredType::float64:
      return sizeof(std::int64_t);
    case StoredType::int96:
      return kInt96Bytes;
    case StoredType::bytes:
      return 0;
    case StoredType::fixed_bytes:
      return width;
  }
  return 0;
}

void ValueDecoder::read_fixed(std::byte*, std::size_t) {
  fail_corrupt("values of no fixed length where there must be some");
}

ByteView ValueDecoder::read_bytes() {
  fail_corrupt("values of a fixed length where there must be none");
}

Dictionary::Dictionary(const Stored& stored, Buffer page, std::size_t count)
    : width_(stored.value_bytes()), count_(count), page_(std::move(page)) {
  ByteView rest = page_.view();
  if (width_ == 0) {
    if (count > rest.size() / sizeof(std::uint32_t)) fail_truncated();
    texts_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) texts_.push_back(take_sized(rest));
    return;
  }
  bool is_boolean = stored.type == StoredType::boolean;
  if (count > (is_boolean ? rest.size() * 8 : rest.size() / width_)) fail_truncated();
  fixed_.resize(count * width_);
  PlainDecoder(stored, rest).read_fixed(fixed_.data(), count);
}

std::unique_ptr<ValueDecoder> make_decoder(std::int32_t encoding, const Stored& stored,
                                           ByteView page, const Dictionary* dictionary) {
  enum : std::int32_t {
    kPlain = 0,
    kPlainDictionary = 2,
    kRuns = 3,
    kDeltas = 5,
    kDeltaLengths = 6,
    kDeltaTexts = 7,
    kDictionary = 8,
    kSplitBytes = 9,
  };
  bool is_bytes = stored.type == StoredType::bytes;
  bool is_integer = stored.type == StoredType::int32 || stored.type == StoredType::int64;
  switch (encoding) {
    case kPlain:
      return std::make_unique<PlainDecoder>(stored, page);
    // The same under its older name.
    case kPlainDictionary:
    case kDictionary:
      if (!dictionary) fail_corrupt("a page of indexes without a dictionary");
      return std::make_unique<IndexDecoder>(stored, page, *dictionary);
    case kRuns:
      if (stored.type != StoredType::boolean) break;
      return std::make_unique<BooleanRuns>(page);
    case kDeltas:
      if (!is_integer) break;
      return std::make_unique<DeltaIntegers>(stored, page);
    case kDeltaLengths:
      if (!is_bytes) break;
      return std::make_unique<DeltaLengths>(page);
    case kDeltaTexts:
      if (!is_bytes && stored.type != StoredType::fixed_bytes) break;
      return std::make_unique<DeltaTexts>(stored, page);
    case kSplitBytes:
      if (is_bytes || stored.type == StoredType::boolean) break;
      return std::make_unique<SplitBytes>(stored, page);
    default:
      break;
  }
  throw Error(
      ErrorCode::unsupported,
      fmt::format("a page of a column has the encoding {}, which its type cannot have", encoding));
}

}  // namespace kitbag::parquet
