package lookup

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// boxOf makes the toolbox of a change between two trees of a real store. The entries of special are
// added to the head.
func boxOf(t testing.TB, base, head enginetest.Tree, special ...snapshot.Entry) *Toolbox {
	t.Helper()
	s, err := snapshot.NewScratch(t.Context(), "")
	testkit.OK(t, err)
	t.Cleanup(func() { _ = s.Close() })
	commits, err := s.Commit(t.Context(), snapshot.Version{Files: base}, snapshot.Version{Files: head, Take: special})
	testkit.OK(t, err)
	raw, err := s.Diff(t.Context(), commits[0], commits[1])
	testkit.OK(t, err)
	return boxFor(t, raw, s.Source(commits[0], commits[1]), domain.DefaultPolicy())
}

// boxFor makes the toolbox of a change that is read through a source.
func boxFor(t testing.TB, raw []byte, src change.Source, policy domain.Policy) *Toolbox {
	t.Helper()
	found, err := enginetest.Scanner()
	testkit.OK(t, err)
	set, err := diff.Parse(raw)
	testkit.OK(t, err)
	bounds, redactor := &change.BoundedSource{Source: src}, check.NewRedactor(found)
	clean, err := check.Redact(t.Context(), set, redactor)
	testkit.OK(t, err)
	redacted := &check.RedactedSource{Source: bounds, Redactor: redactor}
	h := &around.Head{Set: clean, Source: anchor.NewFiles(checkedFiles{redacted}), Raw: bounds, Policy: policy, Redact: redactor.Text,
		Logger: slog.New(slog.DiscardHandler), Whole: true}
	h.Searcher, _ = src.(snapshot.Searcher)
	return New(h)
}

// checkedFiles are files without secrets. A file that could not be searched for them is absent.
type checkedFiles struct{ change.Source }

func (c checkedFiles) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	b, err := c.Source.Blob(ctx, side, path)
	if errors.Is(err, check.ErrUnchecked) {
		return nil, fs.ErrNotExist
	}
	return b, err
}

// asked returns the answer to one call of a new conversation.
func asked(t testing.TB, box *Toolbox, name string, arguments any) ask.ToolResult {
	t.Helper()
	raw, is := arguments.(string)
	if !is {
		b, err := json.Marshal(arguments)
		testkit.OK(t, err)
		raw = string(b)
	}
	return box.Run(t.Context(), box.ClaimAllowance(), llm.ToolCall{ID: "1", Name: name, Arguments: raw})
}

// The calls and the room of a conversation and of a review are bounded, whatever is asked.
func TestToolsAreBounded(t *testing.T) {
	t.Parallel()
	box := toolBox(t)
	box.calls = ReviewCalls
	read := func(a *ask.Allowance, path string) ask.ToolResult {
		return box.Run(t.Context(), a, llm.ToolCall{Name: "read_file", Arguments: `{"path":"` + path + `","side":"RIGHT"}`})
	}
	a := box.ClaimAllowance()
	for i := range ClaimCalls {
		if got := read(a, "nowhere"); got.Text != sayAbsent {
			t.Errorf("call %d: %q", i, got.Text)
		}
	}
	for range 50 {
		if got := read(a, "a.go"); got.OK || got.Text != ask.ResultCallsUsedUp {
			t.Fatalf("beyond its calls: %q", got.Text)
		}
	}
	a, sum := box.ClaimAllowance(), 0
	a.Calls = 40
	for range 40 {
		got := read(a, "docs/long.txt")
		if got.OK {
			sum += llm.EstimateTokens(len(got.Text))
		} else if got.Text != ask.ResultNoRoom {
			t.Fatalf("%q", got.Text)
		}
	}
	if sum > ClaimTokens || sum < ClaimTokens-ask.MinResultTokens {
		t.Errorf("%d tokens", sum)
	}
	for range ReviewCalls {
		read(box.ClaimAllowance(), "a.go")
	}
	if got := read(box.ClaimAllowance(), "a.go"); got.OK || got.Text != ask.ResultReviewUsedUp {
		t.Errorf("beyond the review's calls: %q", got.Text)
	}
	box.calls, box.room = 10, 100
	if got := read(box.ClaimAllowance(), "docs/long.txt"); !got.OK {
		t.Errorf("a file that was read before: %q", got.Text)
	}
	if got := read(box.ClaimAllowance(), "wide.txt"); got.OK || got.Text != sayReadUp {
		t.Errorf("beyond the bytes of a review: %q", got.Text)
	}
}

