package cases

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/testkit"
)

// commit commits all files of a checkout and returns the commit's name.
func commit(t *testing.T, repo, subject string) string {
	t.Helper()
	testkit.Git(t, repo, "add", "-A")
	testkit.Git(t, repo, "commit", "-q", "--allow-empty", "-m", subject)
	return testkit.Git(t, repo, "rev-parse", "HEAD")
}

const (
	brokenGo   = "package sum\n\nimport \"fmt\"\n\nfunc Sum(n []int) (s int) {\n\tfor i := 1; i < len(n); i++ {\n\t\ts += n[i]\n\t}\n\treturn s\n}\n"
	repairedGo = "package sum\n\nimport (\n\t\"fmt\"\n\t\"log\"\n)\n\nfunc Sum(n []int) (s int) {\n\tfor i := 0; i < len(n); i++ {\n\t\ts += n[i]\n\t}\n\tlog.Print(fmt.Sprint(s))\n\treturn s\n}\n"
)

// repaired makes a repository whose second commit repairs the first.
func repaired(t *testing.T, repo string) (first, second string) {
	t.Helper()
	testkit.OK(t, os.MkdirAll(repo, 0o755))
	testkit.Git(t, repo, "init", "-q")
	put(t, repo, "sum.go", brokenGo)
	put(t, repo, "sum_test.go", "package sum\n")
	first = commit(t, repo, "feat: sum")
	put(t, repo, "sum.go", repairedGo)
	put(t, repo, "sum_test.go", "package sum\n\nfunc TestSum() {}\n")
	put(t, repo, "README.md", "repaired\n")
	return first, commit(t, repo, "fix: take the first number too")
}

func line(t *testing.T, v map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	testkit.OK(t, err)
	return string(raw)
}

func TestCasesOfAList(t *testing.T) {
	t.Parallel()
	repos, dir := t.TempDir(), t.TempDir()
	first, second := repaired(t, filepath.Join(repos, "o", "n"))
	object := func(id, kind, direction string, source map[string]any) string {
		return line(t, map[string]any{"id": id, "kind": kind, "repo": "o/n", "language": "go", "licence": "MIT", "title": "Update sum.go", "body": "Sums numbers.", "direction": direction, "source": source,
			"category": "correctness", "files": 1, "changedLines": 3, "definitions": []any{map[string]any{"name": "Sum", "path": "sum.go", "line": 5}},
			"golden": []any{map[string]any{"path": "sum.go", "side": "RIGHT", "startLine": 6, "endLine": 6, "defect": "d1", "kind": "correctness", "severity": "high", "label": "take the first"}}})
	}
	file := filepath.Join(dir, "cases.jsonl")
	put(t, dir, "cases.jsonl", strings.Join([]string{
		object("r", "reversed-fix", "reversed", map[string]any{"commit": second, "headTreeOf": first, "date": "2024-01-01", "url": "https://example.com/c"}),
		object("f", "clean", "forward", map[string]any{"commit": second, "headTreeOf": second}),
		object("a", "aacr", "forward", map[string]any{"commit": second, "headTreeOf": second, "baseTreeOf": first}),
		"",
		strings.Replace(object("n", "introducing", "forward", map[string]any{"commit": first, "headTreeOf": first}), "o/n", "other/none", 1),
		object("m", "clean", "forward", map[string]any{"commit": strings.Repeat("a", 40), "headTreeOf": strings.Repeat("a", 40)}),
	}, "\n"))
	set := List(file, repos)
	list, err := set.Cases(t.Context())
	testkit.OK(t, err)
	if len(list) != 5 || list[4].ID != "r" {
		t.Fatalf("%+v", list)
	}
	same(t, list[4], eval.Case{ID: "r", Set: "list", Repository: "o/n", Language: "Go", Kind: eval.Defect, Title: "Update sum.go", Body: "Sums numbers.", Heads: 1, Licence: "MIT", Origin: "https://example.com/c",
		Golden:      []eval.Golden{{Path: "sum.go", Side: domain.Right, StartLine: 6, EndLine: 6, Defect: "d1", Category: "correctness", Severity: "high", Text: "take the first"}},
		Definitions: []eval.Definition{{Name: "Sum", Path: "sum.go", Line: 5}}})

	before := objects(t, filepath.Join(repos, "o", "n"))
	for id, want := range map[string]struct {
		place, text string
		not         string // a file that the diff must not have
	}{
		"r": {"RIGHT sum.go:6", "\tfor i := 1; i < len(n); i++ {", "sum_test.go"},
		"f": {"RIGHT sum.go:9", "\tfor i := 0; i < len(n); i++ {", "README"},
		"a": {"RIGHT sum_test.go:3", "func TestSum() {}", "none"},
	} {
		t.Run(id, func(t *testing.T) {
			heads := opened(t, set, eval.Case{ID: id})
			if got := changed(t, heads[0].Diff)[want.place]; got != want.text || strings.Contains(string(heads[0].Diff), want.not) {
				t.Errorf("at %s is %q, want %q:\n%s", want.place, got, want.text, heads[0].Diff)
			}
		})
	}
	// Tests and documents of a reversed case are those of the head on both sides.
	heads := opened(t, set, eval.Case{ID: "r"})
	for _, side := range []domain.Side{domain.Left, domain.Right} {
		if b, err := heads[0].Source.Blob(t.Context(), side, "sum_test.go"); err != nil || string(b) != "package sum\n" {
			t.Errorf("%s: %q %v", side, b, err)
		}
		if _, err := heads[0].Source.Blob(t.Context(), side, "README.md"); err == nil {
			t.Errorf("%s: the document of the repair is there", side)
		}
	}
	// The base of a forward case has the tests that it had.
	heads = opened(t, set, eval.Case{ID: "f"})
	for side, want := range map[domain.Side]string{domain.Left: "package sum\n", domain.Right: "package sum\n\nfunc TestSum() {}\n"} {
		if b, err := heads[0].Source.Blob(t.Context(), side, "sum_test.go"); err != nil || string(b) != want {
			t.Errorf("%s: %q %v", side, b, err)
		}
	}
	if after := objects(t, filepath.Join(repos, "o", "n")); after != before {
		t.Errorf("the git copy was written to:\n%s\nwas\n%s", after, before)
	}
	for id, want := range map[string]string{"n": "a git copy of other/none is needed", "m": "the git copy lacks the commit " + strings.Repeat("a", 40)} {
		if _, _, err := set.Open(t.Context(), eval.Case{ID: id}); !errors.Is(err, eval.ErrNoCode) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", id, err)
		}
	}
}

