# Targets for people; CI calls "make test" through .ci/run. "make help" lists them.

GO       ?= go
FUZZTIME ?= 20s
BENCH    ?= .
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS   = -s -w -X main.version=$(VERSION)

export CGO_ENABLED = 0

.DEFAULT_GOAL := help
.PHONY: help run build console test lint generate fuzz sanitiser bench load histories hosts nightly mutants eval try-model hostile shots clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## build and start the whole service in demo mode, with embedded storage
	@test/install git node
	@$(MAKE) --no-print-directory build
	./bin/assay serve --demo

build: console ## build console and bin/assay
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/assay ./cmd/assay

console: ## build the console into web/dist, for the binary to embed; needs Node.js
	@test/install node
	@test/console build

test: ## everything a change must pass: 12 to 14 minutes on two cores (docs/performance/tests.md)
	@test/run

lint: ## format, vet, rules of the source tree
	@test/run lint

generate: ## files that are made from source (documentation, API description)
	$(GO) generate ./...

fuzz: ## every fuzz test for FUZZTIME (20s)
	@FUZZTIME=$(FUZZTIME) test/fuzz

sanitiser: ## a million comments of an adversary against GitHub's parser; ASSAY_SANITISER_SEED and _COUNT choose
	@test/sanitiser

bench: ## benchmarks; BENCH=regexp chooses
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

load: build ## load test of ingest (4 min) and of the whole pipeline (12 min); prints tables for docs/performance/service.md
	@test/load/run

histories: ## generated pull requests on each storage: 2,000 edits of our own files, 40 histories in three manners; ASSAY_EDITS_SEED, ASSAY_HISTORIES_SEED and _COUNT choose; prints the tables for docs/reliability/histories.md
	@test/histories

hosts: ## every scenario of docs/reliability/other-hosts.md, with Gitea and Forgejo on both storages, and the suite against a real Gitea (built once; ASSAY_GITEA names one that is there)
	ASSAY_HOSTS=all ASSAY_STORAGES=all $(GO) test ./test/e2e -run "TestHosts|TestGitLab|TestBitbucket|TestDataCenter|TestAzure|TestLateEdits|TestWebhookSecret" -count=1 -timeout 60m
	test/real-gitea -v

nightly: ## the same on more engines, hosts, worlds and sizes: hours; STEPS chooses some of docs/testing.md; prints one table
	@test/nightly $(STEPS)

shots: build ## pictures of every page of the console in build/shots: wide, dark, narrow, while it loads, failing and empty
	ASSAY_SHOTS=$(CURDIR)/build/shots $(GO) test ./test/browser -run TestShots -count=1 -timeout 20m

eval: build ## what the engine makes of scripted answers on the seeded cases; the models of docs/evaluation.md
	@for m in oracle noisy obedient lazy liar forger; do echo "== $$m"; ./bin/assay eval run --scripted $$m --held with | sed -n '/^Loose/,/^$$/p'; done
	ASSAY_INJECTIONS=all $(GO) test ./internal/eval/drive -run TestInjections -v
	ASSAY_SUGGESTIONS=all $(GO) test ./test/suggestions -run TestSeeded -v

try-model: build ## what a model of one's own makes of a few seeded cases, with tools: Ollama or llama.cpp here, or ASSAY_TRY_URL and ASSAY_TRY_MODEL
	@test/try-model

hostile: build ## what strangers could send, in full size, against the real binary, and "make sanitiser"; prints the tables for docs/performance/hostile.md
	@test/hostile/run

mutants: ## how many planted faults the tests of ten core packages notice (hours); MUTANTS="-room publish,run -json before.json" chooses
	@test/install git postgres redis
	@$(GO) run ./test/mutants $(MUTANTS)

clean: ## remove what was built
	rm -rf bin web/node_modules
	find web/dist -mindepth 1 -not -name unbuilt.txt -delete
