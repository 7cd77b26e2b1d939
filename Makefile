# What a developer of mcpgen runs. Besides make it takes Go, and node with npm for the tests
# against the TypeScript SDK.

GO ?= go
FUZZTIME ?= 10s
BENCHTIME ?= 1s
STRESS ?= 1000,100
CHAOS ?= 1000,1000,15,2s

# Flags for make bench, such as BENCHFLAGS="-quick -run stdio"; see tests/bench/doc.go.
BENCHFLAGS ?=

# Flags for make size: -v or none.
SIZEFLAGS ?=

# Flags for go test, such as GOTESTFLAGS=-v.
GOTESTFLAGS ?=

# mcpgen as it is while generated/ may be missing or broken: all but the verb verify.
MCPGEN = $(GO) run -tags bootstrap ./cmd/mcpgen

# A schema of every construct that mcpgen understands, for tests.
KITCHENSINK = --schema tests/kitchensink/schema.json --revision 2099-01-01 --out tests/kitchensink

# The example that is generated from a list of tools.
WEATHER = tests/examples/weather

# The example whose list has prompts and resources, too.
NOTES = tests/examples/notes

# The tool that tests/bench calls, and a client of it.
BENCHED = --tools tests/bench/peers/tools.json --package weather --out tests/bench/weather
BENCHCLIENT = --tools tests/bench/peers/tools.json --package weatherclient --out tests/bench/weatherclient

# The server that tests share.
EVERYTHING = --tools tests/internal/everything/tools.json --package everything --out tests/internal/everything

# The packages with goroutines, whose tests run only with the race detector; a new one below
# runtime is among them. The race detector needs a C compiler, without which Go sets
# CGO_ENABLED to 0. SEQUENTIAL are all others. Those below tests take longest, so they start first, and none
# of them runs alone at the end.
PACKAGES = $(shell $(GO) list ./tests/... ./...)
MODULE = github.com/mcpgen/mcpgen
CONCURRENT = $(filter-out %/runtime/wire %/runtime/jsonrpc,$(filter $(MODULE)/runtime $(MODULE)/runtime/% $(MODULE)/tests/traces %/examples/hello,$(PACKAGES)))
SEQUENTIAL = $(filter-out $(CONCURRENT),$(PACKAGES))
RACE = $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)

# Go files of the project, but for what npm has installed.
SOURCES = find . -name node_modules -prune -o -name '*.go' -print

# The modules of their own, for what they need beside the project: parts of the runtime that not every
# program wants, and tests.
NESTED = runtime/tasks/filestore runtime/natsmcp runtime/natsmcp/embedded tests/replicas tests/examples/replicas tests/jsonschema tests/bench

# The platforms of the programs of a release.
RELEASED ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# The packages with the benchmarks of stores of tasks: in memory, in a file, in NATS.
TASKSTORES = runtime/tasks runtime/tasks/filestore runtime/natsmcp/embedded

# Collecting garbage takes up to a quarter of the time of checks and tests.
generate check test: export GOGC ?= 400

.PHONY: generate
generate: ## Regenerate the Go packages under generated/ from spec/, and those for tests (what plain "make" does)
	$(MCPGEN) spec generate
	@$(MCPGEN) spec generate $(KITCHENSINK) >/dev/null
	@$(MCPGEN) server --tools $(WEATHER)/tools.json --out $(WEATHER) >/dev/null
	@$(MCPGEN) client --tools $(WEATHER)/tools.json --out $(WEATHER)/client >/dev/null
	@$(MCPGEN) server --tools $(NOTES)/tools.yaml --out $(NOTES) >/dev/null
	@$(MCPGEN) client --tools $(NOTES)/tools.yaml --out $(NOTES)/client >/dev/null
	@$(MCPGEN) server $(BENCHED) >/dev/null
	@$(MCPGEN) client $(BENCHCLIENT) >/dev/null
	@$(MCPGEN) server $(EVERYTHING) >/dev/null

