#include "kitbag/open.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/path.h"
#include "compress/stream.h"
#include "definitions/check_definitions.h"
#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "kitbag/session.h"
#include "model/channel_fields.h"
#include "model/empty_bag.h"
#include "model/open_by.h"
#include "open/append_locked.h"
#include "open/open_transport.h"
#include "payload/check_payloads.h"
#include "storage/writing/closing_writer.h"
#include "storage/writing/create_by.h"

// A format is recognized by the content, not by the name. An explicit format wins over that, except
// for containers (directories, packed bags), where it names the format of the bags inside. An empty
// file has no bytes to recognize; a recorder may just have begun it, so its name decides, without
// .active.
//
// When creating, there is nothing but the name: the extension, or for a pipe the first format that
// can stream.
//
// Check reads twice: the format checks its structure, then definitions and payloads are checked
// through an ordinary bag. The second pass reports no damage, which the first one has reported
// already.

namespace kitbag {
namespace {

void read_head(Input& input) {
  if (!input.file || !input.head.empty()) return;
  std::uint64_t size = std::min<std::uint64_t>(input.file->size(), Input::kHeadBytes);
  input.head.resize(static_cast<std::size_t>(size));
  input.head.resize(input.file->read(0, input.head));
}

/// Throws for a pipe that the format cannot be read from.
void require_places(const Input& input, const Format& format) {
  if (!input.file || !input.file->is_forward_only() || format.can_stream) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("{} needs random access, but this is a pipe; save it to a file first",
                          format.name),
              input.path);
}

/// "rosbag (.bag), mcap (.mcap)"
std::string known_formats(const Session& session) {
  std::vector<std::string> names;
  std::string around;  // what wraps a bag of another format names no format of its own
  for (const Format& format : session.registry().formats) {
    if (format.is_container && !format.parts) {
      around += fmt::format(", or {}", format.description);
      continue;
    }
    names.push_back(format.extension.empty()
                        ? std::string(format.name)
                        : fmt::format("{} ({})", format.name, format.extension));
  }
  return names.empty() ? "none" : fmt::format("{}{}", fmt::join(names, ", "), around);
}

const Format& format_named(const std::string& name, const Session& session) {
  if (const Format* format = find_format(session.registry(), name)) return *format;
  throw Error(ErrorCode::invalid, fmt::format("unknown format \"{}\"; supported formats: {}", name,
                                              known_formats(session)));
}

/// The format called `name`, or if that is empty, the one that the content shows. A container of
/// bags of other formats is opened as such; `name` then applies to these bags.
const Format& format_of(const Input& input, const std::string& name, const Session& session) {
  const Format* best = match_format(session.registry(), input);
  if (best && best->is_container) {
    if (!name.empty()) format_named(name, session);
    return *best;
  }
  if (!name.empty()) return format_named(name, session);
  if (best) return *best;
  if (input.file && input.file->size() == 0) {
    throw Error(ErrorCode::corrupt, "the file is empty", input.path);
  }
  const Format* named = format_of_name(session.registry(), input.path);
  std::string hint;
  if (named) {
    hint = fmt::format(
        "; the extension is that of {0}: if only the first bytes are damaged, repair "
        "the bag, or read it with the storage format {0}",
        named->name);
  }
  throw Error(
      ErrorCode::unsupported,
      fmt::format("unrecognized format; supported formats: {}{}", known_formats(session), hint),
      input.path);
}

/// For an empty file, the format that its name shows; null for other files.
const Format* format_of_empty(const Input& input, const std::string& name, const Session& session) {
  if (!input.file || input.file->is_forward_only() || input.file->size() > 0) return nullptr;
  if (!name.empty()) return find_format(session.registry(), name);
  return format_of_name(session.registry(), input.path);
}

bool is_file(const std::string& path, const Session& session) {
  if (path == "-") return false;
  auto status = session.file_system(path)->status(path);
  return status && status->is_regular;
}

const Format& format_to_create(const std::string& path, const std::string& name,
                               const Session& session) {
  for (const Format& format : session.registry().formats) {
    // The extension of a container comes before `name`, which then is the format of the bags
    // inside.
    bool is_given = !format.extension.empty() && path.ends_with(format.extension);
    if (format.is_container && is_given) return format;
  }
  if (!stream_compression_named(extension(path)).empty()) {
    throw Error(ErrorCode::unsupported,
                fmt::format("bags that are compressed as a whole can be read, not written; leave "
                            "out the extension \"{}\"",
                            extension(path)),
                path);
  }
  if (!name.empty()) return format_named(name, session);
  if (const Format* format = format_of_name(session.registry(), path)) return *format;
  for (const Format& format : session.registry().formats) {
    if (path == "-" && format.can_stream) return format;
  }
  throw Error(
      ErrorCode::invalid,
      fmt::format("cannot determine the format from the extension \"{}\"; supported formats: {}",
                  extension(path), known_formats(session)),
      path);
}

/// Checks what is opaque to the format. Damage of the bag has been reported already.
void check_content(const Format& format, const Input& input, const ReadOptions& options,
                   const CheckOptions& how, const Session& session) {
  ReadOptions quiet = options;
  quiet.on_problem = [](const Error&) {};
  BagPtr bag = format.open(input, quiet, session);
  check_definitions(*bag, input.path, options.on_problem, session);
  check_payloads(*bag, how.decoded_messages, input.path, options, session);
}

/// So that the messages of the bag are decoded with the parts of the session that opened it.
BagPtr with_session(BagPtr bag, const Session& session) {
  if (!bag->channels()) return bag;
  for (const ChannelPtr& channel : *bag->channels()) {
    if (channel) set_session(*channel, session);
  }
  return bag;
}

}  // namespace

