#include "cli/command_line/options.h"

namespace kitbag::cli {

void add_bag(Verb& verb, std::string& bag) {
  add_text(verb, "BAG", bag, "BAG", "The bag")->required();
}

void add_bags(Verb& verb, std::vector<std::string>& bags, const std::string& description) {
  add_list(verb, "BAG", bags, "BAG...", description)->required();
}

CLI::Option* add_recursive(Verb& verb, bool& is_recursive) {
  return verb.add_flag("-r,--recursive", is_recursive,
                       "Read all bags in folders, and in the folders below them");
}

void add_many_bags(Verb& verb, ManyBags& bags, const std::string& description) {
  add_bags(verb, bags.bags, description);
  verb.common(add_recursive(verb, bags.is_recursive));
}

void add_strict(Verb& verb, ReadingOptions& reading) {
  verb.add_flag("--strict", reading.is_strict, "Fail at the first damage instead of continuing")
      ->group(kReadingGroup);
}

CLI::Option* add_gpg_key(Verb& verb, std::string& gpg_key, const std::string& description) {
  auto parse = [](const std::string& user) {
    // Elsewhere an empty key means none: with a variable of a script that is not set, the bag would
    // be written without encryption.
    if (user.empty()) throw_invalid("expected a user's name, address or key ID, or '*'");
    return user;
  };
  return add_parsed(verb, "--gpg-key", gpg_key, parse, "USER", description)
      ->group(kEncryptionGroup);
}

void add_caches(Verb& verb, const char* group, bool has_folder) {
  SessionSettings& settings = verb.settings();
  add_parsed(verb, "--cache-memory", settings.cache_bytes, parse_positive_size, "SIZE",
             "Limit the memory for parts of remote files and chunks that are kept or read ahead. "
             "Default: 192MiB")
      ->group(group);
  if (has_folder) {
    add_text(verb, "--cache-dir", settings.cache_folder, "DIR",
             "Keep parts of remote files here, for other runs, too. Default: with --cache-disk, "
             "kitbag in $XDG_CACHE_HOME or ~/.cache")
        ->group(group);
  }
  add_parsed(verb, "--cache-disk", settings.cache_folder_bytes, parse_positive_size, "SIZE",
             has_folder ? "Limit what is kept in that folder. Default: 10GiB"
                        : "Keep parts of remote files in --cache-dir, too, up to SIZE")
      ->group(group);
}

void add_input(Verb& verb, ReadingOptions& reading) {
  add_text(verb, "--storage-format", reading.format, "FORMAT",
           "Read the bags as this format, such as mcap, even if their first bytes are damaged. "
           "Default: determined by their content")
      ->group(kReadingGroup);
  verb.add_flag_callback(
          "--ignore-crc", [&reading] { reading.check_crc = false; },
          "Skip the verification of checksums")
      ->group(kReadingGroup);
  add_number(verb, "--read-threads", reading.threads, "N",
             "Decompress with N threads; 1 uses no extra threads. Default: one per core", 0U,
             kMostThreads)
      ->group(kReadingGroup);
  verb.add_flag("--allow-outside", reading.allow_outside,
                "Read files outside a directory if its metadata.yaml names them")
      ->group(kReadingGroup);
  add_parsed(verb, "--max-memory", reading.max_memory_bytes, parse_positive_size, "SIZE",
             "Limit the memory of one message or chunk. Default: 4 GiB, but 64 MiB for data that "
             "decompresses to more than 16 times its size")
      ->group(kReadingGroup);
  add_caches(verb, kReadingGroup, true);
}

void add_any_input(Verb& verb, ReadingOptions& reading) {
  add_input(verb, reading);
  add_gpg_key(
      verb, reading.gpg_key,
      "Decrypt bags with gpg's secret key of USER ('*': any key). Ignored for unencrypted bags");
}

void add_reading(Verb& verb, ReadingOptions& reading) {
  add_strict(verb, reading);
  add_any_input(verb, reading);
}

}  // namespace kitbag::cli