// hanging is a source that answers only after its context has ended.
type hanging struct{ enginetest.Files }

func (hanging) Blob(ctx context.Context, _ domain.Side, _ string) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (hanging) Search(ctx context.Context, _ snapshot.Query, _ int) ([]snapshot.Match, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (h hanging) Entry(ctx context.Context, _ domain.Side, _ string) (snapshot.Entry, error) {
	_, err := h.Search(ctx, snapshot.Query{}, 0)
	return snapshot.Entry{}, err
}

func (h hanging) List(ctx context.Context, _ string, _ int) ([]snapshot.Entry, error) {
	_, err := h.Search(ctx, snapshot.Query{}, 0)
	return nil, err
}

// A call of a tool has a time limit and ends with it.
func TestToolsHaveTheirTime(t *testing.T) {
	t.Parallel()
	raw := []byte(enginetest.Unified("a.go", "package a\n", "package a\n\nvar x = 1\n"))
	box := boxFor(t, raw, hanging{}, domain.DefaultPolicy())
	if box.patience != toolTime {
		t.Errorf("a call has %v", box.patience)
	}
	box.patience = time.Millisecond
	for _, o := range box.offered() {
		t.Run(o.name, func(t *testing.T) {
			if got := asked(t, box, o.name, sample(o)); got.OK || !strings.HasPrefix(got.Text, ask.ResultTooSlow) {
				t.Errorf("%+v", got)
			}
		})
	}
	box.patience = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := box.Run(ctx, box.ClaimAllowance(), llm.ToolCall{Name: "read_file", Arguments: `{"path":"a.go"}`}); got.OK || got.Text != ask.ResultTooSlow {
		t.Errorf("a review that is over: %+v", got)
	}
}

// A call that its time limit ends does not count, a few times in a conversation and in a review.
func TestLateCallsDoNotCount(t *testing.T) {
	t.Parallel()
	raw := []byte(enginetest.Unified("a.go", "package a\n", "package a\n\nvar x = 1\n"))
	box := boxFor(t, raw, hanging{}, domain.DefaultPolicy())
	box.patience = time.Millisecond
	look := func(a *ask.Allowance) string {
		return box.Run(t.Context(), a, llm.ToolCall{Name: "read_file", Arguments: `{"path":"a.go","side":"RIGHT"}`}).Text
	}
	late := 0
	for range 2 * maxLateAll {
		a := box.ClaimAllowance()
		for i := range ClaimCalls + maxLate + 1 {
			got := look(a)
			uncounted := strings.HasSuffix(got, ask.ResultUncounted)
			if uncounted {
				late++
			}
			if uncounted && i >= maxLate || late > maxLateAll || i == ClaimCalls+maxLate && got != ask.ResultCallsUsedUp {
				t.Fatalf("call %d, %d late: %q", i, late, got)
			}
		}
		if box.CallsLeft() == 0 {
			break
		}
	}
	if late != maxLateAll || box.CallsLeft() != 0 {
		t.Errorf("%d late calls, %d calls are left", late, box.CallsLeft())
	}
}

// searcher records the files and folders to which a search is limited, and finds nothing.
type searcher struct {
	enginetest.Files
	under []string
}

func (s *searcher) Search(_ context.Context, q snapshot.Query, _ int) ([]snapshot.Match, error) {
	s.under = append(s.under, q.Under)
	return nil, nil
}

// A search whose pattern names one file, or the files of one folder, does not search the others.
func TestSearchIsLimitedToItsPattern(t *testing.T) {
	t.Parallel()
	raw := []byte(enginetest.Unified("a.go", "package a\n", "package a\n\nvar x = 1\n"))
	for pattern, want := range map[string]string{
		"src/a.go": "src/a.go", "/src/a.go": "src/a.go", "src/": "src", "src/**/*.ts": "src", "src/{a,b}/c.go": "src", "src/x*/y": "src",
		"a.go": "", "*.go": "", "**/a.go": "", "/a.go": "", "{src,lib}/a.go": "", `src/a\*.go`: "src", "../a/b.go": "", "src/../a.go": "",
		"src//a.go": "", ":(top)src/a.go": ":(top)src/a.go", "a[b]/c.go": "",
	} {
		src := &searcher{Files: enginetest.Files{"RIGHT:a.go": "package a\n"}}
		box := boxFor(t, raw, src, domain.DefaultPolicy())
		got := asked(t, box, "search", ask.Schema{"query": "x", "kind": "text", "glob": pattern})
		if len(src.under) != 1 || src.under[0] != want {
			t.Errorf("%s: searched %q, want %q: %s", pattern, src.under, want, got.Text)
		}
	}
}

// sample returns arguments that fit a tool.
func sample(o tool) ask.Schema {
	out := ask.Schema{}
	for name := range o.parameters {
		out[name] = map[string]any{"path": "a.go", "folder": "", "query": "x", "kind": "text", "side": "RIGHT", "name": "Total"}[name]
	}
	return out
}

// Schemas stay in the strict subset: each property is required, and additional ones are forbidden.
func TestSpecsOfTools(t *testing.T) {
	t.Parallel()
	for _, spec := range specsOf(allTools) {
		var schema struct {
			Type       string
			Properties map[string]struct {
				Type        any
				Description string
			}
			Required             []string
			AdditionalProperties *bool
		}
		testkit.OK(t, json.Unmarshal(spec.Parameters, &schema))
		if schema.Type != "object" || schema.AdditionalProperties == nil || *schema.AdditionalProperties || len(schema.Required) != len(schema.Properties) || len(schema.Properties) == 0 {
			t.Errorf("%s: %s", spec.Name, spec.Parameters)
		}
		for name, p := range schema.Properties {
			if p.Type == nil || p.Description == "" || !slices.Contains(schema.Required, name) {
				t.Errorf("%s.%s: %+v", spec.Name, name, p)
			}
		}
	}
}

// If there are no files to look at, no tools are offered. Tools that need all files are not offered if
// only some files can be read.
func TestToolsThatAreNotOffered(t *testing.T) {
	t.Parallel()
	raw := []byte(enginetest.Unified("a.go", "package a\n", "package a\n\nvar x = 1\n"))
	names := func(box *Toolbox) (out []string) {
		for _, s := range box.Specs() {
			out = append(out, s.Name)
		}
		return out
	}
	host := boxFor(t, raw, enginetest.Files{"RIGHT:a.go": "package a\n\nvar x = 1\n"}, domain.DefaultPolicy())
	if got := names(host); !slices.Equal(got, []string{"read_file"}) {
		t.Errorf("through a host: %v", got)
	}
	if got := asked(t, host, "read_file", ask.Schema{"path": "a.go", "side": "RIGHT"}); got.Hits != 3 {
		t.Errorf("%+v", got)
	}
	if got := asked(t, host, "search", ask.Schema{"query": "x", "kind": "text"}); got.OK || got.Text != ask.ResultUnknownTool+"read_file." {
		t.Errorf("%+v", got)
	}
	var none *Toolbox
	if got := asked(t, none, "read_file", ask.Schema{"path": "a.go"}); names(none) != nil || got.Text != ask.ResultNoTools {
		t.Errorf("without files: %+v", got)
	}
	if text, seen := none.Beside(t.Context(), domain.Anchor{}); text != "" || seen != nil {
		t.Errorf("%q, %+v", text, seen)
	}
}

// Several conversations may use one toolbox at the same time.
func TestToolsAtOnce(t *testing.T) {
	t.Parallel()
	box := shopBox(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			a := box.ClaimAllowance()
			for _, o := range box.offered() {
				b, err := json.Marshal(sample(o))
				if err != nil || box.Run(t.Context(), a, llm.ToolCall{Name: o.name, Arguments: string(b)}).Text == "" {
					t.Error("no answer")
				}
			}
		})
	}
	all.Wait()
}
