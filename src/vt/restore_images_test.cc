#include "vt/image_fixture.h"
#include "vt/restore_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {
namespace {

constexpr std::string_view kDirt = "\x1b_Ga=T,i=1,f=24,s=1,v=1;AAEC\x1b\\\x1b_Ga=T,f=24,s=1,v=1;AAEC\x1b\\"
                                   "\x1b_Ga=T,I=1,f=24,s=1,v=1;AAEC\x1b\\\x1b[?47h\x1b_Ga=T,i=9,f=24,s=1,v=1,U=1;AAEC"
                                   "\x1b\\\x1b_Ga=t,i=7,f=24,s=1,v=1,m=1;AAEC\x1b\\";

Screen restored(Screen& original, std::string_view dirt) {
  RestoreOptions options;
  options.onto = Onto::anything;
  Screen copy(original.state().size.cols, original.state().size.rows);
  copy.feed(dirt).take_replies();
  copy.feed(restore_of(original, options));
  return copy;
}

void check_same(Screen& original) {
  for (const std::string_view dirt : {std::string_view(), kDirt}) {
    Screen copy = restored(original, dirt);
    CHECK(expressible(copy.terminal.mutable_state()) == expressible(original.terminal.mutable_state()));
  }
}

const Graphics& graphics_of(const Screen& screen) { return screen.state().screen().graphics; }

}  // namespace

TEST_CASE("images come back with their data, where they stand") {
  Screen screen(20, 6);
  screen.feed("text\r\n" + picture("a=T,i=3,p=2,z=-4", 3, 2, 'a') + graphics("a=p,i=3,c=2,r=1,X=3,Y=4,x=1,y=2,w=7,h=9") +
              graphics("a=T,i=9,f=100,o=z,s=10,v=20,S=77,U=1", "deflated") + graphics("a=T,i=4,t=f,f=100,c=1,r=1", "/a.png"));
  check_same(screen);
  Screen copy = restored(screen, kDirt);
  REQUIRE(graphics_of(copy).find(3));
  CHECK(graphics_of(copy).find(3)->data == std::string(24 * 32 * 3, 'a'));
  CHECK(graphics_of(copy).placements.size() == 4);
  CHECK(copy.rows() == screen.rows());
  CHECK(copy.x() == screen.x());
  CHECK(copy.y() == screen.y());
  CHECK(copy.replies == "\x1b[0n");
}

TEST_CASE("a restore that comes in the middle of an image places and scrolls nothing") {
  constexpr std::string_view kImage = "\x1b_Ga=T,f=24,s=1,v=2,r=9,w=1;AAEC";
  Screen original(20, 6);
  original.feed("text");
  for (std::size_t cut = 0; cut <= kImage.size(); ++cut) {
    CAPTURE(cut);
    Screen copy = restored(original, "one\r\ntwo\r\n" + std::string(kImage.substr(0, cut)));
    CHECK(copy.history() == "");
    CHECK(graphics_of(copy).images.empty());
    CHECK(copy.rows() == "text");
  }
}

TEST_CASE("data are sent in pieces of 4096 characters") {
  Screen screen(20, 6);
  screen.feed(picture("a=t,i=3", 9, 3));
  const std::string bytes = restore_of(screen);
  std::size_t pieces = 0;
  for (std::size_t at = bytes.find("\x1b_G"); at != std::string::npos; at = bytes.find("\x1b_G", at + 1)) {
    const std::size_t end = bytes.find("\x1b\\", at), semicolon = bytes.find(';', at);
    if (semicolon > end) continue;
    CHECK(end - semicolon - 1 <= 4096);
    ++pieces;
  }
  CHECK(pieces == 4);
}

TEST_CASE("an image that has partly scrolled out comes back with the part that is left") {
  Screen screen(20, 6);
  screen.feed(picture("a=T,i=1,C=1", 2, 4) + "\x1b[6H\n\n\n");
  check_same(screen);
  Screen copy = restored(screen, "");
  REQUIRE(graphics_of(copy).placements.size() == 1);
  const Placement& part = graphics_of(copy).placements[0];
  CHECK(part.y == 0);
  CHECK(part.top == 48);
  CHECK(part.height == 16);
  CHECK(part.covers_rows == 1);
  // Out of sight: its data stay for the program, its place does not.
  screen.feed("\n");
  check_same(screen);
  Screen later = restored(screen, "");
  CHECK(graphics_of(later).placements.empty());
  CHECK(graphics_of(later).images.size() == 1);
}

