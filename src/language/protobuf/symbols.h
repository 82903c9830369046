#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

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
  const EnumDescriptor* enumeration = nullptr;  ///< if it is one
  std::size_t depth = 0;                        ///< number of names in its full name
  std::size_t bytes = 0;                        ///< of its full name

  bool is_type() const { return kind == Kind::message || kind == Kind::enumeration; }
};

/// "pkg.Message.Nested"
std::string full_name(const Symbol& symbol);

/// Throws Error: `element` of `file` is not as it should be.
[[noreturn]] void refuse(const FileDescriptor& file, std::string_view element,
                         std::string_view what);

/// All names of a set. Full names are not stored: a package of a million bytes would be in the name
/// of each of a million fields.
class Symbols {
 public:
  /// Adds what `file` defines. Throws Error: corrupt if a name is not valid or already has a
  /// meaning; limit if it is too long.
  void add(const FileDescriptor& file);

  /// What has that name in `parent`; null if nothing has.
  const Symbol* child(const Symbol& parent, std::string_view name) const;
  /// What has `path`, names with dots between them, in `parent`.
  const Symbol* descend(const Symbol& parent, std::string_view path) const;
  const Symbol& root() const { return root_; }
  /// The package of a file that was added.
  const Symbol& package(const FileDescriptor& file) const { return *descend(root_, file.package); }

 private:
  struct Key {
    const Symbol* parent;
    std::string_view name;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()(key.name) ^
             std::hash<const Symbol*>()(key.parent) * 0x9E3779B97F4A7C15U;
    }
  };

  const Symbol& add(const Symbol& parent, Symbol symbol);
  const Symbol& add_package(const FileDescriptor& file);
  void add_message(const Symbol& parent, const FileDescriptor& file,
                   const MessageDescriptor& message);
  void add_enum(const Symbol& parent, const FileDescriptor& file,
                const EnumDescriptor& enumeration);

  Symbol root_;
  std::deque<Symbol> all_;
  std::unordered_map<Key, const Symbol*, Hash> children_;
};

}  // namespace kitbag::protobuf
