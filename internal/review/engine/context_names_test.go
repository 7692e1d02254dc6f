package engine

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/enginetest"
)

// contextCase is a change of one file beside others, with lines that its context must and must not have.
type contextCase struct {
	path, before, after string
	others              map[string]string
	want, not           []string
}

func checkContexts(t *testing.T, cases map[string]contextCase) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := enginetest.Tree{}
			maps.Copy(base, c.others)
			head := maps.Clone(base)
			if head[c.path] = c.after; c.before != "" {
				base[c.path] = c.before
			}
			prompt, _ := shownOf(t, base, head)
			shown := contextOf(prompt)
			for _, w := range c.want {
				if !strings.Contains(shown, w) {
					t.Errorf("no %q in\n%s", w, shown)
				}
			}
			for _, n := range c.not {
				if strings.Contains(shown, n) {
					t.Errorf("%q in\n%s", n, shown)
				}
			}
		})
	}
}

// Only the code of a change has names whose definitions are shown, not its comments, strings and prose. Only code
// defines them.
func TestNamesComeFromCode(t *testing.T) {
	t.Parallel()
	const far = "\n\n\n\n\n\n\n\n\n\n\n\n"
	words := map[string]string{
		"words.py": "def Will(x):\n    return z71\n\n\ndef Default(x):\n    return z72\n\n\ndef used(x):\n    return z73\n",
		"words.ts": "export function Will(x) {\n  return z71\n}\nexport function Default(x) {\n  return z72\n}\nexport function used(x) {\n  return z73\n}\n",
		"words.go": "package p\n\nfunc Will() int { return z71 }\n\nfunc Default() int { return z72 }\n\nfunc used() int { return z73 }\n",
		"prose.py": "\"\"\"Of prose.\n\ndef used is the word, class Strange is another.\n\"\"\"\nvalue = z74\n",
	}
	not := []string{"z71", "z72"}
	checkContexts(t, map[string]contextCase{
		"a comment in Python": {"a.py", "def f(x):\n    return x\n", "def f(x):\n    # This Will( do: Default(x)\n    return used(x)\n", words, []string{"z73"}, not},
		"a text of several lines": {"a.py", "def f(x):\n    \"\"\"First." + far + "    last\n    \"\"\"\n    return x\n",
			"def f(x):\n    \"\"\"First." + far + "    Will(x) and Default(x), used(x)\n    \"\"\"\n    return x\n", words, nil, append(not, "z73")},
		"a string": {"a.ts", "export const f = 1;\n", "export const f = used(\"Will(x) by Default(x)\");\n", words, []string{"z73"}, not},
		"a comment of several lines": {"a.go", "package p\n\n/*" + far + "last\n*/\nfunc f() int {\n\treturn 1\n}\n",
			"package p\n\n/*" + far + "Will() and Default(), or used().\n*/\nfunc f() int {\n\treturn 1\n}\n", words, nil, append(not, "z73")},
		"prose":                              {"notes.md", "# Notes\n\nOne.\n", "# Notes\n\nWill(x) is Default(x), used(x).\n", words, nil, append(not, "z73")},
		"prose that looks like a definition": {"a.py", "value = 1\n", "value = Strange(1)\n", words, nil, []string{"class Strange"}},
		"prose in the changed file": {"a.py", "\"\"\"Of shapes.\n\nclass Strange is for them.\n\"\"\"\n" + strings.Repeat("# line\n", 200) + "value = 1\n",
			"\"\"\"Of shapes.\n\nclass Strange is for them.\n\"\"\"\n" + strings.Repeat("# line\n", 200) + "value = Strange(1)\n", nil, nil, []string{"class Strange"}},
	})
}

