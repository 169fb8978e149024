# The front door.  `make demo` and `make test` are all one needs; `make help`
# lists the rest.  Meson builds, tools/*.sh do what Meson does not.

PREFIX  ?= /usr/local
DESTDIR ?=
TEST    ?=

build:
	@tools/deps.sh build web
	@tools/configure.sh build --prefix=$(PREFIX)
	@ninja -C build --quiet product

demo: build
	@tools/deps.sh run
	ORT_DISABLE_TELEMETRY=1 build/ortmeter run -- node demo/demo.mjs
	@echo
	@echo 'This was a small language model on ONNX Runtime, from demo/demo.mjs.'
	@echo 'The same report again:  build/ortmeter report last'
	@echo 'All inferences traced:  build/ortmeter run --ops all -- node demo/demo.mjs'
	@echo 'Your own program:       build/ortmeter run -- node your_app.js'
	@echo 'What can be measured:   build/ortmeter doctor'
	@if [ -t 1 ]; then echo 'The same as a page, until Ctrl-C; click Runs, then the run:' && \
	    exec build/ortmeter serve; \
	else echo 'The same as a page:     build/ortmeter serve'; fi

check:
	@tools/test.sh --quick

test:
	@tools/test.sh $(TEST)

test-python:
	@tools/deps.sh python
	@tools/test.sh e2e/python

wheel:
	@tools/deps.sh build python
	@tools/wheel.sh

bench: build
	@ninja -C build --quiet
	@tools/bench.sh

chaos:
	@tools/chaos.sh

coverage:
	@tools/coverage.sh

install: build
	@meson install -C build --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

# The page as it is, on a recorded run, into docs/img: needs Chromium.
screenshots: build
	@tools/deps.sh test
	@tools/screenshots.sh

# All that was built; what npm brought stays.
clean:
	@[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name npm -exec rm -rf {} +

distclean:
	@rm -rf build

help:
	@echo 'make             build/ortmeter and build/libortmeter.so'
	@echo 'make demo        the same, and the report on a small language model'
	@echo 'make check       format, lint and unit tests, in some three minutes'
	@echo 'make test        all tests;  TEST=NAME: those with NAME in their name'
	@echo 'make test-python the tests with Python, and the wheels they need'
	@echo 'make wheel       build/wheel/*.whl, for pip'
	@echo 'make bench       what ortmeter costs the program it measures; an hour'
	@echo 'make chaos       hostile databases and files, under AddressSanitizer; 10 min'
	@echo 'make coverage    the share of lines that the tests reach'
	@echo 'make screenshots the page, into docs/img'
	@echo 'make install     PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)'
	@echo 'make clean       distclean: also what came from npm'

.PHONY: build demo check test bench chaos coverage install clean distclean \
        help screenshots test-python wheel
