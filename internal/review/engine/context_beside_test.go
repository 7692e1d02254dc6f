package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// Callers of a function whose body changes, methods of the same type with a similar name, tests that are found by their
// file, and the manifest of an added file are shown.
func TestCodeBesideAChange(t *testing.T) {
	t.Parallel()
	far := strings.Repeat("# line\n", 160)
	var class strings.Builder
	class.WriteString("class Reader:\n")
	for i, name := range []string{"read_short", "skip", "read_long", "close"} {
		fmt.Fprintf(&class, "    def %s(self, raw):\n        return z88%02d\n\n", name, i)
	}
	class.WriteString(far)
	many := map[string]string{}
	for i := range 9 {
		many[fmt.Sprintf("use%d.go", i)] = fmt.Sprintf("package p\n\nfunc use%d() int { return Total(z88%02d) }\n", i, i)
	}
	manifest := map[string]string{
		"package.json": "{\n  \"name\": \"shop\",\n  \"files\": [\"src/a.ts\"],\n  \"dependencies\": {\"known\": \"1\"}\n}\n", "go.mod": "module example.com/shop\n",
	}
	const goBefore, goAfter = "package p\n\nfunc Total(n int) int {\n\treturn n\n}\n", "package p\n\nfunc Total(n int) int {\n\tn++\n\treturn n\n}\n"
	checkContexts(t, map[string]contextCase{
		"callers": {"a.go", goBefore, goAfter, map[string]string{"b.go": "package p\n\nfunc use() int { return Total(z8800) }\n"},
			[]string{"--- b.go use (used here; this change alters the body of: Total)", "z8800"}, nil},
		"the callers are bounded": {"a.go", goBefore, goAfter, many, []string{"z8800", "z8801"}, []string{"z8802", "use3.go"}},
		"a similar name": {"a.py", class.String(), strings.Replace(class.String(), "return z8802", "return raw", 1), nil,
			[]string{"--- a.py Reader.read_short (of the same type, beside the changed: Reader.read_long)", "z8800"}, nil},
		"tests by the file": {"shop/rates.py", "def f(x):\n    return x\n", "def f(x):\n    return http_fetch(x, timeout_seconds)\n",
			map[string]string{"tests/test_rates.py": "def test_one():\n    assert get(1) == z9900\n\n\ndef test_two():\n    http_fetch = timeout_seconds = z8800\n"},
			[]string{"--- tests/test_rates.py test_two (a test of this file)", "z8800"}, []string{"z9900"}},
		"an added file":        {"src/b.ts", "", "export const b = 1;\n", manifest, []string{"--- package.json (the manifest)", "\"files\": [\"src/a.ts\"]"}, nil},
		"an added package":     {"src/a.ts", "let a = 1;\n", "import x from 'fresh';\nlet a = 1;\n", manifest, []string{"--- package.json "}, nil},
		"a known package":      {"src/a.ts", "let a = 1;\n", "import x from 'known';\nlet a = 1;\n", manifest, nil, []string{"package.json"}},
		"a file of its own":    {"src/a.ts", "let a = 1;\n", "import x from './c';\nlet a = 1;\n", manifest, nil, []string{"package.json"}},
		"a path from the root": {"src/a.ts", "let a = 1;\n", "import logo from '/vite.svg';\nimport '/src/main.ts';\nlet a = 1;\n", manifest, nil, []string{"package.json"}},
		"an excluded manifest": {"src/b.ts", "", "export const b = 1;\n", map[string]string{"hidden/package.json": "{}", "package.json": "{\"z88\": 1}"},
			[]string{"--- package.json (the manifest)"}, nil},
		"a module of Go": {"x/a.go", goBefore, strings.Replace(goAfter, "\n", "\n\nimport \"example.org/other/y\"\n", 1), manifest, []string{"--- go.mod "}, nil},
		"a module that another's name begins with": {"x/a.go", goBefore, strings.Replace(goAfter, "\n", "\n\nimport \"example.org/other\"\n", 1),
			map[string]string{"go.mod": "module example.com/shop\n\nrequire example.org/others v1.0.0\n"}, []string{"--- go.mod "}, nil},
		"a package of a known module": {"x/a.go", goBefore, strings.Replace(goAfter, "\n", "\n\nimport \"example.org/other/v2/deep/x\"\n", 1),
			map[string]string{"go.mod": "module example.com/shop\n\nrequire (\n\texample.org/other/v2 v2.0.0 // indirect\n)\n"}, nil, []string{"--- go.mod "}},
		"its own module": {"x/a.go", goBefore, strings.Replace(goAfter, "\n", "\n\nimport \"example.com/shop/y\"\n", 1), manifest, nil, []string{"--- go.mod "}},
		"a module in a comment": {"x/a.go", goBefore, strings.Replace(goAfter, "\n", "\n\nimport \"example.org/other/y\"\n", 1),
			map[string]string{"go.mod": "module example.com/shop\n// example.org/other was here\n"}, []string{"--- go.mod "}, nil},
		"a part of another name": {"src/a.ts", "let a = 1;\n", "import x from 'kno';\nlet a = 1;\n", manifest, []string{"--- package.json "}, nil},
		"only a value":           {"src/a.ts", "let a = 1;\n", "import x from 'shop';\nlet a = 1;\n", manifest, []string{"--- package.json "}, nil},
		"a scoped package": {"src/a.ts", "let a = 1;\n", "import x from '@own/core/x';\nlet a = 1;\n", map[string]string{"package.json": "{\"dependencies\": {\"@own/core-more\": \"1\"}}"},
			[]string{"--- package.json "}, nil},
		"a part of Node":           {"src/a.ts", "let a = 1;\n", "import { readFile } from 'fs/promises';\nimport path from 'path';\nimport z from 'node:zlib';\nlet a = 1;\n", manifest, nil, []string{"package.json"}},
		"a folder of its own tree": {"src/a.ts", "let a = 1;\n", "import x from 'src/c';\nlet a = 1;\n", manifest, nil, []string{"package.json"}},
		"a large manifest":         {"src/b.ts", "", "export const b = 1;\n", map[string]string{"package.json": strings.Repeat("\n", 150) + "z8800"}, []string{"--- package.json "}, []string{"z8800"}},
	})
}

