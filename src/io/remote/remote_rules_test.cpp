#include "kitbag/remote_rules.h"

#include <gtest/gtest.h>

#include <string>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

bool is_allowed(const RemoteRules& rules, const std::string& uri) {
  try {
    return rules.check_stranger(uri).is_guarded;
  } catch (const Error&) {
    return false;
  }
}

TEST(RemoteRules, PrefixesEndWhereAPartOfThePathEnds) {
  RemoteRules rules({}, {"https://host.example/bags", "http://host.example:8080/a%20b/",
                         "s3://bucket/runs", "s3://Other"});
  for (const char* each :
       {"https://host.example/bags/x.bag", "HTTPS://HOST.example/bags/x.bag?sign=1#y",
        "https://host.example:443/bags/x/y.bag", "https://host.example/bags",
        "http://host.example:8080/a b/x", "http://host.example:8080/a%20b/x", "s3://bucket/runs/x",
        "s3://Other/x?y", "s3://Other/a%2fb"}) {
    EXPECT_TRUE(is_allowed(rules, each)) << each;
  }
  for (const char* each : {"https://host.example/bagsx",
                           "https://host.example/",
                           "http://host.example/bags/x",
                           "https://host.example:8443/bags/x",
                           "https://host.example.evil/bags/x",
                           "https://evil/host.example/bags/x",
                           "https://host.example@evil/bags/x",
                           "https://u:p@host.example/bags/x",
                           "https://host.example/bags/../x",
                           "https://host.example/bags/%2E%2e/x",
                           "https://host.example/bags/..%2Fx",
                           "https://host.example/bags/a%5c..%5cx",
                           "https://host.example/bags\\x",
                           "https://host.example/bags/%zz",
                           "https://host.example/bags/%0",
                           "https:///bags/x",
                           "https://host.example:0443x/bags/x",
                           "https://host.example:99999/bags/x",
                           "https://h\xc3\xb6st.example/bags/x",
                           "s3://bucket/runsx",
                           "s3://bucket/runs/../x",
                           "s3://other/x",
                           "file:///bags/x",
                           "bags/x",
                           "",
                           "://"}) {
    EXPECT_FALSE(is_allowed(rules, each)) << each;
  }
}

TEST(RemoteRules, NumericHostsOfPrefixesMayBeReached) {
  RemoteRules rules({}, {"http://127.0.0.1:80/", "http://[::1]/", "http://127.1/",
                         "http://2130706433/", "http://localhost/"});
  EXPECT_EQ(rules.check("http://127.0.0.1/x").literal, "127.0.0.1");
  EXPECT_EQ(rules.check("http://[::1]/x").literal, "::1");
  EXPECT_EQ(rules.check("http://127.1/x").literal, "");
  EXPECT_EQ(rules.check("http://2130706433/x").literal, "");
  EXPECT_EQ(rules.check("http://localhost/x").literal, "");
}

TEST(RemoteRules, WhatTheUserNamedIsTrusted) {
  RemoteRules rules({"http://10.0.0.1/x.bag?sign=1", "s3://bucket/runs"}, {});
  EXPECT_FALSE(rules.check("http://10.0.0.1/x.bag?sign=1").is_guarded);
  EXPECT_FALSE(rules.check("s3://bucket/runs/x.bag").is_guarded);
  EXPECT_ERROR(invalid, rules.check("s3://bucket/runs2/x.bag"));
  EXPECT_ERROR(invalid, rules.check("http://10.0.0.1/x.bag?sign=12"));
  EXPECT_ERROR(invalid, rules.check_stranger("s3://bucket/runs/x.bag"));
}

TEST(RemoteRules, ErrorsHoldNoSecrets) {
  RemoteRules rules({}, {});
  for (const char* each : {"https://host/x?sign=secret", "https://secret@host/x"}) {
    try {
      rules.check(each);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos) << error.what();
    }
  }
}

TEST(RemoteRules, PrefixesWithSecretsOrWithoutAHostAreNone) {
  for (const char* each : {"https://u@host/", "https://host/?x=1", "https://", "host/bags",
                           "ftp://host/", "https://host/a/../b", "https://*/"}) {
    EXPECT_ERROR(invalid, RemoteRules({}, {each})) << each;
  }
}

}  // namespace
}  // namespace kitbag
