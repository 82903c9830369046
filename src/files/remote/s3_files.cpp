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

class ObjectAddress final : public Address {
 public:
  ObjectAddress(ObjectName name, std::shared_ptr<const Account> account)
      : name_(std::move(name)), account_(std::move(account)) {}

  Request request(std::uint64_t first, std::optional<std::uint64_t> size,
                  const std::vector<std::string>& headers) const override {
    SignedRequest request;
    if (size) request.headers["range"] = range_value(first, *size);
    return signed_request(std::move(request), name_.key, headers);
  }

  /// A request for a page of a list of the bucket.
  Request list_request(std::vector<std::pair<std::string, std::string>> query) const {
    SignedRequest request;
    request.query = std::move(query);
    return signed_request(std::move(request), "", {});
  }

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
    return text;
  }

 private:
  Request signed_request(SignedRequest request, const std::string& key,
                         const std::vector<std::string>& headers) const {
    Place place = place_of(name_.bucket, *account_);
    request.host = place.host;
    request.path = uri_encoded(place.path + key, true);
    request.payload_sha256 = kSha256OfNothing;
    std::string date = now();
    request.headers["x-amz-content-sha256"] = kSha256OfNothing;
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

class S3Files final : public FileSystem {
 public:
  S3Files(std::function<Account()> account, std::shared_ptr<Store> store)
      : find_account_(std::move(account)), store_(std::move(store)) {}

  std::string_view scheme() const override { return "s3"; }

  std::optional<FileStatus> status(const std::string& path) const override {
    ObjectName name = parse_name(path);
    bool can_be_object = !name.key.empty() && !name.key.ends_with('/');
    if (can_be_object) {
      if (auto found = store_->find(*address_of(name))) return status_of(*found);
    }
    if (!name.key.empty() && !name.key.ends_with('/')) name.key += '/';
    Listing first = list_page(name, "", 1);
    if (!name.key.empty() && first.keys.empty() && first.prefixes.empty()) return std::nullopt;
    return FileStatus{.is_folder = true};
  }

  std::vector<std::string> list(const std::string& folder) const override {
    ObjectName name = parse_name(folder);
    if (!name.key.empty() && !name.key.ends_with('/')) name.key += '/';
    std::vector<std::string> names;
    std::string token;
    do {
      Listing page = list_page(name, token, 1000);
      for (const std::string& prefix : page.prefixes) {
        std::string inner = prefix.substr(std::min(name.key.size(), prefix.size()));
        while (inner.ends_with('/')) inner.pop_back();
        if (!inner.empty()) names.push_back(std::move(inner));
      }
      for (const std::string& key : page.keys) {
        if (key.size() > name.key.size()) names.push_back(key.substr(name.key.size()));
      }
      if (!page.next.empty() && page.next == token) {
        throw Error(ErrorCode::io, "the store sends the same page of its list again", folder);
      }
      token = page.next;
    } while (!token.empty());
    return names;
  }

  std::shared_ptr<const ReadFile> open(const std::string& path) const override {
    return store_->open(address_of(parse_name(path)));
  }

 private:
  std::shared_ptr<const ObjectAddress> address_of(ObjectName name) const {
    store_->verdict(fmt::format("{}{}/{}", kScheme, name.bucket, name.key));
    std::lock_guard lock(mutex_);
    if (!account_) account_ = std::make_shared<const Account>(find_account_());
    return std::make_shared<ObjectAddress>(std::move(name), account_);
  }

  Listing list_page(const ObjectName& name, const std::string& token, int most) const {
    auto address = address_of(name);
    std::string xml;
    fetch(
        *address,
        [&] {
          std::vector<std::pair<std::string, std::string>> query = {
              {"list-type", "2"},
              {"delimiter", "/"},
              {"prefix", name.key},
              {"max-keys", std::to_string(most)},
              {"encoding-type", "url"}};
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
