package engine

import (
	"fmt"
	"strings"
	"testing"
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
		"an added file":     {"src/b.ts", "", "export const b = 1;\n", manifest, []string{"--- package.json (the manifest)", "\"files\": [\"src/a.ts\"]"}, nil},
		"an added package":  {"src/a.ts", "let a = 1;\n", "import x from 'fresh';\nlet a = 1;\n", manifest, []string{"--- package.json "}, nil},
		"a known package":   {"src/a.ts", "let a = 1;\n", "import x from 'known';\nlet a = 1;\n", manifest, nil, []string{"package.json"}},
		"a file of its own": {"src/a.ts", "let a = 1;\n", "import x from './c';\nlet a = 1;\n", manifest, nil, []string{"package.json"}},
		"a module of Go":    {"x/a.go", goBefore, strings.Replace(goAfter, "\n", "\n\nimport \"example.org/other/y\"\n", 1), manifest, []string{"--- go.mod "}, nil},
		"a large manifest":  {"src/b.ts", "", "export const b = 1;\n", map[string]string{"package.json": strings.Repeat("\n", 150) + "z8800"}, []string{"--- package.json "}, []string{"z8800"}},
	})
}
