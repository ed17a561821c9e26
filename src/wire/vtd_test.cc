#include "wire/vtd.h"

#include <doctest/doctest.h>

#include <vector>

#include "base/text.h"

using namespace holdfast;
using namespace holdfast::wire::vtd;

TEST_CASE("words of the holder are the golden bytes of docs/vtd.md") {
  CHECK(hex(encode(ToVtd{Start{5, 80, 24, 1, 2, 10'000, 64}})) ==
        "01" "0500000000000000" "5000" "1800" "0100" "0200" "10270000" "4000000000000000");
  CHECK(hex(encode(ToVtd{Range{258}})) == "02" "0201000000000000");
  CHECK(hex(encode(ToVtd{Skip{258}})) == "03" "0201000000000000");
  CHECK(hex(encode(ToVtd{Resize{1, 80, 24, 0, 0}})) == "04" "0100000000000000" "5000" "1800" "0000" "0000");
  CHECK(hex(encode(ToVtd{Profile{"{}"}})) == "05" "7b7d");
  CHECK(hex(encode(ToVtd{Request{3, Want::view, 10, 5, -1, "{}"}})) ==
        "06" "0300000000000000" "03" "0a00" "0500" "ffff" "7b7d");
}

TEST_CASE("words of VTD are the golden bytes of docs/vtd.md") {
  CHECK(hex(encode(FromVtd{Ack{1}})) == "41" "0100000000000000");
  CHECK(hex(encode(FromVtd{Reply{2, "\033[0n"}})) == "42" "0200000000000000" "1b5b306e");
  CHECK(hex(encode(FromVtd{Event{3, 1, 7, "t"}})) == "43" "0300000000000000" "01" "07000000" "74");
  CHECK(hex(encode(FromVtd{Answer{4, 5, 6, 7, "e"}})) ==
        "44" "0400000000000000" "0500000000000000" "0600000000000000" "0700000000000000" "65");
}

TEST_CASE("every word is read back, and cut short or lengthened it is refused") {
  const std::vector<ToVtd> to{Start{5, 80, 24, 1, 2, 3, 4}, Range{1},          Skip{2}, Resize{1, 2, 3, 4, 5},
                              Profile{"{\"a\":1}"},         Request{1, Want::read, 0, 0, 3, "{}"}};
  for (const auto& message : to) {
    const std::string packet = encode(message);
    CHECK(encode(decode_to_vtd(packet).value()) == packet);
    CHECK_FALSE(decode_to_vtd(std::string_view(packet).substr(0, packet.find('{') == std::string::npos ? packet.size() - 1 : 0)));
  }
  const std::vector<FromVtd> from{Ack{9}, Reply{1, "r"}, Event{1, 2, 3, "t"}, Answer{1, 2, 3, 4, ""}};
  for (const auto& message : from) {
    const std::string packet = encode(message);
    CHECK(encode(decode_from_vtd(packet).value()) == packet);
    CHECK_FALSE(decode_from_vtd(std::string_view(packet).substr(0, 5)));
    CHECK_FALSE(decode_to_vtd(packet));
  }
  CHECK_FALSE(decode_to_vtd(encode(ToVtd{Range{1}}) + "x"));
  CHECK_FALSE(decode_to_vtd(""));
  CHECK_FALSE(decode_to_vtd(encode(ToVtd{Request{1, static_cast<Want>(77), 0, 0, 0, ""}})));
}
