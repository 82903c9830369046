#include "kitbag/control.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "io/posix.h"
#include "kitbag/error.h"

namespace kitbag {
namespace {

constexpr std::size_t kMostLineBytes = 4096;
constexpr std::size_t kMostClients = 64;

[[noreturn]] void throw_errno(const std::string& what, const std::string& path) {
  throw system_error(what, errno, path);
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    throw Error(ErrorCode::invalid, "the path of a socket has 1 to 107 bytes", path);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

/// Nothing: nobody listens there.
std::optional<Descriptor> connect_to(const std::string& path) {
  sockaddr_un address = address_of(path);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) throw_errno("make a socket", path);
  int code = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (code == 0) return socket;
  if (errno == ENOENT || errno == ECONNREFUSED) return std::nullopt;
  throw_errno("connect to it", path);
}

/// False: the other side has gone.
bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    ssize_t count = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

Descriptor listen_at(const std::string& path) {
  sockaddr_un address = address_of(path);
  if (connect_to(path)) throw Error(ErrorCode::invalid, "somebody listens there already", path);
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0) {
    if (!S_ISSOCK(found.st_mode)) throw Error(ErrorCode::invalid, "is there, and no socket", path);
    ::unlink(path.c_str());
  }
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0) throw_errno("make a socket", path);
  ::fchmod(socket.get(), S_IRUSR | S_IWUSR);  // before there is a file to be opened
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || ::listen(socket.get(), 8) != 0) {
    throw_errno("listen at it", path);
  }
  return socket;
}

}  // namespace

struct ControlServer::State {
  struct Client {
    Descriptor socket;
    std::string text = {};  ///< of a line that is not whole yet
  };

  State(std::string at, Answer with)
      : path(std::move(at)),
        answer(std::move(with)),
        listener(listen_at(path)),
        wake(::eventfd(0, EFD_CLOEXEC)),
        thread([this] { serve(); }) {}
  ~State() {
    const std::uint64_t one = 1;
    [[maybe_unused]] auto written = ::write(wake.get(), &one, sizeof one);
    thread.join();
    ::unlink(path.c_str());
  }

  void serve();
  bool read(Client& client) const;
  std::string answer_to(const std::string& command) const;

  std::string path;
  Answer answer;
  Descriptor listener;
  Descriptor wake;
  std::thread thread;  ///< last: all is there when it begins
};

void ControlServer::State::serve() {
  std::vector<Client> clients;
  while (true) {
    std::vector<pollfd> polled = {{wake.get(), POLLIN, 0}, {listener.get(), POLLIN, 0}};
    for (const Client& client : clients) polled.push_back({client.socket.get(), POLLIN, 0});
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    if (polled[0].revents != 0) return;
    std::vector<Client> left;
    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (polled[i + 2].revents == 0 || read(clients[i])) left.push_back(std::move(clients[i]));
    }
    clients = std::move(left);
    if (polled[1].revents == 0) continue;
    Descriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.get() >= 0 && clients.size() < kMostClients) clients.push_back({std::move(socket)});
  }
}

/// False: the client is done.
bool ControlServer::State::read(Client& client) const {
  char bytes[kMostLineBytes];
  ssize_t count = ::recv(client.socket.get(), bytes, sizeof bytes, 0);
  if (count <= 0) return count < 0 && errno == EINTR;
  client.text.append(bytes, static_cast<std::size_t>(count));
  for (std::size_t end = 0; (end = client.text.find('\n')) != std::string::npos;) {
    std::string command = client.text.substr(0, end);
    client.text.erase(0, end + 1);
    if (!send_all(client.socket.get(), answer_to(command) + "\n")) return false;
  }
  return client.text.size() < kMostLineBytes;
}

std::string ControlServer::State::answer_to(const std::string& command) const {
  try {
    return answer(command);
  } catch (const std::exception& error) {
    return std::string("error: ") + error.what();
  }
}

ControlServer::ControlServer(std::string path, Answer answer)
    : state_(std::make_unique<State>(std::move(path), std::move(answer))) {}

ControlServer::~ControlServer() = default;

std::string send_control(const std::string& path, const std::string& command) {
  auto socket = connect_to(path);
  if (!socket) {
    throw Error(ErrorCode::not_found, "nothing that runs listens there; give it --control", path);
  }
  if (!send_all(socket->get(), command + "\n")) throw_errno("write to it", path);
  std::string answer;
  char bytes[kMostLineBytes];
  while (answer.find('\n') == std::string::npos) {
    ssize_t count = ::recv(socket->get(), bytes, sizeof bytes, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(ErrorCode::io, "went away without an answer", path);
    answer.append(bytes, static_cast<std::size_t>(count));
  }
  answer.resize(answer.find('\n'));
  return answer;
}

}  // namespace kitbag