// A method is shown if the receiver's type, an import or the folder decides its type, and otherwise none of its name is.
func TestMethodsOfOtherTypesAreNotShown(t *testing.T) {
	t.Parallel()
	many, far := map[string]string{}, strings.Repeat("# line\n", 200)
	var list strings.Builder
	for i := range 10 {
		many[fmt.Sprintf("codecs/c%d.py", i)] = fmt.Sprintf("class Codec%d:\n    def decode(self, raw):\n        return z%d\n", i, 8800+i)
		fmt.Fprintf(&list, "class Codec%d:\n    def decode(self, raw):\n        return z%d\n\n\n", i, 8800+i)
	}
	one := map[string]string{"other/codec.py": "class Codec:\n    def decode(self, raw):\n        return z8800\n"}
	use := func(line string) (before, after string) {
		return "def f(x):\n    return x\n", "def f(x):\n    " + line + "\n"
	}
	before, after := use("return x.decode(1)")
	imported, changed := "from other.codec import Codec\n\n\n"+before, "from other.codec import Codec\n\n\n"+after
	goMethods := map[string]string{}
	for i := range 3 {
		goMethods[fmt.Sprintf("x/t%d.go", i)] = fmt.Sprintf("package x\n\ntype T%d struct{}\n\nfunc (t *T%d) Decode() int { return z%d }\n", i, i, 8800+i)
	}
	checkContexts(t, map[string]contextCase{
		"many in other files":    {"app/a.py", before, after, many, nil, []string{"z88"}},
		"one of an unknown type": {"app/a.py", before, after, one, nil, []string{"z88"}},
		"one that is imported":   {"app/a.py", imported, changed, one, []string{"z8800"}, nil},
		"many in the same file":  {"a.py", list.String() + far + before, list.String() + far + after, nil, nil, []string{"z88"}},
		"by the variable": {"a.py", list.String() + far + before, list.String() + far + "def f(codec7):\n    return codec7.decode(1)\n", nil,
			[]string{"z8807"}, []string{"z8806", "z8808"}},
		"of the object itself": {"a.py", list.String() + "class Mine:\n    def decode(self, raw):\n        return z8900\n\n" + strings.ReplaceAll(far, "#", "    #") + "    def f(self, x):\n        return x\n",
			list.String() + "class Mine:\n    def decode(self, raw):\n        return z8900\n\n" + strings.ReplaceAll(far, "#", "    #") + "    def f(self, x):\n        return self.decode(x)\n", nil,
			[]string{"z8900"}, []string{"z88"}},
		"by its type in Go": {"x/a.go", "package x\n\nfunc f(t *T1) int { return 1 }\n", "package x\n\nfunc f(t *T1) int { return t.Decode() }\n", goMethods,
			[]string{"z8801"}, []string{"z8800", "z8802"}},
		"of an unknown type in Go": {"x/a.go", "package x\n\nfunc f() int { return 1 }\n", "package x\n\nfunc f() int { return other().Decode() }\n", goMethods,
			nil, []string{"z88"}},
	})
}

// A Go function may be named like a word of another language, a constant may take its value from a line that is shown for another
// one, and a type may have the name of a method.
func TestDefinitionsOfGoNames(t *testing.T) {
	t.Parallel()
	far := strings.Repeat("\n// line\n", 100)
	change := func(more, line string) (before, after string) {
		return "package p\n" + more + far + "\nfunc f() int {\n\treturn 1\n}\n", "package p\n" + more + far + "\nfunc f() int {\n\t" + line + "\n}\n"
	}
	functions := "\nfunc set() int { return z71 }\n\nfunc lock() int { return z72 }\n"
	group := "\nconst (\n\tfirst = iota\n\tsecond\n\tthird\n)\n"
	beforeSet, afterSet := change(functions, "return set() + lock()")
	beforeGroup, afterGroup := change(group, "return first + third")
	before, after := change("", "return lock()")
	beforeType, afterType := change("", "var b *Bucket = a.Bucket(1)")
	named := map[string]string{"b.go": "package p\n\n// A Bucket has keys.\ntype Bucket struct{ z81 int }\n\n// Bucket returns a part.\nfunc (b *Bucket) Bucket(n int) *Bucket { return z82 }\n"}
	afterType = strings.Replace(afterType, "func f()", "func f(a *Bucket)", 1)
	checkContexts(t, map[string]contextCase{
		"words of Python":               {"a.go", beforeSet, afterSet, nil, []string{"z71", "z72"}, nil},
		"in another file":               {"a.go", before, after, map[string]string{"b.go": "package p\n" + functions}, []string{"z72"}, nil},
		"two constants of a group":      {"a.go", beforeGroup, afterGroup, nil, []string{"4   \tfirst = iota", "6   \tthird"}, nil},
		"a type and a method in a file": {"a.go", beforeType, afterType, named, []string{"z81", "z82"}, nil},
	})
}

