#include "sql/tables/element_value.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include "sql/arrow_value.h"

namespace kitbag::sql {

void append_pairs(std::string& text, const ArrowSchema& schema, const ArrowArray& array,
                  std::int64_t row) {
  Elements pairs = elements_of(schema, array, row);
  bool is_known = pairs.schema && pairs.schema->n_children == 2;
  std::map<std::string, std::string> values;
  for (std::int64_t i = 0; is_known && i < pairs.count; ++i) {
    auto part = [&](int child) {
      std::string json;
      append_json(json, *pairs.schema->children[child], *pairs.array->children[child],
                  pairs.array->offset + pairs.begin + i);
      return json;
    };
    values[part(0)] = part(1);
  }
  text += '{';
  for (const auto& [key, value] : values) {
    if (text.back() != '{') text += ',';
    text += key + ':' + value;
  }
  text += '}';
}

std::optional<std::int64_t> time_in(const ArrowSchema& schema, const ArrowArray& array,
                                    std::int64_t row) {
  std::int64_t total = 0;
  for (const auto& [name, unit_ns] : {std::pair("sec", 1'000'000'000), std::pair("nsec", 1)}) {
    auto* end = schema.children + schema.n_children;
    auto* found = std::find_if(schema.children, end, [wanted = name](const ArrowSchema* child) {
      return std::string_view(child->name) == wanted;
    });
    if (found == end || is_null(array, row)) return std::nullopt;
    std::string text;
    Value value =
        value_at(**found, *array.children[found - schema.children], array.offset + row, text);
    const auto* number = std::get_if<std::int64_t>(&value);
    std::int64_t part_ns = 0;
    bool fits = number && !__builtin_mul_overflow(*number, unit_ns, &part_ns) &&
                !__builtin_add_overflow(total, part_ns, &total);
    if (!fits) return std::nullopt;
  }
  return total;
}

}  // namespace kitbag::sql
