#pragma once

#include <array>
#include <span>

#include "base/buffer.h"
#include "kitbag/bytes.h"

namespace kitbag::rosbag {

/// AES-128 in CBC mode with PKCS#7 padding, as rosbag/AesCbcEncryptor uses it: each encrypted piece
/// begins with its own initialization vector. Encryption does not authenticate: it is possible to
/// change bytes without the key. May be used by many threads.
class Cipher {
 public:
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr std::size_t kBlockBytes = 16;
  using Key = std::array<std::byte, kKeyBytes>;

  explicit Cipher(const Key& key) : key_(key) {}
  /// Leaves no key in memory.
  ~Cipher();
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;

  /// Appends `plain`, encrypted, to `to`: one to two blocks more than it was.
  void encrypt(ByteView plain, Buffer& to) const;

  /// What came out of a decryption: views into the bytes given.
  struct Decrypted {
    ByteView blocks;        ///< all that is whole, the padding too
    ByteView plain;         ///< without the padding, where there is one
    bool is_whole = false;  ///< false: cut, damaged, or by another key
  };
  /// Decrypts in place; what is no whole block at the end stays and is left out.
  Decrypted decrypt(std::span<std::byte> stored) const;

 private:
  Key key_;
};

/// Bytes that nobody can guess. Throws Error (io) when the system has none.
void fill_with_random(std::span<std::byte> bytes);

/// Overwrites what was secret, so that no core dump or swap holds it.
void forget(std::span<std::byte> secret);

}  // namespace kitbag::rosbag
