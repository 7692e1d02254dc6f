package lookup

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// numbers is a text of n numbered lines.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the text\n", i+1)
	}
	return b.String()
}

var toolTree = enginetest.Tree{
	"a.go": "package a\n\nfunc A() int {\n\treturn 1\n}\n", "docs/long.txt": numbers(1000), "docs/short.txt": "one\r\ntwo\r\nthree", "empty.txt": "",
	"img.png": "\x89PNG\x00", "zero.txt": "a\x00b\n", "large.txt": strings.Repeat("x\n", 5<<19), "huge.txt": strings.Repeat("0123456789 abcd\n", 5<<16),
	"wide.txt": "begin " + strings.Repeat("word ", 1000) + "end\n", "hidden.txt": "a\u202eb\u200bc\n", "private/key.txt": "nothing\n", "node_modules/x/y.js": "var y = 1;\n",
}

// toolBox is one toolbox for the tests of how files are shown.
func toolBox(t *testing.T) *Toolbox {
	t.Helper()
	head := enginetest.Merged(toolTree, enginetest.Tree{"a.go": strings.Replace(toolTree["a.go"], "1", "2", 1)})
	box := boxOf(t, toolTree, head, snapshot.Entry{Path: "module", Mode: diff.ModeSubmodule, OID: strings.Repeat("1", 40)})
	box.calls = 1000
	return box
}

