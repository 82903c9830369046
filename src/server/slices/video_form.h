#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kitbag/message.h"
#include "kitbag/session.h"
#include "server/slices/slice_form.h"

namespace kitbag::server {

/// The topic that a video of these channels shows. Throws Error: invalid if they are of several
/// topics, or have no pictures; not_found if the plugin that writes videos was not built.
std::string topic_of_video(const std::vector<ChannelPtr>& channels, const Session& session);

/// The pictures or the video of one topic as MP4 in fragments.
std::unique_ptr<SliceForm> video_form(const FormRequest& asked, const Session& session);

}  // namespace kitbag::server
