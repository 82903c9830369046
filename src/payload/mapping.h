#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/transcode.h"
#include "kitbag/type.h"
#include "payload/bridge.h"

namespace kitbag {

/// How values of one type become values of another; compiled once for a channel.
struct Mapping {
  static constexpr std::size_t kDropped = SIZE_MAX;

  const Type* source = nullptr;
  const Type* target = nullptr;
  bool is_flat_copy = false;  ///< both are flat, and bytes of one are bytes of the other
  bool is_in_order = true;    ///< of a structure: its fields come in the target's order
  bool may_narrow = false;    ///< of an integer: values are checked, since not all fit
  /// Of an integer: values that become others; null: none does.
  const std::map<std::int64_t, std::int64_t>* values = nullptr;
  const Mapping* element = nullptr;
  std::vector<std::size_t> targets = {};    ///< by source field; kDropped: it has no place
  std::vector<const Mapping*> fields = {};  ///< by source field
  /// What fields get that the source does not have, by target field; empty: their defaults.
  std::vector<std::optional<Literal>> fills = {};
};

/// Which conversions are allowed.
enum class Fit {
  same,       ///< another encoding of the same: numbers may narrow, each value is checked
  evolution,  ///< a later definition: numbers widen only
};

/// Makes mappings, and owns them.
class Mappings {
 public:
  /// `migration`, and `language`, which the target's types are of, must outlive it, as must
  /// `report`, which may be null. `values`: of fields of the outermost structure.
  Mappings(Fit fit, const Migration& migration, const Language& language, TranscodeReport* report,
           Renumbering values = {})
      : fit_(fit),
        migration_(migration),
        language_(language),
        report_(report),
        values_(std::move(values)) {}

  /// Both types must outlive this. Throws Error (unsupported) that names the path of the field, and
  /// both types, where one cannot become the other.
  const Mapping& compile(const Type& source, const Type& target);

 private:
  const Mapping& make(const Type& source, const Type& target, const std::string& path);
  const Mapping& renumbered(const Mapping& plain, const std::string& path);
  void map_fields(Mapping& mapping, const std::string& path);
  void map_scalar(Mapping& mapping, const std::string& path) const;
  template <class Rules>
  typename Rules::const_iterator rules_for(const Rules& rules, const std::string& type) const;
  [[noreturn]] void refuse(const Type& source, const Type& target, const std::string& path) const;

  /// The fields of a target by their names: a definition may have tens of thousands.
  struct Places {
    explicit Places(const Type& target);
    std::map<std::string_view, std::size_t> by_name;
    std::map<std::string_view, std::size_t> by_alias;
  };
  /// The field of the target that `field` becomes: the first one that fits.
  std::optional<std::size_t> place_of(const Field& field, const Type& target,
                                      const Places& places) const;

  void set_fills(Mapping& mapping, const Places& places) const;

  Fit fit_;
  const Migration& migration_;
  const Language& language_;
  TranscodeReport* report_;
  Renumbering values_;
  std::deque<Mapping> all_;
  std::map<std::pair<const Type*, const Type*>, Mapping*> made_;
};

}  // namespace kitbag
