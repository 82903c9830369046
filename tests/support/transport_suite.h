#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "kitbag/feed.h"
#include "kitbag/registry.h"
#include "kitbag/session.h"
#include "tests/support/memory_source.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/temporary_folder.h"

// What every transport must do that listens and publishes, and carries any payload: a publisher and
// a subscriber in one process. The test of a transport says where they meet, and instantiates it:
//
//   TransportCase over_a_socket(const std::string& folder) {
//     Location place{"lines://", "lines", folder + "/socket", {}};
//     return {transport(), place, place};
//   }
//   INSTANTIATE_TEST_SUITE_P(Lines, TransportSuite, ::testing::Values(over_a_socket));
//
// The tests themselves are in transport_suite.cpp.

namespace kitbag::test {

/// A transport, where its subscriber listens, and where its publisher sends. Without a transport
/// the tests are skipped.
struct TransportCase {
  Transport transport;
  Location listen;
  Location publish;
  /// False: a broker takes what is sent, whether somebody listens or not.
  bool knows_subscribers = true;
};

/// Makes a case whose two ends meet in `folder`, if they need one.
using MakeTransportCase = TransportCase (*)(const std::string& folder);

class TransportSuite : public ::testing::TestWithParam<MakeTransportCase> {
 protected:
  void SetUp() override {
    if (!case_.transport.subscribe) KITBAG_SKIP("the server of the transport is not installed");
  }

  /// How long messages that were sent may take.
  static constexpr std::chrono::seconds kPatience{60};

  std::unique_ptr<Subscriber> listen(const Selection& select = {}) {
    Subscription wanted;
    wanted.select = select;
    return case_.transport.subscribe(case_.listen, wanted, feed_, session_);
  }

  void publish_all(const Samples& samples, const MemoryOptions& options = {}) {
    MemorySource source(samples, options);
    auto publisher = case_.transport.publish(case_.publish, {}, session_);
    EXPECT_TRUE(publisher->await_subscribers({}));
    for (Batch batch; source.read(batch, {}); batch = Batch()) publisher->write(std::move(batch));
    publisher->close();
  }

  /// The first `count` messages, and those that came with them.
  Samples receive(std::size_t count) {
    Samples samples;
    Wait wait{{}, session_.clock()->steady() + kPatience};
    Batch batch;
    while (samples.size() < count && session_.clock()->steady() < wait.until) {
      batch.clear();
      if (!feed_.read(batch, wait)) break;
      for (Sample& sample : samples_of(batch)) samples.push_back(std::move(sample));
    }
    return samples;
  }

  TemporaryFolder folder_;
  TransportCase case_ = GetParam()(folder_.path());
  Session session_{Registry()};
  Feed feed_{64 << 20, OnFull::block, session_.clock()};
  const Samples samples_{{"/a", 10, "one"},
                         {"/b", 20, std::string(kLendBytes + 5, 'b'), "other/Type"},
                         {"/a", 30, ""},
                         {"/b", 40, "last", "other/Type"}};
};

}  // namespace kitbag::test
