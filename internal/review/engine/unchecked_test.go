package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// lame are checks that fail on one path.
type lame struct {
	*check.Checker
	path string
}

func (l lame) Run(ctx context.Context, set *diff.Set, src check.Source, opt check.Options) (check.Result, error) {
	rest := &diff.Set{}
	for _, f := range set.Files {
		if f.Path != l.path {
			rest.Files = append(rest.Files, f)
		}
	}
	res, err := l.Checker.Run(ctx, rest, src, opt)
	res.Unchecked = []string{l.path}
	return res, err
}

// A file that could not be checked may hold a secret: it is named, no model sees a line of it, and the
// file beside it is reviewed.
func TestAFileThatCouldNotBeCheckedIsShownToNoModel(t *testing.T) {
	t.Parallel()
	const private = "var key = \"PRIVATE\"\n"
	in := sampleChange(t)
	in.Diff = append([]byte(enginetest.Unified("bomb.go", "", "package shop\n\n"+private)), in.Diff...)
	m := &scripted{generate: findings(division()), verify: confirmAll}
	in.Models = models(m)
	res := review(t, in, Deps{Checks: lame{Checker: newChecker(t), path: "bomb.go"}})
	if len(res.Coverage.Skipped) != 1 || bare(res.Coverage.Skipped[0]) != (FileNote{Path: "bomb.go", Why: whyUnchecked}) || !slices.Contains(res.Unread(), res.Coverage.Skipped[0]) {
		t.Errorf("coverage %+v", res.Coverage)
	}
	if res.ModelState != ModelPartial || !strings.Contains(res.ModelNote, "1 of 2 files could not be checked") {
		t.Errorf("%s: %s", res.ModelState, res.ModelNote)
	}
	if !slices.ContainsFunc(res.Notices, func(n string) bool { return strings.Contains(n, "no model saw it") }) {
		t.Errorf("notices %q", res.Notices)
	}
	if !slices.ContainsFunc(res.Findings, func(f domain.Finding) bool { return f.Title == division().Title }) {
		t.Errorf("the bug beside it was not found: %+v", res.Findings)
	}
	for _, r := range m.requests {
		if _, user := enginetest.Prompt(r); strings.Contains(user, "PRIVATE") {
			t.Error("a model saw a file that was not searched for secrets")
		}
	}
}

// silent is a source of files whose text cannot be searched for secrets.
type silent struct{ change.Source }

func (silent) Blob(context.Context, domain.Side, string) ([]byte, error) {
	return nil, check.ErrUnchecked
}

func TestATextThatCouldNotBeCheckedIsAbsentAndNamed(t *testing.T) {
	t.Parallel()
	bounds := &change.BoundedSource{Source: change.NoSource{}}
	if b, err := (checkedSource{silent{}, bounds}).Blob(t.Context(), domain.Right, "a.go"); b != nil || err == nil {
		t.Errorf("%q, %v", b, err)
	}
	if why := bounds.Refused(&diff.File{Path: "a.go"}); why != whyUncheckedFile {
		t.Errorf("the coverage says %q", why)
	}
}

// Without a model, files that only a model should have seen are checked like all others. The review is
// complete and says that no model took part.
func TestFilesForAModelWithoutOne(t *testing.T) {
	t.Parallel()
	code := "package x\n\nfunc A() int { return 1 }\n"
	for name, c := range map[string]struct {
		head enginetest.Tree
	}{
		"named like generated code": {enginetest.Tree{"x.pb.go": code}},
		"vendored":                  {enginetest.Tree{"vendor/a/a.go": code}},
		"a large change":            {enginetest.Tree{"a.go": "package x\n" + strings.Repeat("// a line of a comment\n", change.MaxFileText/20)}},
	} {
		for note, state := range map[string]string{NoteNotConfigured: ModelNone, NoteBudget: ModelUnavailable} {
			t.Run(name+", "+note, func(t *testing.T) {
				t.Parallel()
				in := sampleChange(t)
				in.Models, in.ModelNote = nil, note
				in.shows(enginetest.Tree{}, c.head, nil)
				res := review(t, in, Deps{})
				if n := res.Coverage.By(ExtentChecked); len(n) != 1 {
					t.Errorf("want one file that was checked: %+v", res.Coverage)
				}
				if res.ModelState != state || res.ModelNote != note || Incomplete(res.ModelState, res.ModelNote).English() == "" {
					t.Errorf("state %q, note %q", res.ModelState, res.ModelNote)
				}
				if res.Incomplete() == (state == ModelNone) {
					t.Errorf("incomplete: %t", res.Incomplete())
				}
			})
		}
	}
}
