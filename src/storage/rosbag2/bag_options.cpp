#include <fmt/format.h>

#include "base/yaml.h"
#include "kitbag/bag_options.h"
#include "kitbag/error.h"

namespace kitbag::rosbag2 {
namespace {

[[noreturn]] void throw_unexpected(const Yaml& value, std::string_view key) {
  throw Error(ErrorCode::corrupt,
              fmt::format("line {}: \"{}\" has a value of an unexpected form", value.line, key));
}

/// The scalars of a value: itself, those of a list, or KEY=VALUE for each entry of a map.
std::vector<std::string> scalars_of(const Yaml& value, std::string_view key) {
  if (value.is_null()) return {};
  if (value.is_scalar()) return {value.scalar};
  std::vector<std::string> scalars;
  for (const Yaml& part : value.parts) {
    if (!part.is_scalar()) throw_unexpected(part, key);
    bool is_entry = value.is_map() && (&part - value.parts.data()) % 2 == 1;
    if (is_entry) {
      scalars.back() += "=" + part.scalar;
    } else {
      scalars.push_back(part.scalar);
    }
  }
  return scalars;
}

}  // namespace

std::vector<BagOptions> parse_bag_options(std::string_view text, std::string_view list) {
  const Yaml all = load_yaml(text);
  if (!all.is_map() || !all[list].is_list()) {
    throw Error(ErrorCode::corrupt, fmt::format("the list \"{}\" is missing", list));
  }
  std::vector<BagOptions> bags;
  for (const Yaml& entry : all[list].parts) {
    if (!entry.is_map()) throw_unexpected(entry, list);
    BagOptions& options = bags.emplace_back();
    for (std::size_t i = 0; i + 1 < entry.parts.size(); i += 2) {
      const Yaml& key = entry.parts[i];
      if (!key.is_scalar()) throw_unexpected(key, list);
      options.emplace_back(key.scalar, scalars_of(entry.parts[i + 1], key.scalar));
    }
  }
  return bags;
}

}  // namespace kitbag::rosbag2
