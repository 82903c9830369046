#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace YAML {
class Emitter;
}

namespace kitbag {

/// A value of a YAML document, and all that is in it. Aliases are copies. yaml-cpp's own nodes take
/// ten times the memory, and expand aliases without end; they are not used.
class Yaml {
 public:
  enum class Kind : std::uint8_t { missing, null, scalar, list, map };

  /// False: there is none, as operator[] gives it for a key that is not there.
  explicit operator bool() const { return kind != Kind::missing; }
  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }

  /// Of a map, the value of the first entry with that key; missing in what is null or missing.
  /// Throws Error (corrupt) for a scalar or list, which has no keys.
  const Yaml& operator[](std::string_view key) const;

  Kind kind = Kind::missing;
  std::uint32_t line = 0;  ///< where it begins, from 1
  std::string scalar;
  /// Of a list its elements; of a map keys and values in turn.
  std::vector<Yaml> parts;
};

/// What a document may take. Real ones are far below: the metadata of 60,000 topics has a million
/// values.
struct YamlLimits {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t values = 1'500'000;  ///< those of aliases counted each time
  std::size_t depth = 64;
};

/// The first document of `text`; missing where it is empty. Throws Error: corrupt, with the line,
/// for what is no YAML; limit beyond `limits`.
Yaml load_yaml(std::string_view text, const YamlLimits& limits = {});

/// As YAML that load_yaml() reads again.
std::string print_yaml(const Yaml& value);
void print_yaml(const Yaml& value, YAML::Emitter& out);

/// The scalar, or "" where there is none.
std::string text_of(const Yaml& value);
/// The number, or 0 where there is none. Throws Error (corrupt).
std::uint64_t unsigned_of(const Yaml& value);
/// The same for a number that may be negative.
std::int64_t integer_of(const Yaml& value);

}  // namespace kitbag
