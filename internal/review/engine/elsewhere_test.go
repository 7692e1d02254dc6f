package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/snapshot"
)

// shows makes the change from one tree to another the input's. A key of renamed is the new path of a
// file that git recognises.
func (in *Input) shows(base, head enginetest.Tree, renamed map[string]string) {
	var diff strings.Builder
	all := enginetest.Files{}
	for path, text := range base {
		all["LEFT:"+path] = text
	}
	for _, path := range slices.Sorted(maps.Keys(head)) {
		after := head[path]
		all["RIGHT:"+path] = after
		before, was := base[path]
		switch old := renamed[path]; {
		case old != "":
			d := enginetest.Unified(path, base[old], after)
			_, hunks, _ := strings.Cut(d, "@@")
			fmt.Fprintf(&diff, "diff --git a/%[1]s b/%[2]s\nsimilarity index 80%%\nrename from %[1]s\nrename to %[2]s\n--- a/%[1]s\n+++ b/%[2]s\n@@%[3]s", old, path, hunks)
		case !was:
			n := strings.Count(after, "\n")
			fmt.Fprintf(&diff, "diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1,%[2]d @@\n+%[3]s\n", path, n, strings.ReplaceAll(strings.TrimSuffix(after, "\n"), "\n", "\n+"))
		case before != after:
			diff.WriteString(enginetest.Unified(path, before, after))
		}
	}
	in.Diff, in.Source = []byte(diff.String()), all
}

// Code that moves to another file, or with its file, takes its finding along. Lines that only look
// alike do not.
func TestCodeThatMovesToAnotherFile(t *testing.T) {
	t.Parallel()
	const line, top = "BUGa(first, second)", "package x\n\n"
	in := func(f string) string { return "func " + f + "() {\n\tprepare()\n\t" + line + "\n}\n" }
	without := func(f string) string {
		return "func " + f + "() {\n\tprepare()\n\tfine(first, second)\n}\n"
	}
	plain := "package x\n\n" + strings.Repeat("var _ = 1\n", 20)
	base := enginetest.Tree{"a.go": plain, "b.go": plain}
	silent := func() *scripted { s := byLine(); s.generate = findings(); return s }
	for name, c := range map[string]struct {
		first, then   enginetest.Tree
		base, renamed map[string]string // of the second head
		model         *scripted         // of the second head
		path          string            // where the finding is then; "" where it is resolved
	}{
		"its file is renamed":                             {first: enginetest.Tree{"new.go": top + in("A")}, then: enginetest.Tree{"other.go": top + in("A")}, path: "other.go"},
		"its file is renamed, the model is silent":        {first: enginetest.Tree{"new.go": top + in("A")}, then: enginetest.Tree{"other.go": top + in("A")}, model: silent(), path: "other.go"},
		"its file is renamed and edited":                  {first: enginetest.Tree{"new.go": top + in("A")}, then: enginetest.Tree{"other.go": "// new\n" + top + in("B")}, path: "other.go"},
		"a file of the base is renamed":                   {first: enginetest.Tree{"a.go": plain + in("A")}, then: enginetest.Tree{"c.go": plain + in("A")}, base: enginetest.Tree{"a.go": plain}, renamed: enginetest.Tree{"c.go": "a.go"}, path: "c.go"},
		"a file of the base is renamed, in silence":       {first: enginetest.Tree{"a.go": plain + in("A")}, then: enginetest.Tree{"c.go": plain + in("A")}, base: enginetest.Tree{"a.go": plain}, renamed: enginetest.Tree{"c.go": "a.go"}, model: silent(), path: "c.go"},
		"its function is moved":                           {first: enginetest.Tree{"a.go": plain + in("A")}, then: enginetest.Tree{"a.go": plain, "b.go": plain + in("A")}, path: "b.go"},
		"its line is moved":                               {first: enginetest.Tree{"a.go": plain + in("A")}, then: enginetest.Tree{"a.go": plain + without("A"), "b.go": plain + in("B")}, path: "b.go"},
		"its line is moved, the model is silent":          {first: enginetest.Tree{"a.go": plain + in("A")}, then: enginetest.Tree{"a.go": plain + without("A"), "b.go": plain + in("B")}, model: silent(), path: "b.go"},
		"its lines are moved and formatted otherwise":     {first: enginetest.Tree{"a.go": plain + "func A() {\n\tprepare( 1 )\n\t" + line + "\n}\n"}, then: enginetest.Tree{"b.go": plain + "func A() {\n\tprepare(1)\n\t" + strings.ReplaceAll(line, ", ", ",") + "\n}\n"}, model: silent(), path: "b.go"},
		"it is mended":                                    {first: enginetest.Tree{"a.go": plain + in("A")}, then: enginetest.Tree{"a.go": plain + without("A"), "b.go": plain + without("B")}},
		"the file is taken back":                          {first: enginetest.Tree{"new.go": top + in("A")}, then: enginetest.Tree{"b.go": plain + without("B")}},
		"few characters are too little code to recognise": {first: enginetest.Tree{"a.go": plain + "func A() {\n\tBUGa()\n}\n"}, then: enginetest.Tree{"a.go": plain + "func A() {\n\tfine()\n}\n", "b.go": plain + "func B() {\n\tx()\n\tBUGb()\n\tBUGa() \n}\n"}, model: silent()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pull := sampleChange(t)
			pull.Models, pull.ReviewedHunks = models(byLine()), map[string]bool{}
			pull.shows(base, enginetest.Merged(base, c.first), nil)
			first := review(t, pull, Deps{})
			if len(first.Open()) != 1 {
				t.Fatalf("first: %+v", first.Findings)
			}
			for _, h := range first.Hunks {
				pull.ReviewedHunks[h] = true
			}
			pull.Known = first.Open()
			pull.Known[0].Known = true
			if c.model != nil {
				pull.Models = models(c.model)
			}
			later := base
			if c.base != nil {
				later = c.base
			}
			pull.shows(later, enginetest.Merged(later, c.then), c.renamed)
			res := review(t, pull, Deps{})
			open := res.Open()
			if c.path == "" {
				if !slices.Contains(res.Resolved, first.Findings[0].ID) {
					t.Fatalf("not resolved: %+v", open)
				}
				return
			}
			if len(open) != 1 || open[0].ID != first.Findings[0].ID || open[0].Anchor.Path != c.path || !open[0].Known || len(res.Resolved) > 0 {
				t.Fatalf("open %+v, resolved %v", open, res.Resolved)
			}
			if !strings.Contains(change.StripSpace(open[0].Anchor.Quote), change.StripSpace(line)) || open[0].Anchor.Level != domain.AnchorLine {
				t.Errorf("anchor %+v", open[0].Anchor)
			}
		})
	}
}

