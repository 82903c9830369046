#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/codec.h"
#include "payload/expression.h"

namespace kitbag {

/// Gathers the values of fields while a message is decoded. A path such as "poses.position.x" goes
/// through lists as if they were not there, "ranges[3]" to one element.
class FieldCollector final : public LeafVisitor<FieldCollector> {
 public:
  /// Throws Error (invalid) for what is no path.
  explicit FieldCollector(const std::vector<std::string>& paths);

  /// Before each message.
  void begin();
  /// By path.
  const FieldValues& values() const { return values_; }

  void begin_struct(const Type& type) override;
  void field(const Field& field) override;
  void end_struct() override;
  void begin_array(const Type& type, std::size_t count) override;
  void end_array() override;
  void packed(const Type& type, ByteView bytes) override;

  template <class Value>
  void leaf(const Type&, Value value) {
    take(value);
  }
  void leaf(const Type&, std::string_view value) {
    if (!next_.empty()) take(std::string(value));
  }
  void leaf(const Type&, std::nullopt_t) { take({}); }

 private:
  /// What is wanted below one place.
  struct Node {
    std::map<std::string, Node, std::less<>> fields;
    std::map<std::size_t, Node> elements;
    std::vector<std::size_t> paths;  ///< that end here
  };
  using Nodes = std::vector<const Node*>;
  struct Level {
    Nodes nodes;  ///< of the value as a whole
    bool is_list = false;
    std::size_t element = 0;
  };

  void add_path(const std::string& path, std::size_t index);
  void begin_level(bool is_list);
  void end_level();
  void find_next();
  void take(const Scalar& value);

  Node root_;
  FieldValues values_;
  std::vector<Level> levels_;
  Nodes next_;  ///< what is wanted of the value to come
};

}  // namespace kitbag
