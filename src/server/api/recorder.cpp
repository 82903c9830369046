#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "server/api/bag_api.h"
#include "server/recorder/recorder_service.h"

// The state of the recorder, and commands to it. The answer to a command is the state after it. The
// gate has checked that the client may POST.
//
// A command that does not fit the state (a stop of what is stopped) is answered with 409: neither
// the request nor the server is wrong. An error of the system or of a server that ends is passed
// on.

namespace kitbag::server {
namespace {

/// "run.mcap" of "/data/run.mcap": clients know bags by their names.
std::string bag_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string counts_text(const std::map<std::string, std::uint64_t>& counts) {
  std::string text = "{";
  for (const auto& [topic, count] : counts) {
    text += fmt::format("{}{}: {}", text.size() == 1 ? "" : ", ", json_quoted(topic), count);
  }
  return text + "}";
}

std::string upload_text(const UploadStatus& upload) {
  return fmt::format(
      "{{\"waiting_files\": {}, \"waiting_bytes\": {}, \"uploaded_files\": {}, "
      "\"uploaded_bytes\": {}, \"found_files\": {}, \"current\": {}, \"failure\": {}, "
      "\"failing_seconds\": {:.3f}}}",
      upload.waiting_files, upload.waiting_bytes, upload.uploaded_files, upload.uploaded_bytes,
      upload.found_files, json_quoted(bag_name(upload.current)), json_quoted(upload.failure),
      std::chrono::duration<double>(upload.failing).count());
}

std::string state_text(const RecorderReport& report) {
  const RecordStatus& now = report.now;
  std::string text = fmt::format("{{\n  \"state\": \"{}\"", to_string(report.state));
  if (!report.reason.empty()) {
    text += fmt::format(",\n  \"reason\": {}", json_quoted(report.reason));
  }
  if (!now.open_file.empty()) {
    text += fmt::format(",\n  \"file\": {},\n  \"file_bytes\": {}",
                        json_quoted(bag_name(now.open_file)), now.open_bytes);
  }
  if (now.upload) text += fmt::format(",\n  \"upload\": {}", upload_text(*now.upload));
  text += fmt::format(
      ",\n  \"seconds\": {:.3f},\n  \"messages\": {},\n  \"bytes\": {},\n"
      "  \"topics\": {},\n  \"files\": {},\n  \"buffered_bytes\": {},\n"
      "  \"held_bytes\": {},\n  \"free_bytes\": {},\n"
      "  \"deleted_files\": {},\n  \"deleted_bytes\": {},\n  \"leased_bytes\": {},\n"
      "  \"repaired_files\": {},\n  \"missing\": {},\n  \"dropped\": {},\n"
      "  \"lost\": {}\n}}\n",
      std::chrono::duration<double>(now.elapsed).count(), now.messages, now.bytes, now.topics,
      now.files.size(), now.buffered_bytes, now.held_bytes,
      now.free_bytes == UINT64_MAX ? "null" : std::to_string(now.free_bytes), now.deleted_files,
      now.deleted_bytes, now.leased_bytes, now.repaired_files, json_list(now.missing),
      counts_text(now.dropped), counts_text(now.lost));
  return text;
}

Response state(const RecorderService& recorder) {
  Response response = text_response(200, "application/json", state_text(recorder.report()));
  return std::move(response.set("Cache-Control", "no-store"));
}

void require_no_body(const Request& request) {
  std::string_view body = request.body;
  while (!body.empty() && body.front() <= ' ') body.remove_prefix(1);
  while (!body.empty() && body.back() <= ' ') body.remove_suffix(1);
  // A body with an option would look as if that had been obeyed. "{}" is what clients for JSON
  // send.
  if (body.empty() || body == "{}") return;
  throw Error(ErrorCode::invalid, "commands to the recorder have no parameters; send no body");
}

}  // namespace

void add_recorder(Routes& routes, Served& served) {
  if (!served.recorder) return;
  RecorderService& recorder = *served.recorder;
  routes.add({.method = "GET",
              .path = "/api/recorder",
              .summary = "What the recorder is doing, and what it has counted",
              .media_type = "application/json",
              .answer = [&recorder](const Call&) { return state(recorder); }});
  struct Command {
    const char* name;
    const char* summary;
    void (RecorderService::*run)(const std::stop_token& cancel);
  };
  constexpr Command kCommands[] = {
      {"start", "Begins a recording, unless there is one", &RecorderService::start},
      {"stop", "Ends the recording and completes its file", &RecorderService::stop},
      {"pause", "Leaves out messages until resume", &RecorderService::pause},
      {"resume", "Ends a pause", &RecorderService::resume},
      {"snapshot", "Writes the messages in memory to a file", &RecorderService::snapshot},
      {"split", "Completes the open file and begins the next", &RecorderService::split},
  };
  for (const Command& command : kCommands) {
    auto run = [&recorder, act = command.run](const Call& call) {
      require_no_body(call.request);
      try {
        (recorder.*act)(call.request.stop);
      } catch (const Error& error) {
        if (error.code() == ErrorCode::io || error.code() == ErrorCode::cancelled) throw;
        return error_response(409, error.message());
      }
      return state(recorder);
    };
    routes.add({.method = "POST",
                .path = fmt::format("/api/recorder/{}", command.name),
                .summary = command.summary,
                .media_type = "application/json",
                .answer = run});
  }
}

}  // namespace kitbag::server
