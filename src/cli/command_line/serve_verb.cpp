#include "cli/command_line/options.h"
#include "cli/command_line/verb.h"
#include "cli/verbs.h"

namespace kitbag::cli {

void add_serve(CommandLine& line) {
  auto arguments = std::make_shared<ServeArguments>();
  CLI::App& app = line.add_verb("serve", help::kServe, help::kServeFooter, arguments, serve);
  add_list(app, "DIR", arguments->places, "DIR...", "Folders with bags, or bags")->required();
  constexpr const char* kNetworkGroup = "Network";
  app.add_option("--port", arguments->port,
                 "Listen on this port; 0: any that is free.\nDefault: 8090")
      ->option_text("PORT")
      ->group(kNetworkGroup);
  add_text(app, "--bind", arguments->bind, "ADDRESS",
           "Listen on this address; 0.0.0.0: on all of this\nmachine. Default: 127.0.0.1")
      ->group(kNetworkGroup);
  add_text(
      app, "--public-url", arguments->public_url, "URL",
      "Begin links with URL, as clients behind a proxy see\nit. Default: the host of the request")
      ->group(kNetworkGroup);
  auto* certificate = add_text(app, "--tls-cert", arguments->tls_certificate, "FILE",
                               "Serve HTTPS with this certificate (PEM)")
                          ->group(kNetworkGroup);
  auto* key =
      add_text(app, "--tls-key", arguments->tls_key, "FILE", "Read its key from this file (PEM)")
          ->group(kNetworkGroup);
  certificate->needs(key);
  key->needs(certificate);
  constexpr const char* kAccessGroup = "Access";
  auto* token = add_text(app, "--token", arguments->token, "TOKEN",
                         "Answer only requests with this token or password")
                    ->group(kAccessGroup);
  add_text(app, "--password-file", arguments->password_file, "FILE",
           "Read the token from the first line of FILE")
      ->excludes(token)
      ->group(kAccessGroup);
  add_list(app, "--allow-origin", arguments->allowed_origins, "ORIGIN...",
           "Let pages of these origins read answers, such as\nhttps://viewer.example; *: all")
      ->group(kAccessGroup);
  constexpr const char* kContentGroup = "Content";
  add_list(app, "--latched", arguments->latched, "TOPIC...",
           "Begin slices with the last message of these topics,\ntoo")
      ->group(kContentGroup);
  app.add_flag("--no-default-latched", arguments->without_default_latched,
               "Treat only topics as latched that are so in the bag,\nand those of --latched")
      ->group(kContentGroup);
  app.add_flag("--local-time", arguments->uses_local_time,
               "Show times of the list in local time instead of UTC")
      ->group(kContentGroup);
}

}  // namespace kitbag::cli
