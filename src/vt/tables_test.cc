#include "vt/tables.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

namespace holdfast::vt {
namespace {

Style with_foreground(std::uint32_t rgb) {
  Style style;
  style.foreground = {2u << 24 | rgb};
  return style;
}

Link link_to(std::string uri, std::string id = "", std::uint32_t serial = 0) {
  return {std::move(id), std::move(uri), serial};
}

std::vector<char32_t> copy(std::span<const char32_t> code_points) { return {code_points.begin(), code_points.end()}; }

}  // namespace

TEST_CASE("the default style has id 0") {
  StyleTable styles;
  CHECK(styles.size() == 1);
  CHECK(styles.intern(Style{}) == 0);
  CHECK(styles[0] == Style{});
  CHECK(styles.size() == 1);
}

TEST_CASE("equal styles share an id, different ones do not") {
  StyleTable styles;
  std::vector<std::uint32_t> ids;
  for (std::uint32_t i = 0; i < 5000; ++i) ids.push_back(styles.intern(with_foreground(i)));
  for (std::uint32_t i = 0; i < 5000; ++i) {
    REQUIRE(styles.intern(with_foreground(i)) == ids[i]);
    REQUIRE(styles[static_cast<std::uint16_t>(ids[i])] == with_foreground(i));
  }
  CHECK(styles.size() == 5001);
}

TEST_CASE("every field of a style tells styles apart") {
  StyleTable styles;
  Style bold, underline, background, color;
  bold.attributes = kBold;
  underline.set_underline(3);
  background.background = Color::palette(1);
  color.underline_color = Color::palette(1);
  const std::uint32_t ids[] = {styles.intern(bold), styles.intern(underline), styles.intern(background),
                               styles.intern(color)};
  CHECK(styles.size() == 5);
  CHECK(std::ranges::equal(ids, std::initializer_list<std::uint32_t>{1, 2, 3, 4}));
}

TEST_CASE("a full style table refuses new styles, finds old ones, and has room again after keep") {
  StyleTable styles;
  for (std::uint32_t i = 0; styles.size() < StyleTable::kFull; ++i)
    REQUIRE(styles.intern(with_foreground(i)) != StyleTable::kFull);
  CHECK(styles.intern(with_foreground(0xfffff0)) == StyleTable::kFull);
  CHECK(styles.intern(with_foreground(0)) == 1);
  CHECK(styles.intern(Style{}) == 0);

  std::vector<bool> marked(styles.size());
  marked[7] = marked[60000] = true;
  std::vector<std::uint16_t> remap;
  styles.keep(marked, remap);
  CHECK(styles.size() == 3);
  CHECK(remap[0] == 0);
  CHECK(remap[7] == 1);
  CHECK(remap[60000] == 2);
  CHECK(styles[2] == with_foreground(59999));
  CHECK(styles.intern(with_foreground(6)) == 1);
  CHECK(styles.intern(with_foreground(0xfffff0)) == 3);
}

TEST_CASE("keep with nothing marked leaves only the default style") {
  StyleTable styles;
  styles.intern(with_foreground(1));
  std::vector<std::uint16_t> remap;
  styles.keep({}, remap);
  CHECK(styles.size() == 1);
  CHECK(remap.size() == 2);
  CHECK(styles[0] == Style{});
}

TEST_CASE("clusters are told apart by content and length") {
  ClusterTable clusters;
  CHECK(clusters.size() == 0);
  const std::uint32_t a = clusters.intern(std::u32string_view(U"e\u0301")),
                      b = clusters.intern(std::u32string_view(U"e\u0301\u0302")),
                      c = clusters.intern(std::u32string_view(U"a\u0301"));
  CHECK(clusters.intern(std::u32string_view(U"e\u0301")) == a);
  CHECK(clusters.size() == 3);
  CHECK(copy(clusters[b]) == std::vector<char32_t>{U'e', 0x301, 0x302});
  CHECK(copy(clusters[c])[0] == U'a');
}

TEST_CASE("a cluster longer than the bound is cut to it") {
  ClusterTable clusters;
  const std::vector<char32_t> longest(ClusterTable::kCodePointsMax, U'x'),
      longer(ClusterTable::kCodePointsMax + 5, U'x');
  CHECK(clusters.intern(longer) == clusters.intern(longest));
  CHECK(clusters[0].size() == ClusterTable::kCodePointsMax);
}

TEST_CASE("keep drops the other clusters and their memory") {
  ClusterTable clusters;
  for (char32_t cp = 0; cp < 3000; ++cp) clusters.intern(std::vector<char32_t>{0x1000 + cp, 0x301});
  std::vector<bool> marked(clusters.size());
  marked[10] = marked[2999] = true;
  std::vector<std::uint32_t> remap;
  clusters.keep(marked, remap);
  CHECK(clusters.size() == 2);
  CHECK(clusters.bytes() == 4 * sizeof(char32_t));
  CHECK(remap[2999] == 1);
  CHECK(copy(clusters[1]) == std::vector<char32_t>{0x1000 + 2999, 0x301});
  CHECK(clusters.intern(std::vector<char32_t>{0x1000 + 10, 0x301}) == 0);
  CHECK(clusters.intern(std::vector<char32_t>{0x1000 + 11, 0x301}) == 2);
}

TEST_CASE("links are one by id and URI, or by their serial when they have no id") {
  LinkTable links;
  CHECK(links.intern(Link{}) == 0);
  const std::uint32_t first = links.intern(link_to("http://a", "", 1));
  CHECK(first == 1);
  CHECK(links.intern(link_to("http://a", "", 2)) != first);
  CHECK(links.intern(link_to("http://a", "", 1)) == first);
  CHECK(links.intern(link_to("http://a", "x")) == links.intern(link_to("http://a", "x")));
  CHECK(links.intern(link_to("http://a", "x")) != links.intern(link_to("http://a", "y")));
}

TEST_CASE("a link table is full when its text reaches the bound, and empties by keep") {
  LinkTable links;
  const std::string uri(LinkTable::kUriBytesMax, 'u');
  std::uint32_t serial = 0;
  while (links.intern(link_to(uri, "", ++serial)) != LinkTable::kFull) REQUIRE(serial < 2000);
  CHECK(links.size() - 1 == LinkTable::kTotalBytesMax / LinkTable::kUriBytesMax);
  CHECK(links.intern(link_to(uri, "", 1)) == 1);

  std::vector<bool> marked(links.size());
  marked[5] = true;
  std::vector<std::uint16_t> remap;
  links.keep(marked, remap);
  CHECK(links.size() == 2);
  CHECK(remap[5] == 1);
  CHECK(links[1] == link_to(uri, "", 5));
  CHECK(links.intern(link_to(uri, "", 5)) == 1);
  CHECK(links.intern(link_to(uri, "", serial)) == 2);
}

TEST_CASE("a link table is full when its ids run out") {
  LinkTable links;
  std::uint32_t serial = 0;
  while (links.intern(link_to("u", "", ++serial)) != LinkTable::kFull) REQUIRE(serial < 70000);
  CHECK(links.size() == LinkTable::kFull);
  CHECK(links.intern(link_to("u", "", 70000)) == LinkTable::kFull);
  CHECK(links.intern(link_to("u", "", 40000)) == 40000);
}

}  // namespace holdfast::vt
