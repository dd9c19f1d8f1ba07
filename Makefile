# Everything one does with a checkout. `make help` lists it.

# One folder and one port for the demonstration; both may come from the environment or as `make demo PORT=8001`.
DATA ?= var
PORT ?= 8000
PYTHON ?= python3
PYTEST_ARGS ?=
ONLY ?=
export DATA PORT PYTHON

python := .venv/bin/python
# Says what is done, and its seconds when it is done.
step = sh .ci/step

.PHONY: help demo test lint mutants screenshots pictures bench torture audit journeys fuzz test-proxy digests messages environment environment-dev chromium node gettext clean

help: ## Say what there is
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

demo: environment ## Serve the program on 127.0.0.1:8000 with content to try it on (DATA=, PORT=)
	@exec $(python) manage.py demo

# Tests start a hundred programs. Each would compile all of its modules, where the environment asks to keep none.
test: export PYTHONDONTWRITEBYTECODE =
test: environment-dev chromium ## Run the tests, the browser's too (PYTEST_ARGS=)
	@exec $(python) -m pytest -n 4 --maxschedchunk 1 $(PYTEST_ARGS)

lint: environment-dev node ## Check style, types and formatting
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	node_modules/.bin/prettier --log-level warn --check "static/js/**/*.js" "static/css/**/*.css"
	$(python) -m mypy

mutants: environment-dev ## Change the rubrics' documents one rule at a time; a test must fail each time
	@exec $(python) -m benchmarks.mutants

bench: environment-dev chromium ## Measure how fast it is, over floors; docs/bench.md (ONLY=name,…)
	@exec $(python) -m benchmarks $(if $(ONLY),--only $(ONLY))

# Without arguments all of it: the queue at full size, the same while servers are killed, a storm at the desk in a
# browser, and a program broken on purpose, which must be seen (exit code 3). Some 50 minutes.
torture: environment-dev chromium ## Hold the queue's promises against all that goes wrong (TORTURE_ARGS=)
ifdef TORTURE_ARGS
	@exec $(python) -m tests.torture $(TORTURE_ARGS)
else
	@$(python) -m tests.torture
	@$(python) -m tests.torture --kill-web --kill-database
	@$(python) -m tests.storm --seconds 300
	@for broken in recheck constraint draft limit removal practice decision; do \
		$(python) -m tests.torture --small --broken $$broken; test $$? -eq 3 || exit 1; done
	@for broken in forgets passes-over loses-others doubles keeps-old; do \
		$(python) -m tests.storm --rubric response-quality --seconds 60 --broken $$broken; test $$? -eq 3 || exit 1; done
endif

audit: environment-dev chromium ## Have Lighthouse look at every kind of page; below 100 it fails
	@sh .ci/node audit
	@exec $(python) -m tests.audit

journeys: environment-dev chromium ## Do a newcomer's tasks and print what they are told (ONLY=name,…; LATE=milliseconds)
	@exec $(python) -m tests.journeys $(if $(ONLY),--only $(ONLY)) $(if $(LATE),--late $(LATE))

fuzz: environment-dev ## Call pages and the API at random and check the answers (SECONDS=, SEED=)
	@FUZZ_SECONDS=$(or $(SECONDS),300) FUZZ_SEED=$(SEED) $(python) -m pytest -q -m ci tests/fuzz tests/api/test_fuzz.py

test-proxy: environment-dev ## Show that slow clients stop the bare server, and not the one behind Caddy
	@sh .ci/caddy
	@exec $(python) -m tests.slow_clients

screenshots: environment-dev chromium ## Take the pictures in docs/screenshots anew
	@exec $(python) -m docs.take_screenshots

pictures: environment-dev chromium ## List the pages whose pixels differ from those with a commit's style sheets (BASE=)
	@BASE=$(BASE) $(python) -m pytest tests/pictures.py -q -s

digests: ## Pin the images of compose.yaml and the Dockerfile by what a registry has now
	@sh deploy/digests

messages: environment-dev gettext ## Bring the catalogues of messages in locale/ up to date, and compile them
	@exec $(python) -m tests.catalogues

environment: ## Make .venv from uv.lock
	@$(step) "Environment (Python packages in .venv)" sh .ci/environment --no-dev

environment-dev: ## The same with the tools for tests and checks
	@$(step) "Environment (Python packages in .venv)" sh .ci/environment

chromium: environment-dev ## Bring the browser that the tests drive
	@$(step) "Browser (Chromium for the tests)" sh .ci/chromium

node: ## Bring Prettier and the Nu HTML checker from npm
	@sh .ci/node

gettext:
	@sh .ci/gettext

clean: ## Remove what tools left; the data in $(DATA) stays
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
