#include "storage/rosbag/cipher.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <memory>
#include <new>

#include "kitbag/error.h"

//     initialization vector, 16 bytes, random | block | block | ... | last block, padded
//
// The padding is done here and not by OpenSSL. OpenSSL would refuse data whose padding is wrong,
// and give nothing. A chunk that was cut off has no padding at its end, but all of its whole blocks
// are good: in CBC, a block needs only itself and the one before it.
//
// Right padding is the only sign that the key was the right one: a wrong key passes once in about
// 255 times. So it is taken as a hint, and what was decrypted must still parse.
//
// Data is decrypted in place, which saves a buffer of the chunk's size.

namespace kitbag::rosbag {

namespace {

/// OpenSSL counts in int; whole blocks.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

void require_openssl(int result) {
  if (result != 1) {
    throw Error(ErrorCode::unsupported, "the OpenSSL library does not support AES-128-CBC");
  }
}

unsigned char* raw(std::byte* bytes) {
  return reinterpret_cast<unsigned char*>(bytes);
}
const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

/// One run of AES over whole blocks, in either direction; `from` and `to` may be the same.
class AesRun {
 public:
  AesRun(const Cipher::Key& key, ByteView vector, bool encrypts) : context_(EVP_CIPHER_CTX_new()) {
    if (!context_) throw std::bad_alloc();
    require_openssl(EVP_CipherInit_ex(context_.get(), EVP_aes_128_cbc(), nullptr, raw(key.data()),
                                      raw(vector.data()), encrypts ? 1 : 0));
    require_openssl(EVP_CIPHER_CTX_set_padding(context_.get(), 0));
  }

  void add(ByteView from, std::byte* to) {
    while (!from.empty()) {
      std::size_t count = std::min(from.size(), kMostAtOnce);
      int done = 0;
      require_openssl(EVP_CipherUpdate(context_.get(), raw(to), &done, raw(from.data()),
                                       static_cast<int>(count)));
      from = from.subspan(count);
      to += count;
    }
  }

 private:
  struct Free {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };
  std::unique_ptr<EVP_CIPHER_CTX, Free> context_;
};

/// How many bytes of padding end `plain`; 0: it is no padding.
std::size_t padding_of(ByteView plain) {
  if (plain.empty()) return 0;
  auto count = static_cast<std::size_t>(plain.back());
  if (count == 0 || count > Cipher::kBlockBytes || count > plain.size()) return 0;
  ByteView padding = plain.last(count);
  bool is_sound = std::all_of(padding.begin(), padding.end(),
                              [&](std::byte byte) { return byte == plain.back(); });
  return is_sound ? count : 0;
}

}  // namespace

Cipher::~Cipher() {
  forget(key_);
}

void Cipher::encrypt(ByteView plain, Buffer& to) const {
  std::size_t whole = plain.size() - plain.size() % kBlockBytes;
  ByteView rest = plain.subspan(whole);
  std::array<std::byte, kBlockBytes> last;
  last.fill(static_cast<std::byte>(kBlockBytes - rest.size()));
  std::copy(rest.begin(), rest.end(), last.begin());

  std::byte* vector = to.extend(kBlockBytes + whole + kBlockBytes);
  fill_with_random({vector, kBlockBytes});
  AesRun aes(key_, {vector, kBlockBytes}, true);
  aes.add(plain.first(whole), vector + kBlockBytes);
  aes.add(last, vector + kBlockBytes + whole);
}

Cipher::Decrypted Cipher::decrypt(std::span<std::byte> stored) const {
  if (stored.size() < kBlockBytes) return {};
  auto blocks = stored.subspan(kBlockBytes);
  bool is_aligned = blocks.size() % kBlockBytes == 0;
  blocks = blocks.first(blocks.size() - blocks.size() % kBlockBytes);
  AesRun(key_, stored.first(kBlockBytes), false).add(blocks, blocks.data());
  std::size_t padding = is_aligned ? padding_of(blocks) : 0;
  return {blocks, ByteView(blocks).first(blocks.size() - padding), padding > 0};
}

void fill_with_random(std::span<std::byte> bytes) {
  if (RAND_bytes(raw(bytes.data()), static_cast<int>(bytes.size())) != 1) {
    throw Error(ErrorCode::io, "the system provides no random numbers for the encryption");
  }
}

void forget(std::span<std::byte> secret) {
  OPENSSL_cleanse(secret.data(), secret.size());
}

}  // namespace kitbag::rosbag
