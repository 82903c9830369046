#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace kitbag::test {

/// A port of this machine that was free a moment ago.
inline std::uint16_t free_port() {
  int file = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof place;
  bool is_bound = ::bind(file, reinterpret_cast<sockaddr*>(&place), size) == 0 &&
                  ::getsockname(file, reinterpret_cast<sockaddr*>(&place), &size) == 0;
  ::close(file);
  if (!is_bound) throw std::runtime_error("no port is free");
  return ntohs(place.sin_port);
}

/// A server that is another program, for as long as this object is there. It listens on a port of
/// 127.0.0.1 and prints nothing.
class ServerProcess {
 public:
  /// Returns when the server accepts connections.
  ServerProcess(const std::vector<std::string>& command, std::uint16_t port)
      : ServerProcess(command, [port] { return accepts(port); }) {}
  /// Returns when `is_ready` does so. Starts a program again that ends at once, because another one
  /// of its kind still runs.
  ServerProcess(const std::vector<std::string>& command, const std::function<bool()>& is_ready)
      : command_(command) {
    start();
    await(is_ready);
  }
  ~ServerProcess() { end(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// As if its machine had lost power.
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  void start() {
    std::vector<char*> words;
    for (const std::string& word : command_) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int file : {STDOUT_FILENO, STDERR_FILENO}) {
      posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_WRONLY, 0);
    }
    int result = ::posix_spawnp(&pid_, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (result != 0) throw std::runtime_error("cannot start " + command_[0]);
  }

  void await(const std::function<bool()>& is_ready) {
    auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!is_ready()) {
      if (std::chrono::steady_clock::now() > until) {
        end();
        throw std::runtime_error("the server does not listen");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        start();
      }
    }
  }

  static bool accepts(std::uint16_t port) {
    int file = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    place.sin_port = htons(port);
    bool is_accepted = ::connect(file, reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
    ::close(file);
    return is_accepted;
  }

  std::vector<std::string> command_;
  pid_t pid_ = -1;
};

/// Where a program is that users need not find, such as a server. Empty: it is not installed.
inline std::string find_program(const std::string& name) {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/bin/"}) {
    std::string path = folder + name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

}  // namespace kitbag::test
