package publish_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// found stores the findings of the payload of [two]. It returns the payload with their ids, and their names
// by id.
func (f *fixture) found() (p publish.Payload, names map[string]string) {
	f.t.Helper()
	saved, err := f.store.SaveRunFindings(bg, f.run, []domain.Finding{{Title: "x", Fingerprints: domain.Fingerprints{Exact: "1"}}, {Title: "y", Fingerprints: domain.Fingerprints{Exact: "2"}}})
	testkit.OK(f.t, err)
	p, names = two(), map[string]string{}
	for i := range p.Comments {
		names[saved[i].ID] = p.Comments[i].FindingID
		p.Comments[i].FindingID = saved[i].ID
		p.Posted = append(p.Posted, saved[i].ID)
	}
	return p, names
}

// posted returns the names of the findings that count as seen.
func (f *fixture) posted(names map[string]string) string {
	f.t.Helper()
	known, err := f.store.KnownFindings(bg, f.world.Tenant, f.run.PullRequest)
	testkit.OK(f.t, err)
	var posted []string
	for _, k := range known {
		if k.PostedRun != "" {
			posted = append(posted, names[k.ID])
		}
	}
	slices.Sort(posted)
	return strings.Join(posted, " ")
}

// summary returns the visible text of the summary, or "".
func (f *fixture) summary() string {
	for _, c := range f.notes.visible {
		if c.Path == "" {
			return c.Body
		}
	}
	return ""
}

func many(n int, o outcome) []outcome { return slices.Repeat([]outcome{o}, n) }

// The host's reply about a comment is not trusted, only the comment itself. A missing comment is not posted,
// and the summary mentions it.
func TestNotesAndAHostThatSaysOtherwise(t *testing.T) {
	cases := map[string]struct {
		script map[string][]outcome
		shown  string
		says   string // part of the summary
		posted string
		reason string
	}{
		"the first made, its draft kept":          {script: map[string][]outcome{"submit": {draftKept}}, shown: allShown, posted: "f1 f2"},
		"all made, their drafts kept":             {script: map[string][]outcome{"submit": many(3, draftKept)}, shown: allShown, posted: "f1 f2"},
		"the first refused without a reason":      {script: map[string][]outcome{"submit": many(6, lostDropped)}, shown: "b.go:9 another comment, the body", says: "the comment", posted: "f2"},
		"the first reported but not made":         {script: map[string][]outcome{"submit": {unmade}}, shown: "b.go:9 another comment, the body", says: "the comment", posted: "f2"},
		"both reported but not made":              {script: map[string][]outcome{"submit": {unmade, unmade}}, shown: "the body", says: "another comment", posted: ""},
		"the edit of the summary is lost":         {script: map[string][]outcome{"submit": {unmade}, "edit": {lostApplied}}, shown: "b.go:9 another comment, the body", says: "the comment", posted: "f2"},
		"the edit of the summary does not arrive": {script: map[string][]outcome{"submit": {unmade}, "edit": {lostDropped}}, shown: "b.go:9 another comment, the body", says: "the comment", posted: "f2"},
		"the edit of the summary is refused":      {script: map[string][]outcome{"submit": {unmade}, "edit": {invalid}}, shown: "b.go:9 another comment, the body", posted: "f2"},
		"the summary reported but not made":       {script: map[string][]outcome{"submit": {"", "", unmade}}, shown: "a.go:3 the comment, b.go:9 another comment", posted: "f1 f2", reason: publish.ReasonDeleted},
		"the summary refused without a reason":    {script: map[string][]outcome{"submit": append([]outcome{"", ""}, many(8, lostDropped)...)}, shown: "a.go:3 the comment, b.go:9 another comment", posted: "f1 f2", reason: publish.ReasonRefused},
	}
	each(t, func(t *testing.T, s *store.Store) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				f := newNotes(t, s)
				f.host.script = scripted(c.script)
				p, names := f.found()
				for range 3 { // an unclear answer may be a counted failure
					if err, _ := f.attempt(p); err == nil {
						break
					}
				}
				testkit.Equal(t, "visible", f.shown(), c.shown)
				if c.reason == "" {
					f.over(domain.RunCompleted, domain.PhasePublished, "")
				} else {
					f.over(domain.RunFailed, domain.PhaseAbandoned, c.reason)
				}
				if !strings.Contains(f.summary(), c.says) || c.says == "" && strings.Contains(f.summary(), "comment") {
					t.Errorf("the summary: %s", f.summary())
				}
				testkit.Equal(t, "posted", f.posted(names), c.posted)
				testkit.OK(t, f.publisher().Clean(bg, f.run, f.notes, repo))
				testkit.Equal(t, "drafts left", len(f.notes.drafts), 0)
			})
		}
	})
}

