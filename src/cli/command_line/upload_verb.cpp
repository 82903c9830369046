#include <memory>

#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kUploadText{
    .summary = "Upload the files of a folder, and verify them.",
    .more =
        "Files that are already in the target are not sent again, and nothing there is replaced.",
    .examples = R"(  kitbag upload /data/bags 's3://bags/{robot}/{date}/'
  kitbag upload /data/bags s3://bags/robot7/ --delete
  kitbag upload /data/bags s3://bags/robot7/ --follow --upload-rate 10MB)",
    .notes =
        R"(It uploads as `kitbag record --upload` does, without a recording: for example, the files
of a robot that was switched off. Folders below DIR are included; hidden files, files that are being
written and incomplete recordings (.active) are not.

Exit codes: 0 if all was uploaded, 1 if something was left out, 2 if it was stopped before the end.
docs/uploading.md says what is verified and when.)"};

}  // namespace

void add_upload(CommandLine& line) {
  auto arguments = std::make_shared<UploadArguments>();
  Verb& verb = line.add_verb("upload", kLiveVerbs, kUploadText, arguments, upload);
  add_text(verb, "DIR", arguments->folder, "DIR",
           "A folder with bags and other files, or a rosbag2 directory")
      ->required();
  add_text(verb, "TARGET", arguments->upload.target, "URI",
           "The folder to upload to; {robot}, {host}, {date} and {time} are replaced")
      ->required();
  verb.common(verb.add_flag("--delete", arguments->deletes,
                            "Delete each file when it is verified in the target"));
  verb.common(verb.add_flag("--follow", arguments->follows,
                            "Wait for files that are added, and upload them too, until Ctrl-C"));
  verb.add_flag("--json", arguments->as_json, "Print each uploaded file as one line of JSON");
  add_upload(verb, arguments->upload);
}

}  // namespace kitbag::cli