// objects lists the files of a repository's git directory.
func objects(t *testing.T, repo string) string {
	t.Helper()
	var out []string
	testkit.OK(t, filepath.WalkDir(filepath.Join(repo, ".git"), func(p string, _ os.DirEntry, err error) error {
		out = append(out, p)
		return err
	}))
	return strings.Join(out, "\n")
}

func TestAGitCopyLiesInAnyOfTheseFolders(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"o+n/repo", "o+n.git", "o+n", "o/n.git", "o/n"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, at+"/HEAD", "x")
			put(t, dir, at+"/objects/info/packs", "x")
			if got, err := copyOf(dir, "o/n"); err != nil || got != filepath.Join(dir, at) {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	for _, bad := range []string{"o", "../n", "o/..", "o/n/x", "/n", "o/", "-o/n"} {
		if _, err := copyOf(t.TempDir(), bad); err == nil || errors.Is(err, eval.ErrNoCode) {
			t.Errorf("%s: the error is %v", bad, err)
		}
	}
}

func TestAListIsRefused(t *testing.T) {
	t.Parallel()
	good := func(change func(map[string]any)) string {
		m := map[string]any{"id": "x", "kind": "clean", "repo": "o/n", "direction": "forward",
			"source": map[string]any{"commit": strings.Repeat("a", 40), "headTreeOf": strings.Repeat("a", 40)}}
		change(m)
		return line(t, m)
	}
	for name, c := range map[string]struct{ content, want string }{
		"an unknown field": {good(func(m map[string]any) { m["diff"] = "x" }), `l.jsonl, line 2: unknown field "diff": allowed are ` +
			"id, kind, repo, language, licence, title, body, category, direction, files, changedLines, source, fix, golden, definitions, useful"},
		"an unknown field of a place": {good(func(m map[string]any) {
			m["golden"] = []any{map[string]any{"path": "a"}, map[string]any{"path": "a", "sevrity": "high"}}
		}), `l.jsonl, line 2: golden[1]: unknown field "sevrity": allowed are path, kind, severity, label, defect, context, place, side, startLine, endLine`},
		"an unknown field of the source": {good(func(m map[string]any) { m["source"] = map[string]any{"sha": "a"} }),
			`l.jsonl, line 2: source: unknown field "sha": allowed are commit, headTreeOf, baseTreeOf, date, url`},
		"an unknown field of the fix": {good(func(m map[string]any) { m["fix"] = map[string]any{"sha": "a"} }),
			`l.jsonl, line 2: fix: unknown field "sha": allowed are commit, url`},
		"an unknown field of a definition": {good(func(m map[string]any) { m["definitions"] = []any{map[string]any{"file": "a"}} }),
			`l.jsonl, line 2: definitions[0]: unknown field "file": allowed are name, path, line`},
		"a long and odd field": {good(func(m map[string]any) { m["\x1b[2J"+strings.Repeat("x", 9000)] = 1 }),
			`l.jsonl, line 2: unknown field "\x1b[2J` + strings.Repeat("x", 56) + `": allowed are ` +
				"id, kind, repo, language, licence, title, body, category, direction, files, changedLines, source, fix, golden, definitions, useful"},
		"an unknown kind":               {good(func(m map[string]any) { m["kind"] = "odd" }), "l.jsonl, line 2: kind must be reversed-fix, introducing, clean or aacr"},
		"no direction":                  {good(func(m map[string]any) { delete(m, "direction") }), "l.jsonl, line 2: direction must be forward or reversed"},
		"a repository path that climbs": {good(func(m map[string]any) { m["repo"] = "../.." }), "l.jsonl, line 2: repo must be owner/name"},
		"an option for a commit": {good(func(m map[string]any) {
			m["source"] = map[string]any{"commit": "--output=x", "headTreeOf": "--output=x"}
		}),
			"l.jsonl, line 2: source: commit, headTreeOf and baseTreeOf must be full names of commits"},
		"a path that climbs": {good(func(m map[string]any) {
			m["golden"] = []any{map[string]any{"path": "/etc/passwd", "side": "RIGHT", "startLine": 1, "endLine": 1}}
		}), "l.jsonl, line 2: golden[0]: path must stay inside the repository"},
		"no id":       {good(func(m map[string]any) { delete(m, "id") }), "l.jsonl, line 2: id must have 1 to 200 characters without spaces"},
		"a long line": {good(func(m map[string]any) { m["title"] = strings.Repeat("x", maxLine) }), "l.jsonl, line 2: a line must have at most 1048576 bytes"},
		"the same id": {good(func(map[string]any) {}) + "\n" + good(func(map[string]any) {}), `id must be unique: "x" is there twice`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, "l.jsonl", "\n"+c.content)
			if _, err := List(filepath.Join(dir, "l.jsonl"), "").Cases(t.Context()); err == nil || err.Error() != c.want {
				t.Errorf("the error is\n%v, want\n%s", err, c.want)
			}
		})
	}
}

