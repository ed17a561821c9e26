#include "vt/graphics.h"

#include "vt/graphics_command.h"
#include "vt/image_fixture.h"
#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {
namespace {

const Graphics& graphics_of(const Screen& screen) { return screen.state().screen().graphics; }

// "id@x,y …" of all placements that stand on cells.
std::string places(const Screen& screen) {
  std::string text;
  for (const Placement& p : graphics_of(screen).placements) {
    const Image& image = *graphics_of(screen).find_serial(p.image);
    if (!text.empty()) text += ' ';
    text += std::to_string(image.id) + "@" + std::to_string(p.x) + "," + std::to_string(p.y);
  }
  return text;
}

std::string ids(const Screen& screen) {
  std::string text;
  for (const Image& image : graphics_of(screen).images) text += (text.empty() ? "" : " ") + std::to_string(image.id);
  return text;
}

std::string answer(Screen& screen, std::string_view bytes) {
  screen.feed(bytes);
  return screen.take_replies();
}

}  // namespace

TEST_CASE("keys and payload of a graphics command") {
  const auto command = GraphicsCommand::parse("a=T,i=4294967295,z=-7,long=1,q=2;YWJj");
  REQUIRE(command);
  CHECK(command->letter('a', 't') == 'T');
  CHECK((*command)['i'] == 4294967295u);
  CHECK(command->as_signed('z') == -7);
  CHECK((*command)['q'] == 2);
  CHECK((*command)['l'] == 0);
  CHECK(command->payload() == "YWJj");
  CHECK(GraphicsCommand::parse("")->letter('a', 't') == 't');
  for (const std::string_view wrong : {"a", "a=1,b", "i=-1", "i=4294967296", "i=1x", "z=--1", "i="}) {
    CAPTURE(wrong);
    CHECK_FALSE(GraphicsCommand::parse(wrong));
  }
}

TEST_CASE("an image is kept as it was sent, in one piece or in many") {
  Screen screen(20, 5);
  screen.feed(graphics("a=t,i=7,f=100,m=1", "\x89PNG\r\n\x1a\n")).feed(graphics("m=1", png(30, 40).substr(8)));
  CHECK(graphics_of(screen).images.empty());
  CHECK(screen.take_replies().empty());
  CHECK(answer(screen, graphics("m=0", "!")) == "\x1b_Gi=7;OK\x1b\\");
  REQUIRE(graphics_of(screen).images.size() == 1);
  const Image& image = graphics_of(screen).images[0];
  CHECK(image.data == png(30, 40) + "!");
  CHECK(image.size == ImageSize{30, 40});
  CHECK(image.format == ImageFormat::png);
  CHECK_FALSE(graphics_of(screen).upload);
}

TEST_CASE("text between the pieces of an image is text") {
  Screen screen(20, 5);
  screen.feed_bytewise(graphics("a=t,i=1,f=24,s=1,v=1,m=1", "ab") + "text" + graphics("m=0", "c"));
  CHECK(screen.rows() == "text");
  CHECK(ids(screen) == "1");
}

TEST_CASE("the cursor goes to the right of the last row of what was placed, unless it is told to stay") {
  Screen screen(20, 5);
  screen.feed("ab" + picture("a=T,i=1", 3, 2));
  CHECK(places(screen) == "1@2,0");
  CHECK(screen.x() == 5);
  CHECK(screen.y() == 1);
  screen.feed("\x1b[H" + graphics("a=p,i=1,C=1"));
  CHECK(screen.x() == 0);
  CHECK(screen.y() == 0);
  screen.feed("\x1b[1;18H" + graphics("a=p,i=1"));
  CHECK(screen.x() == 0);
  CHECK(screen.y() == 2);
  // Columns and rows that are asked for count, and one alone keeps the shape.
  screen.feed("\x1b[H" + graphics("a=p,i=1,c=6"));
  CHECK(screen.x() == 6);
  CHECK(screen.y() == 3);
  CHECK(graphics_of(screen).placements.back().covers_rows == 4);
}

