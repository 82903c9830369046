#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/error.h"
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
};

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
  Session(Registry registry, ClockPtr clock = nullptr);

  /// The same parts with another clock.
  Session with_clock(ClockPtr clock) const;

  /// All parts but the transports that are loaded later.
  const Registry& registry() const;
  const ClockPtr& clock() const { return clock_; }

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