// TestTheListAtHand opens the cases of a list (ASSAY_CASES, JSON lines) whose git copies are in a folder
// (ASSAY_REPOS). The golden places of reversed repairs must be lines that the change touches.
func TestTheListAtHand(t *testing.T) {
	file, repos := os.Getenv("ASSAY_CASES"), os.Getenv("ASSAY_REPOS")
	if file == "" || repos == "" {
		t.Skip("ASSAY_CASES and ASSAY_REPOS name no list of cases and no folder of git copies")
	}
	set := List(file, repos)
	list, err := set.Cases(t.Context())
	testkit.OK(t, err)
	open, lacking, places, exact := 0, 0, 0, 0
	for _, c := range list {
		heads, done, err := set.Open(t.Context(), c)
		if errors.Is(err, eval.ErrNoCode) {
			lacking++
			continue
		}
		if errors.Is(err, eval.ErrLabel) {
			t.Logf("%s: %v", c.ID, err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		open++
		lines := changed(t, heads[0].Diff)
		done()
		if len(lines) == 0 {
			t.Errorf("%s: the change is empty", c.ID)
		}
		for _, g := range c.Golden {
			if g.Defect == "" {
				continue
			}
			places++
			if touches(lines, g) {
				exact++
			} else {
				t.Logf("%s: no line of %s %s:%d-%d is changed", c.ID, g.Side, g.Path, g.StartLine, g.EndLine)
			}
		}
	}
	t.Logf("%d cases: %d opened, %d without a copy; %d of %d golden places are on changed lines", len(list), open, lacking, exact, places)
	if open == 0 || 100*exact < 98*places {
		t.Errorf("%d cases opened, %d of %d golden places are on changed lines, want 98 of a hundred", open, exact, places)
	}
}

// touches reports whether one of the lines of a place changes.
func touches(lines map[string]string, g eval.Golden) bool {
	for n := g.StartLine; n <= g.EndLine; n++ {
		if _, ok := lines[key(g.Side, g.Path, n)]; ok {
			return true
		}
	}
	return false
}
