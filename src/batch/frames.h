#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kitbag::batch {

/// Sends texts over a socket, as one frame. False: the other side has gone.
bool send_frame(int socket, const std::vector<std::string>& texts);
/// Receives a frame; nothing: the other side has gone, or has sent no frame.
std::optional<std::vector<std::string>> receive_frame(int socket);

}  // namespace kitbag::batch
