# SPDX-License-Identifier: GPL-2.0-or-later
#
# The targets that people type.  Userspace is built by Meson in $(BUILD), the module by Kbuild;
# this file only calls them.  demo and the tests install the packages that they need; build and
# install name those that are missing, and stop.

BUILD ?= build
KERNEL ?= 6.1
SMP ?= 2
PREFIX ?=
DESTDIR ?=

export BUILD := $(abspath $(BUILD))

# Where the running kernel's headers are, if they are.
HEADERS := $(wildcard /lib/modules/$(shell uname -r)/build)

no_headers = no headers of the running kernel: apt-get install linux-headers-$(shell uname -r)

.PHONY: help all build module demo check check-all check-kernel unit kunit vm-check vm-test \
	vm-shell vm-selftest fuzz fuzz-programs stress power renew update bench install uninstall \
	clean lint packages deb rpm check-packages

help:
	@echo 'make demo       profile real programs in a virtual machine, and print the reports'
	@echo 'make check      the tests that judge alike on any machine at any load'
	@echo 'make check-all  all tests, live profiling and long ones, all kernels, make lint (an evening)'
	@echo
	@echo 'make build      programs and libraries, into $(notdir $(BUILD))/'
	@echo 'make module     oprofile.ko for the running kernel (needs its headers)'
	@echo 'make install    programs and man pages; PREFIX=/usr/local DESTDIR= as usual'
	@echo 'make uninstall  remove what make install installs; same PREFIX and DESTDIR'
	@echo 'make deb        Debian packages, into $(notdir $(BUILD))/deb'
	@echo 'make rpm        rpm packages, into $(notdir $(BUILD))/rpm'
	@echo 'make check-packages  build, install, use, upgrade and purge these packages'
	@echo 'make packages   install the packages that the build needs (Debian, as root)'
	@echo 'make unit       unit tests only'
	@echo 'make check-kernel  the module on older, sanitised and PREEMPT_RT kernels only'
	@echo 'make vm-check   guest tests only; KERNEL=6.1, 6.12 or 7.2 for one kernel'
	@echo 'make vm-test    one guest test: CASE=name KERNEL=6.1 SMP=2'
	@echo 'make vm-shell   a shell in a guest, ready to profile; KERNEL=6.1 SMP=2'
	@echo 'make kunit      KUnit suites only, on user-mode Linux and in guests'
	@echo 'make vm-selftest  prove that the guest harness judges rightly'
	@echo 'make fuzz       fuzz the module; KERNEL=6.1-kasan OPERATIONS=1000000 SEED=number'
	@echo 'make fuzz-programs  fuzz what the programs read, 60 s each; FUZZ_SECONDS=60'
	@echo 'make renew      write the expected output of a test of commands: TEST=name'
	@echo 'make stress     profile storms at 10 kHz; KERNEL=6.1-kasan MINUTES=30'
	@echo 'make power      cut the power of a guest while the daemon writes; CUTS=10 of each file system'
	@echo 'make update     fetch newer kernels and QEMU for the guests, if there are any'
	@echo 'make bench      rates of the parts that must be fast'
	@echo 'make lint       static checks of all the code: sparse, checkpatch, coccinelle and more'
	@echo 'make clean      remove what was built (the cache of kernels and QEMU stays)'

all: build

build:
	@tools/packages.sh --check
	@TARGETS=programs tools/build.sh

packages:
	@tools/packages.sh

module:
	$(if $(HEADERS),,$(error $(no_headers)))
	$(MAKE) -C $(HEADERS) M=$(CURDIR) modules

# What guests need is installed.
.PHONY: test-build
test-build:
	@tools/packages.sh --guests
	@tools/build.sh

demo:
	@tests/vm/demo.sh -s $(SMP) -k $(KERNEL)

check:
	@tests/check.sh

check-all:
	@tests/check.sh all

check-kernel:
	@tests/check_kernel.sh

renew:
	@tools/build.sh
	@test -n '$(TEST)' || { echo 'which one? make renew TEST=name; there are:' \
		$(basename $(notdir $(wildcard tests/commands/*_*.sh))); exit 2; }
	@tests/commands/run.sh --renew $(TEST)

unit:
	@tests/check.sh unit

kunit:
	@tests/check.sh kunits uml

vm-check: test-build
	@tests/vm/run.sh \
		$(if $(filter command environment,$(firstword $(origin KERNEL))),-k $(KERNEL))

vm-test: test-build
	@test -n '$(CASE)' || { echo 'which one? make vm-test CASE=name; there are:' \
		$(basename $(notdir $(wildcard tests/vm/cases/*.sh))); exit 2; }
	@tests/vm/run.sh -k $(KERNEL) -s $(SMP) $(CASE)

vm-shell: test-build
	@tests/vm/shell.sh -k $(KERNEL) -s $(SMP)

vm-selftest: test-build
	@tests/vm/selftest.sh -k $(KERNEL)

# What kernels with sanitisers are for, unless another one is asked for.
SANITISED = $(if $(filter command environment,$(firstword $(origin KERNEL))),$(KERNEL),6.1-kasan)
MINUTES ?= 30
OPERATIONS ?= 1000000

fuzz: test-build
	@tests/vm/fuzz.sh -k $(SANITISED) -n $(OPERATIONS) $(if $(SEED),-S $(SEED))

fuzz-programs: test-build
	@tests/fuzz.sh $(FUZZ_SECONDS)

stress: test-build
	@tests/vm/stress.sh -k $(SANITISED) -m $(MINUTES)

CUTS ?= 10

power: test-build
	@tests/vm/power.sh -n $(CUTS)

update:
	@tests/vm/cache.sh --update

bench:
	@tests/bench.sh

install: build
	$(if $(PREFIX),meson configure $(BUILD) -Dprefix=$(PREFIX))
	$(if $(PREFIX),TARGETS=programs tools/build.sh)
	meson install --no-rebuild -C $(BUILD) $(if $(DESTDIR),--destdir=$(abspath $(DESTDIR)))
	@echo 'The kernel module is apart:'
	@echo '  $(if $(HEADERS),make module && make -C $(HEADERS) M=$(CURDIR) modules_install && depmod,install the headers of your kernel (linux-headers-$(shell uname -r)), then: make module)'

uninstall: build
	$(if $(PREFIX),meson configure $(BUILD) -Dprefix=$(PREFIX))
	@tools/uninstall.sh $(BUILD) $(if $(DESTDIR),$(abspath $(DESTDIR)))

check-packages: test-build
	@tools/packages.sh --tests --packaging
	@tests/install/packages.sh

deb:
	@tools/deb.sh

rpm:
	@tools/rpm.sh

lint:
	@tools/lint/selftest.sh
	@tools/lint.sh

clean:
	rm -rf $(BUILD)
