package local

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/internal/testkit"
)

// eager is a model that reports a finding in the first lines of each path, on both sides, whether their
// text was shown or not.
type eager struct {
	set *diff.Set

	mu    sync.Mutex
	shown string // all prompts
}

// Complete implements [llm.Client].
func (e *eager) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	e.mu.Lock()
	for _, m := range r.Messages {
		e.shown += m.Text
	}
	e.mu.Unlock()
	type said struct {
		Path, Side, Quote, Category, Severity, Title, Trigger, Explanation string
		Start, End                                                         int
		RuleKey                                                            string `json:"rule_key"`
	}
	var list []said
	for _, f := range e.set.Files {
		for _, side := range []domain.Side{domain.Right, domain.Left} {
			quote := ""
			for _, h := range f.Hunks {
				for _, l := range h.Lines {
					if quote == "" && (l.Op == diff.Add) == (side == domain.Right) && l.Op != diff.Context {
						quote = l.Text
					}
				}
			}
			if quote == "" { // this side has no changed line
				continue
			}
			list = append(list, said{Path: f.Path, Side: string(side), Start: 1, End: 1, Quote: quote, Category: "bug", Severity: "high", RuleKey: "nil-deref",
				Title: "Something is wrong", Trigger: "always", Explanation: "It is wrong."})
		}
	}
	raw, err := json.Marshal(map[string]any{"findings": list, "verdicts": []any{}})
	return llm.Response{Text: string(raw), StopReason: llm.StopEnd}, err
}

// ListModels implements [llm.Client].
func (*eager) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

// oddReview reviews a branch, with an eager model and without a model, and checks invariants of every
// review: each path is in the coverage once, and no finding is at a line that the diff does not show.
func oddReview(t *testing.T, dir string, paths ...string) report.Report {
	t.Helper()
	o := Options{Dir: dir, Range: "main..HEAD", Checks: checker}
	l, err := o.open(t.Context())
	testkit.OK(t, err)
	defer l.Close()
	ch, err := chooseComparison(t.Context(), l, o)
	testkit.OK(t, err)
	set, err := diff.Parse(ch.Raw)
	testkit.OK(t, err)
	model := &eager{set: set}
	route := ask.Route{Client: model, Model: "eager"}
	var last report.Report
	for _, models := range []*ask.Models{nil, {Fast: route, Standard: route, Strong: route}} {
		var out bytes.Buffer
		o.Models, o.Out, o.Report = models, &out, report.Options{Format: "json"}
		if last, err = Run(t.Context(), o); err != nil {
			t.Fatalf("models %v: %v", models != nil, err)
		}
		var named []string
		for _, n := range slices.Concat(last.Result.Coverage.Reviewed, last.Result.Coverage.Skimmed, last.Result.Coverage.Skipped) {
			named = append(named, n.Path)
		}
		slices.Sort(named)
		want := slices.Sorted(slices.Values(paths))
		if !slices.Equal(named, want) {
			t.Errorf("the coverage names %q, want %q", named, want)
		}
		for _, f := range last.Result.Findings {
			file := set.File(f.Anchor.Path)
			if file != nil {
				file.AnyPath = true // no host shows it
			}
			if file == nil || !slices.Contains(paths, f.Anchor.Path) {
				t.Errorf("a finding is in %q", f.Anchor.Path)
			} else if _, ok := file.Commentable(f.Anchor.Side, f.Anchor.StartLine); f.Anchor.Level == domain.AnchorLine && !ok {
				t.Errorf("a finding is at a line that the change does not show: %+v", f.Anchor)
			}
		}
	}
	return last
}