// A tool shows the requested text, or says in a sentence why not.
func TestToolsShowFiles(t *testing.T) {
	t.Parallel()
	box := toolBox(t)
	for name, c := range map[string]struct {
		tool      string
		arguments any
		text      string // text that is shown
		hits      int    // 0 for a sentence
		without   string // text that is not shown
	}{
		"a file":                        {"read_file", ask.Schema{"path": "a.go", "from": nil, "to": nil, "side": "RIGHT"}, "--- a.go (of 5 lines)\n    1   package a\n    2   \n    3   func A() int {\n    4 + \treturn 2\n", 5, ""},
		"the version before":            {"read_file", ask.Schema{"path": "a.go", "from": 3, "to": 4, "side": "LEFT"}, "--- a.go A (of 5 lines)\n    3   func A() int {\n    4   \treturn 1\n", 2, "package"},
		"lines":                         {"read_file", ask.Schema{"path": "docs/long.txt", "from": 10, "to": 11, "side": "RIGHT"}, "   10   line 10 of the text\n   11   line 11 of the text\n", 2, "line 12"},
		"too many lines":                {"read_file", ask.Schema{"path": "docs/long.txt", "from": 1, "to": 1000, "side": "RIGHT"}, "  200   line 200 of the text\n[cut here", 200, "line 201"},
		"beyond the end":                {"read_file", ask.Schema{"path": "docs/long.txt", "from": 999, "to": 5000, "side": "RIGHT"}, " 1000   line 1000", 2, "cut"},
		"ends of lines":                 {"read_file", ask.Schema{"path": "docs/short.txt", "from": 1, "to": 3, "side": "RIGHT"}, "    1   one\n    2   two\n    3   three\n", 3, "\r"},
		"a long line":                   {"read_file", ask.Schema{"path": "wide.txt", "from": 1, "to": 1, "side": "RIGHT"}, "more characters]", 1, "end\n"},
		"invisible characters":          {"read_file", ask.Schema{"path": "hidden.txt", "from": 1, "to": 1, "side": "RIGHT"}, `a\u{202e}b\u{200b}c`, 1, "\u202e"},
		"no range":                      {"read_file", ask.Schema{"path": "a.go", "from": 0, "to": 2, "side": "RIGHT"}, sayRange, 0, ""},
		"no range backwards":            {"read_file", ask.Schema{"path": "a.go", "from": 5, "to": 2, "side": "RIGHT"}, sayRange, 0, ""},
		"a range of a negative":         {"read_file", ask.Schema{"path": "a.go", "from": -5, "to": -2, "side": "RIGHT"}, sayRange, 0, ""},
		"the largest range":             {"read_file", ask.Schema{"path": "a.go", "from": 9223372036854775807, "to": nil, "side": "RIGHT"}, sayRange, 0, ""},
		"a range behind the end":        {"read_file", ask.Schema{"path": "a.go", "from": 6, "to": 7, "side": "RIGHT"}, "Its number of lines is 5.", 0, ""},
		"a path out of the tree":        {"read_file", ask.Schema{"path": "../../etc/passwd", "from": nil, "to": nil, "side": "RIGHT"}, sayPath, 0, ""},
		"a path through the tree":       {"read_file", ask.Schema{"path": "docs/../a.go", "from": nil, "to": nil, "side": "RIGHT"}, sayPath, 0, ""},
		"an absolute path":              {"read_file", ask.Schema{"path": "/etc/passwd", "from": nil, "to": nil, "side": "RIGHT"}, sayPath, 0, ""},
		"the store":                     {"read_file", ask.Schema{"path": ".git/config", "from": nil, "to": nil, "side": "RIGHT"}, sayPath, 0, ""},
		"the store, otherwise":          {"read_file", ask.Schema{"path": "docs/.GIT/config", "from": nil, "to": nil, "side": "LEFT"}, sayPath, 0, ""},
		"no path":                       {"read_file", ask.Schema{"path": "", "from": nil, "to": nil, "side": "RIGHT"}, sayPath, 0, ""},
		"a path of two lines":           {"read_file", ask.Schema{"path": "a.go\nb.go", "from": nil, "to": nil, "side": "RIGHT"}, sayAbsent, 0, ""},
		"a zero in a path":              {"read_file", ask.Schema{"path": "a.go\x00", "from": nil, "to": nil, "side": "RIGHT"}, sayPath, 0, ""},
		"another commit":                {"read_file", ask.Schema{"path": "HEAD~1:a.go", "from": nil, "to": nil, "side": "RIGHT"}, sayAbsent, 0, ""},
		"an option of git":              {"read_file", ask.Schema{"path": "--textconv", "from": nil, "to": nil, "side": "RIGHT"}, sayAbsent, 0, ""},
		"no file":                       {"read_file", ask.Schema{"path": "b.go", "from": nil, "to": nil, "side": "RIGHT"}, sayAbsent, 0, ""},
		"a folder":                      {"read_file", ask.Schema{"path": "docs", "from": nil, "to": nil, "side": "RIGHT"}, sayFolder, 0, ""},
		"a submodule":                   {"read_file", ask.Schema{"path": "module", "from": nil, "to": nil, "side": "RIGHT"}, saySubmodule, 0, ""},
		"an empty file":                 {"read_file", ask.Schema{"path": "empty.txt", "from": nil, "to": nil, "side": "RIGHT"}, sayEmpty, 0, ""},
		"a binary file":                 {"read_file", ask.Schema{"path": "zero.txt", "from": nil, "to": nil, "side": "RIGHT"}, sayBinary, 0, ""},
		"a picture":                     {"read_file", ask.Schema{"path": "img.png", "from": nil, "to": nil, "side": "RIGHT"}, sayBinary, 0, ""},
		"a file of 5 MB":                {"read_file", ask.Schema{"path": "large.txt", "from": 1, "to": 2, "side": "RIGHT"}, sayLarge, 0, ""},
		"no JSON":                       {"read_file", "a.go", ask.ResultBadArguments, 0, ""},
		"nothing":                       {"read_file", "", ask.ResultBadArguments, 0, ""},
		"a list":                        {"read_file", `["a.go"]`, ask.ResultBadArguments, 0, ""},
		"two objects":                   {"read_file", `{"path":"a.go","side":"RIGHT"}{}`, ask.ResultBadArguments, 0, ""},
		"another property":              {"read_file", `{"path":"a.go","line":3,"side":"RIGHT"}`, ask.ResultBadArguments, 0, ""},
		"another type":                  {"read_file", `{"path":"a.go","from":"3","side":"RIGHT"}`, ask.ResultBadArguments, 0, ""},
		"a third side":                  {"read_file", `{"path":"a.go","side":"MIDDLE"}`, ask.ResultBadArguments, 0, ""},
		"half an object":                {"read_file", `{"path":"a.go"`, ask.ResultBadArguments, 0, ""},
		"properties that are left open": {"read_file", `{"path":"a.go"}`, "func A", 5, ""},
		"arguments of 1 MB":             {"read_file", ask.Schema{"path": strings.Repeat("a", 1<<20), "side": "RIGHT"}, ask.ResultBadArguments, 0, ""},
		"another tool":                  {"run_shell", ask.Schema{"command": "id"}, "read_file, search, list", 0, "id"},

		"the top":                   {"list", ask.Schema{"folder": ""}, "a.go (38 bytes)\ndocs/\n", 12, ".git"},
		"the top, otherwise":        {"list", ask.Schema{"folder": "."}, "module (submodule)\n", 12, ""},
		"a folder's list":           {"list", ask.Schema{"folder": "docs"}, "long.txt (", 2, "a.go"},
		"a folder with a slash":     {"list", ask.Schema{"folder": "node_modules/x/"}, "y.js (", 1, ""},
		"the list of a file":        {"list", ask.Schema{"folder": "a.go"}, sayFile, 0, ""},
		"the list of a submodule":   {"list", ask.Schema{"folder": "module"}, sayFile, 0, ""},
		"no folder":                 {"list", ask.Schema{"folder": "src"}, sayNoFolder, 0, ""},
		"the root of the machine":   {"list", ask.Schema{"folder": "/"}, sayPath, 0, ""},
		"out of the tree":           {"list", ask.Schema{"folder": "../"}, sayPath, 0, ""},
		"the folder of the store":   {"list", ask.Schema{"folder": ".git"}, sayPath, 0, ""},
		"a pattern is not a folder": {"list", ask.Schema{"folder": "*"}, sayNoFolder, 0, ""},
		"a list with no arguments":  {"list", "", ask.ResultBadArguments, 0, ""},
		"a list of another type":    {"list", `{"folder":3}`, ask.ResultBadArguments, 0, ""},
		"a folder that is an array": {"list", `{"folder":["docs"]}`, ask.ResultBadArguments, 0, ""},

		"a text":                      {"search", ask.Schema{"query": "line 77 of", "kind": "text", "glob": nil}, "--- docs/long.txt\n   77   line 77 of the text\n", 1, ""},
		"an expression":               {"search", ask.Schema{"query": `^line 7\d of`, "kind": "expression", "glob": nil}, "   79   line 79 of", 10, "line 7 of"},
		"a text is not an expression": {"search", ask.Schema{"query": `line 7. of`, "kind": "text", "glob": nil}, sayNone, -1, ""},
		"a pattern":                   {"search", ask.Schema{"query": "package", "kind": "text", "glob": "*.go"}, "--- a.go\n    1   package a\n", 1, ""},
		"a folder as a pattern":       {"search", ask.Schema{"query": "line 1 of", "kind": "text", "glob": "docs/"}, "docs/long.txt", 1, ""},
		"one file as a pattern":       {"search", ask.Schema{"query": "line 1 of", "kind": "text", "glob": "docs/long.txt"}, "docs/long.txt", 1, ""},
		"one that does not exist":     {"search", ask.Schema{"query": "line 1 of", "kind": "text", "glob": "docs/none.txt"}, sayNone, -1, ""},
		"no file of the pattern":      {"search", ask.Schema{"query": "line", "kind": "text", "glob": "*.rs"}, sayNone, -1, ""},
		"1,000 lines":                 {"search", ask.Schema{"query": "of the text", "kind": "text", "glob": nil}, sayMore, toolHits, "line 41 "},
		"a line that is cut":          {"search", ask.Schema{"query": "begin word", "kind": "text", "glob": nil}, "more characters]", 1, strings.Repeat("word ", 100)},
		"lines of large files":        {"search", ask.Schema{"query": "0123456789 abcd", "kind": "text", "glob": "huge.txt"}, sayNone, -1, "["},
		"every line":                  {"search", ask.Schema{"query": "a*", "kind": "expression", "glob": nil}, sayQuery, 0, ""},
		"nothing to search":           {"search", ask.Schema{"query": "", "kind": "text", "glob": nil}, sayQuery, 0, ""},
		"two lines to search":         {"search", ask.Schema{"query": "a\nb", "kind": "text", "glob": nil}, sayQuery, 0, ""},
		"no expression":               {"search", ask.Schema{"query": "((", "kind": "expression", "glob": nil}, sayQuery, 0, ""},
		"a bomb":                      {"search", ask.Schema{"query": "((x{1000}){1000}){1000}", "kind": "expression", "glob": nil}, sayQuery, 0, ""},
		"a bomb that is understood":   {"search", ask.Schema{"query": "((((w+)+)+)+)+$", "kind": "expression", "glob": "a.go"}, sayNone, -1, ""},
		"a long query":                {"search", ask.Schema{"query": strings.Repeat("x", 201), "kind": "text", "glob": nil}, sayQuery, 0, ""},
		"a third kind":                {"search", ask.Schema{"query": "a", "kind": "glob", "glob": nil}, ask.ResultBadArguments, 0, ""},
		"an invalid pattern":          {"search", ask.Schema{"query": "a", "kind": "text", "glob": "[a"}, sayGlob, 0, ""},
		"an empty pattern":            {"search", ask.Schema{"query": "a", "kind": "text", "glob": ""}, sayGlob, 0, ""},
		"a long pattern":              {"search", ask.Schema{"query": "a", "kind": "text", "glob": strings.Repeat("*", 201)}, sayGlob, 0, ""},
		"a pattern of thousands":      {"search", ask.Schema{"query": "a", "kind": "text", "glob": strings.Repeat("{a,b}", 12)}, sayGlob, 0, ""},
		"a pattern of 1 MB":           {"search", ask.Schema{"query": "a", "kind": "text", "glob": strings.Repeat("*", 1<<20)}, ask.ResultBadArguments, 0, ""},
		"no pattern of git":           {"search", ask.Schema{"query": "package", "kind": "text", "glob": ":(exclude)a.go"}, sayNone, -1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := asked(t, box, c.tool, c.arguments)
			if !strings.Contains(got.Text, c.text) || c.without != "" && strings.Contains(got.Text, c.without) {
				t.Errorf("%q", got.Text)
			}
			if got.OK != (c.hits != 0) || got.Hits != max(c.hits, 0) {
				t.Errorf("ok %v, %d hits, want %d", got.OK, got.Hits, c.hits)
			}
			if n := llm.EstimateTokens(len(got.Text)); n > ClaimTokens {
				t.Errorf("%d tokens", n)
			}
			for _, e := range got.Seen {
				if e.Path == "" || e.Text == "" {
					t.Errorf("an empty exhibit: %+v", e)
				}
			}
			if c.tool != "list" && got.OK && c.hits > 0 && len(got.Seen) == 0 {
				t.Error("shown code proves nothing")
			}
		})
	}
}

