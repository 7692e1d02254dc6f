package render

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/criteria"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/testkit/mdcheck"
)

// ours is what the texts of these tests may contain and link to.
var ours = mdcheck.Allowed{Frame: true, Tables: true, Links: []string{"https://assay.example/r/run_1", "https://host.example/o/r/blob/*", "https://host.example/pull/1#discussion_r7"}}

// hostileInput is a review whose texts of models, tools and authors all come from an adversary.
func hostileInput(a mdcheck.Adversary) Input {
	route := []domain.Route{domain.RouteInline, domain.RouteSummary}
	var found []domain.Finding
	for i := range 1 + a.IntN(4) {
		found = append(found, bug("fnd_"+strconv.Itoa(i), func(f *domain.Finding) {
			f.Title, f.Explanation, f.Trigger, f.RuleID = a.Text(12), a.Text(30), a.Text(12), a.Text(4)
			f.Route, f.Severity, f.Category = route[a.IntN(2)], domain.Severity(a.IntN(5)), domain.Category(a.Text(3))
			f.Evidence = []domain.Evidence{{Kind: "code", Path: a.Text(4), Start: 1, End: 9, Quote: a.Text(20), Note: a.Text(8)}, {Note: a.Text(8), Quote: a.Text(8)}}
			if a.IntN(3) == 0 {
				f.Evidence = append(f.Evidence, domain.Evidence{Kind: domain.EvidenceRule, Path: a.Text(4), Quote: a.Text(20)})
			}
			f.Suggestion.New, f.Suggestion.Applies = a.Text(12), a.IntN(2) == 0
			if a.IntN(3) == 0 {
				f.Anchor.Path, f.Verdict, f.Scope = a.Text(5), domain.VerdictUnproven, "pre_existing"
				f.Earlier = &domain.Earlier{Comment: "7", URL: []string{"https://host.example/pull/1#discussion_r7", "https://host.example/) " + a.Text(3)}[a.IntN(2)]}
			}
		}))
	}
	in := input(found...)
	in.First = a.IntN(2) == 0
	in.Run.PreviousHead, in.Run.HeadSHA = a.Text(2), a.Text(2)
	in.LinkFor = linkFor(a.IntN(2) == 0)
	if link := in.LinkFor; link != nil {
		in.BaseLink = func(path string) string { return link(path, 0, 0) }
	}
	in.Result.ModelState, in.Result.ModelNote, in.Result.Notices = engine.ModelPartial, a.Text(8), []string{a.Text(8), a.Text(8)}
	for range 3 {
		in.Result.Coverage.Skipped = append(in.Result.Coverage.Skipped, engine.FileNote{Path: a.Text(4), Why: a.Text(4)})
		in.Result.Coverage.Skimmed = append(in.Result.Coverage.Skimmed, engine.FileNote{Path: a.Text(4), Why: "not among the riskiest lines of a large change"})
	}
	for i := range a.IntN(4) {
		key := a.Text(3)
		in.Result.Tickets = append(in.Result.Tickets, criteria.Ticket{Key: key, URL: []string{"https://host.example/pull/1#discussion_r7", "javascript:" + a.Text(2)}[a.IntN(2)],
			Title: a.Text(4), KeyOnly: a.IntN(4) == 0, Unread: []string{"", a.Text(4)}[a.IntN(2)], Criteria: i})
		for range a.IntN(14) {
			in.Result.CriterionChecks = append(in.Result.CriterionChecks, domain.CriterionCheck{Ticket: key, Criterion: domain.Criterion{ID: "c", Text: a.Text(12)},
				Verdict: []string{domain.CriterionMet, domain.CriterionNotMet, a.Text(1)}[a.IntN(3)], Reason: a.Text(12), Places: []domain.Place{{Path: a.Text(4), StartLine: 1, EndLine: 2, Note: a.Text(4)}}})
		}
	}
	if a.IntN(8) == 0 {
		in.MaxBody = 500 + a.IntN(600)
	}
	if a.IntN(8) == 0 { // a scan that removes something from the finished text
		at := a.IntN(400)
		in.Redact = func(s string) string {
			if len(s) > at+9 {
				return s[:at] + "[redacted]" + s[at+9:]
			}
			return s
		}
	}
	return in
}

// linkFor makes unsafe links to files: with the path unescaped.
func linkFor(links bool) func(path string, start, end int) string {
	if !links {
		return nil
	}
	return func(path string, _, _ int) string { return "https://host.example/o/r/blob/" + path }
}

// texts returns every text that a review publishes.
func texts(out Output) []string {
	all := []string{out.Body.String(), out.SummaryBody.String(), out.CheckTitle.String(), out.CheckSummary.String()}
	for _, c := range out.Comments {
		all = append(all, c.Body.String())
	}
	return all
}

// count returns how many comments the tests below examine: 10,000, or the number in the environment.
func count(t *testing.T) int {
	t.Helper()
	given := os.Getenv("ASSAY_SANITISER_COUNT")
	if given == "" {
		return 10_000
	}
	n, err := strconv.Atoi(given)
	if err != nil {
		t.Fatalf("ASSAY_SANITISER_COUNT: %v", err)
	}
	return n
}

// seed returns the first seed of the adversary: the same in every run, or the one in the environment.
func seed(t *testing.T) uint64 {
	t.Helper()
	given := os.Getenv("ASSAY_SANITISER_SEED")
	if given == "" {
		return 1
	}
	n, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		t.Fatalf("ASSAY_SANITISER_SEED: %v", err)
	}
	return n
}

// batch is how many comments one process of cmark-gfm gets.
const batch = 5000

