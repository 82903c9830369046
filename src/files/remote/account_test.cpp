#include "files/remote/account.h"

#include <gtest/gtest.h>

#include "tests/support/thrown_by.h"

namespace kitbag::remote {
namespace {

using Variables = std::map<std::string, std::string>;

Account find(const Variables& variables, const Variables& files = {}) {
  auto look = [](const Variables& values, const std::string& name) -> std::optional<std::string> {
    auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  return find_account([&](const char* name) { return look(variables, name); },
                      [&](const std::string& path) { return look(files, path); });
}

const Variables kFiles = {
    {"/me/.aws/credentials",
     "# keys\n[default]\naws_access_key_id = A\naws_secret_access_key=B\n\n"
     "[fleet]\naws_access_key_id=C\naws_secret_access_key=D\naws_session_token = E\n"},
    {"/me/.aws/config",
     "[default]\nregion = eu-west-1\n[profile fleet]\nendpoint_url = http://store:7480/\n"
     "addressing_style = virtual\nnonsense\n"}};

TEST(Account, NobodyInParticular) {
  Account account = find({});
  EXPECT_EQ(account.credentials.key_id, "");
  EXPECT_EQ(account.region, "us-east-1");
  EXPECT_EQ(account.endpoint, "");
}

TEST(Account, TheDefaultProfile) {
  Account account = find({{"HOME", "/me"}}, kFiles);
  EXPECT_EQ(account.credentials.key_id, "A");
  EXPECT_EQ(account.credentials.secret, "B");
  EXPECT_EQ(account.region, "eu-west-1");
}

TEST(Account, AnotherProfile) {
  Account account = find({{"HOME", "/me"}, {"AWS_PROFILE", "fleet"}}, kFiles);
  EXPECT_EQ(account.credentials.key_id, "C");
  EXPECT_EQ(account.credentials.token, "E");
  EXPECT_EQ(account.endpoint, "http://store:7480");
  EXPECT_TRUE(account.is_virtual_host);
  EXPECT_ERROR(invalid, find({{"HOME", "/me"}, {"AWS_PROFILE", "flet"}}, kFiles));
}

TEST(Account, TheEnvironmentComesFirstAndItsKeysAreNotMixed) {
  Account account = find({{"HOME", "/me"},
                          {"AWS_PROFILE", "fleet"},
                          {"AWS_ACCESS_KEY_ID", "X"},
                          {"AWS_SECRET_ACCESS_KEY", "Y"},
                          {"AWS_ENDPOINT_URL", "http://all"},
                          {"AWS_ENDPOINT_URL_S3", "http://s3"},
                          {"AWS_DEFAULT_REGION", "r"}},
                         kFiles);
  EXPECT_EQ(account.credentials.key_id, "X");
  EXPECT_EQ(account.credentials.secret, "Y");
  EXPECT_EQ(account.credentials.token, "");
  EXPECT_EQ(account.endpoint, "http://s3");
  EXPECT_EQ(account.region, "r");
}

TEST(Account, Uploads) {
  EXPECT_EQ(find({}).part_bytes, 0U);
  EXPECT_EQ(find({}).memory_bytes, 64U << 20);
  Account account = find({{"KITBAG_S3_PART_SIZE", "16MiB"}, {"KITBAG_S3_MEMORY", "8MiB"}});
  EXPECT_EQ(account.part_bytes, 16U << 20);
  EXPECT_EQ(account.memory_bytes, 8U << 20);
  EXPECT_ERROR(invalid, find({{"KITBAG_S3_PART_SIZE", "1MiB"}}));
  EXPECT_ERROR(invalid, find({{"KITBAG_S3_PART_SIZE", "6GiB"}}));
  EXPECT_ERROR(invalid, find({{"KITBAG_S3_PART_SIZE", "large"}}));
}

}  // namespace
}  // namespace kitbag::remote
