#!/usr/bin/env python3
"""The house as drawn: which room includes which, who sees the heavy headers, what the holder is linked with.

Reads the table "Rooms" of docs/architecture.md, the room() lines of CMakeLists.txt and every #include under src/. A breach is
one sentence. The second half feeds made-up trees to the same functions, so that each rule is seen to fail.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(os.environ.get("HOLDFAST_SOURCE_DIR") or Path(__file__).resolve().parent.parent)
BUILD = os.environ.get("HOLDFAST_BUILD_DIR")

# Headers that cost seconds a file, and the one file that may see each.
HEAVY = {
    "nlohmann/": "base/json.cc",
    "toml++/": "base/toml.cc",
    "spdlog/": "base/log.cc",
    "CLI/": None,  # docs/decisions/0002-own-argument-parser.md
    "fmt/format": "base/fmt.cc",
    "zstd": "vtd/compression.cc",
    "re2/": "cli/pattern.cc",
    "iostream": None,  # its static constructors cost every process of every session memory
}

# Edges that must not exist even by way of a third room, with the reason.
NEVER = [
    ("holder", "vt", "nothing a program prints may reach a parser in the holder"),
    ("keeper", "vt", "the keeper parses nothing"),
    ("vt", "loop", "the engine knows no I/O"),
    ("wire", "loop", "the protocol knows no sockets"),
]

FILES_A_ROOM = 25
ELSEWHERE = ["../" + "shared", "/work" + "/shared", "/work" + "/.library"]


def rooms_of_page(text):
    """{room: {other: pattern}}: the room may include `other` from files that match the pattern."""
    rooms = {}
    section = re.search(r"^## .*\bRooms\b.*?$(.*?)(?=^## |\Z)", text, re.M | re.S)
    for line in section.group(1).splitlines() if section else []:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        name = re.match(r"`([a-z]+)/`", cells[0])
        if not name or len(cells) < 3:
            continue
        row = {}
        if cells[2] == "all":
            row["*"] = "*"
        for other, pattern in re.findall(r"([a-z]+)(?: \(only `([^`]+)`\))?", re.sub(r"^–$|^all$", "", cells[2])):
            row[other] = pattern or "*"
        rooms[name.group(1)] = row
    return rooms


def rooms_of_cmake(text):
    return {name: set(others.split()) for name, others in re.findall(r"^room\((\w+)((?: \w+)*)\)", text, re.M)}


def sources_of(src):
    return sorted(path for path in src.rglob("*") if path.suffix in (".h", ".cc", ".inc"))


def includes_of(path):
    return re.findall(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', path.read_text(errors="replace"), re.M)


def breaches_of_includes(src, rooms):
    found = []
    for path in sources_of(src):
        file = path.relative_to(src)
        room = file.parts[0]
        if room not in rooms:
            found.append(f"{file}: the room {room}/ is not in the table")
            continue
        for kind, header in includes_of(path):
            if kind == "<":
                for heavy, home in HEAVY.items():
                    if header.startswith(heavy) and str(file) != home:
                        found.append(f"{file}: <{header}> may be seen by {home or 'nobody'} only")
                continue
            other = header.split("/")[0]
            if other == room and (src / header).exists():
                continue
            if not (src / header).exists():
                found.append(f'{file}: "{header}" is not under src/')
            elif other == "mains":
                found.append(f'{file}: "{header}": nothing may include mains')
            elif "*" not in rooms[room] and not fnmatch(file.name, rooms[room].get(other, "")):
                found.append(f'{file}: "{header}": the edge {room} -> {other} is not drawn')
    return found


def reach_of(rooms, room):
    seen, todo = set(), [room]
    while todo:
        for other in rooms.get(todo.pop(), {}):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


def breaches_of_drawing(page, cmake):
    found = []
    for room, other, reason in NEVER:
        for name, rooms in (("docs/architecture.md", page), ("CMakeLists.txt", cmake)):
            if other in reach_of(rooms, room):
                found.append(f"{name}: {room} reaches {other}, and must not: {reason}")
    for room in sorted((page.keys() | cmake.keys()) - {"mains"}):
        drawn, linked = set(page.get(room, {})), set(cmake.get(room, set()))
        if room not in page or room not in cmake:
            found.append(f"the room {room} is in one of docs/architecture.md and CMakeLists.txt only")
        elif drawn != linked:
            found.append(f"{room}: the page draws {sorted(drawn)}, CMakeLists.txt links {sorted(linked)}")
    return found


def text_files(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True)
    if listed.returncode == 0:
        paths = [root / name for name in listed.stdout.decode(errors="replace").split("\0") if name]
    else:
        paths = [path for path in root.rglob("*") if not {"build", "node_modules", ".git"} & set(path.parts)]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def breaches_of_mentions(root):
    found = []
    for path in text_files(root):
        data = path.read_bytes()
        for word in ELSEWHERE:
            if word.encode() in data:
                found.append(f"{path.relative_to(root)}: mentions {word}, which is not part of the project")
    return found


def breaches_of_pages(root):
    """Pages that are named (docs/x.md) or linked from a page, and are not there."""
    found = []
    for path in text_files(root):
        if path.suffix not in (".h", ".cc", ".md", ".py", ".txt", ".sh") or "fixtures" in path.parts:
            continue
        text = path.read_text(errors="replace")
        named = {root / name for name in re.findall(r"\bdocs/[\w./-]*\.md", text)} if path != Path(__file__) else set()
        if path.suffix == ".md":
            named |= {path.parent / link for link in re.findall(r"\]\(([\w./-]+)\)", text)}
        found += [f"{path.relative_to(root)}: {os.path.relpath(page, root)} is not there" for page in sorted(named) if not page.exists()]
    return found


def large_rooms(src):
    counts = {room.name: len([p for p in sources_of(room) if not p.name.endswith("_test.cc")])
              for room in src.iterdir() if room.is_dir()}
    return {room: count for room, count in counts.items() if count > FILES_A_ROOM}


def link_line(build, target):
    """The command that links `target`, with everything the linker is given."""
    build = Path(build)
    text_file = build / f"CMakeFiles/{target}.dir/link.txt"
    if text_file.exists():
        return text_file.read_text()
    run = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "-s", target], capture_output=True, text=True)
    return run.stdout


def libraries_on(line):
    return set(re.findall(r"libholdfast_(\w+)\.a", line))


class TheHouse(unittest.TestCase):
    def setUp(self):
        self.page = rooms_of_page((ROOT / "docs/architecture.md").read_text())
        self.cmake = rooms_of_cmake((ROOT / "CMakeLists.txt").read_text())

    def nothing(self, breaches):
        self.assertFalse(breaches, "\n" + "\n".join(breaches))

    def test_every_include_is_an_edge_that_the_page_draws(self):
        self.assertGreater(len(sources_of(ROOT / "src")), 20)
        self.nothing(breaches_of_includes(ROOT / "src", self.page))

    def test_page_and_link_lines_agree_and_the_forbidden_edges_are_absent(self):
        self.assertGreater(len(self.page), 8)
        self.nothing(breaches_of_drawing(self.page, self.cmake))

    def test_nothing_refers_to_a_folder_outside_the_project(self):
        self.nothing(breaches_of_mentions(ROOT))

    def test_every_page_that_is_named_is_there(self):
        self.nothing(breaches_of_pages(ROOT))

    def test_the_holder_links_without_the_engine(self):
        self.assertTrue(BUILD, "HOLDFAST_BUILD_DIR names no build whose link lines could be looked at: run it by ctest")
        self.assertIn("holder", libraries_on(link_line(BUILD, "holder_alone")))
        self.assertNotIn("vt", libraries_on(link_line(BUILD, "holder_alone")))
        self.assertIn("vt", libraries_on(link_line(BUILD, "hold")), "the control: `hold` has the engine")

    def test_the_binary_does_not_ask_the_processor_what_it_can_do_when_it_starts(self):
        names = subprocess.run(["nm", os.path.join(BUILD, "hold")], capture_output=True, text=True, check=True).stdout
        self.assertIn(" main", names, "the control: `hold` has its names")
        self.assertNotIn("__cpu_indicator_init", names, "some source uses __builtin_cpu_supports: see base/cpu.h")

    def test_large_rooms_are_pointed_out(self):
        for room, count in large_rooms(ROOT / "src").items():
            print(f"note: src/{room}/ has {count} files: split it by idea?", file=sys.stderr)


class EveryRuleCanFail(unittest.TestCase):
    PAGE = "## 2. Rooms\n| room | owns | may include |\n|---|---|---|\n| `base/` | x | – |\n| `vt/` *pure* | x | base |\n" \
           "| `cli/` | x | base, vt (only `debug_*`) |\n| `mains/` | x | all |\n\n## 3. Next\n| `late/` | x | base |\n"

    def breaches(self, files):
        with tempfile.TemporaryDirectory() as name:
            src = Path(name)
            for file, text in ({"base/a.h": "", "vt/b.h": "", "mains/m.h": ""} | files).items():
                (src / file).parent.mkdir(exist_ok=True)
                (src / file).write_text(text)
            return breaches_of_includes(src, rooms_of_page(self.PAGE))

    def test_the_table_is_read_to_the_end_of_its_section(self):
        self.assertEqual(rooms_of_page(self.PAGE), {"base": {}, "vt": {"base": "*"}, "mains": {"*": "*"},
                                                    "cli": {"base": "*", "vt": "debug_*"}})

    def test_a_drawn_edge_passes(self):
        self.assertEqual(self.breaches({"vt/b.cc": '#include "base/a.h"\n#include <vector>\n'}), [])

    def test_an_edge_that_is_not_drawn_is_found(self):
        self.assertIn("base -> vt", self.breaches({"base/a.cc": '#include "vt/b.h"\n'})[0])

    def test_an_edge_for_some_files_is_not_one_for_others(self):
        self.assertEqual(self.breaches({"cli/debug_vt.cc": '#include "vt/b.h"\n'}), [])
        self.assertIn("cli -> vt", self.breaches({"cli/ls.cc": '#include "vt/b.h"\n'})[0])

    def test_mains_is_found(self):
        self.assertIn("nothing may include mains", self.breaches({"cli/a.cc": '#include "mains/m.h"\n'})[0])

    def test_a_room_that_is_not_in_the_table_is_found(self):
        self.assertIn("late/ is not in the table", self.breaches({"late/a.cc": ""})[0])

    def test_a_heavy_header_outside_its_file_is_found(self):
        self.assertIn("base/json.cc only", self.breaches({"vt/b.cc": "#include <nlohmann/json.hpp>\n"})[0])
        self.assertEqual(self.breaches({"base/json.cc": "#include <nlohmann/json.hpp>\n"}), [])
        self.assertIn("nobody", self.breaches({"vt/b.cc": "#include <iostream>\n"})[0])

    def test_a_forbidden_edge_by_way_of_a_third_room_is_found(self):
        page = {"base": {}, "vt": {"base": "*"}, "wire": {"base": "*", "vt": "*"}, "holder": {"wire": "*"}}
        self.assertIn("holder reaches vt", breaches_of_drawing(page, {room: set(row) for room, row in page.items()})[0])

    def test_a_link_line_that_differs_from_the_page_is_found(self):
        page = {"base": {}, "pty": {"base": "*"}}
        self.assertIn("pty: the page draws", breaches_of_drawing(page, {"base": set(), "pty": set()})[0])
        self.assertIn("one of", breaches_of_drawing(page, {"base": set()})[0])

    def test_a_mention_is_found(self):
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "a.md").write_text(f"see {ELSEWHERE[0]}/x")
            self.assertIn("a.md: mentions", breaches_of_mentions(Path(name))[0])

    def test_a_page_that_is_not_there_is_found(self):
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "a.h").write_text("// see doc" + "s/none.md")
            (Path(name) / "b.md").write_text("[x](other.md) [a](a.h)")
            self.assertEqual(sorted(breaches_of_pages(Path(name))), ["a.h: docs/none.md is not there", "b.md: other.md is not there"])

    def test_the_engine_on_a_link_line_is_seen(self):
        self.assertEqual(libraries_on("c++ a.o -o x libholdfast_holder.a sub/libholdfast_vt.a"), {"holder", "vt"})


if __name__ == "__main__":
    unittest.main(verbosity=1)
