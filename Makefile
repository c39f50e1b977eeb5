# make help lists the targets.
.PHONY: help reproduce data test check torture bench verify verify-anywhere draw keys paper clean

# Where the compiler would fuse multiply-adds it must not: see runner/README.md, "The same bytes".
ifneq (,$(filter arm64 ppc64% s390x riscv64 loong64 v3 v4,$(shell go env GOARCH GOAMD64)))
export GOFLAGS := $(shell go env GOFLAGS) -gcflags=all=-d=fmahash=qn
endif

TOOL = go tool -modfile=tools.mod
# Packages in which work is done at the same time.
CONCURRENT = ./core/bnn ./core/mixture ./core/features ./core/readout ./core/softmax ./internal/linalg ./baselines/learners/command ./figures \
	./runner $(addprefix ./runner/internal/,engine learner own pipeline report store)
# What is fuzzed by make torture, and how often each: a time in place of a count can end in
# "context deadline exceeded" (golang.org/issue/75804, mended in Go 1.27).
FUZZED = ./runner/internal/pipeline/FuzzManifest ./runner/dataset/FuzzReadCSV ./runner/internal/data/FuzzReadIDX \
	./core/checkpoint/FuzzRead
FUZZ = $(if $(filter short,$(EFFORT)),5000x,40000x)
# The experiments to run: without data sets and in seconds, with EFFORT=quick.
NAMES = $(or $(EXP),$(if $(filter quick,$(EFFORT)),order own_data stability,-all))

help:
	@echo 'make reproduce   run all experiments whose results are missing or old; EXP="order uci": these;'
	@echo '                 EFFORT=quick: a few that need half a minute and no data sets'
	@echo 'make data        download the data sets; MIRROR=folder takes files from there first'
	@echo 'make test        all tests'
	@echo 'make check       formatting, vet, staticcheck, dead code, the race detector'
	@echo 'make torture     kills, full disks, damaged files, extreme numbers and fuzzing, some minutes;'
	@echo '                 EFFORT=short does less of each, FUZZ=1000000x fuzzes each target for longer'
	@echo 'make bench       benchmarks, in the form that benchstat reads'
	@echo 'make verify      run everything again elsewhere and compare with results/; EXP and EFFORT as above'
	@echo 'make verify-anywhere'
	@echo '                 the same with builds for other processors, arm64 under an emulator; hours;'
	@echo '                 EXP as above, EFFORT=short: short forms of small ones'
	@echo 'make draw        draw the figures and write README.md again from the tables in results/, and'
	@echo '                 results/index.html, all results in one file'
	@echo 'make keys        write the tables of experiments/KEYS.md again, from the comments of the code'
	@echo 'make paper       paper/paper.pdf from results/; needs LaTeX'
	@echo 'make clean       remove what is not committed from results/'

reproduce:
	go run ./runner run $(NAMES)

data:
	go run ./runner fetch all $(if $(MIRROR),-mirror $(MIRROR))

test:
	go test ./...

check:
	@files=$$($(TOOL) gofumpt -l .); test -z "$$files" || { echo "not formatted by gofumpt: $$files"; exit 1; }
	go vet ./...
	$(TOOL) staticcheck ./...
	@dead=$$($(TOOL) deadcode -test ./...); test -z "$$dead" || { echo "$$dead"; exit 1; }
	go test -race -short $(CONCURRENT)

torture:
	CLOSEDFORM_TORTURE=$(or $(EFFORT),full) go test -count 1 -timeout 1h -run 'Extremes|Torture' ./core/bnn \
		./runner/internal/pipeline
	@set -e; for target in $(FUZZED); do \
		go test $${target%/*} -run '^$$' -fuzz "^$${target##*/}\$$" -fuzztime $(FUZZ) -fuzzminimizetime 10x; \
	done

bench:
	go test -run '^$$' -bench . -benchmem -count 6 ./core/... ./internal/... ./baselines/...

verify:
	go run ./runner verify $(NAMES)

verify-anywhere:
	.ci/anywhere $(if $(filter short,$(EFFORT)),short,$(NAMES))

draw:
	go run ./runner draw -all

keys:
	go test ./runner/internal/studies -run TestKeys -update

paper: draw
	go run ./runner paper paper
	paper/build

clean:
	git clean -qfdX results
