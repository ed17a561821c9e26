# The few commands a person needs; CMake does the building. `make` alone lists them.

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 300
PYTHON := python3 -B

help:
	@echo 'make demo      install what is needed, build, and show what hold does (about a minute after the first build)'
	@echo 'make test      install what the tests need, build, and run everything'
	@echo 'make build     build the one file: build/release/hold'
	@echo 'make install   put hold, its man page and completions under PREFIX (=$(PREFIX)); DESTDIR is for packagers'
	@echo 'make uninstall take that away again'
	@echo 'make bench     measure against tmux, screen and dtach on this machine (half an hour; wants it quiet)'
	@echo 'make conformance   run esctest2 against the engine; ESCTEST=DIR names a copy of it'
	@echo 'make fuzz      run each fuzzer for FUZZ_SECONDS (=$(FUZZ_SECONDS)) and keep what it learned'
	@echo 'make fmt       format the sources'
	@echo 'make clean     remove build/'
	@echo 'For working on it: cmake --workflow --preset dev   (docs/architecture.md, docs/style.md)'

build:
	@tools/install_packages.sh build
	@cmake --preset release -DHOLDFAST_TESTS=OFF -Wno-dev --log-level=WARNING >/dev/null
	@cmake --build build/release --target hold

demo:
	@tools/install_packages.sh build demo
	@$(MAKE) --no-print-directory build
	@$(PYTHON) tools/demo.py build/release/hold

test:
	@tools/install_packages.sh build test
	@$(PYTHON) tools/test.py

# Before minutes of building: whether the places may be written, by the nearest directory of each that exists.
install:
	@for place in bin share; do \
	  place='$(DESTDIR)$(PREFIX)'/$$place; while [ ! -e "$$place" ]; do place=$$(dirname "$$place"); done; \
	  if [ ! -d "$$place" ] || [ ! -w "$$place" ]; then \
	    echo "hold: cannot install to $(DESTDIR)$(PREFIX): $$place may not be written to; run: sudo make install, or: make install PREFIX=\$$HOME/.local" >&2; \
	    exit 1; fi; done
	@$(MAKE) --no-print-directory build
	@DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)' --strip

# What CMakeLists.txt installs; a session that runs has its program in memory and goes on.
uninstall:
	@cd '$(DESTDIR)$(PREFIX)' && rm -rf bin/hold share/man/man1/hold.1 share/doc/holdfast share/zsh/site-functions/_hold \
	  share/fish/vendor_completions.d/hold.fish share/bash-completion/completions/hold.bash

bench:
	@tools/install_packages.sh build bench
	@$(MAKE) --no-print-directory build
	@cmake --build build/release --target engine_bench
	@$(MAKE) --no-print-directory -C bench
	@$(PYTHON) bench/figures.py --hold build/release/hold
	@$(PYTHON) bench/engine.py --engine build/release/engine_bench

conformance:
	@$(MAKE) --no-print-directory build
	@HOLD=$$PWD/build/release/hold $(PYTHON) tests/conformance/esctest.py

fuzz:
	@tools/install_packages.sh build test
	@cmake --preset fuzz -Wno-dev --log-level=WARNING >/dev/null
	@cmake --build build/fuzz
	@tools/fuzz.sh build/fuzz $(FUZZ_SECONDS)

fmt:
	@tools/install_packages.sh fmt
	@find src tests fuzz bench -name node_modules -prune -o \( -name '*.cc' -o -name '*.h' \) -print0 | xargs -0 clang-format-19 -i

clean:
	rm -rf build

.PHONY: help build demo test install uninstall bench conformance fuzz fmt clean
