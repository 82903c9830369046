#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "language/protobuf/descriptors.h"

namespace kitbag::protobuf {

/// What has a name, and where it is defined.
struct Symbol {
  enum class Kind : std::uint8_t { package, message, enumeration, service, other };
  Kind kind = Kind::package;
  std::string_view name;                        ///< without that of its parent
  const Symbol* parent = nullptr;               ///< null: the package without a name
  const FileDescriptor* file = nullptr;         ///< of a package, the first one
  const MessageDescriptor* message = nullptr;   ///< if it is one
  const EnumDescriptor* enumeration = nullptr;  ///< if it is one, or a value of one
  const EnumValue* value = nullptr;             ///< if it is one
  std::size_t depth = 0;                        ///< number of names in its full name
  std::size_t bytes = 0;                        ///< of its full name

  bool is_type() const { return kind == Kind::message || kind == Kind::enumeration; }
};

/// "pkg.Message.Nested"
std::string full_name(const Symbol& symbol);

/// Throws Error: `element` of `file` is not as it should be.
[[noreturn]] void refuse(const FileDescriptor& file, std::string_view element,
                         std::string_view what);

/// All names of a set. Full names are not stored: a long package would be in the name of each of
/// many fields. Points into the files that were added, which must live as long and stay in place.
class Symbols {
 public:
  Symbols() = default;
  Symbols(const Symbols&) = delete;  // names point at each other
  Symbols& operator=(const Symbols&) = delete;

  /// Adds what `file` defines; returns its package. Throws Error: corrupt if a name is not valid or
  /// already has a meaning; limit if it is too long, or one too many.
  const Symbol& add(const FileDescriptor& file);

  /// What has that name in `parent`; null if nothing has.
  const Symbol* child(const Symbol& parent, std::string_view name) const;
  /// What has `path`, names with dots between them, in `parent`; null if nothing has.
  const Symbol* descend(const Symbol& parent, std::string_view path) const;
  const Symbol& root() const { return root_; }

 private:
  struct Key {
    const Symbol* parent;
    std::string_view name;
    auto operator<=>(const Key&) const = default;
  };

  const Symbol& add(const Symbol& parent, Symbol symbol);
  const Symbol& add_package(const FileDescriptor& file);
  void add_message(const Symbol& parent, const FileDescriptor& file,
                   const MessageDescriptor& message);
  void add_enum(const Symbol& parent, const FileDescriptor& file,
                const EnumDescriptor& enumeration);

  Symbol root_;
  std::deque<Symbol> all_;
  std::map<Key, const Symbol*> children_;  ///< not hashed: names could be made to collide
};

}  // namespace kitbag::protobuf
