#pragma once

#include <string>
#include <vector>

#include "server/http/message.h"

// Panels that are not in the page itself (docs/adding-a-panel.md): folders of JavaScript, which the
// page imports from this server. /panels/ lists them, /panels/NAME/FILE is a file of one. They are
// read when they are asked for: the author of a panel only has to load the page again. Like the
// page, they hold nothing of a bag, and need no token.

namespace kitbag::server {

/// share/kitbag/panels beside the program; "" if it is not there.
std::string installed_panels();

/// Any thread.
class PanelFolders {
 public:
  /// Each folder has panels: folders with a panel.js. Of two with one name, the first counts.
  /// Throws Error (not_found) if there is no such folder.
  explicit PanelFolders(std::vector<std::string> folders);

  /// Whether the path is below /panels/.
  static bool has(const Request& request);
  /// The list, a file, or 404.
  Response handle(const Request& request) const;

 private:
  std::vector<std::string> folders_;
};

}  // namespace kitbag::server
