#include "language/protobuf/symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/lines.h"
#include "kitbag/error.h"

// In protobuf, packages, messages, fields, enums and services are names of one kind: what has the
// full name a.B has it alone. Only a package may be declared again, by each of its files. So all
// names are in one tree, in which each is found by its parent and its own part. Fields, oneofs and
// services are there only for the clash; no type name leads to them.
//
// The set is somebody's bytes. Its names are limited in number, length and depth, since the depth
// is what a look-up costs (linker.cpp), and the length is what each type keeps.

namespace kitbag::protobuf {

namespace {

/// Of a full name. Each type of a set keeps its own, and a name is as long as its package.
constexpr std::size_t kMaxNameBytes = 512;
/// The names in a full name. A type is looked for in as many places.
constexpr std::size_t kMaxParts = 64;

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// The front of `path` up to its first dot, which is removed from it.
std::string_view take_name(std::string_view& path) {
  std::size_t dot = std::min(path.find('.'), path.size());
  std::string_view name = path.substr(0, dot);
  path.remove_prefix(std::min(dot + 1, path.size()));
  return name;
}

}  // namespace

std::string full_name(const Symbol& symbol) {
  if (!symbol.parent || !symbol.parent->parent) return std::string(symbol.name);
  return fmt::format("{}.{}", full_name(*symbol.parent), symbol.name);
}

void refuse(const FileDescriptor& file, std::string_view element, std::string_view what) {
  throw Error(ErrorCode::corrupt,
              fmt::format("{}: {}: {}", printable(file.name), printable(element), what));
}

const Symbol& Symbols::add(const FileDescriptor& file) {
  const Symbol& package = add_package(file);
  for (const MessageDescriptor& message : file.messages) add_message(package, file, message);
  for (const EnumDescriptor& enumeration : file.enums) add_enum(package, file, enumeration);
  for (std::string_view name : file.services) {
    add(package, {.kind = Symbol::Kind::service, .name = name, .file = &file});
  }
  return package;
}

const Symbol* Symbols::child(const Symbol& parent, std::string_view name) const {
  auto found = children_.find({&parent, name});
  return found == children_.end() ? nullptr : found->second;
}

const Symbol* Symbols::descend(const Symbol& parent, std::string_view path) const {
  const Symbol* symbol = &parent;
  if (path.empty() || path.ends_with('.')) return nullptr;
  while (symbol && !path.empty()) symbol = child(*symbol, take_name(path));
  return symbol;
}

const Symbol& Symbols::add(const Symbol& parent, Symbol symbol) {
  symbol.parent = &parent;
  symbol.depth = parent.depth + 1;
  symbol.bytes = parent.bytes + (parent.parent ? 1 : 0) + symbol.name.size();
  if (!is_name(symbol.name)) refuse(*symbol.file, full_name(symbol), "it is not a valid name");
  if (symbol.depth > kMaxParts || symbol.bytes > kMaxNameBytes) {
    throw Error(ErrorCode::limit, fmt::format("{}: {}: the name has more than {} bytes or {} parts",
                                              printable(symbol.file->name), printable(symbol.name),
                                              kMaxNameBytes, kMaxParts));
  }
  if (const Symbol* known = child(parent, symbol.name)) {
    bool is_same = known->kind == Symbol::Kind::package && symbol.kind == Symbol::Kind::package;
    if (is_same) return *known;
    refuse(*symbol.file, full_name(symbol),
           fmt::format("the name is already defined in {}", printable(known->file->name)));
  }
  if (all_.size() == kMaxDeclarations) {
    throw Error(ErrorCode::limit, fmt::format("it declares more than {} names", kMaxDeclarations));
  }
  const Symbol& added = all_.emplace_back(std::move(symbol));
  children_[{&parent, added.name}] = &added;
  return added;
}

const Symbol& Symbols::add_package(const FileDescriptor& file) {
  const Symbol* package = &root_;
  std::string_view path = file.package;
  if (path.ends_with('.')) refuse(file, path, "it is not a valid name");
  while (!path.empty()) package = &add(*package, {.name = take_name(path), .file = &file});
  return *package;
}

void Symbols::add_message(const Symbol& parent, const FileDescriptor& file,
                          const MessageDescriptor& message) {
  const Symbol& symbol = add(
      parent,
      {.kind = Symbol::Kind::message, .name = message.name, .file = &file, .message = &message});
  auto add_other = [&](std::string_view name) {
    add(symbol, {.kind = Symbol::Kind::other, .name = name, .file = &file});
  };
  for (const FieldDescriptor& field : message.fields) add_other(field.name);
  for (std::string_view oneof : message.oneofs) add_other(oneof);
  for (const MessageDescriptor& nested : message.messages) add_message(symbol, file, nested);
  for (const EnumDescriptor& nested : message.enums) add_enum(symbol, file, nested);
}

/// The names of the values are beside that of the enum, not in it, as in C++.
void Symbols::add_enum(const Symbol& parent, const FileDescriptor& file,
                       const EnumDescriptor& enumeration) {
  add(parent, {.kind = Symbol::Kind::enumeration,
               .name = enumeration.name,
               .file = &file,
               .enumeration = &enumeration});
  for (const EnumValue& value : enumeration.values) {
    add(parent, {.kind = Symbol::Kind::other,
                 .name = value.name,
                 .file = &file,
                 .enumeration = &enumeration,
                 .value = &value});
  }
}

}  // namespace kitbag::protobuf