// Output of programs is not shown: built, generated, vendored and minified code.
func TestOutputIsNotShown(t *testing.T) {
	t.Parallel()
	const definition, use = "export function used(x) {\n  return z8800;\n}\n", "export function g() {\n  return changed(1) + z8801;\n}\n"
	others := map[string]string{"a.test.ts": ""}
	for _, p := range []string{"dist/a.js", "packages/one/dist/esm/a.js", "a.js.map", "a.min.js", "node_modules/x/a.js", "vendor/a.js", "a.bundle.js"} {
		others[p] = definition + use
	}
	checkContexts(t, map[string]contextCase{
		"definitions": {"src/a.ts", "export const f = 1;\n", "export const f = used(1);\n", others, nil, []string{"z880"}},
		"callers": {"src/a.ts", "export function changed(x) {\n  return x;\n}\n", "export function changed(x, y) {\n  return x;\n}\n", others, nil,
			[]string{"z880"}},
	})
}

// Names that only unchanged lines of a hunk call come after those of the changed lines.
func TestCallsOnUnchangedLines(t *testing.T) {
	t.Parallel()
	others := map[string]string{"lib.go": "package p\n\nfunc createLink(n int) int { return z8800 }\n", "new.go": "package p\n\nfunc added(n int) int { return z8900 }\n"}
	checkContexts(t, map[string]contextCase{
		"Go": {"a.go", "package p\n\nfunc f(n int) int {\n\tn++\n\tn = createLink(n)\n\treturn n\n}\n", "package p\n\nfunc f(n int) int {\n\tn = added(n)\n\tn = createLink(n)\n\treturn n\n}\n",
			others, []string{"z8800", "z8900"}, nil},
	})
}

// A name that a file imports is defined where the import says, also over several lines, and not where another file has
// the name.
func TestDefinitionsOfImportedNames(t *testing.T) {
	t.Parallel()
	ts := map[string]string{
		"src/api/client.ts": "export function send(x) {\n  return z8800;\n}\n", "src/other/send.ts": "export function send(x) {\n  return z9900;\n}\n",
		"src/app/send.ts": "export function send(x) {\n  return z9901;\n}\n", "src/ui/index.ts": "export * from './button';\n",
		"src/ui/button.ts": "export function press(x) {\n  return z8801;\n}\n", "src/app/press.ts": "export function press(x) {\n  return z9902;\n}\n",
		"src/state.ts": "export function useState(x) {\n  return z9903;\n}\n", "packages/core/src/run.ts": "export function start(x) {\n  return z8802;\n}\n",
	}
	py := map[string]string{
		"shop/rates.py": "def convert(x):\n    return z8800\n", "shop/app/convert.py": "def convert(x):\n    return z9900\n",
		"shop/money/__init__.py": "from .cents import split\n", "shop/money/cents.py": "def split(x):\n    return z8801\n",
		"tools/split.py": "def split(x):\n    return z9901\n",
	}
	change := func(head, before, after string) (string, string) { return head + before, head + after }
	imported := func(path, head, before, after string, others map[string]string, want ...string) contextCase {
		b, a := change(head, before, after)
		return contextCase{path, b, a, others, want, []string{"z99"}}
	}
	checkContexts(t, map[string]contextCase{
		"TypeScript":         imported("src/app/a.ts", "import { send } from '../api/client';\n", "let f = 1;\n", "let f = send(1);\n", ts, "z8800"),
		"over several lines": imported("src/app/a.ts", "import {\n  other,\n  send,\n} from \"../api/client.js\";\n", "let f = 1;\n", "let f = send(1);\n", ts, "z8800"),
		"through an index":   imported("src/app/a.ts", "import { press } from '../ui';\n", "let f = 1;\n", "let f = press(1);\n", ts, "z8801"),
		"an alias":           imported("src/app/a.ts", "import { press } from '@/ui/button';\n", "let f = 1;\n", "let f = press(1);\n", ts, "z8801"),
		"a namespace":        imported("src/app/a.ts", "import * as api from '../api/client';\n", "let f = 1;\n", "let f = api.send(1);\n", ts, "z8800"),
		"require":            imported("src/app/a.js", "const { send } = require('../api/client');\n", "let f = 1;\n", "let f = send(1);\n", ts, "z8800"),
		"a library":          imported("src/app/a.ts", "import { useState } from 'react';\n", "let f = 1;\n", "let f = useState(1);\n", ts),
		"a package":          imported("src/app/a.ts", "import { start } from '@own/core';\n", "let f = 1;\n", "let f = start(1);\n", ts, "z8802"),
		"Python":             imported("shop/app/a.py", "from shop.rates import convert\n", "f = 1\n", "f = convert(1)\n", py, "z8800"),
		"Python, relative":   imported("shop/app/a.py", "from ..rates import (\n    other,  # more\n    convert,\n)\n", "f = 1\n", "f = convert(1)\n", py, "z8800"),
		"Python, a module":   imported("shop/app/a.py", "import shop.rates as rates\n", "f = 1\n", "f = rates.convert(1)\n", py, "z8800"),
		"Python, a package":  imported("shop/app/a.py", "from shop.money import split\n", "f = 1\n", "f = split(1)\n", py, "z8801"),
	})
}

