#include "files/remote/part_sizes.h"

#include <gtest/gtest.h>

#include "kitbag/file.h"
#include "tests/support/units.h"

namespace kitbag::remote {
namespace {

using test::kMiB;

std::vector<std::byte> some_bytes(std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::uint32_t state = 1;
  for (std::byte& byte : bytes) byte = static_cast<std::byte>((state = state * 69069 + 1) >> 24);
  return bytes;
}

std::string md5_in_hexadecimal(std::string_view text) {
  Md5 md5;
  md5.add(as_bytes(text));
  return hexadecimal(md5.take());
}

TEST(PartSizes, GrowUpToOneTebibyte) {
  PartSizes sizes;
  EXPECT_EQ(sizes.of(1), 5 * kMiB);
  EXPECT_EQ(sizes.of(2), 8 * kMiB + 2 * 20 * 1024);
  std::uint64_t total = 0;
  for (std::size_t number = 1; number <= kMostParts; ++number) total += sizes.of(number);
  EXPECT_GE(total, std::uint64_t{1} << 40);
  EXPECT_LE(sizes.of(kMostParts), kMostPartBytes);
}

TEST(PartSizes, Equal) {
  PartSizes sizes{.equal_bytes = 6 * kMiB};
  EXPECT_EQ(sizes.of(1), 6 * kMiB);
  EXPECT_EQ(sizes.of(kMostParts), 6 * kMiB);
}

TEST(PartSizes, EqualForAKnownSize) {
  EXPECT_EQ(equal_parts(0).of(1), 8 * kMiB);
  EXPECT_EQ(equal_parts(1000 * kMiB).of(1), 8 * kMiB);
  EXPECT_EQ(equal_parts(kMostParts * 8 * kMiB - 1).of(2), 8 * kMiB);
  EXPECT_EQ(equal_parts(kMostParts * 8 * kMiB).of(2), 16 * kMiB);
  EXPECT_EQ(equal_parts(std::uint64_t{1} << 40).of(kMostParts), 128 * kMiB);
  EXPECT_EQ(equal_parts(UINT64_MAX).of(1), kMostPartBytes);
}

// RFC 1321, appendix A.5.
TEST(Md5, Examples) {
  EXPECT_EQ(md5_in_hexadecimal(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_in_hexadecimal("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5_in_hexadecimal("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
}

// printf abc | md5sum; printf def | md5sum; both sums as bytes: | md5sum
TEST(Etag, OfParts) {
  Md5 first;
  first.add(as_bytes("abc"));
  Md5 second;
  second.add(as_bytes("def"));
  EXPECT_EQ(etag_of_parts({first.take(), second.take()}), "4c8e93283780e078db9e0c6b9b3f8043-2");
}

TEST(Etag, Quotes) {
  EXPECT_EQ(bare_etag("\"a-2\""), "a-2");
  EXPECT_EQ(bare_etag("a-2"), "a-2");
  EXPECT_EQ(bare_etag("\""), "\"");
  EXPECT_EQ(bare_etag(""), "");
}

TEST(Etag, OfOnePieceUpToTheFirstPart) {
  std::vector<std::byte> bytes = some_bytes(5 * kMiB + 1);
  ByteView view = bytes;
  Md5 whole;
  whole.add(view.first(5 * kMiB));
  std::string first = whole.take();
  EtagSum one{PartSizes{}};
  one.add(view.first(1000));
  one.add(view.subspan(1000, 5 * kMiB - 1000));
  EXPECT_EQ(one.etag(), hexadecimal(first));
  Md5 last;
  last.add(view.last(1));
  EtagSum two{PartSizes{}};
  two.add(view);
  EXPECT_EQ(two.etag(), etag_of_parts({first, last.take()}));
}

TEST(Etag, OfAFile) {
  std::vector<std::byte> bytes = some_bytes(14 * kMiB);
  auto file = memory_file(bytes);
  EXPECT_TRUE(has_etag(*file, hexadecimal(md5_of(*file)), {}));
  EXPECT_FALSE(has_etag(*file, md5_in_hexadecimal("another"), {}));
  EXPECT_FALSE(has_etag(*file, "", {}));
  EXPECT_FALSE(has_etag(*file, "not made of sums", {}));
  EXPECT_FALSE(has_etag(*file, "x-99999999999999999999", {}));
  for (const PartSizes& sizes : {PartSizes{}, PartSizes{5 * kMiB}, PartSizes{8 * kMiB}}) {
    EtagSum sum(sizes);
    sum.add(bytes);
    std::string etag = sum.etag();
    EXPECT_TRUE(has_etag(*file, etag, {})) << etag;
    bytes[7 * kMiB] ^= std::byte{1};
    EXPECT_FALSE(has_etag(*file, etag, {})) << etag;
    bytes[7 * kMiB] ^= std::byte{1};
  }
  EtagSum unusual(PartSizes{7 * kMiB});
  unusual.add(bytes);
  std::string etag = unusual.etag();
  EXPECT_FALSE(has_etag(*file, etag, {}));
  EXPECT_TRUE(has_etag(*file, etag, {7 * kMiB}));
}

TEST(Etag, OfAnEmptyFile) {
  auto file = memory_file({});
  EXPECT_TRUE(has_etag(*file, "d41d8cd98f00b204e9800998ecf8427e", {}));
}

}  // namespace
}  // namespace kitbag::remote
