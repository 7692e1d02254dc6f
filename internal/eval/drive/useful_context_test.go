package drive_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/eval/drive"
	"github.com/assay-dev/assay/internal/eval/script"
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

// markedLines returns the marked lines of a version.
func markedLines(files cases.Files) (out []eval.Useful) {
	for path, text := range files {
		for i, l := range strings.Split(text, "\n") {
			if strings.Contains(l, mark) {
				out = append(out, eval.Useful{Path: path, StartLine: i + 1, EndLine: i + 1})
			}
		}
	}
	return out
}

// TestUsefulContext measures, over a small sample, how many of the marked lines prompts show beside the change, and how
// many of the shown lines are marked: at least 90 and 60 percent.
func TestUsefulContext(t *testing.T) {
	t.Parallel()
	var all eval.ContextShare
	for name, versions := range sample {
		got, err := drive.Run(t.Context(), set{name: versions[:]}, []eval.Case{{ID: name, Kind: eval.Clean, Useful: markedLines(versions[1])}},
			drive.Options{Checks: checks, Models: scripted(script.Oracle)})
		testkit.OK(t, err)
		s := got[0].Heads[0].ContextShare
		if s == nil || s.Marked == 0 || s.Lines == 0 {
			t.Fatalf("%s: nothing is measured: %+v", name, s)
		}
		t.Logf("%s: %+v", name, *s)
		all.Marked, all.MarkedShown, all.Lines, all.Useful = all.Marked+s.Marked, all.MarkedShown+s.MarkedShown, all.Lines+s.Lines, all.Useful+s.Useful
	}
	t.Logf("%+v", all)
	if float64(all.MarkedShown) < 0.9*float64(all.Marked) || float64(all.Useful) < 0.6*float64(all.Lines) {
		t.Errorf("%+v", all)
	}
}

// TestContextOfOutcomes: an outcome lists the code that prompts showed beside the change, by stage and kind, and what
// tools showed.
func TestContextOfOutcomes(t *testing.T) {
	t.Parallel()
	versions := sample["go"]
	c := eval.Case{ID: "go", Kind: eval.Defect, Golden: []eval.Golden{{Path: "shop/cart.go", Side: domain.Right, StartLine: 170, EndLine: 170, Text: "The limit is ignored"}}}
	got, err := drive.Run(t.Context(), set{"go": versions[:]}, []eval.Case{c}, drive.Options{Checks: checks, Models: scripted(script.Looper)})
	testkit.OK(t, err)
	if got[0].Error != "" {
		t.Fatal(got[0].Error)
	}
	h := got[0].Heads[0]
	for _, want := range []eval.ContextItem{
		{Stage: "generate", Kind: "surroundings", Path: "shop/cart.go", What: "Add", StartLine: 164, EndLine: 165},
		{Stage: "generate", Kind: "definition", Path: "rates/rates.go", What: "Convert", StartLine: 3, EndLine: 5},
		{Stage: "verify", Kind: "look-up", Path: "shop/cart.go"},
	} {
		if !slices.ContainsFunc(h.Context, func(i eval.ContextItem) bool {
			return i.Stage == want.Stage && i.Kind == want.Kind && i.Path == want.Path && strings.Contains(i.What, want.What) &&
				(want.StartLine == 0 || i.StartLine == want.StartLine && i.EndLine == want.EndLine) && i.Bytes > 0 && i.Times > 0
		}) {
			t.Errorf("%+v is not in %+v", want, h.Context)
		}
	}
	if h.ContextShare != nil || h.ContextCut != 0 {
		t.Errorf("a case without marks has a share: %+v, %d cut", h.ContextShare, h.ContextCut)
	}
}
