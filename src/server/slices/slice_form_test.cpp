#include "server/slices/slice_form.h"

#include <gmock/gmock.h>

#include <chrono>

#include "tests/support/manual_clock.h"

namespace kitbag::server {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;
using namespace std::chrono_literals;

/// The messages of a demo as an MCAP, as far as it has left, if to read each takes `pause`.
std::string as_mcap(Duration pause) {
  auto clock = std::make_shared<ManualClock>();
  Session session(SessionOptions{.clock = clock});
  std::unique_ptr<SliceForm> form = make_form({.format = "mcap"}, session);
  std::string text;
  form->begin(text);
  auto source = session.open("demo://?seconds=2&seed=3")->read();
  for (Batch batch; source->read(batch, {});) {
    form->write(std::exchange(batch, {}), text);
    clock->advance(pause);
  }
  return text;
}

// Two answers with one ETag once had other chunks, if one of them took longer.
TEST(SliceForm, HowLongReadingTakesChangesNoByteOfAnMcap) {
  std::string text = as_mcap(0ms);
  EXPECT_THAT(text, Not(IsEmpty()));
  EXPECT_TRUE(as_mcap(60ms) == text);
  EXPECT_TRUE(as_mcap(1s) == text);
}

}  // namespace
}  // namespace kitbag::server
