#include "wire/vtd.h"

#include "wire/frame.h"

namespace holdfast::wire::vtd {
namespace {

// First byte of a packet.
enum class Tag : std::uint8_t {
  start = 1,
  range = 2,
  skip = 3,
  resize = 4,
  profile = 5,
  request = 6,
  ack = 65,
  reply = 66,
  event = 67,
  answer = 68,
};

class Writer {
 public:
  explicit Writer(Tag tag) { out_.push_back(static_cast<char>(tag)); }
  Writer& u8(std::uint8_t v) { return out_.push_back(static_cast<char>(v)), *this; }
  Writer& u16(std::uint16_t v) { return put_u16(out_, v), *this; }
  Writer& u32(std::uint32_t v) { return put_u32(out_, v), *this; }
  Writer& u64(std::uint64_t v) { return put_u64(out_, v), *this; }
  Writer& rest(std::string_view bytes) { return out_ += bytes, *this; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Reads in the order of the fields; `good` says whether all of them were there.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  std::uint8_t u8() { return take(1) ? static_cast<std::uint8_t>(bytes_[at_ - 1]) : std::uint8_t{0}; }
  std::uint16_t u16() { return take(2) ? get_u16(bytes_, at_ - 2) : std::uint16_t{0}; }
  std::uint32_t u32() { return take(4) ? get_u32(bytes_, at_ - 4) : 0; }
  std::uint64_t u64() { return take(8) ? get_u64(bytes_, at_ - 8) : 0; }
  std::string rest() {
    std::string out(bytes_.substr(at_));
    at_ = bytes_.size();
    return out;
  }
  bool finished() const { return good_ && at_ == bytes_.size(); }

 private:
  bool take(std::size_t n) {
    if (!good_ || bytes_.size() - at_ < n) return good_ = false;
    at_ += n;
    return true;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

std::string write(const Start& m) {
  return Writer(Tag::start).u64(m.offset).u16(m.cols).u16(m.rows).u16(m.xpixel).u16(m.ypixel).u32(m.history_rows)
      .u64(m.history_bytes).take();
}
std::string write(const Range& m) { return Writer(Tag::range).u64(m.end).take(); }
std::string write(const Skip& m) { return Writer(Tag::skip).u64(m.to).take(); }
std::string write(const Resize& m) {
  return Writer(Tag::resize).u64(m.offset).u16(m.cols).u16(m.rows).u16(m.xpixel).u16(m.ypixel).take();
}
std::string write(const Profile& m) { return Writer(Tag::profile).rest(m.json).take(); }
std::string write(const Request& m) {
  return Writer(Tag::request).u64(m.id).u8(static_cast<std::uint8_t>(m.want)).u16(m.cols).u16(m.rows)
      .u16(static_cast<std::uint16_t>(m.outer_kitty_flags)).rest(m.json).take();
}
std::string write(const Ack& m) { return Writer(Tag::ack).u64(m.offset).take(); }
std::string write(const Reply& m) { return Writer(Tag::reply).u64(m.offset).rest(m.bytes).take(); }
std::string write(const Event& m) {
  return Writer(Tag::event).u64(m.offset).u8(m.kind).u32(m.number).rest(m.text).take();
}
std::string write(const Answer& m) {
  return Writer(Tag::answer).u64(m.id).u64(m.offset).u64(m.bytes).u64(m.phase_two_at).rest(m.error).take();
}

std::unexpected<Error> bad_packet() {
  return fail(ErrorKind::failed, "understand a message between holder and VTD", "it is cut short or of no known kind");
}

bool is_want(std::uint8_t v) {
  return v >= static_cast<std::uint8_t>(Want::restore) && v <= static_cast<std::uint8_t>(Want::packed_checkpoint);
}

}  // namespace

std::string encode(const ToVtd& message) {
  return std::visit([](const auto& m) { return write(m); }, message);
}
std::string encode(const FromVtd& message) {
  return std::visit([](const auto& m) { return write(m); }, message);
}

Result<ToVtd> decode_to_vtd(std::string_view packet) {
  Reader in(packet);
  ToVtd out;
  switch (static_cast<Tag>(in.u8())) {
    case Tag::start: {
      Start m;
      m.offset = in.u64();
      m.cols = in.u16(), m.rows = in.u16(), m.xpixel = in.u16(), m.ypixel = in.u16();
      m.history_rows = in.u32();
      m.history_bytes = in.u64();
      out = m;
      break;
    }
    case Tag::range: out = Range{in.u64()}; break;
    case Tag::skip: out = Skip{in.u64()}; break;
    case Tag::resize: {
      Resize m;
      m.offset = in.u64();
      m.cols = in.u16(), m.rows = in.u16(), m.xpixel = in.u16(), m.ypixel = in.u16();
      out = m;
      break;
    }
    case Tag::profile: out = Profile{in.rest()}; break;
    case Tag::request: {
      Request m;
      m.id = in.u64();
      const std::uint8_t want = in.u8();
      if (!is_want(want)) return bad_packet();
      m.want = static_cast<Want>(want);
      m.cols = in.u16(), m.rows = in.u16();
      m.outer_kitty_flags = static_cast<std::int16_t>(in.u16());
      m.json = in.rest();
      out = std::move(m);
      break;
    }
    default: return bad_packet();
  }
  if (!in.finished()) return bad_packet();
  return out;
}

Result<FromVtd> decode_from_vtd(std::string_view packet) {
  Reader in(packet);
  FromVtd out;
  switch (static_cast<Tag>(in.u8())) {
    case Tag::ack: out = Ack{in.u64()}; break;
    case Tag::reply: {
      Reply m;
      m.offset = in.u64();
      m.bytes = in.rest();
      out = std::move(m);
      break;
    }
    case Tag::event: {
      Event m;
      m.offset = in.u64();
      m.kind = in.u8();
      m.number = in.u32();
      m.text = in.rest();
      out = std::move(m);
      break;
    }
    case Tag::answer: {
      Answer m;
      m.id = in.u64();
      m.offset = in.u64();
      m.bytes = in.u64();
      m.phase_two_at = in.u64();
      m.error = in.rest();
      out = std::move(m);
      break;
    }
    default: return bad_packet();
  }
  if (!in.finished()) return bad_packet();
  return out;
}

}  // namespace holdfast::wire::vtd
