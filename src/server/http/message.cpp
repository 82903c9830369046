#include "server/http/message.h"

#include <fmt/format.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "server/http/web_socket.h"
#include "server/http/words.h"

// Decoding happens after splitting: "%2F" in a name of a bag is no separator. A zero byte is
// refused, because paths would end there for the system.
//
// A body is a list of parts, in memory or in files. Ranges, multipart bodies and tars are made by
// cutting and joining lists, without reading a byte. So 200 GB of a bag cost a few parts in memory.
//
// A file that is being sent may be deleted for its space (leases). close() waits for reads that are
// under way by the exclusive lock; later ones fail, and the connection is aborted.

namespace kitbag::server {
namespace {

const std::string* find(const TextPairs& pairs, std::string_view name) {
  auto found = std::find_if(pairs.begin(), pairs.end(),
                            [&](const auto& pair) { return pair.first == name; });
  return found == pairs.end() ? nullptr : &found->second;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// With %XX decoded, and + as a space where `plus_is_space`. Returns false for what is malformed.
bool decode(std::string_view encoded, bool plus_is_space, std::string& text) {
  text.clear();
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    char c = encoded[i];
    if (c == '%') {
      if (i + 2 >= encoded.size()) return false;
      int high = digit(encoded[i + 1]);
      int low = digit(encoded[i + 2]);
      if (high < 0 || low < 0) return false;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (c == '\0') return false;
    text += c;
  }
  return true;
}

ssize_t read_remote(const ReadFile& file, char* into, std::size_t size, std::uint64_t offset) {
  try {
    return static_cast<ssize_t>(file.read(offset, std::as_writable_bytes(std::span(into, size))));
  } catch (const Error&) {
    errno = EIO;
    return -1;
  }
}

std::optional<FileState> state_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return std::nullopt;
  return FileState{status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

}  // namespace

const std::string* Request::header(std::string_view name) const {
  return find(headers, name);
}

const std::string* Request::parameter(std::string_view name) const {
  return find(query, name);
}

bool parse_target(std::string_view target, Request& request) {
  if (target.empty() || target.front() != '/') return false;
  target = target.substr(0, target.find('#'));
  std::string_view path = take_until(target, '?').substr(1);
  request.path.clear();
  request.query.clear();
  std::string text;
  for (;;) {
    bool is_last = path.find('/') == std::string_view::npos;
    if (!decode(take_until(path, '/'), false, text)) return false;
    request.path.push_back(text);
    if (is_last) break;
  }
  while (!target.empty()) {
    std::string_view pair = take_until(target, '&');
    if (pair.empty()) continue;
    std::string name;
    if (!decode(take_until(pair, '='), true, name) || !decode(pair, true, text)) return false;
    request.query.emplace_back(std::move(name), text);
  }
  return true;
}

OpenFile::~OpenFile() {
  close();
}

ssize_t OpenFile::read(char* into, std::size_t size, std::uint64_t offset) const {
  std::shared_lock lock(mutex_);
  if (remote_) return read_remote(*remote_, into, size, offset);
  if (has_changed()) return -1;
  return ::pread(descriptor_, into, size, static_cast<off_t>(offset));
}

ssize_t OpenFile::send(int socket, std::uint64_t offset, std::size_t size) const {
  std::shared_lock lock(mutex_);
  if (has_changed()) return -1;
  auto from = static_cast<off_t>(offset);
  return ::sendfile(socket, descriptor_, &from, size);
}

void OpenFile::must_not_change() {
  if (descriptor_ >= 0) expected_ = state_of(descriptor_);
}

bool OpenFile::has_changed() const {
  // A file that was replaced is still read to its end by this descriptor. One that is written to in
  // place shows by its size or time, and an answer must not be made of two states.
  if (!expected_ || state_of(descriptor_) == expected_) return false;
  errno = ESTALE;
  return true;
}

void OpenFile::close() {
  std::lock_guard lock(mutex_);
  remote_.reset();
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

Content& Content::add(std::string text) {
  return add(std::make_shared<const std::string>(std::move(text)));
}

Content& Content::add(std::shared_ptr<const std::string> text) {
  std::uint64_t size = text->size();
  add(Part{std::move(text), nullptr, 0, size});
  return *this;
}

Content& Content::add(std::shared_ptr<const OpenFile> file, std::uint64_t offset,
                      std::uint64_t size) {
  add(Part{nullptr, std::move(file), offset, size});
  return *this;
}

Content& Content::add(const Content& other) {
  for (const Part& part : other.parts_) add(part);
  return *this;
}

void Content::add(Part part) {
  if (part.size == 0) return;
  size_ += part.size;
  parts_.push_back(std::move(part));
}

Content Content::range(std::uint64_t offset, std::uint64_t size) const {
  Content chosen;
  for (Part part : parts_) {
    if (size == 0) break;
    std::uint64_t skipped = std::min(offset, part.size);
    offset -= skipped;
    part.offset += skipped;
    part.size = std::min(part.size - skipped, size);
    size -= part.size;
    chosen.add(std::move(part));
  }
  return chosen;
}

Response::Response() = default;
Response::Response(Response&&) noexcept = default;
Response& Response::operator=(Response&&) noexcept = default;
Response::~Response() = default;

Response& Response::set(std::string name, std::string value) {
  // A line break in a name of a bag or a topic would begin a header of its own.
  auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(value.begin(), value.end(), is_control)) {
    throw std::invalid_argument("a header with control characters: " + name);
  }
  auto known = std::find_if(headers.begin(), headers.end(),
                            [&](const auto& header) { return header.first == name; });
  if (known != headers.end()) {
    known->second = std::move(value);
  } else {
    headers.emplace_back(std::move(name), std::move(value));
  }
  return *this;
}

Response text_response(int status, std::string media_type, std::string text) {
  Response response;
  response.status = status;
  response.set("Content-Type", std::move(media_type));
  response.content.add(std::move(text));
  return response;
}

Response error_response(int status, const std::string& why) {
  Response response = text_response(status, "application/json",
                                    fmt::format("{{\"error\": {}}}\n", json_quoted(why)));
  response.set("Cache-Control", "no-store");
  return response;
}

}  // namespace kitbag::server
