#pragma once

#include <string>
#include <string_view>

#include "kitbag/bytes.h"
#include "parquet/schema.h"

namespace kitbag::parquet {

/// The smallest and the largest value of a page or a column chunk, by which readers leave out what
/// they do not need.
class Statistics {
 public:
  explicit Statistics(const Leaf& leaf) : type_(leaf.type), order_(leaf.order) {}

  /// Takes numbers or booleans, as a page has them: booleans as bytes.
  void add_values(ByteView values);
  void add_text(std::string_view text);
  /// Takes what another one of the same column has seen.
  void add(const Statistics& other);
  void clear() { has_value_ = has_nan_ = false; }

  /// Whether there is a smallest and a largest value. Not if one value is NaN, which has no place
  /// in the order: readers would leave it out.
  bool has_range() const { return has_value_ && !has_nan_; }
  /// The values as Parquet stores them; of long texts a shorter bound.
  const std::string& least() const { return least_; }
  const std::string& most() const { return most_; }
  bool is_least_exact() const { return !is_least_cut_; }
  bool is_most_exact() const { return !is_most_cut_; }

 private:
  template <class T>
  void add_numbers(ByteView values);
  void take(std::string_view least, std::string_view most);
  bool is_less(std::string_view a, std::string_view b) const;

  Physical type_;
  Order order_;
  bool has_value_ = false;
  bool has_nan_ = false;
  bool is_least_cut_ = false;
  bool is_most_cut_ = false;
  std::string least_;
  std::string most_;
};

}  // namespace kitbag::parquet
