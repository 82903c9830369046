#include "storage/rosbag/gpg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "io/local/child.h"
#include "kitbag/error.h"
#include "storage/rosbag/cipher.h"

// gpg says what it did in lines that begin with "[GNUPG:] " (doc/DETAILS of GnuPG), the same in
// every language; they are mixed into its standard error here. Its exit code counts for nothing: it
// is bad for trifles too.
//
// gpg decrypts with any key that it has. The caller has named a user, and a bag that another key
// opens must be refused. So the keys that were used are compared with those of the user afterwards,
// by the last 16 digits of their fingerprints, which is how gpg names them in its status lines.

namespace kitbag::rosbag {

namespace {

constexpr std::string_view kStatus = "[GNUPG:] ";
/// Keys are identified by the last digits of their fingerprints.
constexpr std::size_t kKeyIdDigits = 16;

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// What gpg has answered.
class GpgAnswer {
 public:
  explicit GpgAnswer(Finished finished) : finished_(std::move(finished)) {}
  ~GpgAnswer() { forget(std::as_writable_bytes(std::span(finished_.out))); }
  GpgAnswer(const GpgAnswer&) = delete;
  GpgAnswer& operator=(const GpgAnswer&) = delete;

  const std::string& out() const { return finished_.out; }

  /// The words behind each status `keyword`.
  std::vector<std::vector<std::string_view>> all(std::string_view keyword) const {
    std::vector<std::vector<std::string_view>> found;
    for (std::string_view line : split_at(finished_.err, '\n')) {
      if (!line.starts_with(kStatus)) continue;
      auto words = split_at(line.substr(kStatus.size()), ' ');
      if (words[0] == keyword) found.emplace_back(words.begin() + 1, words.end());
    }
    return found;
  }
  bool has(std::string_view keyword) const { return !all(keyword).empty(); }

  /// What it says to people, at last.
  std::string reason() const {
    std::string_view last = "gpg failed without an error message";
    for (std::string_view line : split_at(finished_.err, '\n')) {
      if (!line.empty() && !line.starts_with(kStatus)) last = line;
    }
    return std::string(last);
  }

