package drive_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/eval/drive"
	"github.com/assay-dev/assay/internal/eval/script"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/testkit"
)

// mark ends the lines of the sample that a reviewer of its change needs. It is a comment in all its languages.
const mark = " //# needed"

// sample is a change of each program, with code that is needed, marked, and code that only looks alike.
var sample = map[string][2]cases.Files{
	"go": changed("shop/cart.go", "package shop\n\nimport \"example.com/m/rates\"\n\n"+filler("// line", 160)+
		"// Will be used by default: Add(\nfunc Add(c *Cart, n int) int {"+mark+"\n\tlimit := 9"+mark+"\n\tc.reset()"+mark+"\n\tn += CHANGE\n\treturn n"+mark+"\n}\n",
		"1", "rates.Convert(limit) + c.size() // will default", cases.Files{
			"go.mod":         "module example.com/m\n",
			"rates/rates.go": "package rates\n\nfunc Convert(n int) int {" + mark + "\n\treturn n * 2" + mark + "\n}\n\nfunc Other(n int) int {\n\treturn n\n}\n",
			"shop/type.go":   "package shop\n\ntype Cart struct{ n int }\n\nfunc (c *Cart) size() int { return c.n }" + mark + "\n\nfunc (c *Cart) reset() { c.n = 0 }" + mark + "\n",
			"shop/box.go":    "package shop\n\ntype Box struct{}\n\nfunc (b Box) size() int { return 1 }\n\nfunc (b Box) reset() {}\n\nfunc Will() {}\n",
		}),
	"ts": changed("src/app/page.ts", "import {\n  send,\n} from '../api/client';\n\n"+filler("// line", 160)+"export function page(x: string) {"+mark+"\n  const url = x;"+mark+
		"\n\n\n\n  return CHANGE;\n}\n", "url", "send(url, 'is default')", cases.Files{
		"src/api/client.ts":  "export function send(url: string, to: string) {" + mark + "\n  return fetch(url);" + mark + "\n}\n\nexport function is() {\n  return 1;\n}\n",
		"src/app/send.ts":    "export function send(url: string) {\n  return url;\n}\n",
		"dist/client.js":     "export function send(url) {\n  return 2;\n}\n",
		"dist/client.min.js": "function send(a){return a}\n",
	}),
	"python": changed("shop/read.py", "from shop.codec import JsonCodec\n\n\n"+filler("# line", 160)+"def read(raw):"+mark+"\n    \"\"\"Read what is given,\n\n    that will default.\n    \"\"\"\n"+
		"    size = 4"+mark+"\n"+filler("    # line", 4)+"    return CHANGE\n", "raw", "JsonCodec(size).decode(raw)", cases.Files{
		"shop/codec.py":  "class JsonCodec:" + mark + "\n    def decode(self, raw):" + mark + "\n        return raw" + mark + "\n",
		"other/codec.py": "class Plain:\n    def decode(self, raw):\n        return 1\n\n\nclass Zip:\n    def decode(self, raw):\n        return 2\n\n\ndef that():\n    return 3\n",
		"other/words.py": "def will():\n    return 1\n\n\ndef default():\n    return 2\n",
	}),
	"java": changed("src/main/java/shop/Cart.java", "package shop;\n\n"+filler("// line", 160)+"class Cart {"+mark+"\n    int total(int n) {\n        int limit = 3;"+mark+
		"\n\n\n\n        return CHANGE;\n    }\n}\n", "n", "Rates.convert(n, limit)", cases.Files{
		"src/main/java/shop/Rates.java": "package shop;\n\nclass Rates {\n    static int convert(int n, int limit) {\n        return n * limit;" + mark + "\n    }\n}\n",
		"src/main/java/far/Units.java":  "package far;\n\nclass Units {\n    int convert(int n) {\n        return n;\n    }\n}\n",
	}),
}

func filler(line string, n int) string { return strings.Repeat(line+"\n", n) }

// changed returns two versions of files, in which CHANGE in one file is replaced.
func changed(path, text, before, after string, others cases.Files) [2]cases.Files {
	var out [2]cases.Files
	for i, with := range []string{before, after} {
		out[i] = cases.Files{path: strings.ReplaceAll(text, "CHANGE", with)}
		for p, other := range others {
			out[i][p] = other
		}
	}
	return out
}

// prompted keeps the first request.
type prompted struct {
	llm.Client
	mu    sync.Mutex
	first string
}

func (p *prompted) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	p.mu.Lock()
	if p.first == "" {
		p.first = r.Messages[0].Text
	}
	p.mu.Unlock()
	return p.Client.Complete(ctx, r)
}

// contextLine matches a line of context that is more than a comment or a brace.
var contextLine = regexp.MustCompile(`(?m)^ *\d+ +[^\s\d/#}].*$`)

// TestUsefulContext measures, over a small sample, how many of the marked lines prompts show beside the change, and how
// many of the shown lines are marked: at least 90 and 60 percent.
func TestUsefulContext(t *testing.T) {
	t.Parallel()
	shown, useful, all := 0, 0, 0
	for name, versions := range sample {
		p := &prompted{}
		models := func(c eval.Case, _, head int) (*ask.Models, error) {
			m, err := script.New(script.Options{Name: script.Oracle, Seed: 1}, c, head)
			p.Client = m
			return &ask.Models{Strong: ask.Route{Client: p, Model: "scripted"}, Standard: ask.Route{Client: p, Model: "scripted"},
				Fast: ask.Route{Client: p, Model: "scripted"}}, err
		}
		_, err := drive.Run(t.Context(), set{name: versions[:]}, []eval.Case{{ID: name, Kind: eval.Clean}}, drive.Options{Checks: checks, Models: models})
		testkit.OK(t, err)
		before, change, ok := strings.Cut(p.first, " change to review>")
		if !ok {
			t.Fatalf("%s: no change in %q", name, p.first)
		}
		text := fmt.Sprint(versions[1])
		lines := contextLine.FindAllString(before, -1)
		n := strings.Count(before, mark)
		wanted := strings.Count(text, mark) - strings.Count(change, mark)
		t.Logf("%s: %d of %d marked lines are shown, %d lines in all", name, n, wanted, len(lines))
		shown, useful, all = shown+len(lines), useful+n, all+wanted
	}
	t.Logf("recall %d of %d, useful %d of %d", useful, all, useful, shown)
	if float64(useful) < 0.9*float64(all) || float64(useful) < 0.6*float64(shown) {
		t.Errorf("recall %d of %d, useful %d of %d", useful, all, useful, shown)
	}
}
