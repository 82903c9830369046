#include "cli/command_line/options.h"

namespace kitbag::cli {
void add_strict(CLI::App& app, ReadingOptions& reading) {
  app.add_flag("--strict", reading.is_strict, "Fail at the first damage instead of continuing")
      ->group("Damaged bags");
}

CLI::Option* add_gpg_key(CLI::App& app, std::string& gpg_key, const std::string& description) {
  auto parse = [](const std::string& user) {
    if (user.empty()) throw_invalid("expected a user's name, address or key ID, or '*'");
    return user;
  };
  return add_parsed(app, "--gpg-key", gpg_key, parse, "USER", description)->group("Encrypted bags");
}

void add_taking_for(CLI::App& app, ReadingOptions& reading) {
  constexpr const char* kGroup = "Reading";
  add_text(app, "--storage-format", reading.format, "NAME",
           "Read the bags as this format, such as mcap. Default:\ndetermined by their content")
      ->group(kGroup);
  app.add_flag_callback(
         "--ignore-crc", [&reading] { reading.check_crc = false; },
         "Skip the verification of checksums")
      ->group(kGroup);
  add_number(app, "--read-threads", reading.threads, "N",
             "Decompress with N threads; 1 uses no extra threads.\nDefault: one per core", 0U,
             kMostThreads)
      ->group(kGroup);
  app.add_flag("--allow-outside", reading.allow_outside,
               "Read files outside a directory if its metadata.yaml\nnames them")
      ->group(kGroup);
  add_parsed(app, "--max-memory", reading.max_memory_bytes, parse_positive_size, "SIZE",
             "Limit the memory of one message or chunk. Default:\n4 GiB, but 64 MiB for data that "
             "decompresses to more\nthan 16 times its size")
      ->group(kGroup);
}

void add_reading(CLI::App& app, ReadingOptions& reading) {
  add_taking_for(app, reading);
  add_gpg_key(
      app, reading.gpg_key,
      "Decrypt bags with gpg's secret key of USER ('*': any\nkey). Ignored for unencrypted bags");
}

void add_definitions(CLI::App& app, std::vector<std::string>& folders) {
  add_list(app, "--definitions", folders, "DIR...",
           "Search these folders for missing definitions, before\nthe folders in the environment")
      ->group("Missing definitions");
}

}  // namespace kitbag::cli
