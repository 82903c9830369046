#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/buffer.h"
#include "compress/compression.h"
#include "storage/rosbag/cipher.h"
#include "storage/rosbag/records.h"

/// Encrypted bags, docs/encryption.md. A key of 16 random bytes encrypts the chunks, behind their
/// compression, and the connection records of the index section, header and data apart. What a
/// recorder needs again before it knows the key stays readable: lengths, times, chunk infos and the
/// index records. The key itself stands in the file header, encrypted by gpg for its user.
namespace kitbag::rosbag {

/// The only encryptor that there ever was.
inline constexpr std::string_view kAesCbcEncryptor = "rosbag/AesCbcEncryptor";

/// How a bag is encrypted, according to its file header.
struct Encryption {
  std::string encryptor;
  std::string gpg_user;       ///< whose key opens it; the real tool leaves it empty at times
  std::string encrypted_key;  ///< an OpenPGP message
};

/// Nothing for a bag that is not encrypted.
std::optional<Encryption> parse_encryption(const Fields& file_header);
/// Adds the fields of `encryption`.
void append_encryption(RecordWriter& file_header, const Encryption& encryption);

/// "encrypted by rosbag/AesCbcEncryptor for Jane Doe": in words for people.
std::string describe(const Encryption& encryption);

/// The cipher of an encrypted bag, whose key gpg opens with that of `gpg_key`. `path` is the bag's.
/// Throws Error: locked without `gpg_key` or when it does not open the bag, and as open_with_gpg().
std::shared_ptr<const Cipher> unlock(const Encryption& encryption, const std::string& gpg_key,
                                     const std::string& path);

/// How a new bag is encrypted.
struct Lock {
  Encryption encryption;
  std::shared_ptr<const Cipher> cipher;
};

/// A new key, for the user `gpg_key`. Throws Error as seal_with_gpg().
Lock make_lock(const std::string& gpg_key);

/// Compresses as `compression` says, then encrypts.
std::unique_ptr<Compressor> make_encrypting_compressor(std::string_view compression,
                                                       std::shared_ptr<const Cipher> cipher);

/// Appends `record`, a whole one, with its header and its data encrypted.
void append_encrypted(Buffer& out, ByteView record, const Cipher& cipher);

/// A record whose header and data are encrypted, made readable.
class DecryptedRecord {
 public:
  /// Nothing if `header` is not encrypted by `cipher`. Views into what this object keeps.
  std::optional<Fields> open_header(ByteView header, const Cipher& cipher);
  /// Nothing if `data` is not.
  std::optional<ByteView> open_data(ByteView data, const Cipher& cipher);

 private:
  Buffer header_;
  Buffer data_;
};

}  // namespace kitbag::rosbag
