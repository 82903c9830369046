#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "files/remote/sigv4.h"

namespace kitbag::remote {

/// Where objects are, and who asks for them.
struct Account {
  Credentials credentials;
  std::string region = "us-east-1";
  std::string endpoint;          ///< of a store other than AWS; empty: AWS
  bool is_virtual_host = false;  ///< at `endpoint`, the bucket is a part of the host's name
  std::string profile;           ///< for messages
  std::uint64_t part_bytes = 0;  ///< of each part of an upload; 0: they grow
  std::uint64_t memory_bytes = std::uint64_t{64} << 20;  ///< of one upload
};

/// A file in the form of ~/.aws/credentials: values by section and name.
using Profiles = std::map<std::string, std::map<std::string, std::string>>;

/// Parses such a file. Lines that are none of it are skipped.
Profiles parse_profiles(const std::string& text);

/// Returns the account as the tools of AWS find it: in the environment (AWS_ACCESS_KEY_ID and the
/// like), then in the profile (AWS_PROFILE, or "default") of ~/.aws/credentials and ~/.aws/config.
/// `variable` gives a variable of the environment, `read` the content of a file, or nothing. Throws
/// Error (invalid) for a profile that is named and does not exist, and for sizes that are none.
Account find_account(
    const std::function<std::optional<std::string>(const char* name)>& variable,
    const std::function<std::optional<std::string>(const std::string& path)>& read);

/// The same for this process.
Account account_of_this_process();

}  // namespace kitbag::remote
