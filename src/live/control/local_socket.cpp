#include "live/control/local_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kitbag/error.h"

// A socket's file outlives its program. Whether somebody still listens is asked by connect(): the
// kernel refuses it if not (ECONNREFUSED), however the program ended. A process number in a file
// would say less, because numbers are used again.
//
// A dead socket cannot be replaced in one step: bind() refuses an existing name. Between the
// question and unlink(), a second program may have bound the name, and unlink() would take away its
// socket. rename() takes away exactly one file, which can be asked again under the other name and
// be put back (RENAME_NOREPLACE, so as not to destroy a third one).
//
// A name that is there is one on which somebody listens: between bind() and listen(), the kernel
// refuses connections, which looks as if the socket were dead. So a socket listens under another
// name in the folder first, and gets its own by link(), which replaces nothing.
//
// Only the user may connect. Linux gives the file the mode of the socket, so there is no moment at
// which others may open it; chmod() behind bind() undoes what the umask may have taken away.

namespace kitbag {

namespace {

constexpr int kBacklog = 64;
constexpr int kKind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

Descriptor make_socket(const std::string& path) {
  Descriptor socket(::socket(AF_UNIX, kKind, 0));
  if (socket.get() < 0) throw system_error("create a socket", errno, path);
  return socket;
}

[[noreturn]] void throw_taken(const std::string& path) {
  throw Error(ErrorCode::invalid,
              "another recorder or player is listening on this socket; choose another path", path);
}

/// Another name beside `path`, of this process alone; empty: it would be too long for a socket.
std::string aside_of(const std::string& path, const std::string& mark) {
  std::string folder = path.substr(0, path.rfind('/') + 1);
  std::string aside = fmt::format("{}.kb{}{}", folder, ::getpid(), mark);
  return aside.size() < sizeof sockaddr_un{}.sun_path ? aside : std::string();
}

/// Two that begin at once must not take the socket of each other away, so a dead one is moved
/// aside, and put back where it was not dead after all.
void remove_dead(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return;
  if (!S_ISSOCK(found.st_mode)) {
    throw Error(ErrorCode::invalid, "exists and is not a socket; choose another path", path);
  }
  if (connect_to(path)) throw_taken(path);
  std::string aside = aside_of(path, "");
  if (aside.empty() || ::rename(path.c_str(), aside.c_str()) != 0) {
    ::unlink(path.c_str());  // bind() reports what is wrong
    return;
  }
  if (connect_to(aside)) {
    ::renameat2(AT_FDCWD, aside.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE);
    throw_taken(path);
  }
  ::unlink(aside.c_str());
}

}  // namespace

sockaddr_un local_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    throw Error(ErrorCode::invalid, "the path of a socket must have 1 to 107 bytes", path);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

std::optional<Descriptor> connect_to(const std::string& path) {
  sockaddr_un address = local_address(path);
  Descriptor socket = make_socket(path);
  int code = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (code == 0) return socket;
  if (errno == ENOENT || errno == ECONNREFUSED) return std::nullopt;
  if (errno == EAGAIN) return Descriptor();
  throw system_error("connect to it", errno, path);
}

namespace {

/// Listens at a name that is free. Errors name `path`.
void listen_on(const Descriptor& socket, const std::string& name, const std::string& path) {
  sockaddr_un address = local_address(name);
  ::fchmod(socket.get(), S_IRUSR | S_IWUSR);  // before there is a file to be opened
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == EADDRINUSE) throw_taken(path);
    throw system_error("listen on it", errno, path);
  }
  if (::chmod(name.c_str(), S_IRUSR | S_IWUSR) == 0 && ::listen(socket.get(), kBacklog) == 0)
    return;
  int code = errno;
  ::unlink(name.c_str());
  throw system_error("listen on it", code, path);
}

}  // namespace

Descriptor listen_at(const std::string& path) {
  local_address(path);  // throws where it is too long
  remove_dead(path);
  Descriptor socket = make_socket(path);
  std::string aside = aside_of(path, fmt::format("-{}", socket.get()));
  if (!aside.empty()) {
    ::unlink(aside.c_str());  // of a process of the same number, which has gone
    listen_on(socket, aside, path);
    int code = ::link(aside.c_str(), path.c_str()) == 0 ? 0 : errno;
    ::unlink(aside.c_str());
    if (code == EEXIST) throw_taken(path);
    if (code == 0) return socket;
    socket = make_socket(path);  // this file system has no links
  }
  listen_on(socket, path, path);
  return socket;
}

}  // namespace kitbag
