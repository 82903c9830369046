#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/file.h"

// What the rest of the server sees of HTTP: a Request that was read whole, and a Response that
// says where its body comes from. Neither knows the library that speaks the protocol.

namespace kitbag::server {

using TextPairs = std::vector<std::pair<std::string, std::string>>;

/// A request as it came from a client; nothing of it is to be trusted.
struct Request {
  std::string method;  ///< "GET"
  /// The segments of the path, with %XX decoded: "/bags/a%20b/player" is {"bags", "a b", "player"}.
  /// A path that ends with "/" ends with an empty segment.
  std::vector<std::string> path;
  TextPairs query;    ///< with %XX and + decoded, in the order of the URL
  TextPairs headers;  ///< names in lower case
  std::string body;
  std::string client;  ///< the address of the other end
  bool is_tls = false;
  std::stop_token stop;  ///< requested when the client has gone, or the server is to end

  /// The first header of that name, in lower case; null: there is none.
  const std::string* header(std::string_view name) const;
  /// The first parameter of the query with that name; null: there is none.
  const std::string* parameter(std::string_view name) const;
};

/// Splits the target of a request, such as "/bags/x?limit=3", into `request`. Returns false if it
/// is malformed: no leading "/", a "%" without two digits, or a zero byte.
bool parse_target(std::string_view target, Request& request);

/// A body that is made while it is sent. One thread at a time, not always the same one.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  /// Adds the next piece to `text`, about 64 KiB to 1 MiB; returns false if it was the last one.
  /// Called when the client has taken the piece before. An exception aborts the connection, so that
  /// nobody takes half a body for a whole one.
  virtual bool next(std::string& text, std::stop_token stop) = 0;
  /// Called when the client has not taken the last piece for a while: releases memory that can be
  /// obtained again.
  virtual void rest() {}
  /// Headers that follow the body, once next() has returned false; the header Trailer names them.
  /// If there are any and the client cannot take them (HTTP/1.0), the connection is aborted.
  virtual TextPairs trailers() const { return {}; }
};

/// What changes when a file is written to.
struct FileState {
  std::int64_t size = 0;
  std::int64_t modified_s = 0;
  std::int64_t modified_ns = 0;

  bool operator==(const FileState&) const = default;
};

/// A file that is closed with its last user, or before, when its space is needed. A descriptor
/// never leaves this class: the system gives the number of a closed descriptor to the next file.
/// Any thread.
class OpenFile {
 public:
  /// A file of this machine.
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  /// A file of another file system.
  explicit OpenFile(std::shared_ptr<const ReadFile> file) : remote_(std::move(file)) {}
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  /// Whether it is on this machine: read() takes no longer than a disk, and there is send().
  bool is_local() const { return is_local_; }
  /// As pread(2) and sendfile(2); they fail once the file is closed.
  ssize_t read(char* into, std::size_t size, std::uint64_t offset) const;
  ssize_t send(int socket, std::uint64_t offset, std::size_t size) const;
  void close();
  /// From now on, read() and send() also fail once a file of this machine was written to: a body
  /// holds the bytes of one state. To be called before the file is shared.
  void must_not_change();
  /// Keeps `owned` alive as long as this.
  void keep(std::shared_ptr<const void> owned) { kept_ = std::move(owned); }

 private:
  bool has_changed() const;

  mutable std::shared_mutex mutex_;
  std::optional<FileState> expected_;       ///< absent: it may change
  int descriptor_ = -1;                     ///< -1: closed, or not local
  std::shared_ptr<const ReadFile> remote_;  ///< null: closed, or local
  bool is_local_ = !remote_;
  /// The last member, so that it goes first: what it does when it goes may use the others.
  std::shared_ptr<const void> kept_;
};

/// A piece of a body: memory, or a part of a file. That of a local file is sent without passing
/// through the program's memory.
struct Part {
  std::shared_ptr<const std::string> text = nullptr;
  std::shared_ptr<const OpenFile> file = nullptr;
  std::uint64_t offset = 0;  ///< in `text` or `file`
  std::uint64_t size = 0;
};

/// A body of known length: texts and parts of files, one after the other. Whatever has ranges is
/// one: a file, a tar of several files, a view that is put together.
class Content {
 public:
  Content& add(std::string text);
  Content& add(std::shared_ptr<const std::string> text);
  Content& add(std::shared_ptr<const OpenFile> file, std::uint64_t offset, std::uint64_t size);
  Content& add(const Content& other);

  std::uint64_t size() const { return size_; }
  const std::vector<Part>& parts() const { return parts_; }
  /// The bytes from `offset` on, which must be within the body.
  Content range(std::uint64_t offset, std::uint64_t size) const;

 private:
  void add(Part part);

  std::vector<Part> parts_;
  std::uint64_t size_ = 0;
};

class WebSocketSession;  // web_socket.h

/// An answer. Its body is `content`, or `stream` if there is one.
struct Response {
  Response();
  Response(Response&&) noexcept;
  Response& operator=(Response&&) noexcept;
  ~Response();

  int status = 200;
  TextPairs headers = {};
  Content content = {};
  /// A body of unknown length, sent in chunks.
  std::unique_ptr<BodyStream> stream = nullptr;
  /// Of an upgrade (status 101): takes the connection over; made by upgrade().
  std::unique_ptr<WebSocketSession> session;
  std::string subprotocol = {};  ///< of the session

  /// Sets a header, in place of one with the same name. Throws std::invalid_argument for a value
  /// with control characters: it would become a header of its own.
  Response& set(std::string name, std::string value);
};

/// Thrown instead of an answer: it becomes error_response(status(), what()).
class Refusal : public std::runtime_error {
 public:
  Refusal(int status, const std::string& why) : std::runtime_error(why), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// A response with that body.
Response text_response(int status, std::string media_type, std::string text);
/// {"error": "..."}, which caches do not keep.
Response error_response(int status, const std::string& why);

}  // namespace kitbag::server
