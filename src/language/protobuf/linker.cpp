#include "language/protobuf/linker.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/lines.h"
#include "kitbag/error.h"
#include "language/protobuf/defaults.h"

// A type is named relative to the message that has the field: the first part of the name is looked
// up from the inside out, among what the file defines and imports, and the rest in what was found.
//
// protobuf's own library refuses a type that is in the set, but in no file that is imported. Here
// it is found if nothing else is meant: some writers make one set of many files and forget imports,
// and the payloads are sound. Nor are reserved numbers and names, extension ranges, names in JSON
// and the restrictions of proto3 checked, since no reader of a payload relies on them.

namespace kitbag::protobuf {

namespace {

constexpr std::int32_t kMaxNumber = 536'870'911;
constexpr std::int32_t kFirstReserved = 19'000;  ///< for protobuf's libraries
constexpr std::int32_t kLastReserved = 19'999;
/// How often a file may be imported, also through others: thousands of files that all import each
/// other. Without the limit, a set of 16 MiB could keep a processor busy for hours.
constexpr std::size_t kMaxImports = 1'000'000;

bool is_key(const std::optional<FieldType>& type) {
  if (!type) return false;
  switch (*type) {
    case FieldType::real32:
    case FieldType::real64:
    case FieldType::group:
    case FieldType::message:
    case FieldType::bytes:
    case FieldType::enumeration:
      return false;
    default:
      return true;
  }
}

class Linker {
 public:
  Linker(Files& files, Symbols& symbols) : files_(files), symbols_(symbols) {}

  void run() {
    for (auto& [name, file] : files_) {
      check_syntax(file);
      file.scope = &symbols_.add(file);
    }
    require_order();
    for (auto& [name, file] : files_) {
      file_ = &file;
      find_visible();
      const Symbol& package = *file.scope;
      for (const EnumDescriptor& each : file.enums) check(package, each);
      for (MessageDescriptor& each : file.messages) link(*symbols_.child(package, each.name), each);
    }
  }

 private:
  static void check_syntax(const FileDescriptor& file) {
    std::string_view syntax = file.syntax;
    if (syntax.empty() || syntax == "proto2" || syntax == "proto3") return;
    throw Error(ErrorCode::unsupported, fmt::format("{}: its syntax is {}, not proto2 or proto3",
                                                    printable(file.name), printable(syntax)));
  }

  const FileDescriptor& imported(const FileDescriptor& file, std::string_view name) const {
    auto found = files_.find(name);
    if (found == files_.end()) refuse(file, name, "it imports this file, which is not in the set");
    return found->second;
  }

  /// No file may import itself, nor through others.
  void require_order() const {
    std::map<std::string_view, std::size_t> waiting;  // how many imports are not done
    std::map<std::string_view, std::vector<std::string_view>> importers;
    std::vector<std::string_view> done;
    for (const auto& [name, file] : files_) {
      for (std::string_view import : file.imports) {
        importers[imported(file, import).name].push_back(name);
      }
      waiting[name] = file.imports.size();
      if (file.imports.empty()) done.push_back(name);
    }
    // A file is done when all that it imports is. What is never done goes round, or waits for such
    // a one.
    while (!done.empty()) {
      std::string_view name = done.back();
      done.pop_back();
      waiting.erase(name);
      for (std::string_view importer : importers[name]) {
        if (--waiting[importer] == 0) done.push_back(importer);
      }
    }
    if (waiting.empty()) return;
    // Some only wait for others. From import to import, one comes to those that go round.
    auto next = [&](std::string_view name) {
      for (std::string_view import : files_.at(name).imports) {
        if (waiting.contains(import)) return import;
      }
      return name;
    };
    std::set<std::string_view> passed;
    std::string_view from;
    std::string_view to = waiting.begin()->first;
    while (passed.insert(to).second) {
      from = to;
      to = next(from);
    }
    refuse(files_.at(from), to, "files import each other");
  }

  /// The file itself, what it imports, and what these pass on.
  void find_visible() {
    visible_ = {};  // clear() takes as long as there was ever room for
    packages_ = {};
    std::vector<const FileDescriptor*> open;
    auto see = [&](const FileDescriptor& file) {
      if (++imports_ > kMaxImports) {
        throw Error(ErrorCode::limit,
                    fmt::format("its files import each other more than {} times", kMaxImports));
      }
      if (!visible_.insert(&file).second) return;
      open.push_back(&file);
      const Symbol* package = file.scope;
      while (package && packages_.insert(package).second) package = package->parent;
    };
    see(*file_);
    for (std::string_view import : file_->imports) see(imported(*file_, import));
    while (!open.empty()) {
      const FileDescriptor& file = *open.back();
      open.pop_back();
      for (std::int32_t index : file.public_imports) {
        if (index < 0 || static_cast<std::size_t>(index) >= file.imports.size()) {
          refuse(file, file.name, fmt::format("its public import {} does not exist", index));
        }
        see(imported(file, file.imports[static_cast<std::size_t>(index)]));
      }
    }
  }

  void check(const Symbol& scope, const EnumDescriptor& enumeration) const {
    if (!enumeration.values.empty()) return;
    refuse(*file_, full_name(*symbols_.child(scope, enumeration.name)), "an enum needs values");
  }

