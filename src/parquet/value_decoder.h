#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/buffer.h"
#include "kitbag/bytes.h"
#include "parquet/file_metadata.h"

namespace kitbag::parquet {

/// How the values of a column are stored.
struct Stored {
  StoredType type = StoredType::boolean;
  std::size_t width = 0;  ///< of fixed_bytes

  /// How many bytes read_fixed() gives for a value, booleans one each; 0: values have any length.
  std::size_t value_bytes() const;
};

/// Reads the values of a page one after the other, no more of them than are asked for: a few bytes
/// may stand for any number of values. Throws Error (truncated, corrupt) where the page does not
/// have what it should.
class ValueDecoder {
 public:
  virtual ~ValueDecoder() = default;
  /// Stores the next `count` values, which have a fixed size, at `out`.
  virtual void read_fixed(std::byte* out, std::size_t count);
  /// Returns the next value, which may have any length. Valid until the next call.
  virtual ByteView read_bytes();
};

/// The values of a dictionary page.
class Dictionary {
 public:
  /// Takes `page` over, which has `count` values.
  Dictionary(const Stored& stored, Buffer page, std::size_t count);

  std::size_t size() const { return count_; }
  const std::byte* fixed(std::size_t index) const { return fixed_.data() + index * width_; }
  ByteView bytes(std::size_t index) const { return texts_[index]; }

 private:
  std::size_t width_;
  std::size_t count_;
  Buffer page_;
  Buffer fixed_;
  std::vector<ByteView> texts_;  ///< in `page_`
};

/// Returns a decoder for the values in `page`, which must outlive it, as must `dictionary`,
/// which is null if the column has none. Throws Error: corrupt, truncated; unsupported for an
/// encoding that Parquet does not have for the type.
std::unique_ptr<ValueDecoder> make_decoder(std::int32_t encoding, const Stored& stored,
                                           ByteView page, const Dictionary* dictionary);

}  // namespace kitbag::parquet