BagPtr Session::open(const std::string& uri, const ReadOptions& options) const {
  if (auto location = location_of(uri)) {
    const Transport* transport = find_transport(location->scheme);
    if (transport && transport->open) {
      return with_session(open_transport(*transport, *location, *this), *this);
    }
  }
  return open(input_at(path_of(uri)), options);
}

BagPtr Session::open(const Input& input, const ReadOptions& options) const {
  Input whole = input;
  read_head(whole);
  if (const Format* format = format_of_empty(whole, options.format, *this)) {
    return open_empty(whole, std::string(format->name), options);
  }
  const Format& format = format_of(whole, options.format, *this);
  require_places(whole, format);
  return with_session(open_by(format, whole, options, *this), *this);
}

std::unique_ptr<Writer> Session::create(const std::string& uri, const WriteOptions& options) const {
  std::string path = path_of(uri);
  const Format& chosen = format_for(path, options.format);
  if (!chosen.create) {
    throw Error(ErrorCode::unsupported, fmt::format("{} can only be read", chosen.name), path);
  }
  if (path == "-" && !chosen.can_stream) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} cannot be written to a pipe; write to a file", chosen.name), path);
  }
  if (!options.may_replace && is_file(path, *this)) {
    throw Error(ErrorCode::exists, "already exists", path);
  }
  if (chosen.is_container) {
    WriteOptions of_members = options;
    bool names_members = !options.format.empty() && options.format != chosen.name;
    if (names_members) of_members.member_format = options.format;
    return create_by(chosen, path, of_members, *this);
  }
  check_options(chosen, options);
  return create_by(chosen, path, options, *this);
}

std::unique_ptr<Writer> Session::append(const std::string& uri, const WriteOptions& options) const {
  std::string path = path_of(uri);
  FileSystemPtr files = file_system(path);
  auto status = files->status(path);
  // Writers lock files by themselves. A directory is locked here, as its files change while it
  // grows.
  if (!status || !status->is_folder) return append_locked(path, options, *this);
  std::shared_ptr<FileLock> lock = files->lock(path, LockKind::exclusive, options.on_warning);
  auto writer = append_locked(path, options, *this);
  return std::make_unique<ClosingWriter>(std::move(writer),
                                         [lock](std::uint64_t) mutable { lock.reset(); });
}

std::unique_ptr<Writer> append_locked(const std::string& path, const WriteOptions& options,
                                      const Session& session) {
  const Format& format = format_of(session.input_at(path), {}, session);
  if (format.needs_local_file && !session.file_system(path)->is_local()) {
    throw Error(ErrorCode::unsupported,
                fmt::format("a bag of the format {} can be appended to in the local file system "
                            "only; copy it there first",
                            format.name),
                path);
  }
  if (!format.append) {
    throw Error(ErrorCode::unsupported, fmt::format("cannot append to a {} bag", format.name),
                path);
  }
  if (!format.is_container) check_options(format, options);
  return format.append(path, options, session);
}

void Session::check(const std::string& uri, const ReadOptions& options) const {
  check(uri, options, {});
}

void Session::check(const std::string& uri, const ReadOptions& options,
                    const CheckOptions& how) const {
  check(input_at(path_of(uri)), options, how);
}

void Session::check(const Input& input, const ReadOptions& options) const {
  check(input, options, {});
}

void Session::check(const Input& input, const ReadOptions& options, const CheckOptions& how) const {
  Input whole = input;
  read_head(whole);
  const Format& format = format_of(whole, options.format, *this);
  if (whole.file && whole.file->is_forward_only()) {
    throw Error(ErrorCode::invalid, "a pipe cannot be checked; save the bag to a file first",
                input.path);
  }
  bool is_found = false;
  ReadOptions noticing = options;
  noticing.on_problem = [&](const Error& finding) {
    is_found |= finding.code() != ErrorCode::remark;
    report(options.on_problem, finding);
  };
  check_by(format, whole, noticing, *this);
  try {
    check_content(format, whole, noticing, how, *this);
  } catch (const Error& error) {
    if (!is_found || !is_damage(error.code())) throw;  // else it was reported as a finding
  }
}

const Format& Session::format_for(const std::string& uri, const std::string& name) const {
  return format_to_create(path_of(uri), name, *this);
}

}  // namespace kitbag