TEST_CASE("each screen gets its own images back") {
  Screen screen(20, 6);
  screen.feed(picture("a=T,i=1", 2, 1, 'p') + "\x1b[?1049h\x1b[3;4H" + picture("a=T,i=1", 1, 2, 'q'));
  check_same(screen);
  Screen on_primary(20, 6);
  on_primary.feed(picture("a=T,i=1", 2, 1, 'p') + "\x1b[?47h" + picture("a=T,i=2", 1, 2, 'q') + "\x1b[?47l");
  check_same(on_primary);
  Screen copy = restored(on_primary, kDirt);
  CHECK(copy.state().alternate.graphics.images.size() == 1);
}

TEST_CASE("an image without an id is sent where it stands") {
  Screen screen(20, 6);
  screen.feed("\x1b[2;3H" + picture("a=T", 2, 2) + picture("a=T,U=1", 1, 1) + "\x1b[H");
  check_same(screen);
  Screen copy = restored(screen, kDirt);
  REQUIRE(graphics_of(copy).placements.size() == 1);
  CHECK(graphics_of(copy).placements[0].x == 2);
  CHECK(graphics_of(copy).images[0].id == 0);
}

TEST_CASE("images with numbers get the ids back that they had, whatever else is gone") {
  Screen screen(20, 6);
  screen.feed(picture("a=t,i=1", 1, 1) + picture("a=t,i=2", 1, 1) + picture("a=t,I=7", 1, 1, 'a') +
              picture("a=t,I=7", 1, 1, 'b') + picture("a=t,i=30", 1, 1) + graphics("a=d,d=I,i=1"));
  check_same(screen);
  Screen copy = restored(screen, kDirt);
  CHECK(graphics_of(copy).find(1) == nullptr);
  REQUIRE(graphics_of(copy).find(4));
  CHECK(graphics_of(copy).find(4)->number == 7);
  CHECK(graphics_of(copy).find(3)->data[0] == 'a');
  CHECK(graphics_of(copy).images.size() == 4);
}

TEST_CASE("as many images as there can be come back") {
  Screen screen(20, 6);
  for (int i = 0; i < 256; ++i) screen.feed(picture("q=2,a=t,I=" + std::to_string(i + 1), 1, 1));
  for (int i = 1; i < 256; ++i) screen.feed(graphics("a=d,d=I,i=" + std::to_string(i)));
  for (int i = 0; i < 255; ++i) screen.feed(picture("q=2,a=t,i=" + std::to_string(1000 + i), 1, 1));
  CHECK(graphics_of(screen).images.size() == 256);
  check_same(screen);
}

TEST_CASE("placements beside others come after them") {
  Screen screen(20, 6);
  screen.feed(picture("a=T,i=1,p=1,C=1", 1, 1) + picture("a=t,i=2", 1, 1) + graphics("a=p,i=2,p=1,P=1,Q=1,H=2,V=-1") +
              graphics("a=p,i=2,p=2,P=2,Q=1") + graphics("a=p,i=2,p=3") + graphics("a=p,i=1,p=1,P=2,Q=3"));
  CHECK(graphics_of(screen).placements.size() == 4);
  check_same(screen);
  // One that stands beside what is not brought back is not brought back.
  screen.feed("\x1b[6H\n\n\n\n\n\n\n");
  check_same(screen);
}

TEST_CASE("an upload that is not over goes on in the restored terminal") {
  Screen screen(20, 6);
  screen.feed("ab" + graphics("a=T,i=5,p=6,f=24,s=8,v=16,c=3,C=1,m=1", std::string(100, 'x')));
  check_same(screen);
  Screen copy = restored(screen, kDirt);
  copy.take_replies();
  copy.feed(graphics("m=0", std::string(8 * 16 * 3 - 100, 'y')));
  CHECK(copy.take_replies() == "\x1b_Gi=5,p=6;OK\x1b\\");
  REQUIRE(graphics_of(copy).placements.size() == 1);
  CHECK(graphics_of(copy).placements[0].x == 2);
  CHECK(graphics_of(copy).images[0].data == std::string(100, 'x') + std::string(284, 'y'));
  // Also in the middle of a piece.
  const std::string piece = graphics("m=0", std::string(8 * 16 * 3 - 100, 'y'));
  screen.feed(piece.substr(0, 50));
  check_same(screen);
  Screen again = restored(screen, "");
  again.feed(piece.substr(50));
  CHECK(graphics_of(again).images.size() == 1);
}

