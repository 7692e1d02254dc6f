package publish_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

const secretWords = "what PAY-1 wants"

// speaking returns a payload whose summary, which is its body, mentions an issue.
func speaking() publish.Payload {
	p := two()
	p.Issues = &publish.Issues{Before: markdown.Const("found"), Of: []publish.Issue{{Key: "PAY-1", Text: markdown.Const(secretWords)}}, After: markdown.Const("go on"), CheckTail: markdown.Const("not looked at"), Most: 1000, MostCheck: 1000}
	p.Body = markdown.Const("found\n\n" + secretWords + "\n\ngo on")
	p.Check.Summary = markdown.Const("found\n\n" + secretWords + "\n\ngo on\n\nnot looked at")
	return p
}

// The texts about issues can be removed and replaced in the summary and in the check run. The text around
// them and the comments that moved into the body do not change.
func TestSaying(t *testing.T) {
	t.Parallel()
	p := speaking()
	testkit.Equal(t, "the same", p.Saying(p.Issues.Of).Body, p.Body)
	none := p.Saying(nil)
	testkit.Equal(t, "body", none.Body.String(), "found\n\ngo on")
	testkit.Equal(t, "check run", none.Check.Summary.String(), "found\n\ngo on\n\nnot looked at")
	testkit.Equal(t, "the payload itself", p.Body.String(), "found\n\n"+secretWords+"\n\ngo on")

	moved := p.Placed(func(c publish.Comment) bool { return c.Path == "a.go" }, 0)
	kept := moved.Saying(nil).Body.String()
	if !strings.HasPrefix(kept, "found\n\ngo on\n\n---") || !strings.HasSuffix(kept, "another comment") || strings.Contains(kept, "PAY-1") {
		t.Errorf("the comment in the body: %s", kept)
	}
	testkit.Equal(t, "and back", moved.Saying(nil).Saying(p.Issues.Of).Body, moved.Body)

	later := speaking()
	later.SummaryBody, later.Body = later.Body, markdown.Const("what is new")
	later = later.Placed(func(publish.Comment) bool { return false }, 0).Saying(nil)
	testkit.Equal(t, "summary of a later review", later.SummaryBody.String(), "found\n\ngo on")
	testkit.Equal(t, "its body", strings.HasPrefix(later.Body.String(), "what is new\n\n---"), true)

	short := speaking()
	short.Issues.Most = 60
	long := short.Saying([]publish.Issue{{Key: "PAY-1", Text: markdown.Stored(strings.Repeat("word ", 50))}}).Body
	if long.Len() > 60 || !strings.HasPrefix(long.String(), "found") {
		t.Errorf("a summary that is too long: %s", long)
	}
	raw, err := json.Marshal(two())
	testkit.OK(t, err)
	testkit.Equal(t, "in a payload without issues", strings.Contains(string(raw), "issues"), false)
}

func withoutIssues(_ context.Context, _ domain.Tenant, _ string, p publish.Payload) (publish.Payload, error) {
	return p.Saying(nil), nil
}

// If an issue was visible when the draft was created and no longer is at the submit, the draft is submitted
// without its text.
func TestDraftsAboutAHiddenIssue(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.host.script = map[string][]outcome{"submit": {unavailable}}
		if err, _ := f.attempt(speaking()); err == nil {
			t.Fatal("the submit did not fail")
		}
		f.fit = withoutIssues
		err, _ := f.attempt(speaking())
		testkit.OK(t, err)
		f.over(domain.RunCompleted, domain.PhasePublished, "")
		testkit.Equal(t, "says so", strings.Contains(f.host.reviews[0].Body, secretWords), false)
	})
}

// A draft of the summary with a text that must no longer be shown is edited before it is published. If the
// host refuses the edit, the review is given up.
func TestNotesAboutAHiddenIssue(t *testing.T) {
	const known = "a.go:3 the comment, b.go:9 another comment, found"
	for name, c := range map[string]struct {
		late int // number of the check from which the issue is hidden; drafts are created at the first
		edit []outcome
		want string
	}{
		"before the draft":          {late: 1, want: known},
		"after the draft":           {late: 2, want: known},
		"after the cancel point":    {late: 5, want: known},
		"the edit is lost":          {late: 2, edit: []outcome{lostApplied}, want: known},
		"the edit does not arrive":  {late: 2, edit: []outcome{lostDropped}, want: known},
		"the edit cannot be made":   {late: 2, edit: []outcome{invalid}},
		"the draft cannot be found": {late: 2, edit: []outcome{notFound}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newNotes(t, s)
				f.host.script = map[string][]outcome{"edit": c.edit}
				asked := 0
				f.fit = func(ctx context.Context, tenant domain.Tenant, run string, p publish.Payload) (publish.Payload, error) {
					if asked++; asked < c.late {
						return p, nil
					}
					return withoutIssues(ctx, tenant, run, p)
				}
				for range 3 { // an unclear answer may be a counted failure
					if err, _ := f.attempt(speaking()); err == nil {
						break
					}
				}
				testkit.Equal(t, "visible", f.shown(), c.want)
				if c.want == "" {
					f.over(domain.RunFailed, domain.PhaseAbandoned, publish.ReasonWithheld)
				} else {
					f.over(domain.RunCompleted, domain.PhasePublished, "")
				}
			})
		})
	}
}