 private:
  Finished finished_;
};

/// Runs gpg without questions on the terminal; its agent may ask for a passphrase all the same.
GpgAnswer ask_gpg(const std::vector<std::string>& what, ByteView input) {
  std::vector<std::string> command = {"gpg", "--batch", "--no-tty", "--status-fd", "2"};
  std::optional<ByteView> secret;
  if (const char* passphrase = std::getenv("ROSBAG_GPG_PASSPHRASE")) {
    secret = as_bytes(passphrase);
    auto more = {std::string("--pinentry-mode"), std::string("loopback"),
                 std::string("--passphrase-fd"), std::to_string(kSecretDescriptor)};
    command.insert(command.end(), more);
  }
  command.insert(command.end(), what.begin(), what.end());
  return GpgAnswer(run_child(command, input, secret));
}

/// A key pair as gpg lists it.
struct GpgKey {
  std::string fingerprint;
  std::string user;              ///< its first name
  std::vector<std::string> ids;  ///< of the key and its subkeys
  bool may_encrypt = false;
};

/// The pairs whose secret part is here; for kAnyUser of everybody.
std::vector<GpgKey> secret_keys(const std::string& user) {
  std::vector<std::string> what = {"--with-colons", "--list-secret-keys"};
  if (user != kAnyUser) what.insert(what.end(), {"--", user});
  GpgAnswer answer = ask_gpg(what, {});
  std::vector<GpgKey> keys;
  for (std::string_view line : split_at(answer.out(), '\n')) {
    auto fields = split_at(line, ':');
    if (fields.size() < 12) fields.resize(12);
    if (fields[0] == "sec") {
      keys.emplace_back();
      // Upper case: what the pair as a whole may do now; D: it has been disabled.
      keys.back().may_encrypt = fields[11].find('E') != std::string_view::npos &&
                                fields[11].find('D') == std::string_view::npos;
    }
    if (keys.empty()) continue;
    GpgKey& key = keys.back();
    if (fields[0] == "sec" || fields[0] == "ssb") key.ids.emplace_back(fields[4]);
    if (fields[0] == "fpr" && key.fingerprint.empty()) key.fingerprint = fields[9];
    if (fields[0] == "uid" && key.user.empty()) key.user = fields[9];
  }
  return keys;
}

GpgKey first_key_of_ours() {
  for (GpgKey& key : secret_keys(std::string(kAnyUser))) {
    if (key.may_encrypt) return std::move(key);
  }
  throw Error(ErrorCode::not_found,
              "gpg has no secret key to encrypt for; create one with gpg --quick-generate-key, or "
              "specify the user of a public key");
}

/// The keys that a message was opened with; of an old gpg, that it is for.
std::vector<std::string_view> keys_used(const GpgAnswer& answer) {
  std::vector<std::string_view> ids;
  for (const auto& words : answer.all("DECRYPTION_KEY")) {
    if (words.empty() || words[0].size() < kKeyIdDigits) continue;
    ids.push_back(words[0].substr(words[0].size() - kKeyIdDigits));
  }
  if (!ids.empty()) return ids;
  for (const auto& words : answer.all("ENC_TO")) {
    if (!words.empty()) ids.push_back(words[0]);
  }
  return ids;
}

[[noreturn]] void throw_unopened(const GpgAnswer& answer, const std::string& path) {
  if (answer.has("NODATA")) {
    throw Error(ErrorCode::corrupt, "the bag's encrypted_key is not an OpenPGP message", path);
  }
  auto missing = answer.all("NO_SECKEY");
  bool is_named = !missing.empty() && !missing[0].empty();
  throw Error(
      ErrorCode::locked,
      is_named
          ? fmt::format("gpg has no secret key that decrypts the bag; it is encrypted for key {}",
                        missing[0][0])
          : fmt::format("gpg cannot decrypt the bag's key: {} (the passphrase comes from the "
                        "environment variable ROSBAG_GPG_PASSPHRASE or from gpg's agent)",
                        answer.reason()),
      path);
}

}  // namespace

Sealed seal_with_gpg(ByteView secret, const std::string& user) {
  bool is_any = user == kAnyUser;
  GpgKey ours = is_any ? first_key_of_ours() : GpgKey();
  // A message for oneself needs nobody's trust, and a public key that was named is trusted.
  GpgAnswer answer =
      ask_gpg({"--armor", "--trust-model", "always", "--no-auto-key-locate",
               "--recipient=" + (is_any ? ours.fingerprint : user), "--output", "-", "--encrypt"},
              secret);
  if (answer.has("END_ENCRYPTION") && !answer.out().empty()) {
    return {is_any ? ours.user : user, answer.out()};
  }
  if (answer.has("INV_RECP")) {
    throw Error(ErrorCode::not_found,
                fmt::format("gpg has no public key of \"{}\" that can encrypt", user));
  }
  throw Error(ErrorCode::io, "gpg cannot encrypt the bag's key: " + answer.reason());
}

std::vector<std::byte> open_with_gpg(ByteView message, const std::string& user,
                                     const std::string& path) {
  std::vector<GpgKey> allowed;
  if (user != kAnyUser) allowed = secret_keys(user);
  if (user != kAnyUser && allowed.empty()) {
    throw Error(ErrorCode::locked, fmt::format("gpg has no secret key of \"{}\"", user), path);
  }
  GpgAnswer answer = ask_gpg({"--decrypt"}, message);
  if (!answer.has("DECRYPTION_OKAY")) throw_unopened(answer, path);
  bool is_allowed = user == kAnyUser;
  for (std::string_view id : keys_used(answer)) {
    for (const GpgKey& key : allowed) {
      is_allowed |= std::find(key.ids.begin(), key.ids.end(), id) != key.ids.end();
    }
  }
  if (!is_allowed) {
    throw Error(ErrorCode::locked, fmt::format("the key of \"{}\" does not decrypt the bag", user),
                path);
  }
  ByteView secret = as_bytes(answer.out());
  return {secret.begin(), secret.end()};
}

}  // namespace kitbag::rosbag