// No published text has a foreign link, a picture, HTML, a mention, a reference or a command, whatever
// a review says. Judges are GitHub's parser and the table of the hosts; for a third of the texts
// Gitea's parser, too.
func TestHostileReviews(t *testing.T) {
	t.Parallel()
	total, first, begun := count(t), seed(t), time.Now()
	var next, looked atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for !t.Failed() {
				n := int(next.Add(1) - 1)
				if n*batch >= total {
					return
				}
				looked.Add(int64(lookAt(t, first+uint64(n), min(batch, total-n*batch)))) //nolint:gosec // n is not negative
			}
		})
	}
	workers.Wait()
	most := int64(first) + next.Load() - 1 //nolint:gosec // a seed of a test
	t.Logf("%d comments were looked at, from seed %d to %d: %.0f per second", looked.Load(), first, most, float64(looked.Load())/time.Since(begun).Seconds())
}

// lookAt examines one batch of at most most comments, and returns their number.
func lookAt(t *testing.T, seed uint64, most int) int {
	t.Helper()
	a := mdcheck.NewAdversary(seed)
	var all []string
	for len(all) < most {
		all = append(all, texts(Render(hostileInput(a)))...)
	}
	found, err := mdcheck.Cmark(t.Context(), all, ours)
	if err != nil {
		t.Error(err)
		return 0
	}
	for i, problems := range found {
		t.Errorf("seed %d, %q in %q", seed, problems, all[min(i, len(all)-1)])
	}
	for i := 0; i < len(all); i += 3 {
		for _, p := range mdcheck.Goldmark(all[i], ours) {
			t.Errorf("seed %d, goldmark: %s in %q", seed, p, all[i])
		}
	}
	return len(all)
}

// FuzzReview puts arbitrary input into the fields of a finding and examines the comment and the
// summary.
func FuzzReview(f *testing.F) {
	for s := range uint64(20) {
		a := mdcheck.NewAdversary(1000 + s)
		f.Add(a.Text(12), a.Text(30), a.Text(8), a.Text(20), a.Text(4))
	}
	f.Add("\"@x``a`![x](https://evil.example/p.png)``\"", "_https://evil.example", "/approve", "```\n/approve\n```", "a\n\n![x](y) @octocat\n\nb.go")
	f.Fuzz(func(t *testing.T, title, text, note, code, path string) {
		in := input(bug("fnd_1", func(f *domain.Finding) {
			f.Title, f.Explanation, f.Trigger, f.RuleID = title, text, note, note
			f.Evidence = []domain.Evidence{{Path: path, Note: note, Quote: code}}
			f.Suggestion.New = code
		}), bug("fnd_2", func(f *domain.Finding) {
			f.Title, f.Explanation, f.Anchor.Path, f.Route = title, text, path, domain.RouteSummary
		}))
		for _, links := range []bool{false, true} {
			in.LinkFor = linkFor(links)
			for _, md := range texts(Render(in)) {
				for _, p := range mdcheck.Goldmark(md, ours) {
					t.Errorf("%s in %q", p, md)
				}
			}
		}
	})
}

// checked is the source of one file at the head.
type checked struct{ path, text string }

func (c checked) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	if side == domain.Right && path == c.path {
		return []byte(c.text), nil
	}
	return nil, fs.ErrNotExist
}

// Text of an author reaches a comment through a check, without a model. Each of these texts was once
// rendered as a picture, a mention or HTML.
func TestAuthorsTextInAFindingOfACheck(t *testing.T) {
	t.Parallel()
	for _, c := range []checked{
		{"x.go", "package x\n\n\"@x``a`![x](https://evil.example/p.png)``\"\n"},
		{"x.go", "package x\n\n\"@x``a` @octocat closes #1 ``\"\n"},
		{"x.go", "package x\n\n\"@x``a`<img src=https://evil.example/p>``\"\n"},
		{".github/workflows/x.yml", "on: push\npermissions:\n  \"@x``a`<img src=https://evil.example/p>``\": write\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n"},
		{".github/workflows/x.yml", "on: push\njobs:\n  a:\n    runs-on: x\n    needs: [\"@x``a`<img src=https://evil.example/p>``\"]\n    steps: [{run: x}]\n"},
		{".github/workflows/x.yml", "on: push\njobs:\n  a:\n    uses: \"o/x``a`<img src=x>``@main @x``a` closes #1 ``\"\n"},
		{"Dockerfile", "FROM @x``a`![x](https://evil.example/p.png)``\n"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			lines := strings.SplitAfter(strings.TrimSuffix(c.text, "\n"), "\n")
			set, err := diff.FromPatches([]diff.Patch{{Path: c.path, Status: diff.Added,
				Text: fmt.Sprintf("@@ -0,0 +1,%d @@\n+%s\n", len(lines), strings.Join(lines, "+"))}})
			if err != nil {
				t.Fatal(err)
			}
			checks, err := check.New()
			if err != nil {
				t.Fatal(err)
			}
			res, err := checks.Run(t.Context(), set, c, check.Options{Static: true})
			if err != nil || len(res.Findings) == 0 {
				t.Fatalf("found %+v, %v", res.Findings, err)
			}
			in := input(res.Findings...)
			for i := range in.Result.Findings {
				in.Result.Findings[i].ID, in.Result.Findings[i].State, in.Result.Findings[i].Route = "fnd_1", domain.FindingOpen, domain.RouteInline
			}
			all := texts(Render(in))
			if !strings.Contains(all[len(all)-1], "@x") {
				t.Fatalf("the text of the author is not in %q", all[len(all)-1])
			}
			found, err := mdcheck.Cmark(t.Context(), all, ours)
			if err != nil || len(found) > 0 {
				t.Errorf("%v, %v in %q", found, err, all)
			}
		})
	}
}