# go test need not vet what check has vetted.
.PHONY: test
test: check ## Run every check and every test; installs the peers of the interop tests with npm
	@$(if $(RACE),,echo "no C compiler: not tested with -race")
	MCPGEN_REQUIRE_INTEROP=1 $(GO) test -vet=off -timeout 30m $(GOTESTFLAGS) $(SEQUENTIAL)
	$(GO) test -vet=off $(RACE) -timeout 30m $(GOTESTFLAGS) $(CONCURRENT)
	@for module in $(NESTED); do \
		case $$module in runtime/*) race=$(RACE);; *) race=;; esac; \
		echo "$(GO) test -C $$module -vet=off $$race $(GOTESTFLAGS) ./..."; \
		$(GO) test -C $$module -vet=off $$race -timeout 30m $(GOTESTFLAGS) ./... || exit 1; \
	done

.PHONY: conformance
conformance: ## Run the official conformance suite, which npm installs, against a server and a client
	MCPGEN_REQUIRE_INTEROP=1 $(GO) test -count=1 -v $(GOTESTFLAGS) ./tests/conformance

.PHONY: check
check: ## Run the checks alone: gofmt, drift of generated/, go vet, staticcheck
	@unformatted=$$($(SOURCES) | xargs gofmt -l) && test -z "$$unformatted" || \
		{ echo "not formatted, run gofmt -w on:"; echo "$$unformatted"; exit 1; }
	$(MCPGEN) spec check
	@$(MCPGEN) spec check $(KITCHENSINK) >/dev/null || { echo "tests/kitchensink is not up to date: run make"; exit 1; }
	@{ $(MCPGEN) server --check --tools $(WEATHER)/tools.json --out $(WEATHER) && \
		$(MCPGEN) client --check --tools $(WEATHER)/tools.json --out $(WEATHER)/client; } >/dev/null || \
		{ echo "$(WEATHER) is not up to date: run make"; exit 1; }
	@{ $(MCPGEN) server --check --tools $(NOTES)/tools.yaml --out $(NOTES) && \
		$(MCPGEN) client --check --tools $(NOTES)/tools.yaml --out $(NOTES)/client; } >/dev/null || \
		{ echo "$(NOTES) is not up to date: run make"; exit 1; }
	@{ $(MCPGEN) server --check $(BENCHED) && $(MCPGEN) client --check $(BENCHCLIENT); } >/dev/null || { echo "tests/bench/weather is not up to date: run make"; exit 1; }
	@$(MCPGEN) server --check $(EVERYTHING) >/dev/null || { echo "tests/internal/everything is not up to date: run make"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	@for module in $(NESTED); do \
		echo "$(GO) vet and staticcheck in $$module"; \
		staticcheck=$$($(GO) tool -n staticcheck) && (cd $$module && $(GO) vet ./... && $$staticcheck ./...) || exit 1; \
	done

.PHONY: build
build: ## Build the program ./mcpgen
	$(GO) build -o mcpgen ./cmd/mcpgen

.PHONY: release
release: ## Build the programs of a release, and their checksums, in dist/, as the action of pull requests downloads them
	@rm -rf dist && mkdir dist
	@for target in $(RELEASED); do \
		os=$${target%/*}; arch=$${target#*/}; \
		suffix=; [ $$os != windows ] || suffix=.exe; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -ldflags '-s -w' -o dist/mcpgen-$$os-$$arch$$suffix ./cmd/mcpgen || exit 1; \
	done
	cd dist && sha256sum mcpgen-* > checksums.txt

.PHONY: bench
bench: ## Measure mcpgen beside two other libraries and the floor: a table, and files tests/bench/latest.*; then the stores of tasks
	$(GO) run -C tests/bench . -json latest.json -raw latest.txt -chart latest.svg $(BENCHFLAGS)
	@echo "tasks per second that each store creates, reads and changes, by one caller and by many:"
	@for dir in $(TASKSTORES); do \
		$(GO) test -C $$dir -run '^$$' -bench '^Benchmark(Memory|Store|Tasks)$$' -benchtime $(BENCHTIME) . | grep -E '^(pkg|Benchmark|FAIL|---)' || exit 1; \
	done

.PHONY: size
size: ## Print the size of the runtime and the length of the way of a call; SIZEFLAGS=-v prints each package and function
	@$(GO) run ./tests/size $(SIZEFLAGS)

.PHONY: microbench
microbench: ## Run every benchmark function, each for BENCHTIME (default 1s)
	@$(SOURCES) | xargs grep -l '^func Benchmark' | xargs -n 1 dirname | sort -u | while read -r dir; do \
		echo "$(GO) test -C $$dir -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME)"; \
		$(GO) test -C $$dir -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) </dev/null || exit 1; \
	done

.PHONY: stress
stress: ## Run the stress tests of HTTP over TCP, with STRESS clients and calls of each (default 1000,100)
	MCPGEN_STRESS=$(STRESS) $(GO) test -count=1 -timeout 30m -v $(GOTESTFLAGS) -run 'TestManySessions|TestKilledConnections' ./runtime/streamable ./runtime/share

.PHONY: chaos
chaos: ## Run the test of replicas that are killed at full size: CHAOS sessions, clients, kills and the least time between kills (default 1000,1000,15,2s)
	MCPGEN_CHAOS=$(CHAOS) $(GO) test -C tests/replicas -count=1 -timeout 30m -v $(GOTESTFLAGS) -run TestChaos .

.PHONY: fuzz
fuzz: ## Run every fuzz target, each for FUZZTIME (default 10s)
	@$(SOURCES) | xargs grep -Ho '^func Fuzz[A-Za-z0-9_]*' | sort | while IFS=: read -r file target; do \
		echo "$(GO) test -C $$(dirname $$file) -run '^$$' -fuzz \"^$${target#func }\$$\" -fuzztime $(FUZZTIME)"; \
		$(GO) test -C "$$(dirname $$file)" -run '^$$' -fuzz "^$${target#func }\$$" -fuzztime $(FUZZTIME) </dev/null || exit 1; \
	done

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
