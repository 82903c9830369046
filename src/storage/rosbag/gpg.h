#pragma once

#include <string>
#include <vector>

#include "kitbag/bytes.h"

/// Requests to the system's GnuPG, through its program `gpg`: it knows where keys are, on disks and
/// on cards, and asks their owner for the passphrase. A passphrase in the environment variable
/// ROSBAG_GPG_PASSPHRASE is passed on, as real rosbag does.
namespace kitbag::rosbag {

/// Any user, where a key is asked for.
inline constexpr std::string_view kAnyUser = "*";

/// A secret that only the owner of a key can read.
struct Sealed {
  std::string user;     ///< whose key it is
  std::string message;  ///< OpenPGP, armored
};

/// Encrypts `secret` for `user`, as gpg understands it (a name, an address, a key's number);
/// kAnyUser takes the first key whose secret part is here too.
/// Throws Error: not_found without gpg or such a key, io when gpg fails otherwise.
Sealed seal_with_gpg(ByteView secret, const std::string& user);

/// Decrypts an OpenPGP message, armored or not, with the secret key of `user`, or for kAnyUser with
/// whatever fits. `path` is the bag's, for errors. Throws Error: not_found without gpg, locked when
/// it has no such key or not its passphrase, corrupt when `message` is no such message.
std::vector<std::byte> open_with_gpg(ByteView message, const std::string& user,
                                     const std::string& path);

}  // namespace kitbag::rosbag
