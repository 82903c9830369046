#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/codec.h"
#include "kitbag/feed.h"
#include "kitbag/file.h"
#include "kitbag/transport.h"

namespace kitbag {

class Session;

/// What a Format is given to look at.
struct Input {
  std::string path;                      ///< for messages, and for opening directories
  std::vector<std::byte> head;           ///< the first bytes of the file, kHeadBytes at most
  std::shared_ptr<const ReadFile> file;  ///< null: a directory

  static constexpr std::size_t kHeadBytes = 4096;
};

/// A version of a format that can be written. What it cannot hold is left out, and told to
/// WriteOptions::on_warning.
struct FormatVersion {
  std::string_view name;                       ///< as WriteOptions::format_version
  std::vector<std::string_view> compressions;  ///< as Format::compressions
  bool holds_metadata = true;                  ///< all of Channel::metadata
  bool holds_definitions = true;               ///< Schema::text, and channels without messages
  bool is_indexed = true;
  /// What tells of which channel a message is, and when, stands there twice or under a checksum, so
  /// that damage to it is noticed by who reads.
  bool is_redundant = true;
};

/// A way to store bags: one folder under storage/, one line in the registry.
struct Format {
  std::string_view name;         ///< "rosbag"
  std::string_view extension;    ///< ".bag"
  std::string_view description;  ///< one line for people

  /// How sure it is that `input` is its own: 0 no, 100 certain. The highest wins.
  std::function<int(const Input& input)> matches;
  /// Throws Error when `input` cannot be read at all; damage goes to options.on_problem.
  std::function<BagPtr(const Input& input, const ReadOptions& options, const Session& session)>
      open;
  /// Verifies everything that open() and reading leave unchecked; each finding goes to
  /// options.on_problem, in file order. Null: the format has nothing to verify.
  std::function<void(const Input& input, const ReadOptions& options, const Session& session)> check;
  /// A new bag that appears at `path` when it is closed. Null: the format is read-only.
  std::function<std::unique_ptr<Writer>(const std::string& path, const WriteOptions& options,
                                        const Session& session)>
      create;
  /// More messages for the bag at `path`, which stays whole until close(). Null: cannot.
  std::function<std::unique_ptr<Writer>(const std::string& path, const WriteOptions& options,
                                        const Session& session)>
      append;
  /// Names accepted as WriteOptions::compression, "none" first; of the newest version.
  std::vector<std::string_view> compressions;
  /// Those that create() writes, newest first. Empty: there is one.
  std::vector<FormatVersion> versions = {};
  /// Names accepted as WriteOptions::preset.
  std::vector<std::string_view> presets = {};
  /// Other names by which the format is known.
  std::vector<std::string_view> aliases = {};
  /// The newest version heeds WriteOptions::gpg_key.
  bool can_encrypt = false;
  /// open() takes files that are forward only, and create() writes to "-", standard output.
  bool can_stream = false;
  /// It holds bags of other formats: ReadOptions::format and WriteOptions::member_format are for
  /// these. A target whose name ends with its extension is one.
  bool is_container = false;
  /// Of a container: the paths of the bags that it holds. Null: it is one file.
  std::function<std::vector<std::string>(const Input& input, const Session& session)> parts =
      nullptr;
  /// Of a container: makes what it tells of sound parts true again, in place. False: it was.
  std::function<bool(const Input& input, const ReadOptions& options, const Session& session)> mend =
      nullptr;
  /// Of a container at `path`: what it tells is made true without `part`, one of its parts, so that
  /// the file may go. A Writer may be at work on another part meanwhile. Throws Error. Null:
  /// cannot.
  std::function<void(const std::string& path, const std::string& part, const Session& session)>
      forget = nullptr;
  /// A compression is of each message by itself, not of chunks.
  bool compresses_messages = false;
};

/// What a URI such as "demo://?seconds=5&seed=7" says.
struct Location {
  std::string uri;     ///< for messages
  std::string scheme;  ///< "demo"
  std::string path;    ///< what stands between "://" and "?"
  std::map<std::string, std::string> parameters;
};

/// A way to speak to a live system: one folder under transport/, one line in the registry. Each
/// function throws Error (invalid) for parameters that the transport does not have.
struct Transport {
  std::string_view scheme;  ///< of its URIs: "demo"
  /// What comes of it where time need not pass, as a bag that can be read as fast as it is made.
  /// Null: it has to be waited for.
  std::function<BagPtr(const Location& location, const Session& session)> open = nullptr;
  /// Listens. `feed` must outlive it. Null: it only takes, or open() gives all.
  std::function<std::unique_ptr<Subscriber>(const Location& location, const Subscription& wanted,
                                            Feed& feed, const Session& session)>
      subscribe = nullptr;
  /// Speaks. Null: it only gives.
  std::function<std::unique_ptr<Publisher>(const Location& location, const Publication& how,
                                           const Session& session)>
      publish = nullptr;
  /// True: who sends can be made to wait for who records, so that nothing is lost. Null: never.
  std::function<bool(const Location& location)> holds_back = nullptr;
  /// Encodings of payloads that it sends; empty: any.
  std::vector<std::string_view> encodings = {};
};

/// Everything that can be plugged in; a plain table, built in one place (standard_registry()).
struct Registry {
  std::vector<Format> formats = {};
  std::vector<Codec> codecs = {};
  std::vector<Language> languages = {};
  std::vector<Transport> transports = {};
};

/// The format of that name or alias, or null.
KITBAG_API const Format* find_format(const Registry& registry, std::string_view name);
/// The codec of that encoding, or null.
KITBAG_API const Codec* find_codec(const Registry& registry, std::string_view encoding);
/// The language of that name or alias, or null.
KITBAG_API const Language* find_language(const Registry& registry, std::string_view name);
/// The transport of that scheme, or null.
KITBAG_API const Transport* find_transport(const Registry& registry, std::string_view scheme);
/// The format that is surest of `input`, whose head must be there; or null.
KITBAG_API const Format* match_format(const Registry& registry, const Input& input);
/// Format::check; for formats that have nothing to verify, all that can be read is read.
KITBAG_API void check_by(const Format& format, const Input& input, const ReadOptions& options,
                         const Session& session);
/// Throws Error (invalid, unsupported) for a version, compression or preset that `format` does not
/// have, and for a key where it cannot encrypt.
KITBAG_API void check_options(const Format& format, const WriteOptions& options);
/// What a Format is given for the file or folder at `path`. Throws Error (not_found, io).
KITBAG_API Input input_at(const std::string& path);

}  // namespace kitbag
