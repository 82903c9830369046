#include "kitbag/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/scheme.h"
#include "model/session_parts.h"

namespace kitbag {

Session::Session(std::shared_ptr<Parts> parts, ClockPtr clock)
    : parts_(std::move(parts)), clock_(clock ? std::move(clock) : system_clock()) {}

Session::Session(Registry registry, ClockPtr clock)
    : Session(std::make_shared<Parts>(std::move(registry)), std::move(clock)) {}

Session Session::with_clock(ClockPtr clock) const {
  return {parts_, std::move(clock)};
}

const Registry& Session::registry() const {
  return parts_->registry();
}

std::vector<std::string> Session::transport_schemes() const {
  std::set<std::string> schemes;
  for (const Transport& transport : registry().transports) schemes.emplace(transport.scheme);
  for (std::string& scheme : parts_->loadable_schemes()) schemes.insert(std::move(scheme));
  return {schemes.begin(), schemes.end()};
}

const std::shared_ptr<ChunkCache>& Session::chunk_cache() const {
  return parts_->chunk_cache();
}

DefinitionCache& Session::definition_cache() const {
  return parts_->definition_cache();
}

FileSystemPtr Session::file_system(const std::string& path) const {
  std::string_view scheme = scheme_of(path);
  if (scheme.empty()) scheme = "file";
  std::vector<std::string_view> known;
  for (const FileSystemPtr& files : registry().file_systems) {
    if (files->scheme() == scheme) return files;
    known.push_back(files->scheme());
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("unsupported scheme {}://; use a path or one of these schemes: {}",
                          scheme, fmt::join(known, ", ")),
              path);
}

Input Session::input_at(const std::string& path) const {
  Input input{path, {}, nullptr, file_system(path)};
  if (path != "-") {
    auto status = input.files->status(path);
    if (status && status->is_folder) return input;
  }
  input.file = input.files->open(path);
  std::uint64_t size = std::min<std::uint64_t>(input.file->size(), Input::kHeadBytes);
  input.head.resize(static_cast<std::size_t>(size));
  input.head.resize(input.file->read(0, input.head));
  return input;
}

const Transport* Session::find_transport(std::string_view scheme) const {
  const Transport* known = kitbag::find_transport(registry(), scheme);
  return known ? known : parts_->load_transport(scheme);
}

}  // namespace kitbag
