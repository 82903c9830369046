#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kitbag::remote {

/// Who asks, as the tools of AWS have it. An empty `key_id`: nobody in particular, unsigned.
struct Credentials {
  std::string key_id;
  std::string secret;
  std::string token;  ///< of a session; empty: none
};

/// A request that is to be signed.
struct SignedRequest {
  std::string method = "GET";
  std::string host;  ///< with the port, if it is not the usual
  std::string path;  ///< encoded
  std::vector<std::pair<std::string, std::string>> query;  ///< decoded
  std::map<std::string, std::string> headers;              ///< names in lower case, without host
  std::string payload_sha256;                              ///< in hexadecimal
};

/// The SHA-256 of no bytes, in hexadecimal.
inline constexpr std::string_view kSha256OfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Returns `text` with everything but letters, digits and "-._~" as %XX; "/" too, unless
/// `keeps_slash`.
std::string uri_encoded(std::string_view text, bool keeps_slash);

/// Returns the query as it is sent: sorted, encoded, without "?".
std::string canonical_query(std::vector<std::pair<std::string, std::string>> query);

/// Returns the value of the header Authorization (AWS Signature Version 4). `date` is
/// "20130524T000000Z", as in the header x-amz-date, which has to be among the headers if the
/// service wants it there.
std::string authorization(const SignedRequest& request, const Credentials& credentials,
                          std::string_view region, std::string_view service, std::string_view date);

/// Returns a query, without "?", by which anybody can send the request until `lifetime` has passed
/// since `date`. Only the header "host" and those in the request have to be sent with it; what the
/// body is does not matter.
std::string presigned_query(SignedRequest request, const Credentials& credentials,
                            std::string_view region, std::string_view service,
                            std::string_view date, std::chrono::seconds lifetime);

}  // namespace kitbag::remote
