#include <gtest/gtest.h>

#include <string>

#include "kitbag/database.h"

namespace kitbag {
namespace {

TEST(AddressOfADatabase, IsShownWithoutItsPassword) {
  EXPECT_EQ(without_password("fleet.db"), "fleet.db");
  EXPECT_EQ(without_password("postgresql://host:5432/fleet"), "postgresql://host:5432/fleet");
  EXPECT_EQ(without_password("postgresql://me@host/fleet"), "postgresql://me@host/fleet");
  EXPECT_EQ(without_password("postgresql://me:secret@[::1]:5432/fleet?a=b"),
            "postgresql://me:...@[::1]:5432/fleet?a=b");
  EXPECT_EQ(without_password("postgresql://host/fleet?password=s@c:r&user=me@there"),
            "postgresql://host/fleet?password=...&user=me@there");
  EXPECT_EQ(without_password("postgresql://me:se@host/fleet?sslpassword=c@ret&password=s"),
            "postgresql://me:...@host/fleet?sslpassword=...&password=...");
}

TEST(AddressOfADatabase, MayHaveAPasswordThatIsNotEncoded) {
  for (const char* password : {"se/cret", "se?cret", "se@cret", "se/c@ret", "1/2?3", "a:b/c:d", "/",
                               "?", "@", "?a=b&c=d", "https://x@y"}) {
    std::string address = std::string("postgresql://me:") + password + "@host:5432/fleet";
    EXPECT_EQ(without_password(address), "postgresql://me:...@host:5432/fleet") << password;
  }
  // What is in front of the host looks as a parameter.
  EXPECT_EQ(without_password("postgresql://me:a?password=b@host"), "postgresql://me:...");
}

}  // namespace
}  // namespace kitbag
