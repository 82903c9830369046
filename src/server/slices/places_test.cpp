#include "server/slices/places.h"

#include <gtest/gtest.h>

namespace kitbag::server {
namespace {

TEST(Places, AreAsManyAsThereAre) {
  Places places(2, "too many");
  auto first = places.take();
  auto second = places.take();
  for (int i = 0; i < 2; ++i) {
    try {
      places.take();
      ADD_FAILURE();
    } catch (const Refusal& refusal) {
      EXPECT_EQ(refusal.status(), 503);
      EXPECT_STREQ(refusal.what(), "too many");
    }
  }
  first.reset();
  first = places.take();
  EXPECT_NE(first, nullptr);
}

/// A body that tells when it is gone.
class Gone final : public BodyStream {
 public:
  explicit Gone(Places& places) : places_(places) {}
  ~Gone() override { EXPECT_THROW(places_.take(), Refusal); }
  bool next(std::string& text, std::stop_token) override {
    text += "x";
    return false;
  }

 private:
  Places& places_;
};

TEST(PlacedStream, KeepsItsPlaceUntilItsBodyIsGone) {
  Places places(1, "too many");
  {
    PlacedStream stream(places.take(), std::make_unique<Gone>(places));
    std::string text;
    EXPECT_FALSE(stream.next(text, {}));
    EXPECT_EQ(text, "x");
    EXPECT_THROW(places.take(), Refusal);
  }
  EXPECT_NE(places.take(), nullptr);
}

}  // namespace
}  // namespace kitbag::server
