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
		"a module of Go":   {"x/a.go", goBefore, strings.Replace(goAfter, "\n", "\n\nimport \"example.org/other/y\"\n", 1), manifest, []string{"--- go.mod "}, nil},
		"a large manifest": {"src/b.ts", "", "export const b = 1;\n", map[string]string{"package.json": strings.Repeat("\n", 150) + "z8800"}, []string{"--- package.json "}, []string{"z8800"}},
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
