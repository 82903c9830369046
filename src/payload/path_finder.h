#pragma once

#include <string>
#include <vector>

#include "kitbag/codec.h"

namespace kitbag {

/// Passes everything on, and keeps track of the current field.
class PathFinder final : public LeafVisitor<PathFinder> {
 public:
  /// `target` may be null.
  explicit PathFinder(Visitor* target) : target_(target) {}

  /// "pose.covariance[3]"; of the value that was begun and not ended.
  std::string path() const;

  void begin_struct(const Type& type) override;
  void field(const Field& field) override;
  void end_struct() override;
  void begin_array(const Type& type, std::size_t count) override;
  void end_array() override;
  void packed(const Type& type, ByteView bytes) override;

  template <class Value>
  void leaf(const Type& type, Value value) {
    if (target_) visit_leaf(type, value, *target_);
    count();
  }

 private:
  struct Level {
    bool is_list = false;
    std::string field;
    std::size_t element = 0;
  };

  void count();

  Visitor* target_;
  std::vector<Level> levels_;
};

}  // namespace kitbag
