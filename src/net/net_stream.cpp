#include "net/net_stream.h"

#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

// What of Asio and Beast is no template is compiled here and nowhere else (src.hpp).
//
// A NetStream is one type with and without TLS, and its handlers are of one type (IoHandler). So
// what Beast has for HTTP and WebSocket is compiled for one stream and not for two.

namespace kitbag {

namespace asio = boost::asio;
namespace beast = boost::beast;

class NetStream::Tls : public beast::ssl_stream<next_layer_type> {
 public:
  using ssl_stream::ssl_stream;
};

NetStream::NetStream(asio::ip::tcp::socket socket, asio::ssl::context* tls) {
  if (tls) {
    tls_ = std::make_unique<Tls>(std::move(socket), *tls);
  } else {
    plain_ = std::make_unique<next_layer_type>(std::move(socket));
  }
}

NetStream::NetStream(NetStream&& other) noexcept = default;

NetStream::~NetStream() = default;

beast::tcp_stream& NetStream::next_layer() {
  return tls_ ? tls_->next_layer() : *plain_;
}

const beast::tcp_stream& NetStream::next_layer() const {
  return tls_ ? tls_->next_layer() : *plain_;
}

void NetStream::async_connect(const asio::ip::tcp::resolver::results_type& places,
                              IoHandler handler) {
  next_layer().async_connect(
      places, [handler = std::move(handler)](auto error, const asio::ip::tcp::endpoint&) mutable {
        handler(error);
      });
}

void NetStream::async_handshake_of_server(IoHandler handler) {
  tls_->async_handshake(asio::ssl::stream_base::server, std::move(handler));
}

void NetStream::async_handshake_with(const std::string& host, IoHandler handler) {
  // Two uses of the name: the server may have several certificates and chooses by it (SNI), and the
  // certificate that it sends has to be for this host.
  SSL_set_tlsext_host_name(tls_->native_handle(), host.c_str());
  tls_->set_verify_callback(asio::ssl::host_name_verification(host));
  tls_->async_handshake(asio::ssl::stream_base::client, std::move(handler));
}

void NetStream::async_shut_down(beast::role_type role, IoHandler handler) {
  if (tls_) {
    tls_->async_shutdown(std::move(handler));
  } else {
    async_teardown(role, *plain_, std::move(handler));
  }
}

void NetStream::read_some(const Pieces<asio::mutable_buffer>& pieces, IoHandler handler) {
  if (tls_) {
    tls_->async_read_some(pieces, std::move(handler));
  } else {
    plain_->async_read_some(pieces, std::move(handler));
  }
}

void NetStream::write_some(const Pieces<asio::const_buffer>& pieces, IoHandler handler) {
  if (tls_) {
    tls_->async_write_some(pieces, std::move(handler));
  } else {
    plain_->async_write_some(pieces, std::move(handler));
  }
}

}  // namespace kitbag
