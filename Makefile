# make help lists the targets.
.PHONY: help reproduce data test check bench verify draw report paper clean

TOOL = go tool -modfile=tools.mod
# Packages in which work is done at the same time.
CONCURRENT = ./runner ./runner/internal/engine ./runner/internal/store ./figures

help:
	@echo 'make reproduce   run every manifest in experiments/ and leave results/'
	@echo 'make data        get the data sets into experiments/data/; MIRROR=folder takes those that'
	@echo '                 are there from it'
	@echo 'make test        all tests'
	@echo 'make check       formatting, vet, staticcheck, dead code, the race detector'
	@echo 'make bench       benchmarks, in a form that benchstat reads'
	@echo 'make verify      run again into a temporary folder and compare with results/;'
	@echo '                 EFFORT=quick takes the experiments of that label only'
	@echo 'make draw        draw the figures again from the tables in results/'
	@echo 'make report      results/index.html: one page of all results, which every run leaves, too'
	@echo 'make paper       paper/paper.pdf from what is in results/; nothing is computed; needs LaTeX'
	@echo 'make clean       remove what is not committed from results/'

reproduce:
	go run ./runner -all

data:
	go run ./runner -fetch all $(if $(MIRROR),-mirror $(MIRROR))

test:
	go test ./...

check:
	@files=$$($(TOOL) gofumpt -l .); test -z "$$files" || { echo "not formatted by gofumpt: $$files"; exit 1; }
	go vet ./...
	$(TOOL) staticcheck ./...
	@dead=$$($(TOOL) deadcode -test ./...); test -z "$$dead" || { echo "$$dead"; exit 1; }
	go test -race -short $(CONCURRENT)

bench:
	go test -run '^$$' -bench . -benchmem -count 6 ./core/... ./baselines/...

verify:
	go run ./runner -all -verify $(if $(EFFORT),-effort $(EFFORT))

draw:
	go run ./runner -all -draw

report:
	go run ./runner -report results/index.html

paper: draw
	go run ./runner -paper paper
	paper/build

clean:
	git clean -qfdX results
