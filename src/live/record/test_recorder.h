#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/live.h"
#include "kitbag/open.h"
#include "kitbag/record.h"
#include "kitbag/session.h"
#include "tests/support/memory_source.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/units.h"

namespace kitbag::test {

/// What the system of the test does when somebody listens; set by the test, which has one thread.
inline std::function<void(Feed&)> on_subscribe;
/// Which it was given to take its times from.
inline ClockPtr given_clock;

/// Pushes all at once, and ends.
class TestSubscriber final : public Subscriber {
 public:
  explicit TestSubscriber(Feed& feed) : feed_(feed) { on_subscribe(feed); }
  void stop() override { feed_.close(); }

 private:
  Feed& feed_;
};

/// A recorder of a system whose messages the test gives.
class RecorderTest : public ::testing::Test {
 protected:
  RecorderTest() {
    Transport transport;
    transport.scheme = "test";
    transport.subscribe = [](const Location&, const Subscription&, Feed& feed,
                             const Session& session) {
      given_clock = session.clock();
      return std::unique_ptr<Subscriber>(std::make_unique<TestSubscriber>(feed));
    };
    Registry registry = standard_registry();
    registry.transports.push_back(transport);
    session_ = Session(std::move(registry));
    options_.from = {"test://"};
    options_.feed.bytes = 4 * kMiB;  // which is touched for each recorder
    options_.target.path = folder_.path("x.mcap");
  }

  /// The system gives these messages, and ends where it is to.
  void give(const Samples& samples, bool ends = true,
            const std::map<std::string, std::string>& metadata = {}) {
    on_subscribe = [=](Feed& feed) {
      MemoryOptions options;
      options.metadata = metadata;
      MemorySource source(samples, options);
      std::vector<ChannelPtr> own;
      for (const ChannelPtr& channel : *source.channels()) own.push_back(feed.add(*channel));
      for (Batch batch; source.read(batch, {}); batch.clear()) {
        for (Message message : std::as_const(batch).messages()) {
          message.channel = own[message.channel->slot].get();
          feed.push(message);
        }
      }
      if (ends) feed.close();
    };
  }

  RecordStatus record() {
    options_.on_warning = [this](const Error& warning) { warnings_.push_back(warning.message()); };
    Recorder recorder(options_, session_.with_clock(clock_));
    return recorder.run({});
  }

  Samples read(const std::string& name) const {
    Samples samples;
    auto source = session_.open(folder_.path(name))->read();
    for (Batch batch; source->read(batch, {}); batch.clear()) {
      for (auto& sample : samples_of(batch)) samples.push_back(std::move(sample));
    }
    return samples;
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  TemporaryFolder folder_;
  Session session_;
  ClockPtr clock_ = system_clock();
  RecordOptions options_;
  std::vector<std::string> warnings_;
  const Samples samples_{{"/a", 0, "one"}, {"/b", kSecond, "two"}, {"/a", 2 * kSecond, "three"}};
};

}  // namespace kitbag::test
