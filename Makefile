# The front door.  `make demo` and `make test` are all one needs; `make help`
# lists the rest.  Meson builds, tools/*.sh do what Meson does not.

PREFIX  ?= /usr/local
DESTDIR ?=
TEST    ?=

build:
	@tools/deps.sh build
	@tools/configure.sh build --prefix=$(PREFIX)
	@ninja -C build --quiet

demo: build
	@tools/deps.sh run
	ORT_DISABLE_TELEMETRY=1 build/ortmeter run -- node demo/demo.mjs
	@echo
	@echo 'This was a small language model on ONNX Runtime, from demo/demo.mjs.'
	@echo 'The same report again:  build/ortmeter report last'
	@echo 'Which operators cost:   build/ortmeter run --ops 8 -- node demo/demo.mjs'
	@echo 'Your own program:       build/ortmeter run -- node your_app.js'
	@echo 'What can be measured:   build/ortmeter doctor'

test:
	@tools/test.sh $(TEST)

bench: build
	@tools/bench.sh

coverage:
	@tools/coverage.sh

install: build
	@meson install -C build --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

# All that was built; what npm brought stays.
clean:
	@[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name npm -exec rm -rf {} +

distclean:
	@rm -rf build

help:
	@echo 'make             build/ortmeter and build/libortmeter.so'
	@echo 'make demo        the same, and the report on a small language model'
	@echo 'make test        all tests;  TEST=NAME: those with NAME in their name'
	@echo 'make bench       what ortmeter costs the program it measures; an hour'
	@echo 'make coverage    the share of lines that the tests reach'
	@echo 'make install     PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)'
	@echo 'make clean       distclean: also what came from npm'

.PHONY: build demo test bench coverage install clean distclean help
