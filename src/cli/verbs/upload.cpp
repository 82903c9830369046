#include "kitbag/upload.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/upload_folder.h"
#include "cli/options/uploading.h"
#include "cli/terminal/json.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/verbs.h"
#include "kitbag/error.h"
#include "kitbag/leave.h"

namespace kitbag::cli {
namespace {

/// Between two looks at a folder that is followed.
constexpr Duration kPeriod = std::chrono::seconds(2);

void print_uploaded(Uploader& uploader, bool as_json, const Context& context) {
  for (const UploadedFile& file : uploader.take_uploaded()) {
    if (as_json) {
      context.out.write(uploaded_json(file) + "\n");
    } else {
      context.out.line("{} -> {}{}", file.path, file.target, file.was_there ? ", was there" : "");
    }
  }
  context.out.flush();
}

}  // namespace

int upload(const UploadArguments& arguments, const Context& context) {
  UploadFolder folder(arguments.folder, context.session);
  auto uploader = std::make_unique<Uploader>(arguments.upload, context.session);
  // Files are deleted when they are verified, and totals are said.
  std::optional<NoLeave> end_is_said;
  auto look = [&](const UploadStatus&) {
    print_uploaded(*uploader, arguments.as_json, context);
    if (arguments.deletes) folder.remove_uploaded(*uploader);
  };
  bool is_done = false;
  // Each round adds what is new, and waits for all of it or, with --follow, until the next look. So
  // a file that is added while others are sent does not wait for the end of these.
  do {
    end_is_said.reset();  // a folder may be large, and looking at it harms nothing
    folder.add_to(*uploader, arguments.follows);
    end_is_said.emplace();
    std::optional<Duration> limit;
    if (arguments.follows) limit = kPeriod;
    is_done = await_uploads(*uploader, limit, look, context);
    // The wait ends at once where nothing is left.
    if (arguments.follows && is_done)
      context.clock.sleep({context.stop, context.clock.steady() + kPeriod});
  } while (arguments.follows && !context.stop.stop_requested());
  UploadStatus status = uploader->status();
  if (!arguments.as_json) context.out.line("{}", uploaded_text(status));
  for (const std::string& left : folder.left_out()) print_warning(left);
  // To destroy the uploader takes minutes where a network does not answer.
  if (!is_done) leave_uploads(*uploader, context);
  return folder.left_out().empty() ? kDone : kNotSo;
}

}  // namespace kitbag::cli