// Changes with more than lines of text are reviewed as far as possible, and the rest is named.
func TestOddChanges(t *testing.T) {
	t.Parallel()
	const other = "package shop\n\nfunc Two() int {\n\treturn 2\n}\n"
	git := func(t *testing.T, dir string, args ...string) string { t.Helper(); return testkit.Git(t, dir, args...) }
	for name, tt := range map[string]struct {
		base, change func(t *testing.T, dir string)
		staged       bool // change stages the files that it makes
		paths        []string
		found        []string // files in which the deterministic checks have findings
		why          map[string]string
	}{
		"a path that is not UTF-8": {staged: true, change: func(t *testing.T, dir string) { // not every file system accepts such a name
			git(t, dir, "update-index", "--add", "--cacheinfo", "100644,"+testkit.GitFed(t, dir, conflict("A"), "hash-object", "-w", "--stdin")+",caf\xe9.go")
		}, paths: []string{"caf\xe9.go"}, found: []string{"caf\xe9.go"}},
		"a path with a newline": {change: func(t *testing.T, dir string) { write(t, dir, "new\nline\t\"q\".go", conflict("A")) },
			paths: []string{"new\nline\t\"q\".go"}, found: []string{"new\nline\t\"q\".go"}},
		"a path that begins with a dash": {change: func(t *testing.T, dir string) {
			write(t, dir, "--output=x.go", conflict("A"))
			write(t, dir, "-rf/a.go", conflict("A"))
		},
			paths: []string{"--output=x.go", "-rf/a.go"}, found: []string{"--output=x.go", "-rf/a.go"}},
		"paths of git's own notation": {change: func(t *testing.T, dir string) {
			write(t, dir, ":(top)a.go", conflict("A"))
			write(t, dir, "a => b.go", conflict("A"))
		},
			paths: []string{":(top)a.go", "a => b.go"}, found: []string{":(top)a.go", "a => b.go"}},
		"a submodule comes": {staged: true, change: func(t *testing.T, dir string) {
			git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",lib")
		}, paths: []string{"lib"}},
		"a submodule moves on": {staged: true, base: func(t *testing.T, dir string) {
			git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",lib")
		}, change: func(t *testing.T, dir string) {
			git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("2", 40)+",lib")
		}, paths: []string{"lib"}},
		"a file becomes a submodule": {staged: true, change: func(t *testing.T, dir string) {
			testkit.OK(t, os.Remove(filepath.Join(dir, "shop.go")))
			git(t, dir, "rm", "--quiet", "--cached", "shop.go")
			git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",shop.go")
		}, paths: []string{"shop.go"}},
		"a link comes": {change: func(t *testing.T, dir string) {
			testkit.OK(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link.go")))
		}, paths: []string{"link.go"}},
		"a file becomes a link": {change: func(t *testing.T, dir string) {
			testkit.OK(t, os.Remove(filepath.Join(dir, "shop.go")))
			testkit.OK(t, os.Symlink("../../etc/passwd", filepath.Join(dir, "shop.go")))
		}, paths: []string{"shop.go"}},
		"a link becomes a file": {base: func(t *testing.T, dir string) { testkit.OK(t, os.Symlink("shop.go", filepath.Join(dir, "link.go"))) },
			change: func(t *testing.T, dir string) {
				testkit.OK(t, os.Remove(filepath.Join(dir, "link.go")))
				write(t, dir, "link.go", conflict("A"))
			}, paths: []string{"link.go"}, found: []string{"link.go"}},
		"only the mode": {change: func(t *testing.T, dir string) { testkit.OK(t, os.Chmod(filepath.Join(dir, "shop.go"), 0o755)) }, paths: []string{"shop.go"}},
		"mode and lines": {change: func(t *testing.T, dir string) {
			write(t, dir, "shop.go", conflict("A"))
			testkit.OK(t, os.Chmod(filepath.Join(dir, "shop.go"), 0o755))
		}, paths: []string{"shop.go"}, found: []string{"shop.go"}},
		"a copy":   {change: func(t *testing.T, dir string) { write(t, dir, "copy.go", before) }, paths: []string{"copy.go"}},
		"a rename": {change: func(t *testing.T, dir string) { git(t, dir, "mv", "shop.go", "store.go") }, paths: []string{"store.go"}},
		"two files change places": {base: func(t *testing.T, dir string) { write(t, dir, "other.go", other) }, change: func(t *testing.T, dir string) {
			write(t, dir, "shop.go", other)
			write(t, dir, "other.go", before)
		}, paths: []string{"other.go", "shop.go"}},
		"a file becomes a folder": {change: func(t *testing.T, dir string) {
			testkit.OK(t, os.Remove(filepath.Join(dir, "shop.go")))
			write(t, dir, "shop.go/shop.go", conflict("A"))
		}, paths: []string{"shop.go", "shop.go/shop.go"}, found: []string{"shop.go/shop.go"}},
		"an empty file":       {change: func(t *testing.T, dir string) { write(t, dir, "empty.go", "") }, paths: []string{"empty.go"}},
		"a file without text": {change: func(t *testing.T, dir string) { write(t, dir, "a.bin", "\x00\x01\x02") }, paths: []string{"a.bin"}},
		"line ends of all sorts": {change: func(t *testing.T, dir string) {
			write(t, dir, "ends.go", strings.ReplaceAll(conflict("A"), "\n", "\r\n")+"var c = 1\rvar d = 2\u2028var e = 3")
		}, paths: []string{"ends.go"}, found: []string{"ends.go"}},
		"bytes that are not text": {change: func(t *testing.T, dir string) { write(t, dir, "latin.go", conflict("A")+"// caf\xe9 \xff\xfe\n") }, paths: []string{"latin.go"}, found: []string{"latin.go"}},
		"one line of 5 MB": {change: func(t *testing.T, dir string) {
			write(t, dir, "line.js", "var a = \""+strings.Repeat("words and more words ", 250_000)+"\"")
			write(t, dir, "beside.go", conflict("A"))
		}, paths: []string{"beside.go", "line.js"}, found: []string{"beside.go"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repo(t)
			if tt.base != nil {
				tt.base(t, dir)
				git(t, dir, "add", "-A", "--", ".", ":(exclude,top)lib")
				git(t, dir, "commit", "--quiet", "--allow-empty", "-m", "base")
			}
			git(t, dir, "switch", "--quiet", "-c", "feature")
			tt.change(t, dir)
			if !tt.staged {
				git(t, dir, "add", "-A")
			}
			git(t, dir, "commit", "--quiet", "-m", "change")
			got := oddReview(t, dir, tt.paths...)
			found := paths(got)
			for _, p := range tt.found {
				if !found[p] {
					t.Errorf("nothing is found in %q: %+v", p, got.Result.Coverage)
				}
			}
		})
	}
}