// The module of an import may have dots in its name.
func TestImportsWithDotsInTheirNames(t *testing.T) {
	t.Parallel()
	services := map[string]string{"users/user.service.ts": "export class UserService {\n  z8800() {}\n}\n", "other/user.service.ts": "export class UserService {\n  z8801() {}\n}\n",
		"third/user.service.ts": "export class UserService {\n  z8802() {}\n}\n"}
	use := func(module string) string {
		return "import { UserService } from '" + module + "';\n\nexport const app = new UserService();\n"
	}
	checkContexts(t, map[string]contextCase{
		"beside it":         {"users/app.ts", "", use("./user.service"), services, []string{"z8800"}, []string{"z8801", "z8802"}},
		"with an extension": {"users/app.ts", "", use("./user.service.js"), services, []string{"z8800"}, []string{"z8801", "z8802"}},
		"in a component":    {"users/app.jsx", "", use("./user.service"), services, []string{"z8800"}, []string{"z8801", "z8802"}},
		"from the root":     {"users/app.ts", "", use("src/other/user.service"), map[string]string{"src/other/user.service.ts": services["other/user.service.ts"]}, []string{"z8801"}, nil},
	})
}

// The name that a package of Python imports may be that of a module: then only that file has its definitions.
func TestModulesOfPythonPackages(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"app/models.py": "def total(x):\n    return z8800\n", "app/other.py": "def total(x):\n    return z9900\n", "app/sub/__init__.py": "def total(x):\n    return z8801\n",
		"app/sub/deep.py": "def inner(x):\n    return z8802\n", "app/inner.py": "def inner(x):\n    return z9901\n", "app/__init__.py": "def ready(x):\n    return z8803\n",
		"models.py": "def total(x):\n    return z8804\n", "views.py": "def ready(x):\n    return z9902\n",
	}
	use := func(path, head, call string, want ...string) contextCase {
		return contextCase{path, head + "\n\nf = 1\n", head + "\n\nf = " + call + "\n", files, want, []string{"z99"}}
	}
	only := func(c contextCase, not ...string) contextCase {
		c.not = append(c.not, not...)
		return c
	}
	checkContexts(t, map[string]contextCase{
		"a module":              only(use("app/a.py", "from . import models", "models.total(1)", "z8800"), "z8801", "z8804"),
		"several modules":       only(use("app/a.py", "from . import (\n    other,\n    models,  # both\n)", "models.total(1)", "z8800"), "z8801", "z8804"),
		"another name":          only(use("app/a.py", "from . import models as m", "m.total(1)", "z8800"), "z8801", "z8804"),
		"a package below":       only(use("app/a.py", "from . import sub", "sub.total(1)", "z8801"), "z8800", "z8804"),
		"a file of that":        use("app/a.py", "from . import sub", "sub.inner(1)", "z8802"),
		"from above":            only(use("app/x/a.py", "from .. import models", "models.total(1)", "z8800"), "z8801", "z8804"),
		"from the top":          only(use("tools/a.py", "from app import models", "models.total(1)", "z8800"), "z8801"),
		"beside the top":        only(use("a.py", "from . import models", "models.total(1)", "z8804"), "z8800", "z8801"),
		"by its whole name":     only(use("tools/a.py", "import app.models", "app.models.total(1)", "z8800"), "z8801"),
		"a function of package": use("tools/a.py", "from app import ready", "ready(1)", "z8803"),
	})
}
