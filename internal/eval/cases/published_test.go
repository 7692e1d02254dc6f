package cases

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/testkit"
)

// forked makes the git copy of a repository whose base advanced after a pull request was opened.
func forked(t *testing.T, repos string) (base, head string) {
	t.Helper()
	repo := filepath.Join(repos, "o", "n")
	_, head = repaired(t, repo)
	testkit.Git(t, repo, "update-ref", "refs/pull/7/head", head)
	testkit.Git(t, repo, "reset", "-q", "--hard", "HEAD~1")
	put(t, repo, "later.go", "package sum\n")
	base = commit(t, repo, "the base moves on")
	testkit.Git(t, repo, "update-ref", "refs/pull/7/base", base)
	return base, head
}

// whole checks that a case opens as the pull request does, without later commits of its base.
func whole(t *testing.T, set eval.Set, id string) {
	t.Helper()
	heads := opened(t, set, eval.Case{ID: id})
	got := string(heads[0].Diff)
	if changed(t, heads[0].Diff)["RIGHT sum.go:9"] != "\tfor i := 0; i < len(n); i++ {" || strings.Contains(got, "later.go") || !strings.Contains(got, "sum_test.go") {
		t.Errorf("it is not the pull request:\n%s", got)
	}
}

func only(t *testing.T, set eval.Set) eval.Case {
	t.Helper()
	list, err := set.Cases(t.Context())
	testkit.OK(t, err)
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	return list[0]
}

func TestMartian(t *testing.T) {
	t.Parallel()
	repos, dir := t.TempDir(), t.TempDir()
	forked(t, repos)
	put(t, dir, "offline/golden_comments/sum.json", `[{"pr_title":"Sum: take all","url":"https://github.com/fork/n-tool/pull/1","original_url":"https://github.com/o/n/pull/7","az_comment":"x",
		"comments":[{"comment":"the log is noise","severity":"Low"},{"comment":"no lock","severity":"High"}]}]`)
	put(t, dir, "offline/golden_comments/notes.md", "passed over")
	set := Martian(dir, repos)
	same(t, only(t, set), eval.Case{ID: "martian-fork-n-tool-1", Set: "martian", Repository: "fork/n-tool", Kind: eval.Defect, Title: "Sum: take all", Heads: 1, Licence: "MIT",
		Origin: "https://github.com/fork/n-tool/pull/1", Golden: []eval.Golden{{Text: "the log is noise", Severity: "Low"}, {Text: "no lock", Severity: "High"}}})
	whole(t, set, "martian-fork-n-tool-1")
	testkit.Git(t, filepath.Join(repos, "o", "n"), "update-ref", "-d", "refs/pull/7/base")
	_, _, err := set.Open(t.Context(), eval.Case{ID: "martian-fork-n-tool-1"})
	if !errors.Is(err, eval.ErrNoCode) || !strings.Contains(err.Error(), "with the references refs/pull/1/base and refs/pull/1/head") {
		t.Errorf("the error is %v", err)
	}
}

// aacrOf returns a pull request of AACR-Bench with one comment.
func aacrOf(base, head, comment string) string {
	return `[{"change_line_count":9,"project_main_language":"Go","source_commit":"` + base + `","target_commit":"` + head + `","githubPrUrl":"https://github.com/o/n/pull/7","category":"x",
		"comments":[` + comment + `]}]`
}

const aacrGood = `{"is_ai_comment":true,"note":"why print","path":"sum.go","side":"right","source_model":"m","from_line":12,"to_line":9,"category":"Performance","context":"Diff Level"}`

func TestAACR(t *testing.T) {
	t.Parallel()
	repos, dir := t.TempDir(), t.TempDir()
	base, head := forked(t, repos)
	put(t, dir, "dataset/positive_samples.json", aacrOf(base, head, aacrGood))
	put(t, dir, "dataset/negative_samples.json", aacrOf(base, head, strings.Replace(strings.Replace(aacrGood, `"right"`, `"left"`, 1), `"to_line":9`, `"to_line":13`, 1)))
	set := AACR(dir, repos)
	want := eval.Case{ID: "aacr-o-n-7", Set: "aacr", Repository: "o/n", Language: "Go", Kind: eval.Defect, Heads: 1, Licence: "Apache-2.0", Origin: "https://github.com/o/n/pull/7",
		Golden: []eval.Golden{{Path: "sum.go", Side: domain.Right, StartLine: 9, EndLine: 12, Category: "Performance", Text: "why print"},
			{Path: "sum.go", Side: domain.Left, StartLine: 12, EndLine: 13, Category: "Performance", Text: "why print", False: true}}}
	same(t, only(t, set), want)
	whole(t, set, "aacr-o-n-7")
	testkit.OK(t, os.Remove(filepath.Join(dir, "dataset", "positive_samples.json")))
	want.Kind, want.Golden = eval.Clean, want.Golden[1:]
	same(t, only(t, AACR(dir, repos)), want)
	if _, _, err := AACR(dir, t.TempDir()).Open(t.Context(), want); !errors.Is(err, eval.ErrNoCode) || !strings.Contains(err.Error(), "a git copy of o/n is needed") {
		t.Errorf("the error is %v", err)
	}
}

func rbOf(base, head, finding string) string {
	return `{"pr_key":"o_n_7-x","pr":{"repo":"https://github.com/o/n","pr_number":7,"base":"` + base + `","head":"` + head + `"},"findings":[` + finding + `]}`
}

