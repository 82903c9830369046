#include "storage/rosbag/cipher.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kitbag::rosbag {
namespace {

std::vector<std::byte> from_hex(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

Cipher::Key key_of(const std::string& hex) {
  Cipher::Key key{};
  auto bytes = from_hex(hex);
  std::copy(bytes.begin(), bytes.end(), key.begin());
  return key;
}

// NIST SP 800-38A, F.2.1: key, initialization vector, four blocks and what they become.
const std::string kVectorKey = "2b7e151628aed2a6abf7158809cf4f3c";
const std::string kVectorStored =
    "000102030405060708090a0b0c0d0e0f"
    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
    "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7";
const std::string kVectorPlain =
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

std::string as_string(ByteView bytes) {
  return std::string(as_text(bytes));
}

TEST(Cipher, DecryptsTheVectorsOfTheStandard) {
  Cipher cipher(key_of(kVectorKey));
  auto stored = from_hex(kVectorStored);
  auto plain = from_hex(kVectorPlain);
  Cipher::Decrypted found = cipher.decrypt(stored);
  EXPECT_EQ(as_string(found.plain), as_string(plain));
  EXPECT_FALSE(found.is_whole) << "the vectors have no padding";
}

TEST(Cipher, DecryptsWhatTheRealRosbagEncrypts) {
  // Cryptodome's AES.MODE_CBC of "hello" with PKCS#7, key 000102..0f, vector of sixteen 0xaa.
  Cipher cipher(key_of("000102030405060708090a0b0c0d0e0f"));
  auto stored = from_hex("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa9da65e45279c89830a28540d778221aa");
  Cipher::Decrypted found = cipher.decrypt(stored);
  EXPECT_EQ(as_string(found.plain), "hello");
  EXPECT_TRUE(found.is_whole);
}

TEST(Cipher, GivesEveryLengthBack) {
  Cipher cipher(key_of(kVectorKey));
  for (std::size_t size : {0U, 1U, 15U, 16U, 17U, 31U, 32U, 1000U, 65536U}) {
    std::string plain(size, 'p');
    Buffer stored;
    stored.append(as_bytes("before"));
    cipher.encrypt(as_bytes(plain), stored);
    std::span<std::byte> piece = stored.span().subspan(6);
    EXPECT_EQ(piece.size(), 16 + (size / 16 + 1) * 16) << size;
    Cipher::Decrypted found = cipher.decrypt(piece);
    EXPECT_TRUE(found.is_whole) << size;
    EXPECT_EQ(as_string(found.plain), plain);
    EXPECT_EQ(as_string(stored.view().first(6)), "before");
  }
}

TEST(Cipher, NeverEncryptsTheSameTwice) {
  Cipher cipher(key_of(kVectorKey));
  Buffer a;
  Buffer b;
  cipher.encrypt(as_bytes("hello"), a);
  cipher.encrypt(as_bytes("hello"), b);
  EXPECT_NE(as_string(a.view().first(16)), as_string(b.view().first(16)));
  EXPECT_NE(as_string(a.view().last(16)), as_string(b.view().last(16)));
}

TEST(Cipher, TellsAnotherKey) {
  Buffer stored;
  Cipher(key_of(kVectorKey)).encrypt(as_bytes(std::string(1000, 'p')), stored);
  std::size_t taken_for_whole = 0;
  for (int i = 0; i < 100; ++i) {
    std::vector<std::byte> copy(stored.view().begin(), stored.view().end());
    Cipher::Key wrong = key_of(kVectorKey);
    wrong[0] ^= static_cast<std::byte>(i + 1);
    if (Cipher(wrong).decrypt(copy).is_whole) ++taken_for_whole;
  }
  EXPECT_LT(taken_for_whole, 10U) << "one in 255 looks like padding by chance";
}

TEST(Cipher, GivesTheWholeBlocksOfWhatIsCut) {
  std::string plain(100, 'p');
  Cipher cipher(key_of(kVectorKey));
  Buffer stored;
  cipher.encrypt(as_bytes(plain), stored);
  for (std::size_t size = 0; size < stored.size(); ++size) {
    std::vector<std::byte> cut(stored.view().begin(),
                               stored.view().begin() + static_cast<std::ptrdiff_t>(size));
    Cipher::Decrypted found = cipher.decrypt(cut);
    EXPECT_FALSE(found.is_whole) << size;
    EXPECT_EQ(as_string(found.plain), plain.substr(0, size < 16 ? 0 : (size - 16) / 16 * 16));
  }
}

TEST(Cipher, SurvivesEveryFlippedByte) {
  std::string plain(100, 'p');
  Cipher cipher(key_of(kVectorKey));
  Buffer stored;
  cipher.encrypt(as_bytes(plain), stored);
  for (std::size_t at = 0; at < stored.size(); ++at) {
    std::vector<std::byte> flipped(stored.view().begin(), stored.view().end());
    flipped[at] ^= std::byte{0xff};
    Cipher::Decrypted found = cipher.decrypt(flipped);
    EXPECT_NE(as_string(found.plain), plain) << at;
    EXPECT_LE(found.plain.size(), stored.size() - 16) << at;
  }
}

}  // namespace
}  // namespace kitbag::rosbag
