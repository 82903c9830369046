#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "kitbag/bag.h"
#include "kitbag/definitions.h"
#include "kitbag/session.h"

namespace kitbag::server {

/// What a view holds of a bag.
struct ViewRequest {
  Query query = {};                  ///< only topics, `begin` and `end` are set
  std::string encoding = {};         ///< of payloads; empty: as they are stored
  DefinitionPaths definitions = {};  ///< where definitions are that the bag lacks
  /// Frames of videos from before `query.begin` that the first ones need come first.
  bool has_key_frames = true;
};

/// Writes an MCAP file to `path` with the messages of the bag at `bag`, in the order of time, and
/// with its attachments and metadata. What is intact of a damaged bag is written, and the damage is
/// described by a metadata record "kitbag_damage"; what a conversion leaves out, and videos whose
/// first frames cannot be decoded, by "kitbag_left_out". `grown` is called with the size so far,
/// and may throw. Throws Error: cancelled when `stop` is requested, and as Session::open(),
/// Bag::read() and transcode() do.
void write_view(const std::string& bag, const ViewRequest& request, const std::string& path,
                const std::function<void(std::uint64_t bytes)>& grown, const std::stop_token& stop,
                const Session& session);

}  // namespace kitbag::server
