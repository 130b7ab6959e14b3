# tl: small programs that read GPU profiler traces. `make deps demo` shows them at work;
# `make deps check` tests them. Who needs whom: tools/ -> lib/, whose floors lib/README.md tells.

PREFIX ?= /usr/local
CC ?= cc
CFLAGS ?= -O2 -g
CPPFLAGS ?=
LDFLAGS ?=
BUILD ?= build
VERSION = 0.1.0

# One line per tool: tools/NAME.c, share/man/NAME.1, tests/NAME.bats
TOOLS = \
	tl \
	tl-extract \
	tl-tree \
	tl-synth \
	tl-sourcemap \
	tl-overlap \
	tl-reliability \
	tl-collective \
	tl-render
TOOLS := $(patsubst tools/%.c,%,$(wildcard $(TOOLS:%=tools/%.c)))

DEPS = gcc libc6-dev zlib1g-dev libjq-dev libonig-dev libprotobuf-c-dev protobuf-c-compiler \
	bats bats-support bats-assert bats-file parallel \
	jq sqlite3 protobuf-compiler mandoc time clang clang-format clang-tidy cppcheck shellcheck

CSTD = -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wstrict-prototypes -pthread
ALL_CFLAGS = $(CSTD) $(CFLAGS) $(CPPFLAGS) -MMD -MP -DTL_VERSION='"$(VERSION)"' -DTL_PREFIX='"$(PREFIX)"' \
	-DTL_JQ='"$(shell jq --version 2>/dev/null)"' -I$(BUILD)/gen
LIBS = -ljq -lprotobuf-c -lz -lm

PROTO = $(wildcard share/proto/*.proto)
GEN = $(PROTO:share/proto/%.proto=$(BUILD)/gen/%.pb-c.c)
FIELDS = $(PROTO:share/proto/%.proto=$(BUILD)/gen/%.fields.h)
OBJS = $(patsubst %.c,$(BUILD)/%.o,$(wildcard lib/*/*.c)) $(GEN:.c=.o)
AGREE = $(BUILD)/agree/traces
UNITS = $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.c))
SCRIPTS = $(wildcard .ci/run tests/*.sh tests/bench/*.sh examples/*/*.sh examples/*/*.sbatch examples/*.sh)

.PHONY: all deps demo check check-asan check-units lint agree mutants comm golden bench fuzz install uninstall dist clean
.DELETE_ON_ERROR:
.SECONDARY:
Q = $(if $(V),,@) # make V=1 shows the commands

all: $(TOOLS:%=$(BUILD)/%) $(UNITS) $(AGREE)

$(BUILD)/libtl.a: $(OBJS)
	@rm -f $@
	$(Q)ar qcs $@ $^

$(TOOLS:%=$(BUILD)/%): $(BUILD)/%: $(BUILD)/tools/%.o $(BUILD)/libtl.a
	@echo '  LD $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(LIBS)

$(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(BUILD)/libtl.a
	@mkdir -p $(@D)
	@echo '  LD $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(LIBS)

$(AGREE): $(BUILD)/%: $(BUILD)/tests/%.o
	@mkdir -p $(@D)
	@echo '  LD $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(BUILD)/%.o: %.c $(GEN) $(FIELDS)
	@mkdir -p $(@D)
	@echo '  CC $<'
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/gen/%.pb-c.c: share/proto/%.proto
	@mkdir -p $(@D)
	$(Q)protoc-c --proto_path=share/proto --c_out=$(BUILD)/gen $<

# The numbers of fields, which protoc-c has no constants for: GPU_RENDER_STAGE_EVENT_GPU_ID = 11.
$(BUILD)/gen/%.fields.h: share/proto/%.proto
	@mkdir -p $(@D)
	$(Q)awk 'function upper(s) { \
			while (match(s, /[a-z0-9][A-Z]/)) s = substr(s, 1, RSTART) "_" substr(s, RSTART + 1); \
			return toupper(s) } \
		BEGIN { print "enum $*_field {" } \
		$$1 == "message" || $$1 == "enum" { name[++depth] = upper($$2) } \
		$$1 == "}" { depth-- } \
		$$1 == "optional" || $$1 == "repeated" { print "\t" name[depth] "_" toupper($$3) " = " $$5 + 0 "," } \
		END { print "};" }' $< >$@

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c
	$(Q)$(CC) $(CFLAGS) -I$(BUILD)/gen -c -o $@ $<

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# Also the runtime of clang's sanitizers, whose package has clang's version in its name, where it is one of its own.
CLANG_RT = $$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$$/libclang-rt-\1-dev/p' | \
	xargs -r apt-cache pkgnames 2>/dev/null | grep -x 'libclang-rt-[0-9]*-dev')

deps:
	@if ! dpkg -s $(DEPS) $(CLANG_RT) >/dev/null 2>&1; then \
		sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
		$$sudo apt-get update -q && $$sudo env DEBIAN_FRONTEND=noninteractive \
			apt-get install -y -q --no-install-recommends $(DEPS) $(CLANG_RT); \
	fi

demo: all
	@TL_BIN=$(BUILD) examples/demo.sh

check: all
	@TL_BIN=$(BUILD) tests/run.sh

check-asan:
	@$(MAKE) --no-print-directory BUILD=build/asan CFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' all
	@TL_BIN=build/asan tests/run.sh

lint: all
	@tests/lint.sh $(SCRIPTS)

# N random traces of each kind from seed SEED: do the tools agree about them?
agree: all
	@TL_BIN=$(BUILD) TL_AGREE_N=$(or $(N),500) TL_AGREE_SEED=$(or $(SEED),1) tests/run.sh tests/agree.bats

# N changes to FILES (lib/*/*.c), chosen by SEED: do the tests notice? JOBS at a time, against TESTS.
mutants: all
	@TL_BIN=$(BUILD) N='$(N)' SEED='$(SEED)' FILES='$(FILES)' JOBS='$(JOBS)' TESTS='$(TESTS)' tests/mutants.sh

# The C copy of share/rules/comm.jq; after a change there.
comm:
	jq -rn -L share/rules -f lib/rules/comm_words.jq >lib/rules/comm_words.h

golden: all
	@TL_BIN=$(BUILD) TL_GOLDEN=1 tests/run.sh

bench: all
	@TL_BIN=$(BUILD) tests/bench/bench.sh

fuzz:
	@tests/fuzz/fuzz.sh

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/tl $(DESTDIR)$(PREFIX)/share/man/man1 \
		$(DESTDIR)$(PREFIX)/share/man/man5
	install -m 755 $(TOOLS:%=$(BUILD)/%) $(DESTDIR)$(PREFIX)/bin
	cp -R $(wildcard share/rules share/reports share/cupti share/producers share/nsys share/proto share/completions) $(DESTDIR)$(PREFIX)/share/tl
	install -m 644 share/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 share/man/*.5 $(DESTDIR)$(PREFIX)/share/man/man5

uninstall:
	rm -f $(TOOLS:%=$(DESTDIR)$(PREFIX)/bin/%) $(DESTDIR)$(PREFIX)/share/man/man1/tl.1 \
		$(DESTDIR)$(PREFIX)/share/man/man[15]/tl-*.[15]
	rm -rf $(DESTDIR)$(PREFIX)/share/tl

dist:
	git archive --prefix=tl-$(VERSION)/ -o tl-$(VERSION).tar.gz HEAD

clean:
	rm -rf build tl-$(VERSION).tar.gz
