package fix

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/snapshot"
)

// In a real store of git, links are told from files, and the models look at files by tools before and after the change.
func TestRealStore(t *testing.T) {
	t.Parallel()
	store, err := snapshot.NewScratch(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	p := seeds["go"]
	commits, err := store.Commit(t.Context(), snapshot.Version{Files: p.base}, snapshot.Version{Files: enginetest.Merged(p.base, p.head)})
	if err != nil {
		t.Fatal(err)
	}
	target, err := store.Entry(t.Context(), commits[1], "other/other.go")
	if err != nil {
		t.Fatal(err)
	}
	linked, err := store.Commit(t.Context(), snapshot.Version{From: commits[1],
		Take: []snapshot.Entry{{Path: "link.go", Mode: diff.ModeSymlink, OID: target.OID}}})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := store.Diff(t.Context(), commits[0], linked[0])
	if err != nil {
		t.Fatal(err)
	}
	w := world{base: p.base, head: p.head, ruling: verdictGiven{Verdict: "refuted", Quote: goFix.Replace}}
	for path, want := range map[string]Reason{"": "", "link.go": PathLink, "absent.go": PathMissing, "pay": PathMissing} {
		if w.edits = []proposed{goFix}; path != "" {
			w.edits = append(w.edits, edit(path, "return 1", "return 2"))
		}
		models, turns := w.models(t)
		inner, looked := turns.Answer, map[string]bool{}
		turns.Answer = func(n int, r llm.Request) (llm.Response, error) {
			if len(r.Tools) > 0 && !looked[r.Schema.Name] {
				looked[r.Schema.Name] = true
				return enginetest.Calling(enginetest.ReadOf("1", "pay/pay.go"))
			}
			text := enginetest.SaidTo(r)
			if has := strings.Contains(text[strings.LastIndex(text, "tool"):], "len(amounts)-1"); has != (r.Schema.Name != "assay_fix") {
				t.Errorf("%s: the tools show the new code: %v", r.Schema.Name, has)
			}
			return inner(n, r)
		}
		got, err := fixer(t).Run(t.Context(), Input{Diff: raw, Source: store.Source(commits[0], linked[0]),
			Findings: []domain.Finding{w.findingAt(t, p.path, p.quote)}, Models: models})
		if err != nil || got.Findings[0].Reason != want {
			t.Errorf("%q: %v, %+v, want %q", path, err, got.Findings, want)
		}
		if want == "" && len(looked) != 3 {
			t.Errorf("tools in %v", looked)
		}
	}
}
