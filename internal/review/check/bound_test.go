package check

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

const workflowFile = ".gitea/workflows/ci.yml"

// The parser of workflows does not get a text that nests too deeply, and still gets every other one.
func TestNesting(t *testing.T) {
	t.Parallel()
	deep := func(n int, unit string) string { return strings.Repeat(unit, n) }
	indented := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	for name, tt := range map[string]struct {
		text   string
		parsed bool
	}{
		"brackets":                   {"jobs: " + deep(65, "[") + deep(65, "]"), false},
		"braces":                     {deep(65, "{a: "), false},
		"brackets and braces":        {deep(33, "[{a: "), false},
		"entries":                    {deep(65, "- ") + "a", false},
		"entries in brackets":        {"[" + deep(65, "- "), false},
		"indentation":                {indented(65), false},
		"keys in one line":           {deep(65, "a: "), false},
		"tags":                       {deep(65, "!a "), false},
		"tags below each other":      {deep(65, "!a\n"), false},
		"question marks":             {deep(65, "? "), false},
		"a long key over many":       {deep(20_000, "k") + ":\n" + deep(2000, "  - a\n"), false},
		"long":                       {deep(maxYAML, " ") + "a: 1\n", false},
		"brackets in quotes":         {"a: \"" + deep(500, "[") + "\"\nb: '" + deep(500, "{") + "'\n", true},
		"brackets in a comment":      {"a: 1 # " + deep(500, "[") + "\n# " + deep(500, "{") + "\n", true},
		"brackets in a script":       {"run: |\n" + deep(500, "  echo \"[ {\n"), true},
		"brackets in plain text":     {"run: don't [[" + deep(500, "[") + "\n", true},
		"brackets beside each other": {deep(500, "- [a, {b: c}]\n"), true},
		"many keys without a value": {func() (s string) {
			for i := range 500 {
				s += fmt.Sprintf("k%d:\n", i)
			}
			return s
		}(), true},
		"many entries below each key": {func() (s string) {
			for i := range 50 {
				s += fmt.Sprintf("k%d:\n%s", i, deep(20, "- a: b\n  c: d\n"))
			}
			return s
		}(), true},
		"indentation up to the bound": {indented(60) + strings.Repeat(" ", 60) + "b\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseYAML([]byte(tt.text))
			if errors.Is(err, ErrYAMLBound) == tt.parsed {
				depth, paths := nestingOf(lexer.Tokenize(tt.text))
				t.Errorf("depth %d, paths %d: %v", depth, paths, err)
			}
		})
	}
}

// A workflow that is not read is named, and a comment cannot keep it from being read.
func TestUnreadFilesAreSaid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ path, text, why, found string }{
		"deep workflow":   {workflowFile, "permissions: write-all\nx: " + strings.Repeat("[", 100) + "\n", WhyWorkflow, ""},
		"long workflow":   {workflowFile, "permissions: write-all\n" + strings.Repeat("# filler\n", 10_000), WhyWorkflow, ""},
		"usual workflow":  {workflowFile, "permissions: write-all # [[[[" + strings.Repeat("[", 100) + "\n", "", "assay/ci-permissions@1-1/line/high"},
		"deep Go":         {"a.go", "package a\n\nvar x = " + strings.Repeat("(", 5000) + "\n", WhyUnparsed, ""},
		"long Go":         {"a.go", "package a\n\n" + strings.Repeat("var _ = \"one of very many lines\"\n", 40_000), WhyUnparsed, ""},
		"usual broken Go": {"a.go", "package a\n\nvar x = ((((\n", "", "assay/go-syntax@3-3/line/high"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := run(t, tt.path, "", tt.text)
			if res.Unread[tt.path] != tt.why || summary(res) != tt.found {
				t.Errorf("unread %q, found %q", res.Unread, summary(res))
			}
		})
	}
}

// FuzzNesting holds the counter against the tree that the parser makes.
func FuzzNesting(f *testing.F) {
	for _, s := range []string{"a: [b, {c: d}]\n", "- - - a\n", "a:\n  b:\n    - c: |\n        [[[\n", "? a\n: b\n", "!t &x {a: *x}\n", "a: 'b[' # {\n", "---\na\n---\n- b\n", "[a: b: c]", "\"a\nb\": [", "<<: *a\n"} {
		f.Add(s)
	}
	f.Fuzz(counted)
}