// Tests and manifests that the policy excludes are not shown.
func TestExcludedCodeBesideAChange(t *testing.T) {
	t.Parallel()
	base := enginetest.Tree{"shop/rates.py": "def f(x):\n    return x\n", "tests/test_rates.py": "def test_two():\n    http_fetch = timeout_seconds = z8800\n", "setup.py": "z8801\n"}
	head := enginetest.Tree{"shop/rates.py": "def f(x):\n    return http_fetch(x, timeout_seconds)\n", "tests/test_rates.py": base["tests/test_rates.py"], "setup.py": base["setup.py"],
		"shop/more.py": "def g(x):\n    return x\n"}
	for _, excluded := range []bool{false, true} {
		policy := domain.DefaultPolicy()
		if excluded {
			policy.Paths.Exclude = []string{"tests/**", "setup.py"}
		}
		prompt, _ := shownWith(t, policy, base, head)
		for _, w := range []string{"z8800", "z8801"} {
			if strings.Contains(contextOf(prompt), w) == excluded {
				t.Errorf("excluded %v, %s in\n%s", excluded, w, contextOf(prompt))
			}
		}
	}
}

// The lines of a long function stand in their order, each once, with marks where lines are left out.
func TestSurroundingsStandInOrder(t *testing.T) {
	t.Parallel()
	var before strings.Builder
	before.WriteString("package p\n\nfunc long(all []int) {\n")
	for i := 4; i < 300; i++ {
		switch i {
		case 150:
			before.WriteString("\tfor range all {\n")
		case 180:
			before.WriteString("\t\tif ready {\n")
		case 230, 240:
			before.WriteString(map[int]string{230: "\t\t}\n", 240: "\t}\n"}[i])
		default:
			fmt.Fprintf(&before, "%sline%d()\n", map[bool]string{true: "\t\t\t", false: "\t"}[i > 180 && i < 230], i)
		}
	}
	before.WriteString("}\n")
	after := strings.Replace(before.String(), "line200()", "other()", 1)
	prompt, _ := shownOf(t, enginetest.Tree{"a.go": before.String()}, enginetest.Tree{"a.go": after})
	last, gaps := 0, 0
	for l := range strings.Lines(contextOf(prompt)) {
		var n int
		if strings.TrimSpace(l) == "…" {
			gaps++
		}
		if _, err := fmt.Sscanf(l, "%d", &n); err != nil {
			continue
		}
		if n <= last {
			t.Errorf("line %d stands behind line %d", n, last)
		}
		last = n
	}
	if last < 220 || gaps < 1 || gaps > 2 {
		t.Errorf("the last line is %d, %d gaps:\n%s", last, gaps, contextOf(prompt))
	}
}