// A link is shown as a link, wherever it points.
func TestToolsFollowNoLink(t *testing.T) {
	t.Parallel()
	s, err := snapshot.NewScratch(t.Context(), "")
	testkit.OK(t, err)
	t.Cleanup(func() { _ = s.Close() })
	first, err := s.Commit(t.Context(), snapshot.Version{Files: enginetest.Tree{"target": "/etc/passwd", "a.go": "package a\n"}})
	testkit.OK(t, err)
	entry, err := s.Entry(t.Context(), first[0], "target")
	testkit.OK(t, err)
	entry.Path, entry.Mode = "docs/link", diff.ModeSymlink
	second, err := s.Commit(t.Context(), snapshot.Version{From: first[0], Take: []snapshot.Entry{entry}})
	testkit.OK(t, err)
	raw, err := s.Diff(t.Context(), first[0], second[0])
	testkit.OK(t, err)
	box := boxFor(t, raw, s.Source(first[0], second[0]), domain.DefaultPolicy())
	if got := asked(t, box, "read_file", ask.Schema{"path": "docs/link", "side": "RIGHT"}); got.OK || got.Text != sayLink {
		t.Errorf("%+v", got)
	}
	if got := asked(t, box, "list", ask.Schema{"folder": "docs"}); got.Text != "link (link)\n" {
		t.Errorf("%+v", got)
	}
	if got := asked(t, box, "read_file", ask.Schema{"path": "docs/link/passwd", "side": "RIGHT"}); got.OK || got.Text != sayAbsent {
		t.Errorf("%+v", got)
	}
}