// If a worker dies while it adds missing comments to the summary, the next one continues.
func TestNotesThatAreMissingAndACrash(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		n, died := 0, true
		for died {
			n++
			f := newNotes(t, s)
			f.host.script = scripted(map[string][]outcome{"submit": {unmade}})
			p, names := f.found()
			f.host.crashAt(n)
			_, died = f.attempt(p)
			f.host.point = nil
			if died {
				err, _ := f.attempt(p)
				testkit.OK(t, err)
			}
			testkit.Equal(t, "visible", f.shown(), "b.go:9 another comment, the body")
			f.over(domain.RunCompleted, domain.PhasePublished, "")
			testkit.Equal(t, "posted", f.posted(names), "f2")
			if strings.Count(f.summary(), "the comment") != 1 {
				t.Fatalf("point %d: the summary: %s", n, f.summary())
			}
			testkit.OK(t, f.publisher().Clean(bg, f.run, f.notes, repo))
			testkit.Equal(t, "drafts left", len(f.notes.drafts), 0)
		}
	})
}

// A review with the maximum of comments, all refused, ends.
func TestEveryNoteIsRefused(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newNotes(t, s)
		p := two()
		for i := range 40 {
			c := p.Comments[0]
			c.FindingID = fmt.Sprint("g", i)
			p.Comments = append(p.Comments, c)
		}
		f.host.script = map[string][]outcome{"create": many(len(p.Comments), invalid)}
		err, _ := f.attempt(p)
		testkit.OK(t, err)
		testkit.Equal(t, "visible", f.shown(), "the body")
		f.over(domain.RunCompleted, domain.PhasePublished, "")
	})
}

// The janitor deletes drafts that equal the frozen payload, and none that a person edited, whatever mark it
// has.
func TestTheJanitorKeepsWordsOfAPerson(t *testing.T) {
	for name, edit := range map[string]func(string) string{
		"above the mark": func(body string) string { return "Wait, I want to say this.\n\n" + body },
		"below the mark": func(body string) string { return body + "\n\nAnd this." },
		"in between":     func(body string) string { return strings.Replace(body, "comment", "remark", 1) },
	} {
		each(t, func(t *testing.T, s *store.Store) {
			f := newNotes(t, s)
			f.host.point = func(at string) {
				if at == "create: after" {
					f.host.pr.Open = false
				}
			}
			err, _ := f.attempt(two())
			testkit.OK(t, err)
			f.host.point = nil
			f.over(domain.RunCancelled, domain.PhaseAbandoned, publish.ReasonClosed)
			testkit.Require(t, "drafts", len(f.notes.drafts), 3)
			f.notes.drafts[0].Body = edit(f.notes.drafts[0].Body)
			f.notes.drafts[1].Body = strings.ReplaceAll(f.notes.drafts[1].Body, "\n", "\r\n") // as a host may do
			want := f.notes.drafts[0].Body
			testkit.OK(t, f.publisher().Clean(bg, f.run, f.notes, repo))
			if len(f.notes.drafts) != 1 || f.notes.drafts[0].Body != want {
				t.Errorf("%s: drafts %+v", name, f.notes.drafts)
			}
		})
	}
}

// A review ends even if there are more comments than a list may have.
func TestNotesAmongTooManyComments(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newNotes(t, s)
		f.host.script = map[string][]outcome{"comments": many(9, tooMany), "submit": {lostApplied}}
		err, _ := f.attempt(two())
		testkit.OK(t, err)
		testkit.Equal(t, "visible", f.shown(), allShown)
		f.over(domain.RunCompleted, domain.PhasePublished, "")
		testkit.Equal(t, "review", f.publication().ReviewID, domain.HostID(""))
	})
}