// TestNestingOfRandomText makes the same comparison on texts of YAML's signs.
func TestNestingOfRandomText(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	signs := strings.Split("[ ] { } , : - ? ! & * | > ' \" # a b key", " ")
	signs = append(signs, " ", "  ", "\n", "\n  ", "\n    ", ": ", "- ", "a: ", "&a ", "!t ", "? ", "\n- ", "\na:\n  ")
	for range 20_000 {
		var b strings.Builder
		for range 1 + r.IntN(40) {
			b.WriteString(signs[r.IntN(len(signs))])
		}
		counted(t, b.String())
	}
}

// counted fails if a tree has more levels or longer paths than the counter allows.
func counted(t *testing.T, s string) {
	if len(s) > 4<<10 {
		return
	}
	tokens := lexer.Tokenize(s)
	levels, paths := nestingOf(tokens)
	if levels > maxYAMLNesting {
		return
	}
	for _, doc := range parsed(tokens) {
		w := &deepest{}
		ast.Walk(w, doc)
		if w.level > 2*levels+2 {
			t.Fatalf("the tree of %q has %d levels, counted %d", s, w.level, levels)
		}
		if w.paths > 4*paths+64*len(s)+1024 {
			t.Fatalf("the paths of %q have %d bytes, counted %d", s, w.paths, paths)
		}
	}
}

// parsed returns the documents of a text, nil if the parser fails, which these tests do not cover.
func parsed(tokens token.Tokens) (out []ast.Node) {
	defer func() {
		if recover() != nil {
			out = nil
		}
	}()
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil
	}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			out = append(out, doc.Body)
		}
	}
	return out
}

// deepest measures the paths of a tree: their levels and their bytes.
type deepest struct{ level, paths int }

func (d *deepest) Visit(n ast.Node) ast.Visitor {
	path := n.GetPath()
	d.paths += len(path)
	d.level = max(d.level, strings.Count(path, "[")+strings.Count(path, "."))
	return d
}

// A secret does not reach a prompt, even if gitleaks allows it by path, value or comment.
func TestRedactionObeysNoList(t *testing.T) {
	t.Parallel()
	stop := "client" + "Q3EGRX7N5B2VKJ4M8T"
	for name, tt := range map[string]struct{ path, line, secret string }{
		"picture":                {"logo.svg", "<!-- token=" + ghToken() + " -->", ghToken()},
		"lock file":              {"package-lock.json", "\"resolved\": \"https://x:" + ghToken() + "@example.com/\"", ghToken()},
		"sums":                   {"go.sum", "// " + ghToken(), ghToken()},
		"vendored":               {"vendor/github.com/x/y/z.go", "var t = \"" + ghToken() + "\"", ghToken()},
		"node modules":           {"node_modules/x/index.js", "var t = '" + ghToken() + "'", ghToken()},
		"library":                {"static/jquery.min.js", "var t = '" + ghToken() + "'", ghToken()},
		"gitleaks' own file":     {"gitleaks.toml", "t = '" + ghToken() + "'", ghToken()},
		"word that is let pass":  {"a.py", "api_key = '" + stop + "'", stop},
		"sample value":           {"a.py", "key = 'AKIA" + "IOSFODNN7EXAMPLE'", "AKIA" + "IOSFODNN7EXAMPLE"},
		"comment of gitleaks":    {"a.py", "t = '" + ghToken() + "' # gitleaks" + ":allow", ghToken()},
		"comment of others":      {"a.py", "t = '" + ghToken() + "' # nosec nosemgrep noqa pragma: allowlist secret", ghToken()},
		"in a line that imports": {"a.js", "import { a } from './b'; const api_key = '" + awsKey() + "'", awsKey()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := change(t, tt.path, "a\n", "a\n"+tt.line+"\n")
			res, err := checker(t).Run(t.Context(), set, nil, Options{Secrets: true})
			if err != nil {
				t.Fatal(err)
			}
			clean, err := Redact(t.Context(), set, res.Redactor)
			if err != nil {
				t.Fatal(err)
			}
			if got := clean.Files[0].Hunks[0].Lines[1].Text; strings.Contains(got, tt.secret) {
				t.Errorf("in the diff of a prompt: %s", got)
			}
			fresh, err := checker(t).Run(t.Context(), &diff.Set{}, nil, Options{})
			if err != nil {
				t.Fatal(err)
			}
			src := &RedactedSource{Source: files{"RIGHT:" + tt.path: tt.line + "\n"}, Redactor: fresh.Redactor}
			if b, err := src.Blob(t.Context(), domain.Right, tt.path); err != nil || strings.Contains(string(b), tt.secret) {
				t.Errorf("in the file of a prompt: %s, %v", b, err)
			}
		})
	}
	src := &RedactedSource{Source: files{"RIGHT:a.go": "token := response.header.accessToken\n"}, Redactor: newRedactor(checker(t).Scanner)}
	if b, err := src.Blob(t.Context(), domain.Right, "a.go"); err != nil || string(b) != "token := response.header.accessToken\n" {
		t.Errorf("a name in code was replaced: %s, %v", b, err)
	}
}