TEST_CASE("an image at the bottom scrolls the screen, and goes with the text into history and back") {
  Screen screen(20, 4);
  screen.feed("top\r\n\n\n" + picture("a=T,i=1", 2, 3));
  CHECK(places(screen) == "1@0,1");
  CHECK(screen.y() == 3);
  screen.feed("\r\n\n\n");
  CHECK(places(screen) == "1@0,-2");
  screen.feed("\r\n\n\n");
  CHECK(places(screen) == "1@0,-5");
  screen.resize(20, 9);
  CHECK(places(screen) == "1@0,0");
}

TEST_CASE("what has left the history is forgotten") {
  Options options;
  options.size = Screen::size_of(20, 3);
  options.history.rows = 4;
  Screen screen;
  screen.terminal = Terminal(options);
  screen.feed(picture("a=T,i=1,C=1", 2, 2) + "\r\n\n\n\n\n");
  CHECK(places(screen) == "1@0,-3");
  screen.feed("\n\n\n");
  CHECK(places(screen).empty());
  CHECK(ids(screen) == "1");
}

TEST_CASE("between margins only what lies within them scrolls, and is cut at them") {
  Screen screen(20, 6);
  screen.feed(picture("a=T,i=1,C=1", 2, 2) + "\x1b[3H" + picture("a=T,i=2,C=1", 2, 2) + "\x1b[2;5r\x1b[5H\n");
  CHECK(places(screen) == "1@0,0 2@0,1");
  screen.feed("\n");
  const Placement& cut = graphics_of(screen).placements[1];
  CHECK(places(screen) == "1@0,0 2@0,1");
  CHECK(cut.top == 16);
  CHECK(cut.height == 16);
  CHECK(cut.covers_rows == 1);
  screen.feed("\n");
  CHECK(places(screen) == "1@0,0");
  CHECK(ids(screen) == "1 2");
  // Down, and against the bottom margin.
  screen.feed("\x1b[4H" + graphics("a=p,i=2,C=1") + "\x1b[T");
  CHECK(places(screen) == "1@0,0 2@0,4");
  CHECK(graphics_of(screen).placements[1].height == 16);
  CHECK(graphics_of(screen).placements[1].top == 0);
  // Lines that are inserted and deleted leave images alone.
  screen.feed("\x1b[r\x1b[H\x1b[L\x1b[2M");
  CHECK(places(screen) == "1@0,0 2@0,4");
}

TEST_CASE("ED 2 and 22 take images away that are in sight, other erasing takes none") {
  Screen screen(20, 4);
  screen.feed(picture("a=T,i=1,C=1", 2, 2) + picture("a=t,i=2", 1, 1) + "\x1b[J\x1b[1J\x1b[2K\x1b[5X");
  CHECK(places(screen) == "1@0,0");
  screen.feed("\x1b[4H\n" + graphics("a=p,i=2,C=1") + "\x1b[2J");
  CHECK(places(screen).empty());
  CHECK(ids(screen).empty());
  screen.feed("\x1b[H" + picture("a=T,i=3,C=1", 2, 2) + "\x1b[4H\r\n\n\n" + picture("a=T,i=4,C=1", 1, 1) + "text\x1b[22J");
  CHECK(places(screen) == "3@0,-7 4@0,-1");
  screen.feed("\x1b[3J");
  CHECK(places(screen).empty());
}

TEST_CASE("each screen has its own images, and the alternate one begins without") {
  Screen screen(20, 4);
  screen.feed(picture("a=T,i=1,C=1", 1, 1) + "\x1b[?1049h");
  CHECK(ids(screen).empty());
  screen.feed(picture("a=T,i=1,C=1", 2, 2) + "\x1b[?1049l");
  CHECK(graphics_of(screen).images[0].size == ImageSize{8, 16});
  screen.feed("\x1b[?47h");
  CHECK(graphics_of(screen).images[0].size == ImageSize{16, 32});
  screen.feed("\x1b[?1047l\x1b[?47h");
  CHECK(ids(screen).empty());
  screen.feed("\x1b[?47l\x1b" "c");
  CHECK(ids(screen).empty());
}

