#include "files/remote/s3_files.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "files/remote/identity.h"
#include "files/remote/listing.h"
#include "files/remote/multipart.h"
#include "files/remote/object_writer.h"
#include "files/remote/part_sizes.h"
#include "files/remote/sigv4.h"
#include "kitbag/error.h"

// An object store has no folders: names have slashes in them, and a list can be cut at these. So a
// path is a folder if an object's name goes on behind it with a slash.
//
// Every request is signed when it is sent, since a signature holds the time; one that is sent again
// is signed anew. Redirects are not followed: a signature is for one host.

namespace kitbag::remote {
namespace {

constexpr std::string_view kScheme = "s3://";
constexpr std::chrono::seconds kLongestLink = std::chrono::days(7);  // more is refused by AWS
constexpr std::string_view kUnsignedContent = "UNSIGNED-PAYLOAD";
constexpr std::size_t kMostListBytes = 16 << 20;  // of a page, which has 1000 names

/// "s3://bucket/some/key"
struct ObjectName {
  std::string bucket;
  std::string key;
};

ObjectName parse_name(const std::string& path) {
  std::string_view rest = std::string_view(path).substr(kScheme.size());
  std::size_t slash = std::min(rest.find('/'), rest.size());
  ObjectName name{std::string(rest.substr(0, slash)),
                  std::string(rest.substr(std::min(slash + 1, rest.size())))};
  bool is_safe = std::all_of(name.bucket.begin(), name.bucket.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  });
  if (name.bucket.empty() || !is_safe) {
    throw Error(ErrorCode::invalid, "invalid name of a bucket; use s3://BUCKET/KEY", path);
  }
  return name;
}

std::string now() {
  auto seconds = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(seconds));
}

/// Where the requests for a bucket go.
struct Place {
  std::string scheme;  ///< "https"
  std::string host;
  std::string path;  ///< before the key, with "/" at its end
};

Place place_of(const std::string& bucket, const Account& account) {
  if (account.endpoint.empty()) {
    std::string host = fmt::format("s3.{}.amazonaws.com", account.region);
    // A certificate does not hold for names with dots.
    if (bucket.find('.') != std::string::npos) return {"https", host, "/" + bucket + "/"};
    return {"https", bucket + "." + host, "/"};
  }
  std::size_t end = account.endpoint.find("://");
  std::string scheme = end == std::string::npos ? "https" : account.endpoint.substr(0, end);
  std::string host = end == std::string::npos ? account.endpoint : account.endpoint.substr(end + 3);
  if (account.is_virtual_host) return {scheme, bucket + "." + host, "/"};
  return {scheme, host, "/" + bucket + "/"};
}

/// A store may say everything, also what it was sent.
std::string without_secrets(std::string text, const Credentials& credentials) {
  auto hide = [&text](std::size_t at, std::size_t size) {
    constexpr std::string_view kHidden = "...";
    text.replace(at, size, kHidden);
    return at + kHidden.size();
  };
  for (const std::string& secret : {credentials.key_id, credentials.secret, credentials.token}) {
    if (secret.empty()) continue;
    for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos;) {
      at = hide(at, secret.size());
    }
  }
  constexpr std::string_view kSignature = "Signature=";
  for (std::size_t at = 0; (at = text.find(kSignature, at)) != std::string::npos;) {
    at += kSignature.size();
    std::size_t end = std::min(text.find_first_not_of("0123456789abcdefABCDEF", at), text.size());
    at = hide(at, end - at);
  }
  return text;
}

class ObjectAddress final : public ObjectRequests {
 public:
  ObjectAddress(ObjectName name, std::shared_ptr<const Account> account)
      : name_(std::move(name)), account_(std::move(account)) {}

  Request request(std::uint64_t first, std::optional<std::uint64_t> size,
                  const std::vector<std::string>& headers) const override {
    SignedRequest request;
    if (size) request.headers["range"] = range_value(first, *size);
    return signed_request(std::move(request), name_.key, headers);
  }

  Request request(const ObjectCall& call) const override {
    SignedRequest request;
    request.method = call.method;
    request.query = call.query;
    request.headers = call.headers;
    Request sent = signed_request(std::move(request), name_.key, {}, call.content != nullptr);
    sent.method = call.method;
    sent.content = call.content;
    return sent;
  }

  /// A request for a page of a list of the bucket.
  Request list_request(std::vector<std::pair<std::string, std::string>> query) const {
    SignedRequest request;
    request.query = std::move(query);
    return signed_request(std::move(request), "", {});
  }

  /// An address by which anybody can read the object. Without keys it is not signed, and works if
  /// the object is public.
  std::string link(std::chrono::seconds lifetime) const {
    Place place = place_of(name_.bucket, *account_);
    SignedRequest request;
    request.host = place.host;
    request.path = uri_encoded(place.path + name_.key, true);
    std::string url = fmt::format("{}://{}{}", place.scheme, place.host, request.path);
    if (account_->credentials.key_id.empty()) return url;
    return url + "?" +
           presigned_query(std::move(request), account_->credentials, account_->region, "s3", now(),
                           lifetime);
  }

