#include "files/remote/account.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "files/remote/part_sizes.h"
#include "files/remote/trimmed.h"
#include "kitbag/error.h"
#include "kitbag/text.h"

// Where the tools of AWS look. What stands further to the right counts more:
//
//     ~/.aws/config  <  ~/.aws/credentials  <  the environment
//
// The key, its secret and its session token are of one place: a token belongs to its key, and with
// one from elsewhere no signature would be accepted.
//
// "s3 =" in a profile begins a section whose lines are indented. Lines are trimmed and such
// sections not told apart here, so addressing_style is found as if it were of the profile itself.

namespace kitbag::remote {
namespace {

/// Sets `value` to the first of `names` that is set.
template <class Find>
void take_first(std::string& value, std::initializer_list<const char*> names, const Find& find) {
  for (const char* name : names) {
    if (auto found = find(name); found && !found->empty()) {
      value = *found;
      return;
    }
  }
}

std::uint64_t part_bytes_of(const std::string& text) {
  std::uint64_t bytes = parse_size(text);
  if (bytes >= kLeastPartBytes && bytes <= kMostPartBytes) return bytes;
  throw Error(ErrorCode::invalid, "the parts of an upload have 5 MiB to 5 GiB, not " + text +
                                      "; see KITBAG_S3_PART_SIZE");
}

std::optional<std::string> content_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

Profiles parse_profiles(const std::string& text) {
  Profiles profiles;
  std::string section;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::string_view rest = trimmed(line);
    if (rest.empty() || rest.front() == '#' || rest.front() == ';') continue;
    if (rest.front() == '[' && rest.back() == ']') {
      section = trimmed(rest.substr(1, rest.size() - 2));
      if (section.starts_with("profile ")) section = trimmed(section.substr(8));
      continue;
    }
    std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos) continue;
    profiles[section][std::string(trimmed(rest.substr(0, equals)))] =
        trimmed(rest.substr(equals + 1));
  }
  return profiles;
}

Account find_account(
    const std::function<std::optional<std::string>(const char* name)>& variable,
    const std::function<std::optional<std::string>(const std::string& path)>& read) {
  Account account;
  std::string home = variable("HOME").value_or("");
  std::string credentials_file = home + "/.aws/credentials";
  std::string config_file = home + "/.aws/config";
  take_first(credentials_file, {"AWS_SHARED_CREDENTIALS_FILE"}, variable);
  take_first(config_file, {"AWS_CONFIG_FILE"}, variable);
  take_first(account.profile, {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"}, variable);
  bool is_named = !account.profile.empty();
  if (!is_named) account.profile = "default";
  std::map<std::string, std::string> settings;
  bool is_found = false;
  for (const std::string& path : {config_file, credentials_file}) {
    Profiles profiles = parse_profiles(read(path).value_or(""));
    auto profile = profiles.find(account.profile);
    if (profile == profiles.end()) continue;
    is_found = true;
    for (auto& [name, value] : profile->second) settings[name] = value;
  }
  if (is_named && !is_found) {
    throw Error(ErrorCode::invalid, "there is no profile \"" + account.profile + "\" in " +
                                        credentials_file + " or " + config_file);
  }
  auto setting = [&](const char* name) -> std::optional<std::string> {
    auto found = settings.find(name);
    return found == settings.end() ? std::nullopt : std::optional(found->second);
  };
  Credentials& credentials = account.credentials;
  take_first(credentials.key_id, {"AWS_ACCESS_KEY_ID"}, variable);
  if (!credentials.key_id.empty()) {
    take_first(credentials.secret, {"AWS_SECRET_ACCESS_KEY"}, variable);
    take_first(credentials.token, {"AWS_SESSION_TOKEN"}, variable);
  } else {
    take_first(credentials.key_id, {"aws_access_key_id"}, setting);
    take_first(credentials.secret, {"aws_secret_access_key"}, setting);
    take_first(credentials.token, {"aws_session_token"}, setting);
  }
  take_first(account.region, {"region"}, setting);
  take_first(account.region, {"AWS_REGION", "AWS_DEFAULT_REGION"}, variable);
  take_first(account.endpoint, {"endpoint_url"}, setting);
  take_first(account.endpoint, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}, variable);
  while (account.endpoint.ends_with('/')) account.endpoint.pop_back();
  std::string part_size;
  std::string memory;
  take_first(part_size, {"KITBAG_S3_PART_SIZE"}, variable);
  take_first(memory, {"KITBAG_S3_MEMORY"}, variable);
  if (!part_size.empty()) account.part_bytes = part_bytes_of(part_size);
  if (!memory.empty()) account.memory_bytes = parse_size(memory);
  account.is_virtual_host = setting("addressing_style") == "virtual";
  return account;
}

Account account_of_this_process() {
  return find_account(
      [](const char* name) -> std::optional<std::string> {
        const char* value = std::getenv(name);
        return value ? std::optional<std::string>(value) : std::nullopt;
      },
      content_of);
}

}  // namespace kitbag::remote