// The author chooses paths, so no path keeps a secret of a distinctive form from being reported. A
// value that only its name makes a secret is not reported in files that gitleaks skips, because it is a
// digest there.
func TestReportsObeyNoPath(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"logo.svg", "package-lock.json", "go.sum", "vendor/github.com/x/y/z.go", "static/jquery.js", "node_modules/a/b.js", "x.gem", "gitleaks.toml", "x/jquery.min.js"} {
		if got := summary(run(t, path, "a\n", "a\nt = '"+ghToken()+"'\n")); got != "gitleaks/github-pat@2-2/line/critical" {
			t.Errorf("%s: %s", path, got)
		}
		if got := summary(run(t, path, "a\n", "a\napi_token = '"+"q8Zk2Xr7"+"Tn4Vw9Lp3Hs6Jd1'\n")); got != "" {
			t.Errorf("%s, a value beside a word: %s", path, got)
		}
	}
	if got := summary(run(t, "a.py", "a\n", "a\napi_token = '"+"q8Zk2Xr7"+"Tn4Vw9Lp3Hs6Jd1'\n")); !strings.Contains(got, "generic") {
		t.Errorf("in code: %q", got)
	}
	if got := summary(run(t, "package-lock.json", "a\n", "a\napi_key = '"+random(1, 40)+"'\n")); got != "" {
		t.Error(got)
	}
}

// tokenLike is the i-th of many values that look like tokens.
func tokenLike(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	b := []byte("ghp" + "_")
	for range 36 {
		b = append(b, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[r.IntN(62)])
	}
	return string(b)
}

// A file with more secrets than can be replaced is not shown at all.
func TestMoreSecretsThanCanBeReplaced(t *testing.T) {
	t.Parallel()
	var key strings.Builder
	key.WriteString("-----BEGIN RSA " + "PRIVATE KEY-----\n")
	for i := range maxValues + 10 {
		fmt.Fprintf(&key, "%040d\n", i)
	}
	key.WriteString("-----END RSA " + "PRIVATE KEY-----\n")
	r := newRedactor(checker(t).Scanner)
	if !r.add(Secret{RuleID: "x", value: tokenLike(1)}) || r.add(Secret{RuleID: "private-key", value: key.String()}) || r.add(Secret{RuleID: "x", value: tokenLike(2)}) {
		t.Error("the bound of values does not hold")
	}
	if r.build(); strings.Contains(r.Text(tokenLike(1)), "ghp") || len(r.values) > maxValues {
		t.Error("the first learned value is not replaced")
	}
	src := &RedactedSource{Source: files{"RIGHT:a.py": "t = '" + tokenLike(3) + "'\n"}, Redactor: r}
	if b, err := src.Blob(t.Context(), domain.Right, "a.py"); !errors.Is(err, fs.ErrNotExist) || !src.Refused("a.py") {
		t.Errorf("%s, %v", b, err)
	}
	set := change(t, "a.py", "", "t = '"+tokenLike(3)+"'\n")
	s := &secrets{redactor: r, hits: map[*diff.File][]secretHit{}, withheld: map[string]string{}}
	if err := checker(t).Scanner.scanHunk(t.Context(), s, set.Files[0], textOf(set.Files[0].Hunks[0], domain.Right), nil); err != nil || s.withheld["a.py"] != WhySecrets {
		t.Errorf("withheld %v, %v", s.withheld, err)
	}
}