  void link(const Symbol& symbol, MessageDescriptor& message) {
    for (const EnumDescriptor& each : message.enums) check(symbol, each);
    for (MessageDescriptor& each : message.messages) link(*symbols_.child(symbol, each.name), each);
    std::set<std::int32_t> numbers;  // not hashed: they could be made to collide
    for (FieldDescriptor& field : message.fields) {
      check_number(symbol, field);
      if (!numbers.insert(field.number).second) {
        fail(symbol, field, fmt::format("the number {} is already used", field.number));
      }
      auto oneofs = static_cast<std::int64_t>(message.oneofs.size());
      if (field.oneof && (*field.oneof < 0 || *field.oneof >= oneofs)) {
        fail(symbol, field, fmt::format("its oneof {} does not exist", *field.oneof));
      }
      find_type(symbol, field);
      check_default(symbol, field);
      check_map(symbol, field);
    }
  }

  [[noreturn]] void fail(const Symbol& scope, const FieldDescriptor& field,
                         std::string_view what) const {
    refuse(*file_, fmt::format("{}.{}", full_name(scope), field.name), what);
  }

  void check_number(const Symbol& scope, const FieldDescriptor& field) const {
    bool is_reserved = field.number >= kFirstReserved && field.number <= kLastReserved;
    if (field.number >= 1 && field.number <= kMaxNumber && !is_reserved) return;
    fail(scope, field, fmt::format("{} is not a valid field number", field.number));
  }

  void find_type(const Symbol& scope, FieldDescriptor& field) const {
    if (field.type_name) {
      field.target = resolve(scope, *field.type_name);
      if (!field.target || !field.target->is_type()) {
        fail(scope, field, fmt::format("there is no type {}", printable(*field.type_name)));
      }
      bool is_enum = field.target->kind == Symbol::Kind::enumeration;
      if (!field.type) field.type = is_enum ? FieldType::enumeration : FieldType::message;
    }
    if (!field.type) {  // the first one, as everywhere in protobuf
      field.type = FieldType::real64;
      field.default_value.reset();  // whatever it was meant for
    }
    bool needs_enum = *field.type == FieldType::enumeration;
    bool needs_message = *field.type == FieldType::message || *field.type == FieldType::group;
    bool is_as_said = field.target ? (field.target->message ? needs_message : needs_enum)
                                   : !needs_message && !needs_enum;
    if (!is_as_said) fail(scope, field, "its type has another kind than its type name");
  }

  void check_default(const Symbol& scope, FieldDescriptor& field) const {
    if (!field.default_value) return;
    bool may_have_one = field.label != Label::repeated && file_->syntax != "proto3" &&
                        !(field.target && field.target->message);
    if (!may_have_one) fail(scope, field, "it may not have a default value");
    if (field.target) field.default_enumerator = enumerator(*field.target, *field.default_value);
    std::optional<Literal> value;
    if (parse_default(field, value)) return;
    fail(scope, field,
         fmt::format("its default value {} is none", printable(*field.default_value)));
  }

  /// The value of an enum with that name; null if none has it. They are beside the enum.
  const EnumValue* enumerator(const Symbol& enumeration, std::string_view name) const {
    const Symbol* found = symbols_.child(*enumeration.parent, name);
    bool is_of_it = found && found->enumeration == enumeration.enumeration;
    return is_of_it ? found->value : nullptr;
  }

  void check_map(const Symbol& scope, const FieldDescriptor& field) const {
    const MessageDescriptor* entry = field.target ? field.target->message : nullptr;
    bool is_map = entry && entry->is_map_entry && *field.type == FieldType::message;
    if (!is_map) return;
    const auto& fields = entry->fields;
    bool is_pair = fields.size() == 2 && fields[0].number == 1 && fields[1].number == 2;
    if (!is_pair || !is_key(fields[0].type)) {
      fail(scope, field, "its map has no key and value, or a key of a type that is not allowed");
    }
  }

  const Symbol* resolve(const Symbol& scope, std::string_view name) const {
    const Symbol* found = resolve(scope, name, true);
    return found ? found : resolve(scope, name, false);
  }

  const Symbol* resolve(const Symbol& scope, std::string_view name, bool is_strict) const {
    auto seen = [&](const Symbol* symbol) {
      return symbol && (!is_strict || is_visible(*symbol)) ? symbol : nullptr;
    };
    if (name.starts_with('.')) return seen(symbols_.descend(symbols_.root(), name.substr(1)));
    std::string_view first = name.substr(0, name.find('.'));
    for (const Symbol* at = &scope; at; at = at->parent) {
      const Symbol* found = seen(symbols_.child(*at, first));
      if (!found) continue;
      bool is_whole = first.size() == name.size();
      if (is_whole && found->is_type()) return found;
      if (is_whole || found->kind == Symbol::Kind::other) continue;
      // The innermost scope that has the first part decides, as in C++: none further out is tried.
      return seen(symbols_.descend(*found, name.substr(first.size() + 1)));
    }
    return nullptr;
  }

  bool is_visible(const Symbol& symbol) const {
    return symbol.kind == Symbol::Kind::package ? packages_.contains(&symbol)
                                                : visible_.contains(symbol.file);
  }

  Files& files_;
  Symbols& symbols_;
  FileDescriptor* file_ = nullptr;
  std::unordered_set<const FileDescriptor*> visible_;
  std::unordered_set<const Symbol*> packages_;
  std::size_t imports_ = 0;
};

}  // namespace

void link(Files& files, Symbols& symbols) {
  Linker(files, symbols).run();
}

}  // namespace kitbag::protobuf
