#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/context.h"
#include "kitbag/upload.h"

namespace kitbag::cli {

/// "3 files to upload (1.2 GiB)", and since when uploads fail. Empty: nothing waits.
std::string waiting_text(const UploadStatus& status);
/// "uploaded: 12 files, 3.4 GiB"; files that were in the target already are counted too.
std::string uploaded_text(const UploadStatus& status);
/// What is to be said of files that are not uploaded when the program ends.
std::string left_text(const UploadStatus& status);

/// Waits until all is uploaded, for `limit` at most. Shows on a terminal how far it is, prints what
/// the uploader reports, and calls `on_look` ten times a second. A stop request ends the wait if it
/// comes while it lasts; after an earlier one, only what leaves the program does. Returns whether
/// all is uploaded.
bool await_uploads(Uploader& uploader, std::optional<Duration> limit,
                   const std::function<void(const UploadStatus&)>& on_look, const Context& context);

/// Ends the program, whose files are complete, and says what is not uploaded. It does not wait for
/// the uploader, which a silent network may hold for minutes.
[[noreturn]] void leave_uploads(const Uploader& uploader, const Context& context);

}  // namespace kitbag::cli
