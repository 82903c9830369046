#include "kitbag/open.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "kitbag/error.h"

namespace kitbag {
namespace {

void read_head(Input& input) {
  if (!input.file || !input.head.empty()) return;
  std::uint64_t size = std::min<std::uint64_t>(input.file->size(), Input::kHeadBytes);
  input.head.resize(static_cast<std::size_t>(size));
  input.head.resize(input.file->read(0, input.head));
}

Input input_at(const std::string& path) {
  Input input{path, {}, nullptr};
  std::error_code ignored;  // what is wrong with the path, open_file() says better
  if (!std::filesystem::is_directory(path, ignored)) input.file = open_file(path);
  read_head(input);
  return input;
}

/// "rosbag (.bag), mcap (.mcap)"
std::string known_formats(const Registry& registry) {
  std::vector<std::string> names;
  for (const Format& format : registry.formats) {
    names.push_back(format.extension.empty()
                        ? std::string(format.name)
                        : fmt::format("{} ({})", format.name, format.extension));
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

const Format& format_of(const Input& input, const Registry& registry) {
  const Format* best = nullptr;
  int surest = 0;
  for (const Format& format : registry.formats) {
    int sure = format.matches(input);
    if (sure > surest) {
      surest = sure;
      best = &format;
    }
  }
  if (best) return *best;
  if (input.file && input.file->size() == 0) {
    throw Error(ErrorCode::corrupt, "the file is empty", input.path);
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("not a bag that kitbag knows; it knows {}", known_formats(registry)),
              input.path);
}

const Format& format_to_create(const std::string& path, const std::string& name,
                               const Registry& registry) {
  if (!name.empty()) {
    if (const Format* format = find_format(registry, name)) return *format;
    throw Error(ErrorCode::invalid, fmt::format("there is no format \"{}\"; there are {}", name,
                                                known_formats(registry)));
  }
  std::string extension = std::filesystem::path(path).extension().string();
  for (const Format& format : registry.formats) {
    if (!extension.empty() && format.extension == extension) return format;
  }
  throw Error(ErrorCode::invalid,
              fmt::format("the extension \"{}\" tells no format; there are {}", extension,
                          known_formats(registry)),
              path);
}

void check_compression(const Format& format, const WriteOptions& options) {
  const auto& known = format.compressions;
  if (std::find(known.begin(), known.end(), options.compression) != known.end()) return;
  throw Error(ErrorCode::invalid,
              fmt::format("{} has no compression \"{}\"; it has {}", format.name,
                          options.compression, fmt::join(known, ", ")));
}

/// For formats that have nothing to verify: whatever can be read is read.
void read_all(const Format& format, const Input& input, const OnProblem& on_finding,
              const Registry& registry) {
  BagPtr bag = format.open(input, ReadOptions{on_finding}, registry);
  std::unique_ptr<Source> source = bag->read(Query{});
  for (Batch batch; source->read(batch, Wait{}); batch.clear()) {
  }
}

}  // namespace

BagPtr open(const std::string& uri, const ReadOptions& options, const Registry& registry) {
  return open(input_at(path_of(uri)), options, registry);
}

BagPtr open(const Input& input, const ReadOptions& options, const Registry& registry) {
  Input whole = input;
  read_head(whole);
  return format_of(whole, registry).open(whole, options, registry);
}

std::unique_ptr<Writer> create(const std::string& uri, const std::string& format,
                               const WriteOptions& options, const Registry& registry) {
  std::string path = path_of(uri);
  const Format& chosen = format_to_create(path, format, registry);
  if (!chosen.create) {
    throw Error(ErrorCode::unsupported, fmt::format("{} can only be read", chosen.name), path);
  }
  check_compression(chosen, options);
  return chosen.create(path, options, registry);
}

std::unique_ptr<Writer> append(const std::string& uri, const WriteOptions& options,
                               const Registry& registry) {
  std::string path = path_of(uri);
  const Format& format = format_of(input_at(path), registry);
  if (!format.append) {
    throw Error(ErrorCode::unsupported, fmt::format("{} cannot be appended to", format.name), path);
  }
  check_compression(format, options);
  return format.append(path, options, registry);
}

void check(const std::string& uri, const OnProblem& on_finding, const Registry& registry) {
  check(input_at(path_of(uri)), on_finding, registry);
}

void check(const Input& input, const OnProblem& on_finding, const Registry& registry) {
  Input whole = input;
  read_head(whole);
  const Format& format = format_of(whole, registry);
  if (format.check) {
    format.check(whole, on_finding, registry);
  } else {
    read_all(format, whole, on_finding, registry);
  }
}

}  // namespace kitbag
