// One connection to a session's holder: frames out, frames in, requests with a deadline.
//
// The socket never blocks. The attach terminal and the roster drive it from their own poll; everything else uses
// request(), which waits. Bounded: what a peer may send by limits::kFrameBytesMax, what waits to be sent by the caller,
// who asks unsent(). The hello goes out first, with the first request, unasked for and not waited for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/result.h"
#include "wire/frame.h"

namespace holdfast::client {

class Connection {
 public:
  // Connects, checks that the peer is ours, queues the hello. Errors: not_found (no socket), ended (nobody listens),
  // timeout (its queue of callers is full), refused (another user's).
  static Result<Connection> open(const std::string& socket_path);

  int fd() const { return socket_.get(); }

  void queue(wire::Type type, std::string_view payload);
  void queue(wire::Type type, const Json& payload) { queue(type, std::string_view(payload.dump())); }
  // Typed bytes, cut into frames.
  void queue_input(std::string_view bytes);
  std::size_t unsent() const { return out_.size() - sent_; }
  // Sends what the socket takes. Error: the peer is gone.
  Result<> flush();

  // One read of what is there. `all`: it did not fill the room for it, so that nothing more is there now.
  enum class Read { some, all, nothing, end };
  Result<Read> fill();
  // The next whole frame that was read; its payload is valid until the next call here. Hellos are taken care of.
  // Errors: the peer breaks the protocol or speaks another one.
  Result<std::optional<wire::Frame>> next();

  // Sends `message` with an id and waits for the answer with it. Errors: what the holder answered; timeout at
  // `deadline`; ended when the holder goes away before it has answered.
  Result<Json> request(wire::Type type, Json message, Instant deadline, const Clock& clock);
  // The same for requests answered by `data` frames; `sink` gets the pieces in order and may take its time: `patience`
  // is for each piece.
  Result<> request_data(wire::Type type, Json message, Duration patience, const Clock& clock,
                        const std::function<Result<>(std::string_view)>& sink);

 private:
  explicit Connection(Fd socket);
  void forget_sent();
  // Flushes, reads and waits until there is a frame.
  Result<wire::Frame> await_frame(Instant deadline, const Clock& clock);

  Fd socket_;
  wire::FrameDecoder decoder_;
  std::string out_;
  std::size_t sent_ = 0;
  std::uint64_t input_offset_ = 0;
  std::int64_t next_id_ = 1;
};

enum class Until { readable, readable_or_writable };
// Waits until the descriptor is so, or the deadline is over. False: it is over.
bool wait_ready(int fd, Until until, Instant deadline, const Clock& clock);

}  // namespace holdfast::client