const rbGood = `{"file":"sum.go","start_line":9,"end_line":12,"message":"why print","tp_fp":"tp","severity":"high","category":"correctness","scope":"introduced-by-pr","source":{"type":"x"}}`

func TestReviewBench(t *testing.T) {
	t.Parallel()
	repos, dir := t.TempDir(), t.TempDir()
	base, head := forked(t, repos)
	put(t, dir, "golden/o_n_7-x.json", rbOf(base, head, rbGood+","+strings.Replace(rbGood, `"tp"`, `"fp"`, 1)))
	set := ReviewBench(dir, repos)
	g := eval.Golden{Path: "sum.go", Side: domain.Right, StartLine: 9, EndLine: 12, Category: "correctness", Severity: "high", Text: "why print"}
	rejected := g
	rejected.False = true
	same(t, only(t, set), eval.Case{ID: "reviewbench-o_n_7-x", Set: "reviewbench", Repository: "o/n", Kind: eval.Defect, Heads: 1, Licence: "MIT", Origin: "https://github.com/o/n/pull/7",
		Golden: []eval.Golden{g, rejected}})
	whole(t, set, "reviewbench-o_n_7-x")
}

func TestPublishedSetsAreRefused(t *testing.T) {
	t.Parallel()
	sha := strings.Repeat("a", 40)
	aacr := func(old, new string) string { return strings.Replace(aacrOf(sha, sha, aacrGood), old, new, 1) }
	rb := func(old, new string) string { return strings.Replace(rbOf(sha, sha, rbGood), old, new, 1) }
	martian := func(old, new string) string {
		return strings.Replace(`[{"pr_title":"t","url":"https://github.com/o/n/pull/1","comments":[{"comment":"c","severity":"Low"}]}]`, old, new, 1)
	}
	const m, a, r = "offline/golden_comments/x.json", "dataset/positive_samples.json", "golden/x.json"
	for name, c := range map[string]struct{ file, content, want string }{
		"Martian: nothing there":     {"x", "", "the folder must be a copy of Martian's Code Review Bench, with JSON files in offline/golden_comments or golden_comments"},
		"Martian: no list":           {m, "{}", m + ": it must be of type array"},
		"Martian: url":               {m, martian("github.com", "evil.example"), m + ": [0].url must be the address of a pull request on github.com"},
		"Martian: no comment":        {m, martian(`"c"`, `""`), m + ": [0].comments[0].comment must say what is wrong"},
		"Martian: no comments":       {m, martian(`"comments"`, `"remarks"`), m + ": [0].comments must not be empty"},
		"AACR: nothing there":        {"y", "", "the folder must be a copy of AACR-Bench, with dataset/positive_samples.json"},
		"AACR: url":                  {a, aacr("/pull/7", "/issues/7"), a + ": [0].githubPrUrl must be the address of a pull request on github.com"},
		"AACR: head":                 {a, aacr(`"target_commit":"`, `"target_commit":"-`), a + ": [0].target_commit must be the full name of a commit"},
		"AACR: base":                 {a, aacr(`"source_commit"`, `"source"`), a + ": [0].source_commit must be the full name of a commit"},
		"AACR: side":                 {a, aacr(`"right"`, `"RIGHT"`), a + ": [0].comments[0].side must be left or right"},
		"AACR: line":                 {a, aacr(`12`, `0`), a + ": [0].comments[0].from_line and to_line must be lines from 1"},
		"AACR: line of a wrong type": {a, aacr(`12`, `"12"`), a + ": comments.from_line must be of type integer"},
		"AACR: path":                 {a, aacr(`"sum.go"`, `"../sum.go"`), a + ": [0].comments[0].path must stay inside the repository"},
		"AACR: note":                 {a, aacr(`"why print"`, `""`), a + ": [0].comments[0].note must say what is wrong"},
		"ReviewBench: nothing":       {"z", "", "the folder must be a copy of ReviewBench, with JSON files in golden"},
		"ReviewBench: key":           {r, rb(`"o_n_7-x"`, `""`), r + ": pr_key must name the pull request"},
		"ReviewBench: repository":    {r, rb("https://github.com/o/n", "https://example.com/o/n"), r + ": pr.repo and pr.pr_number must be those of a pull request on github.com"},
		"ReviewBench: head":          {r, rb(`"head":"`, `"head":"main`), r + ": pr.head must be the full name of a commit"},
		"ReviewBench: base":          {r, rb(`"base":"`, `"base":"main`), r + ": pr.base must be the full name of a commit"},
		"ReviewBench: file":          {r, rb(`"sum.go"`, `"/sum.go"`), r + ": findings[0].file must stay inside the repository"},
		"ReviewBench: lines":         {r, rb(`"end_line":12`, `"end_line":8`), r + ": findings[0].start_line and end_line must be lines from 1, the first before the last"},
		"ReviewBench: label":         {r, rb(`"tp"`, `"yes"`), r + ": findings[0].tp_fp must be tp or fp"},
		"ReviewBench: message":       {r, rb(`"message"`, `"text"`), r + ": findings[0].message must say what is wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, c.file, c.content)
			set := map[string]func(string, string) eval.Set{"M": Martian, "A": AACR, "R": ReviewBench}[name[:1]](dir, "")
			if _, err := set.Cases(t.Context()); err == nil || err.Error() != c.want {
				t.Errorf("the error is\n%v, want\n%s", err, c.want)
			}
		})
	}
}
