#include "storage/rosbag/encryption.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/little_endian.h"
#include "kitbag/error.h"
#include "storage/rosbag/gpg.h"

// The order is: compress, then encrypt. Encrypted data does not compress, and real rosbag does it
// in this order, too. The compressor and the cipher run on the threads that compress; a chunk is
// always packed here, even if it does not get smaller, because it must be encrypted.
//
// Only the cipher keeps the key of the bag. Other copies in this file are overwritten (forget())
// when they are no longer needed, since freed memory may get into a core dump or into swap.
//
// The sealed key is in the file header from the start. Real rosbag writes it at the end, so a
// recorder that dies leaves chunks that nobody can open any more.

namespace kitbag::rosbag {

namespace {

class EncryptingCompressor final : public Compressor {
 public:
  EncryptingCompressor(std::unique_ptr<Compressor> compressor, std::shared_ptr<const Cipher> cipher)
      : compressor_(std::move(compressor)), cipher_(std::move(cipher)) {}

  void compress(ByteView from, Buffer& to) override {
    if (compressor_) compressor_->compress(from, packed_);
    to.clear();
    cipher_->encrypt(compressor_ ? packed_.view() : from, to);
  }

 private:
  std::unique_ptr<Compressor> compressor_;  ///< null: none
  std::shared_ptr<const Cipher> cipher_;
  Buffer packed_;
};

std::optional<ByteView> decrypt_into(Buffer& buffer, ByteView stored, const Cipher& cipher) {
  bool is_possible = stored.size() >= 2 * Cipher::kBlockBytes;
  if (!is_possible || stored.size() % Cipher::kBlockBytes != 0) return std::nullopt;
  buffer.clear();
  buffer.append(stored);
  Cipher::Decrypted decrypted = cipher.decrypt(buffer.span());
  if (!decrypted.is_whole) return std::nullopt;
  return decrypted.plain;
}

}  // namespace

std::optional<Encryption> parse_encryption(const Fields& file_header) {
  std::string_view encryptor = file_header.text("encryptor");
  if (encryptor.empty()) return std::nullopt;
  return Encryption{std::string(encryptor), std::string(file_header.text("gpg_user")),
                    std::string(file_header.text("encrypted_key"))};
}

void append_encryption(RecordWriter& file_header, const Encryption& encryption) {
  file_header.field("encryptor", encryption.encryptor)
      .field("gpg_user", encryption.gpg_user)
      .field("encrypted_key", encryption.encrypted_key);
}

std::string describe(const Encryption& encryption) {
  return fmt::format("encrypted by {} for {}", encryption.encryptor,
                     encryption.gpg_user.empty() ? "an unnamed user" : encryption.gpg_user);
}

std::shared_ptr<const Cipher> unlock(const Encryption& encryption, const std::string& gpg_key,
                                     const std::string& path) {
  if (encryption.encryptor != kAesCbcEncryptor) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the bag is encrypted by {}; only {} is supported",
                            encryption.encryptor, kAesCbcEncryptor),
                path, kVersionLine.size());
  }
  if (gpg_key.empty()) {
    throw Error(ErrorCode::locked,
                fmt::format("the bag is {}; reading it requires that user's secret GnuPG key",
                            describe(encryption)),
                path, kVersionLine.size());
  }
  auto secret = open_with_gpg(as_bytes(encryption.encrypted_key), gpg_key, path);
  if (secret.size() != Cipher::kKeyBytes) {
    throw Error(
        ErrorCode::corrupt,
        fmt::format("the bag's key has {} bytes, expected {}", secret.size(), Cipher::kKeyBytes),
        path, kVersionLine.size());
  }
  Cipher::Key key;
  std::copy(secret.begin(), secret.end(), key.begin());
  auto cipher = std::make_shared<const Cipher>(key);
  forget(secret);
  forget(key);
  return cipher;
}

Lock make_lock(const std::string& gpg_key) {
  Cipher::Key key;
  fill_with_random(key);
  auto cipher = std::make_shared<const Cipher>(key);
  Sealed sealed = seal_with_gpg(key, gpg_key);
  forget(key);
  return {{std::string(kAesCbcEncryptor), sealed.user, sealed.message}, std::move(cipher)};
}

std::unique_ptr<Compressor> make_encrypting_compressor(std::string_view compression,
                                                       std::shared_ptr<const Cipher> cipher) {
  return std::make_unique<EncryptingCompressor>(make_compressor(compression), std::move(cipher));
}

void append_encrypted(Buffer& out, ByteView record, const Cipher& cipher) {
  constexpr std::size_t kLength = sizeof(std::uint32_t);
  for (int part = 0; part < 2; ++part) {  // header, then data
    std::size_t size = load_le<std::uint32_t>(record.data());
    std::size_t start = out.size();
    out.extend(kLength);
    cipher.encrypt(record.subspan(kLength, size), out);
    store_le(out.data() + start, static_cast<std::uint32_t>(out.size() - start - kLength));
    record = record.subspan(kLength + size);
  }
}

std::optional<Fields> DecryptedRecord::open_header(ByteView header, const Cipher& cipher) {
  auto plain = decrypt_into(header_, header, cipher);
  if (!plain) return std::nullopt;
  return Fields::parse(*plain);
}

std::optional<ByteView> DecryptedRecord::open_data(ByteView data, const Cipher& cipher) {
  return decrypt_into(data_, data, cipher);
}

}  // namespace kitbag::rosbag