// A change of thousands of files is reviewed up to the bounds of a review, and every file is named. In
// each answer the model reports findings in all files, which does not count as a review of each.
func TestAChangeOf3000Files(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	testkit.Git(t, dir, "switch", "--quiet", "-c", "feature")
	var paths []string
	for i := range 3000 {
		paths = append(paths, fmt.Sprintf("d%02d/f%04d.go", i%50, i))
		write(t, dir, paths[i], fmt.Sprintf("package d%02d\n\nvar f%04d = %d\n", i%50, i, i))
	}
	write(t, dir, paths[2999], conflict("A"))
	commit(t, dir, "many")
	got := oddReview(t, dir, paths...)
	if reviewed, unread := len(got.Result.Coverage.Reviewed), len(got.Result.Unread()); reviewed+unread != len(paths) {
		t.Errorf("%d files reviewed, and %d said to be unread", reviewed, unread)
	}
}

// Histories without a common commit have no change to review, and the error says so.
func TestUnrelatedHistories(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	testkit.Git(t, dir, "switch", "--quiet", "--orphan", "feature")
	write(t, dir, "other.go", before)
	commit(t, dir, "first of another history")
	for _, o := range []Options{{Dir: dir, Range: "main..HEAD"}, {Dir: dir, Base: "main"}} {
		o.Checks = checker
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no common ancestor") {
			t.Errorf("error %v", err)
		}
	}
}

// A binary file that is not searched to its end is named, and the review is incomplete.
func TestBinaryBeyondWhatIsSearched(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	noise := make([]byte, 5<<20)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	write(t, dir, "model.bin", string(noise))
	commit(t, dir, "a large file")
	got, err := Run(t.Context(), Options{Dir: dir, Range: "HEAD~1..HEAD", Checks: checker})
	if err != nil {
		t.Fatal(err)
	}
	if n := got.Result.Coverage.Skipped; len(n) != 1 || n[0].Why != check.WhyBinary || got.ExitCode(nil) != report.ExitError {
		t.Errorf("coverage %+v, exit code %d", got.Result.Coverage, got.ExitCode(nil))
	}
}