  const Account& account() const { return *account_; }

  std::string shown() const override {
    return fmt::format("{}{}/{}", kScheme, name_.bucket, name_.key);
  }

  std::string identity() const override {
    Place place = place_of(name_.bucket, *account_);
    return url_identity(fmt::format("{}://{}{}", place.scheme, place.host,
                                    uri_encoded(place.path + name_.key, true)));
  }

  std::string reason(long status, std::string_view body) const override {
    StoreError error = parse_store_error(body);
    std::string text = error.code;
    if (!error.message.empty()) text += (text.empty() ? "" : ", ") + error.message;
    bool is_nobody = account_->credentials.key_id.empty();
    if (is_nobody && (status == 401 || status == 403)) {
      text += fmt::format(
          "{}no credentials were found: set AWS_ACCESS_KEY_ID and "
          "AWS_SECRET_ACCESS_KEY, or a profile in ~/.aws/credentials",
          text.empty() ? "" : "; ");
    }
    if (status == 301 || status == 307) {
      text += "; the bucket is in another region: set AWS_REGION";
    }
    if (error.code == "RequestTimeTooSkewed") text += " (the clock of this machine is wrong)";
    if (error.code == "ExpiredToken") text += " (get new keys of a session)";
    return without_secrets(std::move(text), account_->credentials);
  }

 private:
  Request signed_request(SignedRequest request, const std::string& key,
                         const std::vector<std::string>& headers, bool has_content = false) const {
    Place place = place_of(name_.bucket, *account_);
    request.host = place.host;
    request.path = uri_encoded(place.path + key, true);
    // What is sent has its MD5 among the headers, which are signed.
    request.payload_sha256 = has_content ? kUnsignedContent : kSha256OfNothing;
    std::string date = now();
    request.headers["x-amz-content-sha256"] = request.payload_sha256;
    request.headers["x-amz-date"] = date;
    const Credentials& credentials = account_->credentials;
    if (!credentials.token.empty()) request.headers["x-amz-security-token"] = credentials.token;
    Request sent;
    sent.follows_redirects = false;
    std::string query = canonical_query(request.query);
    sent.url = fmt::format("{}://{}{}{}{}", place.scheme, place.host, request.path,
                           query.empty() ? "" : "?", query);
    sent.headers = headers;
    if (!credentials.key_id.empty()) {
      sent.headers.push_back("Authorization: " +
                             authorization(request, credentials, account_->region, "s3", date));
    }
    for (const auto& [name, value] : request.headers) sent.headers.push_back(name + ": " + value);
    return sent;
  }

  ObjectName name_;
  std::shared_ptr<const Account> account_;
};

FileStatus status_of(const ListedObject& object) {
  return {.is_regular = true,
          .size_bytes = object.size_bytes,
          .modified = object.modified,
          .changed = object.modified};
}

class S3Files final : public FileSystem {
 public:
  S3Files(std::function<Account()> account, std::shared_ptr<Store> store)
      : find_account_(std::move(account)), store_(std::move(store)) {}

  std::string_view scheme() const override { return "s3"; }

  /// An object, or else a list of one name: a folder is what has something below it. A bucket is a
  /// folder even if it is empty.
  std::optional<FileStatus> status(const std::string& path) const override {
    ObjectName name = parse_name(path);
    bool can_be_object = !name.key.empty() && !name.key.ends_with('/');
    if (can_be_object) {
      if (auto found = store_->find(*address_of(name))) return status_of(*found);
    }
    if (!name.key.empty() && !name.key.ends_with('/')) name.key += '/';
    Listing first = list_page(name, "/", "", 1);
    if (!name.key.empty() && first.objects.empty() && first.prefixes.empty()) return std::nullopt;
    return FileStatus{.is_folder = true};
  }

  std::vector<std::string> list(const std::string& folder) const override {
    std::vector<std::string> names;
    visit(folder, [&](FolderEntry entry) { names.push_back(std::move(entry.name)); });
    return names;
  }

  void visit(const std::string& folder, const OnEntry& visit) const override {
    visit_pages(folder, "/", visit);
  }

  void visit_below(const std::string& folder, const OnEntry& visit) const override {
    visit_pages(folder, "", visit);
  }

  std::shared_ptr<const ReadFile> open(const std::string& path) const override {
    return store_->open(address_of(parse_name(path)));
  }

  std::optional<std::string> link(const std::string& path, Duration lifetime) const override {
    ObjectName name = parse_name(path);
    if (name.key.empty() || name.key.ends_with('/')) {
      throw Error(ErrorCode::invalid, "a folder has no address; take those of its files", path);
    }
    auto seconds = std::chrono::floor<std::chrono::seconds>(lifetime);
    if (seconds < std::chrono::seconds(1) || lifetime > kLongestLink) {
      throw Error(ErrorCode::invalid, "an address is valid for 1 second to 7 days", path);
    }
    return address_of(std::move(name))->link(seconds);
  }

