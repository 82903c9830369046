#include "kitbag/control.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <list>
#include <thread>
#include <utility>
#include <vector>

#include "io/posix.h"
#include "kitbag/error.h"
#include "live/control/control_session.h"
#include "live/control/local_socket.h"

// One thread serves all clients and never waits for one: sockets do not block, and what a client
// says and is still to get is in a ControlSession, which is bounded. When there are too many, the
// one that has been silent for longest goes, so a new one is always served.
//
// What poll() waits for, and why:
//
//   wake        an eventfd, written by the destructor: the thread ends at once, not after a timeout
//   listener    left out for kAcceptAgain after accept() failed for lack of descriptors. poll()
//               would report it again at once, and the thread would spin
//   clients     POLLOUT while an answer waits, else POLLIN: never both, so who sends commands and
//               reads no answers is not read either
//
// The clock is the session's, which a test may set, but poll() waits in real time. So a wait with a
// deadline is cut into pieces of kLook.

namespace kitbag {
namespace {

constexpr std::size_t kMostClients = 64;
/// A turn accepts at most this many clients before it serves those that are connected.
constexpr int kMostAccepted = 64;
/// When the system has no descriptor for one more client, it is tried again after this time.
constexpr Duration kAcceptAgain = std::chrono::milliseconds(500);
/// How often the clock is checked while something waits for it.
constexpr Duration kLook = std::chrono::milliseconds(100);

/// What identifies a file as long as it is there.
std::pair<dev_t, ino_t> identity_of(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino};
}

/// For poll(): until `next`, but no longer than kLook; without an end where there is none.
int poll_ms(SteadyTime next, SteadyTime now) {
  if (next == kNever) return -1;
  Duration left = std::clamp(Duration(next - now), Duration::zero(), kLook);
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

}  // namespace

struct ControlServer::State {
  struct Client {
    Descriptor socket;
    ControlSession session;
  };

  State(std::string at, Answer with, ClockPtr system)
      : path(std::move(at)),
        answer(std::move(with)),
        clock(std::move(system)),
        listener(listen_at(path)),
        identity(identity_of(path)),
        wake(::eventfd(0, EFD_CLOEXEC)) {
    if (wake.get() < 0) throw system_error("make an eventfd", errno, path);
    thread = std::thread([this] { serve(); });
  }
  ~State() {
    const std::uint64_t one = 1;
    [[maybe_unused]] auto written = ::write(wake.get(), &one, sizeof one);
    if (thread.joinable()) thread.join();
    // Not one that another program has put there meanwhile.
    if (identity_of(path) == identity) ::unlink(path.c_str());
  }

  void serve();
  void accept_all();
  bool send(Client& client) const;
  bool receive(Client& client) const;

  std::string path;
  Answer answer;
  ClockPtr clock;
  Descriptor listener;
  std::pair<dev_t, ino_t> identity;
  Descriptor wake;
  std::list<Client> clients;                   ///< the thread's
  SteadyTime accept_from = SteadyTime::min();  ///< the same
  std::thread thread;
};

void ControlServer::State::serve() {
  std::vector<pollfd> polled;
  while (true) {
    SteadyTime now = clock->steady();
    bool accepts = now >= accept_from;
    SteadyTime next = accepts ? kNever : accept_from;
    polled = {{wake.get(), POLLIN, 0}, {accepts ? listener.get() : -1, POLLIN, 0}};
    for (const Client& client : clients) {
      short wanted = client.session.unsent().empty() ? POLLIN : POLLOUT;
      polled.push_back({client.socket.get(), wanted, 0});
      next = std::min(next, client.session.deadline());
    }
    int ready = ::poll(polled.data(), polled.size(), poll_ms(next, now));
    if (ready < 0) continue;
    if (polled[0].revents != 0) return;
    auto events = polled.begin() + 2;
    for (auto client = clients.begin(); client != clients.end(); ++events) {
      bool stays = events->revents == 0 || (send(*client) && receive(*client) && send(*client));
      stays = stays && !client->session.is_over() && clock->steady() < client->session.deadline();
      client = stays ? std::next(client) : clients.erase(client);
    }
    if (polled[1].revents != 0) accept_all();
  }
}

void ControlServer::State::accept_all() {
  for (int left = kMostAccepted; left > 0; --left) {
    Descriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.get() < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno != EAGAIN) accept_from = clock->steady() + kAcceptAgain;
      return;
    }
    if (clients.size() >= kMostClients) {
      clients.erase(std::min_element(clients.begin(), clients.end(), [](auto& a, auto& b) {
        return a.session.last_active() < b.session.last_active();
      }));
    }
    clients.push_back({std::move(socket), ControlSession(clock->steady())});
  }
}

/// As much as the client takes. False: it has gone.
bool ControlServer::State::send(Client& client) const {
  while (!client.session.unsent().empty()) {
    std::string_view text = client.session.unsent();
    ssize_t count = ::send(client.socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    client.session.sent(static_cast<std::size_t>(count), clock->steady(), answer);
  }
  return true;
}

/// What has come, as far as there is room. False: the client has gone.
bool ControlServer::State::receive(Client& client) const {
  char bytes[ControlLines::kMostLineBytes + 1];
  std::size_t room = std::min(sizeof bytes, client.session.room());
  if (room == 0) return true;
  ssize_t count = ::recv(client.socket.get(), bytes, room, 0);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) {
    client.session.end();
  } else {
    client.session.take({bytes, static_cast<std::size_t>(count)}, clock->steady(), answer);
  }
  return true;
}

ControlServer::ControlServer(std::string path, Answer answer, ClockPtr clock)
    : state_(std::make_unique<State>(std::move(path), std::move(answer), std::move(clock))) {}

ControlServer::~ControlServer() = default;

}  // namespace kitbag