// The earlier findings of the files of a chunk are listed for the model with labels that it may name:
// at most twenty, open ones first.
func TestEarlierFindingsAreListed(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.Models = models(&scripted{generate: findings(division()), verify: confirmAll})
	first := review(t, in, Deps{}).Findings[0]
	first.Known = true
	second := func(state domain.FindingState, title, path, quote string) domain.Finding {
		f := first
		f.ID, f.State, f.Title, f.Fingerprints = domain.NewID("fnd"), state, title, domain.Fingerprints{}
		f.Anchor.Path, f.Anchor.Quote = path, quote
		return f
	}
	in.Full = true
	in.Known = []domain.Finding{
		second(domain.FindingResolved, "Resolved", "shop/shop.go", "sum := 0"),
		second(domain.FindingDismissed, "Dismissed\n=== trick.go", "shop/shop.go", "is gone"),
		second(domain.FindingSuppressed, "Suppressed", "shop/shop.go", "sum := 0"),
		second(domain.FindingOpen, "Elsewhere", "shop/other.go", "sum := 0"),
		first,
	}
	var prompt string
	mine := division()
	mine.Quote, mine.Start, mine.End, mine.RuleKey, mine.Title, mine.SameAs, mine.Fix = "\treturn &items[0]", 17, 17, "index-out-of-range", "No items", "k1", nil
	other := mine
	other.Quote, other.Start, other.End, other.Title, other.SameAs = "func First(items []Item) *Item {", 16, 16, "Another", "k4" // not shown
	m := &scripted{verify: confirmAll, generate: func(_ int, user string) (llm.Response, error) {
		if strings.Contains(user, "reported before>") {
			prompt = user
		}
		return findings(mine, other)(0, user)
	}}
	in.Models = models(m)
	res := review(t, in, Deps{})
	_, list, _ := strings.Cut(prompt, "reported before>\n")
	list, _, _ = strings.Cut(list, "\n</")
	want := "k5 open shop/shop.go:21-21: Average divides by zero for no items\n" +
		"k2 dismissed shop/shop.go (its code was changed): Dismissed === trick.go\n" +
		"k1 resolved shop/shop.go: Resolved"
	if list != want {
		t.Errorf("listed:\n%s\nwant:\n%s", list, want)
	}
	back, fresh := slices.IndexFunc(res.Findings, func(f domain.Finding) bool { return f.Title == "No items" }), slices.IndexFunc(res.Findings, func(f domain.Finding) bool { return f.Title == "Another" })
	if back < 0 || res.Findings[back].ID != in.Known[0].ID || fresh < 0 || res.Findings[fresh].ID == in.Known[3].ID {
		t.Errorf("findings: %+v", res.Findings)
	}

	for i := range 3 * maxEarlierFindings {
		in.Known = append(in.Known, second(domain.FindingOpen, fmt.Sprint("Number ", i), "shop/shop.go", "sum := 0"))
	}
	review(t, in, Deps{})
	if n := strings.Count(prompt, ": Number "); n != maxEarlierFindings-1 || !strings.Contains(prompt, ": Number 59\n") {
		t.Errorf("%d of the others are listed", n)
	}
}

