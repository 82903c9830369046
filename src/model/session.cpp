#include "kitbag/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kitbag/chunk_figures.h"
#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "model/scheme.h"
#include "model/session_parts.h"

// A session is a handle. Its copies share the parts, which live as long as one of them does:
// formats and transports, the cache of chunks, the definitions that were found. Only the clock is
// that of each copy (with_clock()).
//
// What the registry does not have is asked of the parts (load_transport() and its like), which may
// load it then. So a program that lists a bag does not load the libraries of every transport.

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

ChunkFigures chunk_figures(const Session& session) {
  return session.chunk_cache()->figures();
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
  if (FileSystemPtr files = parts_->load_file_system(scheme)) return files;
  for (std::string_view each : parts_->loadable_file_systems()) known.push_back(each);
  throw Error(ErrorCode::unsupported,
              fmt::format("unsupported scheme {}://; use a path or one of these schemes: {}",
                          scheme, fmt::join(known, ", ")),
              path);
}

namespace {

/// Opens a file. If there is only an incomplete recording of that name, the error says so.
std::shared_ptr<const ReadFile> open_file(const FileSystem& files, const std::string& path) {
  try {
    return files.open(path);
  } catch (const Error& error) {
    bool is_recorded =
        error.code() == ErrorCode::not_found && files.status(path + kActiveSuffix).has_value();
    if (!is_recorded) throw;
    throw Error(error.code(),
                fmt::format("{}, but one that is being recorded or was not completed: its name "
                            "ends with \"{}\"",
                            error.message(), kActiveSuffix),
                error.file());
  }
}

}  // namespace

Input Session::input_at(const std::string& path) const {
  Input input{path, {}, nullptr, file_system(path)};
  if (path != "-") {
    auto status = input.files->status(path);
    if (status && status->is_folder) return input;
  }
  input.file = open_file(*input.files, path);
  std::uint64_t size = std::min<std::uint64_t>(input.file->size(), Input::kHeadBytes);
  input.head.resize(static_cast<std::size_t>(size));
  input.head.resize(input.file->read(0, input.head));
  return input;
}

const Transport* Session::find_transport(std::string_view scheme) const {
  const Transport* known = kitbag::find_transport(registry(), scheme);
  return known ? known : parts_->load_transport(scheme);
}

const VideoCodec* Session::find_video_codec(std::string_view format) const {
  const VideoCodec* known = kitbag::find_video_codec(registry(), format);
  return known ? known : parts_->load_video_codec(format);
}

const ExportFormat* Session::find_export_format(std::string_view name) const {
  for (const ExportFormat& format : registry().export_formats) {
    if (format.name == name) return &format;
  }
  return parts_->load_export_format(name);
}

const DatabaseEngine* Session::find_database(std::string_view scheme) const {
  for (const DatabaseEngine& engine : registry().databases) {
    if (std::find(engine.schemes.begin(), engine.schemes.end(), scheme) != engine.schemes.end()) {
      return &engine;
    }
  }
  return parts_->load_database(scheme);
}

}  // namespace kitbag
