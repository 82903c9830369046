#include "catalog/drops.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace kitbag::catalog {
namespace {

/// A bag of nothing but extras.
class ExtrasBag final : public Bag {
 public:
  explicit ExtrasBag(std::vector<Extra> extras) : extras_(std::move(extras)) {}

  const Summary& summary() const override { return summary_; }
  std::vector<Extra> extras() const override { return extras_; }
  std::unique_ptr<Source> read_messages(const Query&, const Wait&) const override {
    return nullptr;
  }

 private:
  Summary summary_;
  std::vector<Extra> extras_;
};

TEST(Drops, OfSeveralRecordingsAreAddedUp) {
  ExtrasBag bag({Metadata{"kitbag_recording", {{"dropped", "5"}, {"dropped /a", "5"}}},
                 Metadata{"kitbag_recording", {{"dropped /a", "2"}, {"lost /b", "1"}}},
                 Metadata{"another", {{"dropped /a", "100"}}}, Attachment{}});
  std::vector<CatalogDrops> drops = drops_of(bag);
  ASSERT_EQ(drops.size(), 2U);
  EXPECT_EQ(drops[0].topic, "/a");
  EXPECT_EQ(drops[0].dropped, 7U);
  EXPECT_EQ(drops[0].lost, 0U);
  EXPECT_EQ(drops[1].topic, "/b");
  EXPECT_EQ(drops[1].lost, 1U);
}

TEST(Drops, AreWhatABagSaysAndItMaySayAnything) {
  constexpr auto kMost = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  ExtrasBag bag({Metadata{"kitbag_recording",
                          {{"dropped /a", "18446744073709551615"},
                           {"dropped /b", "-1"},
                           {"dropped /c", "1 "},
                           {"dropped /d", ""},
                           {"dropped /e", "99999999999999999999999"},
                           {"dropped /f", "0"},
                           {"dropped ", "3"}}},
                 Metadata{"kitbag_recording", {{"dropped /a", "9"}}}});
  std::vector<CatalogDrops> drops = drops_of(bag);
  ASSERT_EQ(drops.size(), 2U);
  EXPECT_EQ(drops[0].topic, "");
  EXPECT_EQ(drops[1].dropped, kMost);
}

}  // namespace
}  // namespace kitbag::catalog
