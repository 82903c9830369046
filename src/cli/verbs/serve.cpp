#include "cli/terminal/signals.h"
#include "cli/verbs.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "cli/options/uploading.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "kitbag/leave.h"
#include "kitbag/registry.h"
#include "kitbag/system_error.h"
#include "kitbag/text.h"
#include "server/server.h"

// The order at the end, after SIGTERM:
//
//   announce_stop()   /healthz answers 503, and all else is served on for --drain-delay, so that
//                     load balancers see it
//   drain()           no new requests; running ones have --drain-time
//   end_recording()   files are completed, however long that takes
//   kRequestsEnd      for requests that are left; then the process is left
//
// After Ctrl-C, with a person who waits, only the last two. Without a recording the process may
// then be left before that, as after any Ctrl-C, since nothing is lost.

namespace kitbag::cli {
namespace {

constexpr std::uint64_t kMostPasswordBytes = 4096;

/// The first line of a file.
std::string read_password(const std::string& path) {
  auto file = open_file(path);
  std::string text(std::min(file->size(), kMostPasswordBytes), '\0');
  text.resize(file->read(0, std::as_writable_bytes(std::span(text))));
  // Editors end the line, and the token has no line break.
  text.resize(std::min(text.find_first_of("\r\n"), text.size()));
  if (text.empty()) throw Error(ErrorCode::invalid, "the first line holds no password", path);
  return text;
}

RecordOptions recorder_of(const RecordingOptions& recording, PayloadStages& stages,
                          const Session& session) {
  RecordOptions options = recording.complete(stages, session);
  options.on_warning = print_recorder_report;
  options.target.write.on_warning = warn_of_system;
  options.on_deleted = [](const DeletedFile& file) {
    print_note(fmt::format("deleted {} ({}): {}", file.path, format_size(file.bytes), file.reason));
  };
  return options;
}

/// Large blocks go back to the system as soon as they are let go of: a server lives long, and what
/// many clients have taken for a moment should not stay with it.
void give_memory_back() {
  constexpr int kLargeBytes = 128 << 10;
  ::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  ::mallopt(M_TRIM_THRESHOLD, kLargeBytes);
}

/// How long a request may take to end when all else has ended.
constexpr std::chrono::seconds kRequestsEnd{2};

/// Destroys the server. What it records is completed first; a request that then does not end would
/// keep the process for ever, so the process is left, as when a person interrupts it.
void end(std::optional<server::Server>& server, const Context& context) {
  std::jthread leaving;
  try {
    server->end_recording();
    leaving = std::jthread([&context](const std::stop_token& stop) {
      SteadyTime until = context.clock.steady() + kRequestsEnd;
      context.clock.sleep({stop, until});
      if (stop.stop_requested()) return;
      context.signals.on_leaving([] { return std::string("a request has not ended in time"); });
      leave(kFailed, Leave::always);
    });
  } catch (const Error& error) {  // it is waited for
    print_warning(error.what());
  }
  server.reset();
}

}  // namespace

int serve(const ServeArguments& arguments, const Context& context) {
  std::shared_ptr<Uploader> uploader;  // last to go: a silent network may hold it
  server::ServerOptions options;
  options.http.address = arguments.bind;
  options.http.port = arguments.port;
  options.http.tls_certificate = arguments.tls_certificate;
  options.http.tls_key = arguments.tls_key;
  options.bags.places = arguments.places;
  options.bags.catalog = arguments.catalog;
  options.live = arguments.live;
  options.accepts_published = arguments.accepts_published;
  options.bags.allows_sql = arguments.allows_sql;
  options.bags.public_url = arguments.public_url;
  while (options.bags.public_url.ends_with('/')) options.bags.public_url.pop_back();
  if (!arguments.without_default_latched) {
    options.bags.latched_topics = server::documented_latched_topics();
  }
  options.bags.latched_topics.insert(arguments.latched.begin(), arguments.latched.end());
  options.bags.uses_local_time = arguments.uses_local_time;
  options.bags.cache_folder =
      arguments.cache_folder.empty() ? server::default_cache_folder() : arguments.cache_folder;
  options.bags.max_cache_bytes = arguments.max_cache_bytes;
  if (arguments.max_slice_bytes) options.bags.limits.slice_bytes = *arguments.max_slice_bytes;
  if (arguments.max_work) options.bags.limits.work = *arguments.max_work;
  options.bags.on_warning = warn_of_system;
  PayloadStages stages(arguments.record.payload, context);
  options.bags.definitions = stages.definitions().paths();
  if (!arguments.record.from.uris.empty()) {
    options.bags.record = recorder_of(arguments.record, stages, context.session);
    uploader = options.bags.record->target.uploader;
  }
  if (!arguments.allowed_uris.empty()) {
    options.bags.addresses = context.session.registry().remote.rules;
  }
  options.allowed_origins = arguments.allowed_origins;
  options.panels = arguments.panels;
  options.token = arguments.token;
  if (!arguments.password_file.empty()) options.token = read_password(arguments.password_file);

  if (options.accepts_published && options.token.empty()) {
    throw Error(ErrorCode::invalid, "--allow-publish requires --token or --password-file");
  }

  give_memory_back();
  std::optional<server::Server> server;
  try {
    server.emplace(std::move(options), context.session);
  } catch (const Error& error) {
    if (errno_of(error) != EADDRINUSE) throw;
    throw Error(error.code(),
                fmt::format("{}; use another --port; 0 takes a free one", error.message()),
                error.file());
  }
  if (server->is_open_to_others() && arguments.token.empty() && arguments.password_file.empty()) {
    print_warning("everybody who reaches this machine can read the bags; use --token");
  }
  context.out.write(fmt::format("{}/bags/\n", server->url()));
  context.out.flush();
  context.clock.sleep({context.stop});
  bool says_goodbye = context.signals.is_terminated() || !arguments.record.from.uris.empty();
  if (says_goodbye) context.result_stands.emplace();
  if (context.signals.is_terminated()) {
    server->announce_stop();
    context.clock.sleep({{}, context.clock.steady() + arguments.drain_delay});
    server->drain(arguments.drain_time);
  }
  end(server, context);  // nothing uses the stages any more
  stages.warn();
  if (uploader && uploader->status().waiting_files > 0) print_note(left_text(uploader->status()));
  return kDone;
}

}  // namespace kitbag::cli