TEST_CASE("deleting, in all forms") {
  const std::string four = picture("a=T,i=1,p=1,C=1,z=5", 2, 2) + "\x1b[1;5H" + picture("a=T,i=2,p=1,C=1", 2, 2) +
                           graphics("a=p,i=2,p=2,C=1,z=-1") + "\x1b[4;5H" + graphics("a=p,i=1,p=2,C=1") +
                           picture("a=t,i=9", 1, 1) + picture("a=T,I=3,C=1", 1, 1);
  const auto after = [&](std::string_view keys) {
    Screen screen(20, 6);
    screen.feed(four + graphics(keys));
    return places(screen) + " of " + ids(screen);
  };
  // The image with a number got the lowest id that was free.
  CHECK(after("a=t,i=8") == "1@0,0 2@4,0 2@4,0 1@4,3 3@4,3 of 1 2 9 3");
  CHECK(after("a=d") == " of 1 2 9 3");
  CHECK(after("a=d,d=A") == " of 9");
  CHECK(after("a=d,d=i,i=1") == "2@4,0 2@4,0 3@4,3 of 1 2 9 3");
  CHECK(after("a=d,d=I,i=1,p=1") == "2@4,0 2@4,0 1@4,3 3@4,3 of 1 2 9 3");
  CHECK(after("a=d,d=I,i=2") == "1@0,0 1@4,3 3@4,3 of 1 9 3");
  CHECK(after("a=d,d=I,i=9") == "1@0,0 2@4,0 2@4,0 1@4,3 3@4,3 of 1 2 3");
  CHECK(after("a=d,d=N,I=3") == "1@0,0 2@4,0 2@4,0 1@4,3 of 1 2 9");
  CHECK(after("a=d,d=C") == "1@0,0 2@4,0 2@4,0 of 1 2 9");
  CHECK(after("a=d,d=p,x=2,y=2") == "2@4,0 2@4,0 1@4,3 3@4,3 of 1 2 9 3");
  CHECK(after("a=d,d=q,x=5,y=1,z=-1") == "1@0,0 2@4,0 1@4,3 3@4,3 of 1 2 9 3");
  CHECK(after("a=d,d=x,x=6") == "1@0,0 3@4,3 of 1 2 9 3");
  CHECK(after("a=d,d=Y,y=2") == "1@4,3 3@4,3 of 1 9 3");
  CHECK(after("a=d,d=z,z=5") == "2@4,0 2@4,0 1@4,3 3@4,3 of 1 2 9 3");
  CHECK(after("a=d,d=R,x=2,y=9") == "1@0,0 1@4,3 of 1");
  CHECK(after("a=d,d=r,x=3,y=2") == after("a=t,i=8"));
  CHECK(after("a=d,d=p,x=0,y=0") == after("a=t,i=8"));
}

TEST_CASE("an upload that was begun goes with any deletion") {
  Screen screen;
  screen.feed(graphics("a=t,i=1,f=24,s=1,v=1,m=1", "ab") + graphics("a=d,d=z,z=99"));
  CHECK_FALSE(graphics_of(screen).upload);
  CHECK(answer(screen, graphics("a=t,i=2,f=24,s=1,v=1", "abc")) == "\x1b_Gi=2;OK\x1b\\");
}

TEST_CASE("a placement is replaced by the next of that id, an image by the next of that id with all its placements") {
  Screen screen(20, 6);
  screen.feed(picture("a=T,i=1,p=5,C=1", 2, 2) + "\x1b[3;3H" + graphics("a=p,i=1,p=5,C=1") + graphics("a=p,i=1,C=1"));
  CHECK(places(screen) == "1@2,2 1@2,2");
  screen.feed(picture("a=t,i=1", 1, 1));
  CHECK(places(screen).empty());
  CHECK(ids(screen) == "1");
}

TEST_CASE("a placement beside another goes with it") {
  Screen screen(20, 6);
  screen.feed(picture("a=T,i=1,p=1,C=1", 1, 1) + picture("a=t,i=2", 1, 1));
  screen.take_replies();
  CHECK(answer(screen, graphics("a=p,i=2,p=1,P=1,Q=1,H=-2,V=3")) == "\x1b_Gi=2,p=1;OK\x1b\\");
  CHECK(answer(screen, graphics("a=p,i=1,p=2,P=2")) == "\x1b_Gi=1,p=2;OK\x1b\\");
  CHECK(answer(screen, graphics("a=p,i=1,p=1,P=1,Q=2")).find("ECYCLE") != std::string::npos);
  CHECK(answer(screen, graphics("a=p,i=1,p=4,P=3")).find("ENOPARENT") != std::string::npos);
  CHECK(answer(screen, graphics("a=p,i=1,U=1,P=2")).find("EINVAL") != std::string::npos);
  CHECK(screen.x() == 0);
  screen.feed(graphics("a=d,d=i,i=1,p=1"));
  CHECK(places(screen).empty());
}

