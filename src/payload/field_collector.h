#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/codec.h"
#include "payload/field_steps.h"
#include "payload/scalar.h"

namespace kitbag {

/// Gathers the values of fields while a message is decoded. A path such as "poses.position.x" goes
/// through lists as if they were not there, "ranges[3]" to one element.
class FieldCollector final : public LeafVisitor<FieldCollector> {
 public:
  /// What is wanted of the place that a path leads to.
  enum class Part : std::uint8_t {
    value,   ///< a scalar, a text, a time or a duration
    below,   ///< of a structure: all scalars inside of it
    length,  ///< of a list: its elements; of a text: its characters
  };
  struct Wanted {
    FieldSteps path;
    Part part = Part::value;

    bool operator==(const Wanted&) const = default;
  };

  explicit FieldCollector(const std::vector<Wanted>& wanted);
  // Nodes point at one another.
  FieldCollector(const FieldCollector&) = delete;
  FieldCollector& operator=(const FieldCollector&) = delete;

  /// Before each message.
  void begin();
  /// In the order of `wanted`.
  const std::vector<PathValues>& values() const { return values_; }

  void begin_struct(const Type& type) override;
  void field(const Field& field) override;
  void end_struct() override;
  void begin_array(const Type& type, std::size_t count) override;
  void end_array() override;
  void packed(const Type& type, ByteView bytes) override;

  template <class Value>
  void leaf(const Type&, Value value) {
    take(Scalar(value));
  }
  void leaf(const Type&, std::string_view value) { take_text(value); }
  void leaf(const Type&, std::nullopt_t) { take({}); }

 private:
  /// What is wanted below one place. Indexes are of `values_`.
  struct Node {
    std::map<std::string, Node, std::less<>> fields;
    std::map<std::int64_t, Node> elements;  ///< negative: from the end
    std::vector<std::size_t> values;
    std::vector<std::size_t> lengths;
    std::unique_ptr<Node> below;  ///< what is wanted of all fields
    const Node* all_below = nullptr;
  };
  struct Place {
    const Node* node;
    bool is_in_list;       ///< the path has gone through a list
    bool is_each = false;  ///< it has gone through the list that this value is an element of
  };
  using Places = std::vector<Place>;
  struct Level {
    Places places;  ///< of the value as a whole
    bool is_list = false;
    Role role = Role::none;
    std::int64_t element = 0;
    std::int64_t count = 0;
    std::int64_t seconds = 0;  ///< of a time
    std::int64_t ns = 0;
    std::size_t parts = 0;  ///< of a time, so far
  };

  void add_path(const Wanted& wanted, std::size_t index);
  Level& begin_level();
  void end_level();
  void find_next();
  void add_element(const Node& node, std::int64_t index, bool is_in_list);
  void take(const Scalar& value);
  void take_text(std::string_view text);
  void count_value();

  Node root_;
  std::vector<PathValues> values_;
  std::vector<Level> levels_;  ///< the first depth_ are open; the others keep their memory
  std::size_t depth_ = 0;
  Places next_;                       ///< what is wanted of the value to come
  std::vector<std::int64_t> chosen_;  ///< elements of a packed list
};

}  // namespace kitbag
