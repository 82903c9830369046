#include "files/remote/url.h"

namespace kitbag::remote {

/// Nothing but spaces is encoded: the rest may be so already, or be signed as it is.
std::string request_url(std::string_view url) {
  url = url.substr(0, url.find('#'));
  std::string requested;
  for (char c : url) {
    if (c == ' ') {
      requested += "%20";
    } else {
      requested += c;
    }
  }
  return requested;
}

}  // namespace kitbag::remote
