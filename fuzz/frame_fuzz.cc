// Everything a peer can say, under any bytes: the frame decoder, each message's reader, the holder-VTD packets, and the
// tokens of a terminal's input. What is read must be the same wherever the stream was cut.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/limits.h"
#include "wire/frame.h"
#include "wire/messages.h"
#include "wire/terminal_input.h"
#include "wire/vtd.h"

namespace {

using namespace holdfast;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// What was read, as text, so that two readings can be compared.
std::string frames_of(std::string_view stream, std::size_t piece_bytes) {
  wire::FrameDecoder decoder(limits::kInputFrameBytesMax);
  std::string read;
  for (std::size_t at = 0; at < stream.size(); at += piece_bytes) {
    decoder.push(stream.substr(at, piece_bytes));
    for (;;) {
      auto frame = decoder.next();
      if (!frame) return read + "error";
      if (!*frame) break;
      read += std::to_string(static_cast<int>((*frame)->type)) + ":";
      read += (*frame)->payload;
      read += '\n';
    }
  }
  return read + (decoder.mid_frame() ? "more" : "");
}

template <typename Parsed>
void read_and_write(const Parsed& parsed) {
  if (parsed) require(Json::parse(to_json(*parsed).dump()).has_value(), "a message that was read cannot be written");
}

void read_messages(std::string_view payload) {
  const auto json = Json::parse(payload);
  if (!json) return;
  require(Json::parse(json->dump()).has_value(), "JSON that was read cannot be written");
  read_and_write(wire::parse_hello(*json));
  read_and_write(wire::parse_attach(*json));
  read_and_write(wire::parse_detach(*json));
  read_and_write(wire::parse_read_rows(*json));
  read_and_write(wire::parse_kill(*json));
  read_and_write(wire::parse_signal(*json));
  read_and_write(wire::parse_set_meta(*json));
  read_and_write(wire::parse_rename(*json));
  read_and_write(wire::parse_info(*json));
  (void)wire::parse_size(*json);
  (void)wire::parse_error(*json);
}

void read_packets(std::string_view packet) {
  if (const auto message = wire::vtd::decode_to_vtd(packet))
    require(wire::vtd::decode_to_vtd(wire::vtd::encode(*message)).has_value(), "a packet to VTD does not survive");
  if (const auto message = wire::vtd::decode_from_vtd(packet))
    require(wire::vtd::decode_from_vtd(wire::vtd::encode(*message)).has_value(), "a packet from VTD does not survive");
}

std::string tokens_of(std::string_view stream, std::size_t piece_bytes) {
  wire::InputScanner scanner;
  std::string bytes;
  const auto take = [&](const wire::InputToken& token) { bytes += token.bytes; };
  for (std::size_t at = 0; at < stream.size(); at += piece_bytes) scanner.feed(stream.substr(at, piece_bytes), take);
  scanner.flush(take);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t piece = 1 + data[1];
  switch (data[0] % 4) {
    case 0:
      require(frames_of(input, piece) == frames_of(input, std::max<std::size_t>(input.size(), 1)),
              "frames depend on the cut");
      break;
    case 1:
      read_messages(input);
      break;
    case 2:
      read_packets(input);
      break;
    default:
      require(tokens_of(input, piece) == input, "a byte of the terminal's input was lost");
      break;
  }
  return 0;
}