  std::unique_ptr<WriteFile> create(const std::string& path,
                                    const WriteFileOptions& options) const override {
    auto object = object_at(path);
    UploadSettings settings = settings_of(*object);
    // As other tools divide a file of this size, so that they can compare its ETag.
    if (settings.sizes.equal_bytes == 0 && options.size_bytes) {
      settings.sizes = equal_parts(*options.size_bytes);
    }
    return write_object(object, store_, settings, options,
                        [store = store_, object] { store->forget(*object); });
  }

  void remove(const std::string& path) const override {
    auto object = object_at(path);
    auto make = [&] { return object->request({.method = "DELETE"}); };
    Reply reply = exchange({make}, store_->client(), store_->retries());
    store_->forget(*object);
    if (reply.is(204) || reply.is(200) || reply.is(404)) return;
    throw error_of(reply.answer, *object, reply.body, "removed");
  }

  bool has_content(const std::string& path, const ReadFile& file) const override {
    auto object = object_at(path);
    auto there = look_at(*object, store_->client(), store_->retries());
    if (!there || there->size_bytes != file.size()) return false;
    if (has_etag(file, there->etag, settings_of(*object).sizes)) return true;
    store_->forget(*object);  // somebody may have replaced it a moment ago
    return FileSystem::has_content(path, file);
  }

 private:
  std::shared_ptr<const ObjectAddress> address_of(ObjectName name) const {
    // Throws if the name is not among those that may be read. The address that it leads to is not
    // checked as one of HTTP is: the host is that of the operator's account.
    store_->verdict(fmt::format("{}{}/{}", kScheme, name.bucket, name.key));
    std::lock_guard lock(mutex_);
    if (!account_) account_ = std::make_shared<const Account>(find_account_());
    return std::make_shared<ObjectAddress>(std::move(name), account_);
  }

  /// What can be written.
  std::shared_ptr<const ObjectAddress> object_at(const std::string& path) const {
    ObjectName name = parse_name(path);
    if (name.key.empty() || name.key.ends_with('/')) {
      throw Error(ErrorCode::invalid, "is a folder; name an object, as in s3://BUCKET/KEY", path);
    }
    return address_of(std::move(name));
  }

  static UploadSettings settings_of(const ObjectAddress& object) {
    const Account& account = object.account();
    return {{account.part_bytes}, account.memory_bytes};
  }

  /// Everything whose name begins as that of the folder; what goes on after `delimiter` counts
  /// once.
  void visit_pages(const std::string& folder, const std::string& delimiter,
                   const OnEntry& visit) const {
    ObjectName name = parse_name(folder);
    if (!name.key.empty() && !name.key.ends_with('/')) name.key += '/';
    std::string token;
    do {
      Listing page = list_page(name, delimiter, token, 1000);
      for (const std::string& prefix : page.prefixes) {
        std::string inner = prefix.substr(std::min(name.key.size(), prefix.size()));
        while (inner.ends_with('/')) inner.pop_back();
        if (!inner.empty()) visit({std::move(inner), {.is_folder = true}});
      }
      for (const ListedObject& object : page.objects) {
        // What ends with a slash is a mark that some tools leave for a folder.
        if (object.key.size() <= name.key.size() || object.key.ends_with('/')) continue;
        visit({object.key.substr(name.key.size()), status_of(object)});
      }
      if (!page.next.empty() && page.next == token) {
        throw Error(ErrorCode::io, "the store sends the same page of its list again", folder);
      }
      token = page.next;
    } while (!token.empty());
  }

  Listing list_page(const ObjectName& name, const std::string& delimiter, const std::string& token,
                    int most) const {
    auto address = address_of(name);
    std::string xml;
    fetch(
        *address,
        [&] {
          std::vector<std::pair<std::string, std::string>> query = {
              {"list-type", "2"},
              {"prefix", name.key},
              {"max-keys", std::to_string(most)},
              {"encoding-type", "url"}};
          if (!delimiter.empty()) query.emplace_back("delimiter", delimiter);
          if (!token.empty()) query.emplace_back("continuation-token", token);
          return address->list_request(std::move(query));
        },
        [&](ByteView bytes) {
          if (xml.size() + bytes.size() > kMostListBytes) return;  // it is cut, and malformed
          xml.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        },
        store_->client(), store_->retries());
    try {
      return parse_listing(xml);
    } catch (const Error& error) {
      throw Error(error.code(), error.message(), address->shown());
    }
  }

  std::function<Account()> find_account_;
  std::shared_ptr<Store> store_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Account> account_;
};

}  // namespace

FileSystemPtr s3_files(std::function<Account()> account, std::shared_ptr<Store> store) {
  return std::make_shared<S3Files>(std::move(account), std::move(store));
}

}  // namespace kitbag::remote
