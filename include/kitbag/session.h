#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/error.h"
#include "kitbag/live.h"
#include "kitbag/registry.h"
#include "kitbag/time.h"

namespace kitbag {

/// What a Session is made of.
struct SessionOptions {
  /// Null: the clock of the machine.
  ClockPtr clock = nullptr;
  /// Shared objects with plugins, beside those in the folders of KITBAG_PLUGIN_PATH.
  std::vector<std::string> plugins = {};
  /// Gets the plugins of KITBAG_PLUGIN_PATH that cannot be loaded. Empty: nobody does.
  OnProblem on_warning = {};
  /// Memory for compressed chunks, unpacked: those that readers load ahead, and those that are kept
  /// for the next reader that comes to the same place.
  std::size_t cache_bytes = std::size_t{128} << 20;
};

class ChunkCache;

/// What everything works with: the parts that can be plugged in, and the clock. A handle, and cheap
/// to copy: copies are the same session. Whatever comes out of a session keeps it alive. Any
/// thread.
class KITBAG_API Session {
 public:
  /// The built-in parts, the plugins in the folders of KITBAG_PLUGIN_PATH, and the transports that
  /// come as plugins with kitbag, each of which is loaded when it is first asked for.
  Session();
  /// Throws Error for one of `options.plugins`, as load_plugin() does.
  explicit Session(SessionOptions options);
  /// These parts and no others.
  explicit Session(Registry registry, ClockPtr clock = nullptr);

  /// Opens the bag at `uri`: a path, a `file://` URI, or one of a transport that need not be waited
  /// for; its parameter `encoding` is what payloads are brought to. Throws Error.
  BagPtr open(const std::string& uri, const ReadOptions& options = {}) const;
  /// Opens bytes that are somewhere else than in a file; `input.path` names them in messages.
  BagPtr open(const Input& input, const ReadOptions& options = {}) const;

  /// Starts a new bag at `uri`, in `options.format`, or where that is empty in the format that the
  /// extension names. A `uri` that ends with "/" is a directory of rosbag2. Throws Error (exists:
  /// see WriteOptions::may_replace).
  std::unique_ptr<Writer> create(const std::string& uri, const WriteOptions& options = {}) const;
  /// Adds to the bag at `uri`, which must exist; it stays readable as it was until close().
  std::unique_ptr<Writer> append(const std::string& uri, const WriteOptions& options = {}) const;

  /// Verifies the bag at `uri`: structure, index against content, order in time. What is found goes
  /// to `options.on_problem`, with its offset. Throws Error only when there is nothing to check, or
  /// it cannot be read (io, locked).
  void check(const std::string& uri, const ReadOptions& options) const;
  void check(const Input& input, const ReadOptions& options) const;

  /// Listens to the system at `uri`, to the channels that are wanted. What a transport can give at
  /// once, as "demo://" does, comes as fast as it would happen. Throws Error (invalid: it is no URI
  /// of a transport; and what the transport throws).
  std::unique_ptr<LiveSource> listen(const std::string& uri, const Subscription& wanted = {},
                                     const FeedOptions& options = {}) const;
  /// Speaks to the system at `uri`. Throws as listen() does.
  std::unique_ptr<Publisher> publish(const std::string& uri, const Publication& how = {}) const;

  /// The same parts with another clock.
  Session with_clock(ClockPtr clock) const;

  /// All parts but the transports that are loaded later.
  const Registry& registry() const;
  const ClockPtr& clock() const { return clock_; }
  /// What the readers of the built-in formats share.
  const std::shared_ptr<ChunkCache>& chunk_cache() const;

  /// The format in which create() would write. Throws Error (invalid) where that cannot be
  /// determined.
  const Format& format_for(const std::string& uri, const std::string& name = {}) const;
  /// The encodings of payloads that can be sent to the system at `uri`; empty: any.
  std::vector<std::string_view> encodings_of(const std::string& uri) const;
  /// The transport of that scheme, or null. Valid as long as the session. Throws Error where its
  /// plugin cannot be loaded.
  const Transport* find_transport(std::string_view scheme) const;

 private:
  class Parts;
  class Plugins;
  Session(std::shared_ptr<Parts> parts, ClockPtr clock);

  std::shared_ptr<Parts> parts_;
  ClockPtr clock_;
};

}  // namespace kitbag
