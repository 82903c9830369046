#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {
namespace {

constexpr VerbText kServeText{
    .summary = "Serve bags by HTTP: a list, downloads, and messages as JSON.",
    .more =
        "Prints the URL of the list and serves until it is stopped. With --record, it records "
        "too.",
    .examples = R"(  kitbag serve /data/bags
  kitbag serve --catalog postgresql://kitbag@db.example.org/fleet --public-url https://bags.example
  kitbag serve /data/bags --record ros2:// --split-duration 10m --max-total-size 20GB)",
    .notes = "The API is described in docs/serving.md."};

void add_network(Verb& verb, ServeArguments& arguments) {
  constexpr const char* kGroup = "Network";
  verb.common(add_number(verb, "--port", arguments.port, "PORT",
                         "Listen on this port; 0 is any free one. Default: 8090")
                  ->group(kGroup));
  verb.common(add_text(verb, "--bind", arguments.bind, "ADDRESS",
                       "Listen on this address; 0.0.0.0 is all of this machine. Default: "
                       "127.0.0.1")
                  ->group(kGroup));
  verb.common(add_text(verb, "--public-url", arguments.public_url, "URL",
                       "Begin links with this URL. Default: the host of the request")
                  ->group(kGroup));
  CLI::Option* certificate = add_text(verb, "--tls-cert", arguments.tls_certificate, "FILE",
                                      "Serve HTTPS with this certificate (PEM)")
                                 ->group(kGroup);
  CLI::Option* key = add_text(verb, "--tls-key", arguments.tls_key, "FILE",
                              "Read the key of the certificate from this file (PEM)")
                         ->group(kGroup);
  certificate->needs(key);
  key->needs(certificate);
}

/// A variable of a script that is not set would open the server to everybody.
std::string parse_token(const std::string& text) {
  if (text.empty()) throw_invalid("is empty; leave it out to answer everybody");
  return text;
}

void add_access(Verb& verb, ServeArguments& arguments) {
  constexpr const char* kGroup = "Access";
  CLI::Option* token =
      verb.common(add_parsed(verb, "--token", arguments.token, parse_token, "TOKEN",
                             "Answer only requests with this token or password")
                      ->group(kGroup));
  verb.common(add_text(verb, "--password-file", arguments.password_file, "FILE",
                       "Read the token from the first line of this file")
                  ->excludes(token)
                  ->group(kGroup));
  verb.common(add_words(verb, "--allow-origin", arguments.allowed_origins, "ORIGIN...",
                        "Accept requests of pages from these origins, such as "
                        "https://viewer.example; * accepts all")
                  ->group(kGroup));
  add_list(verb, "--allow-uri", arguments.allowed_uris, "PREFIX...",
           "Open bags that requests name by their address, below these prefixes, such as "
           "https://bags.example/ or s3://bags/runs (docs/serving.md)")
      ->group(kGroup);
  verb.add_flag("--allow-publish", arguments.accepts_published,
                "Accept messages that clients of /live publish: other clients get them, and "
                "--record records them; requires a token")
      ->group(kGroup);
  verb.add_flag("--allow-sql", arguments.allows_sql,
                "Answer SQL queries of everybody who may read the bags")
      ->group(kGroup);
}

void add_content(Verb& verb, ServeArguments& arguments) {
  constexpr const char* kGroup = "Content";
  verb.common(add_text(verb, "--catalog", arguments.catalog, "CATALOG",
                       "Serve the bags of this catalog (kitbag catalog), a file or postgresql://")
                  ->group(kGroup));
  verb.common(add_list(verb, "--live", arguments.live, "SYSTEM...",
                       "Serve the messages of these live systems at /live, by the Foxglove "
                       "WebSocket protocol")
                  ->group(kGroup));
  verb.common(add_words(verb, "--latched", arguments.latched, "TOPIC...",
                        "Begin slices also with the last message of these topics")
                  ->group(kGroup));
  verb.add_flag("--no-default-latched", arguments.without_default_latched,
                "Ignore the list of latched topics in the description of the API")
      ->group(kGroup);
  add_list(verb, "--panels", arguments.panels, "DIR...",
           "Serve the panels in these folders to the page, too (docs/adding-a-panel.md)")
      ->group(kGroup);
  verb.add_flag("--local-time", arguments.uses_local_time,
                "Print times in the list as local time. Default: UTC")
      ->group(kGroup);
}

void add_cache(Verb& verb, ServeArguments& arguments) {
  constexpr const char* kGroup = "Cache";
  add_text(
      verb, "--cache-dir", arguments.cache_folder, "DIR",
      "Keep files that are made for viewers and plots here. Default: kitbag in $XDG_CACHE_HOME or "
      "~/.cache")
      ->group(kGroup);
  add_parsed(verb, "--max-cache-size", arguments.max_cache_bytes, parse_positive_size, "SIZE",
             "Limit the total size of these files; the least recently used are deleted. Default: "
             "10GiB")
      ->group(kGroup);
  add_caches(verb, kGroup, false);
}

void check_places(const ServeArguments& arguments) {
  if (arguments.catalog.empty()) {
    if (arguments.places.empty())
      throw_invalid("DIR is missing, or --catalog; see kitbag serve --help");
    return;
  }
  if (!arguments.record.from.uris.empty()) {
    throw_invalid(
        "--record and --catalog exclude each other; record into a folder that "
        "\"kitbag catalog watch\" looks at");
  }
}

/// Without DIR, a catalog says itself what is read; unless strangers name addresses, too, since for
/// them what a trusted address leads to is not looked at.
bool is_catalog_trusted(const ServeArguments& arguments) {
  return !arguments.catalog.empty() && arguments.places.empty() && arguments.allowed_uris.empty();
}

void add_recording(Verb& verb, RecordingOptions& record) {
  // The options of `record` are declared by the same function, and those that came with it are
  // found by comparing: each needs --record here, and most are left out of the short help.
  auto before = verb.get_options();
  add_recording(verb, record,
                {.from = "--record",
                 .description = "Record this system into the first DIR, such as ros1://, ros2:// "
                                "or demo://; give the option several times to record several "
                                "systems",
                 .snapshot = "POST /api/recorder/snapshot",
                 .resume = "POST /api/recorder/resume"});
  const std::set<std::string> common = {"--record", "--split-duration", "--max-total-size",
                                        "--min-free-space"};
  CLI::Option* source = verb.get_option("--record");
  for (CLI::Option* option : verb.get_options()) {
    if (std::find(before.begin(), before.end(), option) != before.end()) continue;
    if (!common.contains(option->get_name())) verb.rare(option);
    // Bags that are served lack definitions as well as live systems do.
    bool is_for_all = option->get_name() == "--definitions";
    if (is_for_all) option->group("Content");
    if (option != source && !is_for_all) option->needs(source);
  }
}

void add_stopping(Verb& verb, ServeArguments& arguments) {
  constexpr const char* kGroup = "Stopping";
  add_parsed(verb, "--drain-time", arguments.drain_time, parse_duration, "DURATION",
             "Limit the time in which running answers are completed after SIGTERM. "
             "Default: 5s")
      ->group(kGroup);
  add_parsed(verb, "--drain-delay", arguments.drain_delay, parse_duration, "DURATION",
             "Serve as before for this long after SIGTERM, while /healthz answers 503. "
             "Default: 0s")
      ->group(kGroup);
}

void add_limits(Verb& verb, ServeArguments& arguments) {
  constexpr const char* kGroup = "Limits";
  add_parsed(verb, "--max-slice-size", arguments.max_slice_bytes, parse_positive_size, "SIZE",
             "Limit the payload of a slice. Default: 100GiB")
      ->group(kGroup);
  add_parsed(verb, "--max-work", arguments.max_work, parse_positive_duration, "DURATION",
             "Limit the work for a request. Default: 10m")
      ->group(kGroup);
}

}  // namespace

void add_serve(CommandLine& line) {
  auto arguments = std::make_shared<ServeArguments>();
  Verb& verb = line.add_verb("serve", kLiveVerbs, kServeText, arguments, serve, [&line, arguments] {
    check_places(*arguments);
    std::vector<std::string> trusted = arguments->places;
    if (is_catalog_trusted(*arguments)) trusted = {"s3://", "http://", "https://"};
    line.settings.rules = std::make_shared<RemoteRules>(trusted, arguments->allowed_uris);
    // One --cache-dir for both caches of a server; that of remote files is there only if its size
    // was given.
    if (line.settings.cache_folder_bytes) line.settings.cache_folder = arguments->cache_folder;
  });
  add_list(verb, "DIR", arguments->places, "[DIR...]",
           "Folders with bags, or single bags, also s3:// and https://; with --catalog, only its "
           "bags there are served");
  add_network(verb, *arguments);
  add_access(verb, *arguments);
  add_content(verb, *arguments);
  add_cache(verb, *arguments);
  add_recording(verb, arguments->record);
  add_limits(verb, *arguments);
  add_stopping(verb, *arguments);
}

}  // namespace kitbag::cli
