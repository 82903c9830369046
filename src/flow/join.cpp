#include "kitbag/join.h"

#include <memory>

#include "storage/directory/joined.h"

namespace kitbag {

SplitFiles join_to(const std::string& directory, const WriteOptions& options,
                   const Session& session) {
  auto joined = std::make_shared<directory::Joined>(directory, options, session);
  return {[joined](std::size_t) { return joined->next(); }, [joined] { joined->release(); }};
}

}  // namespace kitbag
