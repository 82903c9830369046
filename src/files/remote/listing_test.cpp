#include "files/remote/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/text.h"
#include "tests/support/thrown_by.h"

namespace kitbag::remote {
namespace {

using testing::ElementsAre;

constexpr std::string_view kListing =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
    "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>bags</Name>"
    "<Prefix>a/</Prefix><IsTruncated>true</IsTruncated>"
    "<Contents><Key>a/x+y%2B%0A.bag</Key><Size>5</Size>"
    "<LastModified>2026-11-26T22:05:00.250Z</LastModified></Contents>"
    "<Contents><Key>a/&lt;z&gt;.mcap</Key><Size>6</Size></Contents>"
    "<CommonPrefixes><Prefix>a/day/</Prefix></CommonPrefixes>"
    "<NextContinuationToken>abc=</NextContinuationToken></ListBucketResult>";

TEST(Listing, KeysPrefixesAndTheNextPage) {
  Listing listing = parse_listing(kListing);
  Time modified = parse_time("2026-11-26T22:05:00Z").resolve({}, {});
  EXPECT_THAT(listing.objects, ElementsAre(ListedObject{"a/x y+\n.bag", 5, modified},
                                           ListedObject{"a/<z>.mcap", 6, Time()}));
  EXPECT_THAT(listing.prefixes, ElementsAre("a/day/"));
  EXPECT_EQ(listing.next, "abc=");
}

TEST(Listing, WhatIsNoneIsAnError) {
  for (std::size_t size = 0; size < kListing.size(); ++size) {
    EXPECT_ERROR(io, parse_listing(kListing.substr(0, size)));
  }
  EXPECT_ERROR(io, parse_listing("<html></html>"));
  EXPECT_ERROR(io,
               parse_listing("<ListBucketResult><Contents><Key>a</Key><Size>-1</Size></Contents>"
                             "</ListBucketResult>"));
  EXPECT_ERROR(io, parse_listing("<!DOCTYPE x [<!ENTITY a \"b\">]><ListBucketResult/>"));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<a>";
  EXPECT_ERROR(io, parse_listing(deep));
}

TEST(Listing, Errors) {
  StoreError error = parse_store_error(
      "<Error><Code>AccessDenied</Code><Message>No</Message><Key>k</Key></Error>");
  EXPECT_EQ(error.code, "AccessDenied");
  EXPECT_EQ(error.message, "No");
  EXPECT_EQ(parse_store_error("gateway").code, "");
}

TEST(Listing, ATextOfAnAnswer) {
  constexpr std::string_view kAnswer =
      "<?xml version=\"1.0\"?>\n<R xmlns=\"x\"><Id>2~a&amp;b</Id><ETag>&quot;c-2&quot;</ETag></R>";
  EXPECT_EQ(text_at("R/Id", kAnswer), "2~a&b");
  EXPECT_EQ(text_at("R/ETag", kAnswer), "\"c-2\"");
  EXPECT_EQ(text_at("R/Key", kAnswer), std::nullopt);
  EXPECT_EQ(text_at("Id", kAnswer), std::nullopt);
  for (std::size_t size = 0; size < kAnswer.size(); ++size) {
    EXPECT_EQ(text_at("R/Id", kAnswer.substr(0, size)), std::nullopt) << size;
  }
  EXPECT_EQ(text_at("R/Id", "<!DOCTYPE R [<!ENTITY a \"b\">]><R><Id>&a;</Id></R>"), std::nullopt);
}

}  // namespace
}  // namespace kitbag::remote
