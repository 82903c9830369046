#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/options/inputs.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/verbs.h"
#include "kitbag/file.h"

namespace kitbag::cli {
namespace {

void copy(const ReadFile& file, Output& out) {
  std::vector<std::byte> bytes(std::size_t{1} << 20);
  for (std::uint64_t at = 0; at < file.size();) {
    std::size_t count = file.read(at, bytes);
    if (count == 0) {
      throw Error(ErrorCode::truncated,
                  fmt::format("only {} of {} bytes could be read", at, file.size()));
    }
    out.write_content(as_text(ByteView(bytes).first(count)));
    at += count;
  }
}

/// The one of `bag` with that name and number, of one kind. Throws Error: not_found, naming those
/// there are; invalid if there are several and no number chooses one.
template <class Kind>
Kind find(const GetArguments& arguments, const Bag& bag, const char* kind) {
  std::vector<Kind> found;
  std::string names;
  for (const Extra& extra : bag.extras()) {
    const Kind* one = std::get_if<Kind>(&extra);
    if (!one) continue;
    if (one->name == arguments.name) found.push_back(*one);
    names += (names.empty() ? "" : ", ") + one->name;
  }
  if (found.empty()) {
    throw Error(ErrorCode::not_found,
                fmt::format("has no {} \"{}\"; {}", kind, arguments.name,
                            names.empty() ? "the bag has none" : "available: " + names),
                arguments.bag);
  }
  if (arguments.number == 0 && found.size() > 1) {
    throw Error(ErrorCode::invalid,
                fmt::format("has the {} \"{}\" {} times; choose one with --number, from 1", kind,
                            arguments.name, found.size()),
                arguments.bag);
  }
  if (arguments.number > found.size()) {
    throw Error(ErrorCode::not_found,
                fmt::format("has no number {} of the {} \"{}\"; the last one is {}",
                            arguments.number, kind, arguments.name, found.size()),
                arguments.bag);
  }
  // 0 is no number that was given; then there is one item alone.
  return found[std::max<std::size_t>(arguments.number, 1) - 1];
}

/// What was asked for, as a file.
std::shared_ptr<const ReadFile> named(const GetArguments& arguments, const Bag& bag) {
  if (arguments.what == Named::attachment) {
    return find<Attachment>(arguments, bag, "attachment").data;
  }
  auto text = std::make_shared<const std::string>(
      values_json(find<Metadata>(arguments, bag, "metadata").values) + "\n");
  return memory_file(as_bytes(*text), text);
}

}  // namespace

int get(const GetArguments& arguments, const Context& context) {
  Inputs inputs({arguments.bag}, arguments.reading, context);
  // Extras of a pipe are known at its end alone.
  inputs.read_stream(context.stop);
  const Bag& bag = *inputs.bags().front();
  auto file = named(arguments, bag);
  if (arguments.output.empty()) {
    copy(*file, context.out);
  } else {
    save_file(*file, arguments.output, arguments.may_replace);
  }
  return inputs.warn();
}

}  // namespace kitbag::cli