TEST_CASE("what is gone is not sent, and a terminal that knows no images is sent none") {
  Screen screen(20, 6);
  screen.feed(graphics("a=T,i=2,t=t,s=8,v=16", "/tmp/tty-graphics-protocol"));
  check_same(screen);
  screen.feed(picture("a=T,i=1", 2, 2));
  RestoreOptions options;
  options.client = Profile::xterm;
  CHECK(restore_of(screen, options).find("\x1b_G") == std::string::npos);
}

TEST_CASE("what a person had on the screen goes out of sight with their text, and is not freed") {
  Screen session(20, 6), outer(20, 6);
  outer.feed(picture("a=T,i=1,C=1", 1, 1) + picture("a=t,i=2", 1, 1));
  RestoreOptions options;
  options.onto = Onto::person;
  outer.feed(restore_of(session, options));
  CHECK(graphics_of(outer).placements.empty());
  CHECK(graphics_of(outer).images.size() == 2);
}

TEST_CASE("leaving frees what is not in sight and leaves images with their text") {
  Screen session(20, 6);
  session.feed(picture("a=T,i=1", 1, 1) + picture("a=t,i=2", 1, 1) + graphics("a=t,i=3,f=24,s=1,v=1,m=1", "ab") +
               "\x1b[?1049h" + picture("a=T,i=4", 1, 1));
  Screen client = restored(session, "");
  std::string undo;
  write_undo(session.state(), -1, undo);
  client.feed(undo);
  CHECK(client.state().alternate.graphics.images.empty());
  CHECK_FALSE(client.state().primary.graphics.upload);
  REQUIRE(client.state().primary.graphics.images.size() == 1);
  CHECK(client.state().primary.graphics.images[0].id == 1);
  CHECK(client.state().primary.graphics.placements.size() == 1);
  // Nothing is said of images to a terminal that was shown none.
  std::string plain;
  write_undo(Screen().state(), -1, plain);
  CHECK(plain.find("\x1b_G") == std::string::npos);
}

TEST_CASE("placeholders are text, and their image comes back for them") {
  Screen screen(20, 6);
  screen.feed(picture("a=T,i=42,U=1,c=2,r=1", 2, 1) + "\x1b[38;5;42m\U0010eeee\u0305\u0305\U0010eeee\u0305\u030d");
  check_same(screen);
  Screen copy = restored(screen, kDirt);
  CHECK(copy.rows() == "\U0010eeee\u0305\u0305\U0010eeee\u0305\u030d");
  CHECK(graphics_of(copy).placements[0].anchor == Placement::Anchor::virtual_);
}

TEST_CASE("stacks of colours and pointers, and records of status") {
  Screen screen(20, 6);
  screen.feed(
      "\x1b]4;1;#010203\a\x1b]12;#040506\a\x1b[#P\x1b]104\a\x1b]5;2;#111111\a\x1b[#P\x1b]112\a\x1b]16;#222222\a"
      "\x1b]22;text\a\x1b]22;>wait\a\x1b]22;>help\a\x1b]7501;state=idle\a\x1b]7501;state=working:id=a\a\x1b[>2s");
  check_same(screen);
  Screen copy(20, 6);
  copy.feed("\x1b]10;#999999\a\x1b[#P\x1b[#P\x1b[#P\x1b]22;>a,b,c\a\x1b]7501;state=error\a\x1b]7501;id=z\a\x1b[>1s");
  copy.feed(restore_of(screen));
  CHECK(expressible(copy.terminal.mutable_state()).find("z") == std::string::npos);
  CHECK(copy.state().color_stack == screen.state().color_stack);
  CHECK(copy.state().colors == screen.state().colors);
  CHECK(copy.state().pointer_stack == screen.state().pointer_stack);
  CHECK(copy.state().status == screen.state().status);
  CHECK(copy.state().shift_escape == 2);
  std::string undo;
  write_undo(screen.state(), -1, undo);
  copy.feed(undo);
  CHECK(copy.state().color_stack.empty());
  CHECK(copy.state().colors == Colors{});
  CHECK(copy.state().pointer_stack.empty());
  CHECK(copy.state().pointer_shape == "default");
  CHECK(copy.state().status.empty());
  CHECK(copy.state().shift_escape == 0);
}

}  // namespace holdfast::vt