// hubToken is a secret, put together at run time.
func hubToken() string { return "ghp_" + "Zk8Qm2Xr7Tn4Vw9Lp3Hs6Jd1Fg5Bc0YaEuRi" }

// A secret of a file reaches no result, and a search does not reveal it.
func TestToolsShowNoSecret(t *testing.T) {
	t.Parallel()
	base := enginetest.Tree{"a.go": "package a\n", "config.py": "first = 1\nkey = \"" + hubToken() + "\"\nlast = 3\n"}
	box := boxOf(t, base, enginetest.Merged(base, enginetest.Tree{"a.go": "package a\n\nvar x = 1\n"}))
	box.calls = 100
	for name, c := range map[string]struct {
		tool      string
		arguments ask.Schema
		there     string
	}{
		"a file":              {"read_file", ask.Schema{"path": "config.py", "side": "RIGHT"}, "key = \"[redacted:"},
		"its line":            {"read_file", ask.Schema{"path": "config.py", "from": 2, "to": 2, "side": "LEFT"}, "key = \"[redacted:"},
		"a search beside it":  {"search", ask.Schema{"query": "key = ", "kind": "text", "glob": nil}, "key = \"[redacted:"},
		"a search for it":     {"search", ask.Schema{"query": hubToken(), "kind": "text", "glob": nil}, sayNone},
		"a search for a part": {"search", ask.Schema{"query": hubToken()[:8], "kind": "text", "glob": nil}, sayNone},
		"a guess":             {"search", ask.Schema{"query": `key = "gh[a-p]_Z`, "kind": "expression", "glob": nil}, sayNone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := asked(t, box, c.tool, c.arguments)
			if !strings.Contains(got.Text, c.there) || strings.Contains(got.Text, hubToken()[:8]) {
				t.Errorf("%q", got.Text)
			}
			for _, e := range got.Seen {
				if strings.Contains(e.Text, hubToken()[4:10]) {
					t.Error("an exhibit holds the secret")
				}
			}
		})
	}
}

