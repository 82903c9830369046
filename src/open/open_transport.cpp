#include "open/open_transport.h"

#include "kitbag/session.h"
#include "kitbag/transcode.h"

namespace kitbag {

BagPtr open_transport(const Transport& transport, const Location& location,
                      const Session& session) {
  Location own = location;
  auto encoding = own.parameters.extract("encoding");
  BagPtr bag = transport.open(own, session);
  if (encoding.empty()) return bag;
  TranscodeOptions options;
  options.encoding = encoding.mapped();
  return through(std::move(bag), [=] { return transcode(options, session); });
}

}  // namespace kitbag
