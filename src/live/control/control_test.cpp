#include "kitbag/control.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <ctime>
#include <memory>
#include <thread>
#include <vector>

#include "io/posix.h"
#include "kitbag/error.h"
#include "live/control/local_socket.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr int kPatienceMs = 60'000;

/// A program that speaks the protocol in its own way.
class RawClient {
 public:
  RawClient() : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    EXPECT_GE(socket_.get(), 0);
  }
  explicit RawClient(const std::string& path) : RawClient() { connect(path); }

  void connect(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path.c_str());
    ASSERT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }

  /// False: the server has gone.
  bool send(std::string_view text, int flags = 0) {
    return ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL | flags) >= 0;
  }

  /// The next line; what there was when the server has gone.
  std::string line() {
    std::string line;
    char c = 0;
    while (comes_within(kPatienceMs) && ::recv(socket_.get(), &c, 1, 0) == 1 && c != '\n')
      line += c;
    return line;
  }

  bool comes_within(int ms) {
    pollfd polled{socket_.get(), POLLIN, 0};
    return ::poll(&polled, 1, ms) > 0;
  }
  /// Waits until the server has closed it, without taking what it has sent.
  bool is_closed_within(int ms) {
    pollfd polled{socket_.get(), POLLRDHUP, 0};
    return ::poll(&polled, 1, ms) > 0;
  }
  bool is_closed() { return is_closed_within(kPatienceMs); }
  void close() { socket_ = Descriptor(); }

 private:
  Descriptor socket_;
};

class ControlTest : public testing::Test {
 protected:
  std::string ask(const std::string& command) {
    auto clock = system_clock();
    return send_control(path_, command, *clock, {{}, clock->steady() + 60s});
  }

  ControlServer::Answer echo() {
    return [](const std::string& command) { return "<" + command + ">"; };
  }

  /// The time of the clock may come while the server still sends: then its next one has to.
  void expect_given_up(RawClient& client) {
    for (int i = 0; i < 600; ++i) {
      clock_->advance(11s);
      if (client.is_closed_within(100)) return;
    }
    FAIL() << "the client was never given up";
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("socket");
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
};

TEST_F(ControlTest, TwoClientsAtOnceAreAnswered) {
  ControlServer server(path_, echo(), clock_);
  RawClient one(path_);
  RawClient two(path_);
  one.send("a\nb\n");
  two.send("c\n");
  EXPECT_EQ(two.line(), "<c>");
  EXPECT_EQ(one.line(), "<a>");
  EXPECT_EQ(one.line(), "<b>");
  EXPECT_EQ(ask("d"), "<d>");
}

TEST_F(ControlTest, WhoNeverReadsHoldsNobodyUp) {
  auto server = std::make_unique<ControlServer>(
      path_, [](const std::string& command) { return command + std::string(1 << 20, 'x'); },
      clock_);
  std::vector<RawClient> silent(3);
  for (RawClient& client : silent) {
    client.connect(path_);
    // Until neither side takes any more.
    while (client.send("status\nstatus\nstatus\n", MSG_DONTWAIT)) {
    }
  }
  EXPECT_THAT(ask("status"), testing::StartsWith("statusxxx"));
  EXPECT_THAT(ask("stop"), testing::StartsWith("stopxxx"));
  server.reset();  // waits for none of them
}

TEST_F(ControlTest, WhoNeverReadsIsGivenUp) {
  ControlServer server(
      path_, [](const std::string&) { return std::string(1 << 20, 'x'); }, clock_);
  RawClient silent(path_);
  silent.send("status\n");
  ASSERT_TRUE(silent.comes_within(kPatienceMs));
  expect_given_up(silent);
}

TEST_F(ControlTest, WhoSendsByteByByteIsAnsweredAndWhoStopsInALineIsGivenUp) {
  ControlServer server(path_, echo(), clock_);
  RawClient client(path_);
  for (char c : std::string_view("status\n")) {
    client.send({&c, 1});
    EXPECT_EQ(ask("between"), "<between>");
    clock_->advance(5s);
  }
  EXPECT_EQ(client.line(), "<status>");
  client.send("stat");
  EXPECT_EQ(ask("between"), "<between>");  // it has been read by now
  expect_given_up(client);
}

TEST_F(ControlTest, WhoSaysNothingMayStay) {
  ControlServer server(path_, echo(), clock_);
  RawClient client(path_);
  client.send("a\n");
  EXPECT_EQ(client.line(), "<a>");
  clock_->advance(1h);
  EXPECT_EQ(ask("between"), "<between>");
  client.send("b\n");
  EXPECT_EQ(client.line(), "<b>");
}

TEST_F(ControlTest, AnEndlessLineEndsItsClientAlone) {
  ControlServer server(path_, echo(), clock_);
  RawClient client(path_);
  const std::string megabyte(1 << 20, 'x');
  int sent = 0;
  while (sent < 100 && client.send(megabyte)) ++sent;
  EXPECT_LT(sent, 100);
  EXPECT_THAT(client.line(), HasSubstr("longer than 4096 bytes"));
  EXPECT_EQ(ask("a"), "<a>");
}

/// Sets how many descriptors there may be, until it goes.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t soft) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now{std::min(soft, before_.rlim_max), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(ControlTest, AThousandConnectionsLeaveRoomForOneMore) {
  DescriptorLimit many(1200);
  ControlServer server(path_, echo(), clock_);
  std::vector<RawClient> clients(1000);
  for (RawClient& client : clients) client.connect(path_);
  EXPECT_EQ(ask("a"), "<a>");
  clients.back().send("b\n");
  EXPECT_EQ(clients.back().line(), "<b>");
  EXPECT_TRUE(clients.front().is_closed());
}

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