// A search that matches a hidden text gives the same answer as one that does not, whether the line is
// the only match, beyond the shown matches, or in a file that is not shown.
func TestSearchesTellNoSecret(t *testing.T) {
	t.Parallel()
	guess, other := hubToken()[:12], "ghp_Ak8Qm2Xr"
	base := enginetest.Tree{"a.go": "package a\n", "b.txt": strings.Repeat("word\n", toolHits), "config.py": "first = 1\nkey = \"" + hubToken() + "\"\nlast = 3\n",
		"large.txt": strings.Repeat("x\n", 1<<19) + "big_" + guess + "\n", "c/few.txt": "fewer\n"}
	head := enginetest.Merged(base, enginetest.Tree{"a.go": "package a\n\nvar x = 1\n"})
	for name, form := range map[string]string{"alone": "%s", "behind others": "word|%s", "beside one": "fewer|%s", "in a file that is not shown": "big_%s"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			right := asked(t, boxOf(t, base, head), "search", ask.Schema{"query": fmt.Sprintf(form, guess), "kind": "expression", "glob": nil})
			wrong := asked(t, boxOf(t, base, head), "search", ask.Schema{"query": fmt.Sprintf(form, other), "kind": "expression", "glob": nil})
			if right.Text != wrong.Text || right.Hits != wrong.Hits {
				t.Errorf("%d hits: %q, and %d hits: %q", right.Hits, right.Text, wrong.Hits, wrong.Text)
			}
		})
	}
	t.Run("a word", func(t *testing.T) {
		t.Parallel()
		right := asked(t, boxOf(t, base, head), "references", ask.Schema{"name": hubToken(), "path": nil})
		wrong := asked(t, boxOf(t, base, head), "references", ask.Schema{"name": strings.Replace(hubToken(), "Z", "A", 1), "path": nil})
		if right.Text != wrong.Text || right.Text != sayNone+"\n" {
			t.Errorf("%q and %q", right.Text, wrong.Text)
		}
	})
	t.Run("little more may be read", func(t *testing.T) {
		t.Parallel()
		box := boxOf(t, base, head)
		box.room = maxToolFile - 1
		for _, query := range []string{guess, other} {
			if got := asked(t, box, "search", ask.Schema{"query": query, "kind": "text", "glob": nil}); got.Text != sayNone+"\n"+sayHeld+"\n" {
				t.Errorf("%q", got.Text)
			}
		}
	})
}

// Files that the policy keeps from models are kept from their tools.
func TestToolsObeyThePolicy(t *testing.T) {
	t.Parallel()
	s, err := snapshot.NewScratch(t.Context(), "")
	testkit.OK(t, err)
	t.Cleanup(func() { _ = s.Close() })
	base := enginetest.Tree{"z.go": "package a\n", "private/p.go": "package p\n" + strings.Repeat("\nvar Own = 2\n", 2*maxRaw)} // more than a search returns
	commits, err := s.Commit(t.Context(), snapshot.Version{Files: base}, snapshot.Version{Files: enginetest.Merged(base, enginetest.Tree{"z.go": "package a\n\nvar Own = 1\n"})})
	testkit.OK(t, err)
	raw, err := s.Diff(t.Context(), commits[0], commits[1])
	testkit.OK(t, err)
	policy := domain.DefaultPolicy()
	policy.Paths.Exclude = []string{"private/"}
	box := boxFor(t, raw, s.Source(commits[0], commits[1]), policy)
	if got := asked(t, box, "read_file", ask.Schema{"path": "private/p.go", "side": "RIGHT"}); got.OK || got.Text != sayExcluded {
		t.Errorf("%+v", got)
	}
	if got := asked(t, box, "search", ask.Schema{"query": "var Own", "kind": "text"}); got.Hits != 1 || strings.Contains(got.Text, "private") {
		t.Errorf("%+v", got)
	}
	if got := asked(t, box, "list", ask.Schema{"folder": "private"}); got.Text != "p.go (excluded by the policy)\n" {
		t.Errorf("%+v", got)
	}
}