// A long value is replaced in pieces, so that looking for it costs no more than
// for a short one.
func TestLongValues(t *testing.T) {
	t.Parallel()
	r := newRedactor(checker(t).Scanner)
	long := strings.Repeat("ab1", 5000)
	r.add(Secret{RuleID: "jwt", value: long})
	r.build()
	if got := r.Text("x " + long + " y"); strings.Contains(got, "ab1") || !strings.HasPrefix(got, "x [redacted:jwt]") || !strings.HasSuffix(got, "[redacted:jwt] y") {
		t.Errorf("%.200s", got)
	}
	for v := range r.values {
		if len(v) > maxPiece+minKeyLine {
			t.Errorf("a value of %d bytes is looked for", len(v))
		}
	}
}

// A secret on the border of two fragments is found, also in long lines. One that is in both is found
// once.
func TestSecretsOnTheBorderOfFragments(t *testing.T) {
	t.Parallel()
	for name, filler := range map[string]string{"lines": "x = compute(y)\n", "one line": "x = compute(y); "} {
		for shift := range 48 {
			before := strings.Repeat(filler, 2*maxFragment/len(filler))[:2*maxFragment-2*overlap-24+shift]
			text := before + "\nt = '" + ghToken() + "'\n" + strings.Repeat(filler, 2000)
			found, err := checker(t).Scanner.ScanText(t.Context(), text)
			if err != nil || len(found) != 1 || text[found[0].Start:found[0].End] != ghToken() || found[0].First != strings.Count(before, "\n")+2 {
				t.Fatalf("%s, %d: %v, %v", name, shift, found, err)
			}
		}
	}
}

// distinct, which compares by marks, returns the same result as comparing every pair.
func TestDistinct(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var in []Secret
		for range r.IntN(30) {
			start, n := r.IntN(200), 1+r.IntN(40)
			in = append(in, Secret{RuleID: []string{genericRule, "a", "b"}[r.IntN(3)], Start: start, End: start + n, value: strings.Repeat("x", n)})
		}
		got := distinct(slices.Clone(in), 240)
		for i, s := range got {
			if i > 0 && got[i-1].End > s.Start {
				t.Fatalf("%v overlaps its neighbour", s)
			}
		}
		for _, s := range in {
			if !slices.ContainsFunc(got, func(o Secret) bool {
				return o.Start < s.End && s.Start < o.End && (rank(o) < rank(s) || rank(o) == rank(s) && o.End-o.Start >= s.End-s.Start)
			}) {
				t.Fatalf("%v was dropped for nothing better", s)
			}
		}
	}
}

// The chosen findings do not depend on how many there are. Secrets come first.
func TestChoose(t *testing.T) {
	t.Parallel()
	var all []sighting
	for i := range 3 * MaxFindings {
		all = append(all, sighting{secret: i%5 == 0, severity: domain.Severity(1 + i%4), file: i / 10, line: i})
	}
	kept, rest := choose(all)
	if len(kept) != MaxFindings || len(rest) != 2*MaxFindings {
		t.Fatalf("%d and %d", len(kept), len(rest))
	}
	if !slices.IsSortedFunc(kept, func(a, b sighting) int { return a.line - b.line }) {
		t.Error("the order in which they were seen is lost")
	}
	for _, s := range rest {
		if s.secret {
			t.Error("a secret was left out for something else")
		}
		for _, k := range kept {
			if !k.secret && (k.severity < s.severity || k.severity == s.severity && k.line > s.line) {
				t.Fatalf("%+v was chosen before %+v", k, s)
			}
		}
	}
}

func BenchmarkNesting(b *testing.B) {
	text := []byte(strings.Repeat("  a:\n    - b: [c, {d: e}]\n", 2000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		nestingOf(lexer.Tokenize(string(text)))
	}
}