TEST_CASE("answers say OK or what is wrong, and are as quiet as they are asked to be") {
  Screen screen(20, 6);
  CHECK(answer(screen, graphics("a=q,i=31,s=1,v=1,f=24", "abc")) == "\x1b_Gi=31;OK\x1b\\");
  CHECK(ids(screen).empty());
  CHECK(answer(screen, graphics("a=q,i=31,s=1,v=1,f=24", "ab")) == "\x1b_Gi=31;EINVAL: invalid data\x1b\\");
  CHECK(answer(screen, graphics("a=q,i=31,t=f", "/etc/passwd")) == "\x1b_Gi=31;EINVAL: unsupported medium\x1b\\");
  CHECK(answer(screen, graphics("a=q,i=31,f=7")) == "\x1b_Gi=31;EINVAL: unsupported format\x1b\\");
  CHECK(answer(screen, graphics("a=q,s=1,v=1,f=24", "abc")).empty());
  CHECK(answer(screen, "\x1b_Gi=1,s=1,v=1;****\x1b\\") == "\x1b_Gi=1;EINVAL: invalid data\x1b\\");
  CHECK(answer(screen, graphics("a=t,i=1,f=100", "no png")) == "\x1b_Gi=1;EINVAL: invalid data\x1b\\");
  CHECK(answer(screen, graphics("a=t,i=1,f=100", png(1, 20'000))) == "\x1b_Gi=1;EINVAL: dimensions too large\x1b\\");
  CHECK(answer(screen, graphics("a=p,i=5,p=2")) == "\x1b_Gi=5,p=2;ENOENT: image not found\x1b\\");
  CHECK(answer(screen, graphics("a=p,i=5,q=1")) != "");
  CHECK(answer(screen, graphics("a=p,i=5,q=2")).empty());
  CHECK(answer(screen, picture("a=t,i=5,q=1", 1, 1)).empty());
  CHECK(answer(screen, picture("a=t,I=5", 1, 1)) == "\x1b_Gi=1,I=5;OK\x1b\\");
  CHECK(answer(screen, picture("a=t,i=5,I=6", 1, 1)) ==
        "\x1b_Gi=5,I=6;EINVAL: image ID and number are mutually exclusive\x1b\\");
  CHECK(answer(screen, picture("a=T", 1, 1)).empty());
  CHECK(answer(screen, graphics("a=d,d=I,i=5")).empty());
  CHECK(answer(screen, graphics("a=f,i=1,s=1,v=1,f=24,m=1", "ab") + graphics("a=f,m=0", "c")) ==
        "\x1b_Gi=1;ENOTSUP: animation frames are not kept\x1b\\");
  CHECK(answer(screen, "\x1b_Gi\x1b\\\x1b_G\x1b\\\x1b_Xi=1;a\x1b\\\x1b_\x1b\\").empty());
  // A terminal that shows no images does not answer, and nothing moves.
  Screen xterm(20, 6, Profile::xterm);
  CHECK(answer(xterm, picture("a=T,i=1", 2, 2)).empty());
  CHECK(xterm.x() == 0);
  CHECK(ids(xterm).empty());
}

TEST_CASE("files are named and never opened, what a terminal took away is known to be gone") {
  Screen screen(20, 6);
  screen.feed(graphics("a=T,i=1,t=f,f=100,c=3,r=2", "/no/such/file.png"));
  CHECK(graphics_of(screen).images[0].source == ImageSource::file);
  CHECK(graphics_of(screen).images[0].data == "/no/such/file.png");
  CHECK(screen.x() == 3);
  CHECK(screen.y() == 1);
  screen.feed(graphics("a=T,i=2,t=s,s=8,v=16", "/shm"));
  CHECK(graphics_of(screen).images[1].source == ImageSource::gone);
  CHECK(graphics_of(screen).images[1].data.empty());
  CHECK(screen.x() == 4);
}

TEST_CASE("data are bounded: the oldest go first, those that stand nowhere before those that do") {
  Screen screen(20, 6);
  const std::string three(3u << 20, 'x');
  const std::string keys = "f=24,s=1024,v=1024,q=2,C=1,";
  // A single escape sequence is bounded too: large data come in pieces.
  const auto send = [&](const std::string& ids_and_action) {
    screen.feed(graphics(keys + "m=1," + ids_and_action));
    for (std::size_t at = 0; at < three.size(); at += 3072) screen.feed(graphics("m=1", three.substr(at, 3072)));
    screen.feed(graphics("m=0"));
  };
  for (const char* one : {"i=1,a=T", "i=2,a=t", "i=3,a=T"}) send(one);
  const auto sources = [&] {
    std::string text;
    for (const Image& image : graphics_of(screen).images) text += image.source == ImageSource::gone ? '-' : '+';
    return text;
  };
  CHECK(sources() == "+-+");
  send("i=4,a=t");
  CHECK(sources() == "--++");
  CHECK(places(screen) == "1@0,0 3@0,0");
  // One that alone is too large is placed, and its data are not kept.
  screen.feed(graphics("f=24,s=9000,v=1000,i=5,a=T,m=1"));
  for (int i = 0; i < 3; ++i) {
    for (std::size_t at = 0; at < three.size(); at += 3072) screen.feed(graphics("m=1", three.substr(at, 3072)));
  }
  screen.feed(graphics("m=0"));
  CHECK(sources() == "--++-");
  CHECK(graphics_of(screen).placements.size() == 3);
}

TEST_CASE("images and placements are bounded in number") {
  Screen screen(20, 6);
  for (int i = 1; i <= 2000; ++i) screen.feed(graphics("q=2,f=24,s=1,v=1,C=1,a=T,i=" + std::to_string(i), "abc"));
  CHECK(graphics_of(screen).images.size() == Graphics::kImagesMax);
  for (int i = 1; i <= 2000; ++i) screen.feed(graphics("q=2,C=1,a=p,i=2000"));
  CHECK(graphics_of(screen).placements.size() == Graphics::kPlacementsMax);
  for (int i = 1; i <= 300; ++i) screen.feed(graphics("q=2,f=24,s=1,v=1,a=t,I=7", "abc"));
  for (const Image& image : graphics_of(screen).images) CHECK(image.id <= Graphics::kImagesMax);
}

TEST_CASE("images follow their text when the width changes") {
  Screen screen(20, 6);
  screen.feed("0123456789abcdefghij>" + picture("a=T,i=1,C=1", 2, 2) + "\r\nend");
  CHECK(places(screen) == "1@1,1");
  screen.resize(10, 6);
  CHECK(places(screen) == "1@1,2");
  screen.resize(30, 6);
  CHECK(places(screen) == "1@21,0");
}

TEST_CASE("cells of another size: what comes as it is covers another number of them") {
  Screen screen(20, 6);
  screen.feed(picture("a=T,i=1,C=1", 4, 2) + graphics("a=p,i=1,c=4,r=2,C=1"));
  screen.terminal.resize({20, 6, 20 * 16, 6 * 32}, screen);
  CHECK(graphics_of(screen).placements[0].covers_columns == 2);
  CHECK(graphics_of(screen).placements[0].covers_rows == 1);
  CHECK(graphics_of(screen).placements[1].covers_columns == 4);
}

TEST_CASE("an image that claims any size costs no more than a screen") {
  Screen screen(20, 6);
  screen.feed(picture("a=T,i=1,c=4294967295,r=4294967295", 1, 1) + "\x1b[H" +
              graphics("a=p,i=1,r=4294967295,X=4294967295,Y=4294967295"));
  screen.feed("\n\n\n\n\n\n\n\x1b[2;3r\x1b[3H\n\n\x1b[T\x1b[r").resize(7, 3).resize(20, 6);
  CHECK(broken_invariants(screen.state()) == "");
}

}  // namespace holdfast::vt