TEST_F(ControlTest, WithoutDescriptorsItWaitsAndGoesOn) {
  ControlServer server(path_, echo(), clock_);
  RawClient first(path_);
  first.send("a\n");
  EXPECT_EQ(first.line(), "<a>");
  RawClient client;
  std::vector<Descriptor> rest;
  DescriptorLimit few(64);
  while (Descriptor one = open_descriptor("/dev/null", O_RDONLY)) rest.push_back(std::move(one));
  client.connect(path_);
  client.send("b\n");
  double before = cpu_seconds();
  EXPECT_FALSE(client.comes_within(400));
  EXPECT_LT(cpu_seconds() - before, 0.1);
  rest.clear();
  clock_->advance(1s);
  EXPECT_EQ(client.line(), "<b>");
}

TEST_F(ControlTest, ADeadSocketIsReplacedAndALiveOneIsNot) {
  {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path_.c_str());
    Descriptor dead(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::bind(dead.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ::listen(dead.get(), 1);
  }
  ControlServer server(path_, echo(), clock_);
  EXPECT_EQ(ask("a"), "<a>");
  auto error = thrown_by([&] { ControlServer(path_, echo(), clock_); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
  EXPECT_THAT(error.what(), HasSubstr("is listening"));
  EXPECT_EQ(ask("b"), "<b>");
  folder_.write("file", "mine");
  error = thrown_by([&] { ControlServer(folder_.path("file"), echo(), clock_); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
}

/// Whoever waits for the name to appear may connect.
TEST_F(ControlTest, ASocketThatIsThereListens) {
  constexpr int kTimes = 300;
  auto name = [&](int i) { return fmt::format("{}{}", path_, i); };
  int refused = 0;
  std::thread watcher([&] {
    for (int i = 0; i < kTimes; ++i) {
      while (::access(name(i).c_str(), F_OK) != 0) {
      }
      if (!connect_to(name(i))) ++refused;
    }
  });
  std::vector<Descriptor> listening;
  listening.reserve(kTimes);
  for (int i = 0; i < kTimes; ++i) listening.push_back(listen_at(name(i)));
  watcher.join();
  EXPECT_EQ(refused, 0);
  EXPECT_THAT(folder_.names(), ::testing::SizeIs(kTimes));
}

TEST_F(ControlTest, OnlyItsUserMayOpenItAndItGoesWithTheServer) {
  mode_t before = ::umask(0);
  {
    ControlServer server(path_, echo(), clock_);
    struct stat found {};
    ASSERT_EQ(::stat(path_.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0600U);
  }
  ::umask(before);
  EXPECT_NE(::access(path_.c_str(), F_OK), 0);
  auto error = thrown_by([&] { ask("a"); });
  EXPECT_EQ(error.code(), ErrorCode::not_found);
}

TEST_F(ControlTest, ASocketThatTookItsPlaceStays) {
  auto first = std::make_unique<ControlServer>(path_, echo(), clock_);
  ::unlink(path_.c_str());
  ControlServer second(path_, echo(), clock_);
  first.reset();
  EXPECT_EQ(ask("a"), "<a>");
}

/// A server that is not ours: it listens, and sends what the test says.
class ControlClientTest : public ControlTest {
 protected:
  ControlClientTest() : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path_.c_str());
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
  }

  Descriptor listener_;
};

TEST_F(ControlClientTest, AnAnswerThatNeverComesIsNotAwaitedForGood) {
  auto error = thrown_by([&] { send_control(path_, "a", *clock_, {{}, clock_->steady()}); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(), HasSubstr("does not answer"));
  std::stop_source stop;
  stop.request_stop();
  error = thrown_by([&] { send_control(path_, "a", *clock_, {stop.get_token(), kNever}); });
  EXPECT_EQ(error.code(), ErrorCode::cancelled);
}

TEST_F(ControlClientTest, NorIsAServerThatTakesNobody) {
  std::vector<RawClient> others(2);
  for (RawClient& client : others) client.connect(path_);  // they fill its backlog
  auto error = thrown_by([&] { send_control(path_, "a", *clock_, {{}, clock_->steady()}); });
  EXPECT_EQ(error.code(), ErrorCode::io);
}

TEST_F(ControlClientTest, AHugeAnswerIsRefused) {
  std::jthread server([&] {
    Descriptor client(::accept(listener_.get(), nullptr, nullptr));
    const std::string megabyte(1 << 20, 'x');
    while (::send(client.get(), megabyte.data(), megabyte.size(), MSG_NOSIGNAL) > 0) {
    }
  });
  auto error = thrown_by([&] { ask("a"); });
  EXPECT_EQ(error.code(), ErrorCode::limit);
}

TEST_F(ControlClientTest, AServerThatLeavesIsTold) {
  std::jthread server([&] { Descriptor client(::accept(listener_.get(), nullptr, nullptr)); });
  EXPECT_EQ(thrown_by([&] { ask("a"); }).code(), ErrorCode::io);
}

}  // namespace
}  // namespace kitbag