// Tests that are calls with a block are chosen by the words of the change, each by itself, and not the groups around them.
func TestBlocksThatTestAFile(t *testing.T) {
	t.Parallel()
	group := func(wanted string) string {
		return "import { rate } from './rate';\n\ndescribe('rate', () => {\n  beforeEach(() => {\n    reset(z9900);\n  });\n\n  it('adds', () => {\n    expect(sum(1)).toBe(z9901);\n  });\n\n" +
			"  " + wanted + "\n    expect(convert(currencyTable, z8800)).toBe(2);\n  });\n\n  describe('more', () => {\n    it('skips', () => {\n      other(z9902);\n    });\n  });\n});\n"
	}
	const before, after = "export function f(x) {\n  return x;\n}\n", "export function f(x) {\n  return convert(currencyTable, x);\n}\n"
	note := func(path string) string { return "--- " + path + " (a test of this file)\n" }
	cases := map[string]contextCase{}
	for name, first := range map[string]string{"it": "it('converts', () => {", "async": "it('converts', async () => {", "a function": "test(\"converts\", function () {", "only": "it.only(`converts`, () => {",
		"skipped": "xit('converts', () => {", "rows": "test.each([1, 2])('converts %i', (n) => {", "a long title": "it(\n    'converts',\n    () => {"} {
		cases[name] = contextCase{"src/rate.ts", before, after, map[string]string{"src/rate.test.ts": group(first)}, []string{note("src/rate.test.ts"), "z8800"}, []string{"z9900", "z9901", "z9902"}}
	}
	cases["JavaScript in a folder"] = contextCase{"src/rate.js", before, after, map[string]string{"src/__tests__/rate.test.js": group("test('converts', done => {")},
		[]string{note("src/__tests__/rate.test.js"), "z8800"}, []string{"z9900", "z9901"}}
	cases["no common words"] = contextCase{"src/rate.ts", before, "export function f(x) {\n  return nothing(alike, x);\n}\n", map[string]string{"src/rate.test.ts": group("it('converts', () => {")},
		nil, []string{"z8800", "z9901"}}
	spec := func(open, end string) string {
		return "require 'rate'\n\nRSpec.describe Rate do\n  let(:x) { z9900 }\n\n  it 'adds' do\n    expect(sum).to eq(z9901)\n  end\n\n  context 'when there are tables' do\n    " + open +
			"\n      expect(convert(currency_table, z8800)).to eq(2)\n    " + end + "\n  end\nend\n"
	}
	for name, c := range map[string][2]string{"RSpec": {"it 'converts' do", "end"}, "RSpec, without a title": {"specify do", "end"}, "RSpec, braces": {"it {", "}"}} {
		cases[name] = contextCase{"lib/rate.rb", "def f(x)\n  x\nend\n", "def f(x)\n  convert(currency_table, x)\nend\n", map[string]string{"spec/rate_spec.rb": spec(c[0], c[1])},
			[]string{note("spec/rate_spec.rb"), "z8800"}, []string{"z9900", "z9901"}}
	}
	checkContexts(t, cases)
}

// A long block is cut, and many blocks do not make the choice slow.
func TestLongTestBlocks(t *testing.T) {
	t.Parallel()
	const before, after = "export function f(x) {\n  return x;\n}\n", "export function f(x) {\n  return convert(currencyTable, x);\n}\n"
	long := "it('converts', () => {\n  convert(currencyTable, z8800);\n" + strings.Repeat("  step();\n", 200) + "  last(z9900);\n});\n"
	nested := strings.Repeat("it('converts', () => {\n", 20_000) + "convert(currencyTable);\n"
	checkContexts(t, map[string]contextCase{
		"long":   {"src/rate.ts", before, after, map[string]string{"src/rate.test.ts": long}, []string{"z8800"}, []string{"z9900"}},
		"nested": {"src/rate.ts", before, after, map[string]string{"src/rate.test.ts": nested}, nil, []string{"z9900"}},
	})
}

// Callers of changed bodies do not use up the files that are read for methods like the changed ones.
func TestCallersDoNotHideSimilarMethods(t *testing.T) {
	t.Parallel()
	var before strings.Builder
	before.WriteString("package p\n")
	others := map[string]string{"b.go": "package p\n\ntype B struct{}\n\nfunc (b *B) Decode(n int) int { return z8800 }\n"}
	for i := range 10 {
		fmt.Fprintf(&before, "\nfunc total%d(n int) int {\n\treturn n\n}\n", i)
		for j := range 12 {
			others[fmt.Sprintf("use%d_%d.go", i, j)] = fmt.Sprintf("package p\n\nfunc use%d_%d() int { return total%d(1) }\n", i, j, i)
		}
	}
	before.WriteString("\ntype A struct{}\n\nfunc (a *A) Decode(n int) int {\n\treturn n\n}\n")
	after := strings.ReplaceAll(before.String(), "\treturn n\n", "\tn++\n\treturn n\n")
	checkContexts(t, map[string]contextCase{
		"Go": {"a.go", before.String(), after, others, []string{"--- b.go B.Decode (the same of another type, beside the changed: A.Decode)", "z8800",
			"(used here; this change alters the body of: total0)"}, nil},
	})
}