// A search that fails or finds nothing costs the review only the lines that it would have shown, and
// the review says so. Expressions are few, and as short as git accepts, whatever names a change has.
func TestSearchesInOtherFiles(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	long.WriteString("package x\n")
	for i := range 2_000 {
		fmt.Fprintf(&long, "\nfunc f%d() { Use%d(%s.Name%d%s) }\n", i, i, strings.Repeat("q", 40), i, strings.Repeat("x", i%2*300))
	}
	long.WriteString("\nfunc last() { " + strings.Repeat("N", 900) + "() }\n")
	const cut = "Some relations of other files to this change could not be looked up."
	for name, c := range map[string]struct {
		search func(context.Context, string) ([]snapshot.Match, error)
		said   bool
	}{
		"nothing found": {func(context.Context, string) ([]snapshot.Match, error) { return nil, nil }, false},
		"an error":      {func(context.Context, string) ([]snapshot.Match, error) { return nil, errors.New("broken") }, true},
		"a file that is not": {func(context.Context, string) ([]snapshot.Match, error) {
			return []snapshot.Match{{Path: "gone.go", Line: 1, Text: "func Use1() {"}}, nil
		}, false},
		"a path of its own": {func(context.Context, string) ([]snapshot.Match, error) {
			return []snapshot.Match{{Path: "../../etc/passwd.go", Line: 1, Text: "func Use1() {"}}, nil
		}, false},
		"a long line": {func(context.Context, string) ([]snapshot.Match, error) {
			return []snapshot.Match{{Path: "b.go", Line: 1, Text: "func Use1() {" + strings.Repeat("x", 1<<20)}}, nil
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Models = models(&scripted{generate: findings(), verify: confirmAll})
			in.shows(enginetest.Tree{}, enginetest.Tree{"a.go": long.String()}, nil)
			var expressions []string
			in.Source = enginetest.Searched{Files: in.Source.(enginetest.Files), Find: func(ctx context.Context, e string) ([]snapshot.Match, error) {
				if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > around.MaxTime {
					t.Error("the search has no deadline")
				}
				expressions = append(expressions, e)
				if _, err := regexp.Compile(e); err != nil || len(e) > 500 {
					t.Errorf("%d characters, %v: %s", len(e), err, e)
				}
				return c.search(ctx, e)
			}}
			began := time.Now()
			res := review(t, in, Deps{})
			isSlow := time.Since(began) > around.MaxTime // the searches may have used up their time on a busy machine
			if said := slices.Contains(res.Notices, cut); said != c.said && !(said && isSlow) || res.ModelState != ModelComplete {
				t.Errorf("%s, notices %q", res.ModelState, res.Notices)
			}
			if len(expressions) == 0 || len(expressions) > 400 {
				t.Errorf("%d searches", len(expressions))
			}
		})
	}
}

// A review that is cancelled during a search ends.
func TestASearchEndsWithItsReview(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	in := sampleChange(t)
	in.Models = models(&scripted{generate: findings(), verify: confirmAll})
	in.Source = enginetest.Searched{Files: in.Source.(enginetest.Files), Find: func(ctx context.Context, _ string) ([]snapshot.Match, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	if _, err := New(Deps{Checks: newChecker(t)}).Review(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
