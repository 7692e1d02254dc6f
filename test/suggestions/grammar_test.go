package suggestions

import (
	"bytes"
	"encoding/json"
	"go/parser"
	"go/token"
	"os/exec"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// grammar is a language with its parser and a file in it.
type grammar struct {
	path, file string
	// guard is put before a statement, wrap around it, and more after it; %s is the indentation of the
	// statement and %[2]s the statement.
	edits []string
	// valid reports which of the texts the language's parser accepts. It skips the test if the parser
	// is not installed.
	valid func(t *testing.T, texts []string) []bool
}

const pythonFile = `import os
from typing import Optional


class Mean:
    """The mean of items.

    Nothing else.
    """

    def __init__(self, items, start=0):
        self.items = items
        self.start = start

    def value(self, key=None) -> Optional[float]:
        total = self.start
        for item in self.items:
            if item is None:
                continue
            try:
                total += float(item)
            except ValueError:
                total += 0
            finally:
                self.start += 1
        if not self.items:
            return None
        elif key:
            return total
        else:
            total = (total +
                     1)
        return total / len(self.items)


def main(argv):
    mean = Mean([float(a) for a in argv if a])
    while mean.value() is None:
        print("nothing", {"a": 1})
        break
    return mean.value()
`

const yamlFile = `name: build
on:
  push:
    branches: [main]
env:
  LEVEL: "3"
  TEXT: >-
    some words
    and more
jobs:
  test:
    runs-on: linux
    steps:
      - uses: checkout
        with:
          depth: 1
      - name: test
        run: |
          make build
          make test
      - run: make lint
    timeout: 10
  lint:
    needs: test
    steps:
    - run: make lint
    - run: make docs
      id: docs
`

const goFile = `package demo

import "fmt"

// Mean has items.
type Mean struct {
	Items []float64
	Start int
}

// Value is the mean.
func (m *Mean) Value(key string) (float64, error) {
	total := 0.0
	for _, item := range m.Items {
		if item < 0 {
			continue
		}
		total += item
	}
	switch {
	case len(m.Items) == 0:
		return 0, fmt.Errorf("no items of %s", key)
	case key == "":
		total++
	}
	text := ` + "`a {\n\tb`" + `
	fmt.Println(text, total)
	return total / float64(len(m.Items)), nil
}
`

const scriptFile = `class Mean {
  constructor(items, start) {
    this.items = items;
    this.start = start;
  }

  value(key) {
    let total = this.start;
    for (const item of this.items) {
      if (item === null) {
        continue;
      }
      total += Number(item);
    }
    if (!this.items.length) {
      return null;
    } else if (key) {
      total = [total, 1].map((n) => {
        return n + 1;
      })[0];
    }
    return total / this.items.length;
  }
}

function main(items) {
  const mean = new Mean(items, 0);
  switch (mean.value("a")) {
    case null:
      console.log("nothing", { a: 1 });
      break;
    default:
      console.log(` + "`mean ${mean.value()} {`" + `);
  }
  return mean;
}
`

func grammars() []grammar {
	return []grammar{
		{"mean.py", pythonFile, []string{"%[1]sif not ready:\n%[1]s    raise ValueError(1)\n%[2]s", "%[2]s\n%[1]slog(1)", "%[1]swith lock:\n%[1]s    %[3]s", "%[1]s%[3]s  # looked at", "%[1]slog(\"a\")"},
			func(t *testing.T, texts []string) []bool {
				return parsed(t, "python3", `import json,sys
def ok(s):
    try: compile(s,'x','exec'); return True
    except (SyntaxError, ValueError): return False
print(json.dumps([ok(s) for s in json.load(sys.stdin)]))`, texts)
			}},
		{"ci.yml", yamlFile, []string{"%[2]s # looked at", "%[1]sother: 1\n%[2]s", "%[1]sother:\n%[1]s  deep: [a, b]\n%[1]s  more: c", "%[1]s- run: a\n%[1]s  with:\n%[1]s    depth: 2"},
			func(t *testing.T, texts []string) []bool {
				return parsed(t, "python3", `import json,sys
try: import yaml
except ImportError: print("null"); sys.exit()
def ok(s):
    try: yaml.safe_load(s); return True
    except yaml.YAMLError: return False
print(json.dumps([ok(s) for s in json.load(sys.stdin)]))`, texts)
			}},
		{"mean.go", goFile, []string{"%[1]sif m == nil {\n%[1]s\treturn 0, nil\n%[1]s}\n%[2]s", "%[2]s\n%[1]sfmt.Println(1)", "%[1]sfunc() {\n%[1]s\t%[3]s\n%[1]s}()", "%[2]s // looked at"},
			func(_ *testing.T, texts []string) []bool {
				out := make([]bool, len(texts))
				for i, text := range texts {
					_, err := parser.ParseFile(token.NewFileSet(), "mean.go", text, parser.SkipObjectResolution)
					out[i] = err == nil
				}
				return out
			}},
		{"mean.ts", scriptFile, []string{"%[1]sif (!ready) {\n%[1]s  throw new Error(\"a\");\n%[1]s}\n%[2]s", "%[2]s\n%[1]sconsole.log(1);", "%[1]sif (ready) {\n%[1]s  %[3]s\n%[1]s}", "%[2]s // looked at"},
			func(t *testing.T, texts []string) []bool { // the file has no types, so that a parser of JavaScript accepts it
				return parsed(t, "node", `const vm = require("vm");
const ok = (s) => { try { new vm.Script(s); return true } catch (e) { return false } };
console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0, "utf8")).map(ok)));`, texts)
			}},
	}
}

// parsed asks a program which texts it can parse.
func parsed(t *testing.T, program, script string, texts []string) (out []bool) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed, so that nothing else reads what is offered", program)
	}
	flag := "-c"
	if program == "node" {
		flag = "-e"
	}
	in, err := json.Marshal(texts)
	testkit.OK(t, err)
	cmd := exec.CommandContext(t.Context(), path, flag, script) //nolint:gosec // a parser that the test names
	cmd.Stdin = bytes.NewReader(in)
	said, err := cmd.Output()
	testkit.OK(t, err)
	testkit.OK(t, json.Unmarshal(said, &out))
	if out == nil {
		t.Skipf("%s has no parser of the language", program)
	}
	testkit.Equal(t, "answers", len(out), len(texts))
	return out
}
