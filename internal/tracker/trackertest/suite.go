package trackertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

// Suite is an adapter under test.
type Suite struct {
	Dialect simapi.Dialect
	Doubts  []simapi.Doubt
	New     func(tracker.Config) (tracker.Tracker, error)
	// Text writes a paragraph, a list of two items and code in the tracker's own form.
	Text func(paragraph, one, two, code string) string
	// Field is the id of a field with criteria in the same form; "" if the tracker does not support one.
	Field string
	// Foreign are keys that the tracker cannot have.
	Foreign []string
	// AsksLinks reports that the tracker can search for issues linked to an address.
	AsksLinks bool
}

type bench struct {
	*World
	Suite
	tracker.Tracker
}

func (s Suite) start(t *testing.T) *bench {
	t.Helper()
	w := NewWorld(t, s.Dialect, s.Doubts...)
	return &bench{World: w, Suite: s, Tracker: Must(s.New(w.Config(t)))(t)}
}

// Run checks that the adapter keeps the promises of the port.
func Run(t *testing.T, s Suite) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, *bench)
	}{
		{"WhoAndProjects", whoAndProjects}, {"ReadsAnIssue", readsAnIssue}, {"Missing", missing}, {"Moved", moved}, {"NewestFirst", newestFirst},
		{"Comments", comments}, {"LongTexts", longTexts}, {"Fields", fields}, {"LinkedPullRequests", linkedPullRequests},
		{"CommentOnce", commentOnce}, {"OthersMarker", othersMarker}, {"ManyComments", manyComments}, {"LinkOnce", linkOnce},
		{"Refused", refusedWrites},
		{"ErrorClasses", errorClasses}, {"LostAnswers", lostAnswers}, {"Limits", limits}, {"Redirects", redirects}, {"Beyond", beyond},
		{"SecretsStay", secretsStay},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, s.start(t)) })
	}
}

func whoAndProjects(t *testing.T, b *bench) {
	who := Must(b.OwnAccount(t.Context()))(t)
	if who.ID != b.Me.ID || !strings.EqualFold(who.Name, "Bot") {
		t.Errorf("account %+v", who)
	}
	list := Must(b.Projects(t.Context()))(t)
	want := []string{b.Other, b.Project}
	slices.Sort(want)
	var keys []string
	for _, p := range list {
		keys = append(keys, p.Key)
		if p.Name == "" {
			t.Errorf("project %+v has no name", p)
		}
	}
	if !slices.Equal(keys, want) {
		t.Errorf("projects %v, want %v", keys, want)
	}
}

func readsAnIssue(t *testing.T, b *bench) {
	parent := b.Make(t, simapi.IssueSpec{Title: "Payouts"})
	made := b.Make(t, simapi.IssueSpec{Type: "Bug", State: "Doing", Title: "Pay out  at\nnight", Parent: parent.Key,
		Text: b.Text("Pay out at night.", "Runs at two", "Sends a mail", "if x {\n\treturn\n}")})
	i := Must(b.Issue(t.Context(), made.Key, tracker.Want{}))(t)
	if i.Key != made.Key || i.ID != made.ID || i.Project != b.Project || i.URL != made.URL || i.State != "Doing" || i.Done ||
		i.Title != "Pay out at night" || i.Parent != parent.Key {
		t.Errorf("issue %+v, made %+v", i, made)
	}
	if i.Type != "Bug" && b.Suite.Dialect != simapi.Linear {
		t.Errorf("type %q", i.Type)
	}
	for _, want := range []string{"Pay out at night.", "- Runs at two", "- Sends a mail", "if x {\n\treturn\n}", "```"} {
		if !strings.Contains(i.Description, want) {
			t.Errorf("description has no %q:\n%s", want, i.Description)
		}
	}
	if i.UpdatedAt.IsZero() || i.Cut || i.Comments != nil {
		t.Errorf("updated %v, cut %v, comments %v", i.UpdatedAt, i.Cut, i.Comments)
	}
	done := b.Make(t, simapi.IssueSpec{State: "Shipped", Done: true})
	if i := Must(b.Issue(t.Context(), done.Key, tracker.Want{}))(t); !i.Done {
		t.Errorf("issue in a done state: %+v", i)
	}
}

func missing(t *testing.T, b *bench) {
	hidden := b.Make(t, simapi.IssueSpec{Hidden: true})
	gone := b.Make(t, simapi.IssueSpec{})
	NoError(t, b.DeleteIssue(t.Context(), gone.Key))
	for _, key := range []string{hidden.Key, gone.Key} {
		_, err := b.Issue(t.Context(), key, tracker.Want{})
		IsClass(t, err, tracker.ClassNotFound)
	}
	before := len(Must(b.Requests(t.Context(), all))(t))
	for _, key := range append(b.Foreign, "", "../admin", "A-1?x=y", "PAY-1\n", strings.Repeat("A", 100)+"-1", "PAY-1/comment") {
		_, err := b.Issue(t.Context(), key, tracker.Want{})
		IsClass(t, err, tracker.ClassNotFound)
		_, _, err = b.FindComment(t.Context(), key, "m")
		IsClass(t, err, tracker.ClassNotFound)
		_, err = b.PutComment(t.Context(), key, "", "x", "m")
		IsClass(t, err, tracker.ClassNotFound)
		IsClass(t, b.PutLink(t.Context(), key, tracker.Link{ID: "a", URL: PullRequest, Title: "x"}), tracker.ClassNotFound)
	}
	if after := len(Must(b.Requests(t.Context(), all))(t)); after != before {
		t.Errorf("%d requests for keys that cannot be", after-before)
	}
}

func moved(t *testing.T, b *bench) {
	made := b.Make(t, simapi.IssueSpec{})
	now := Must(b.EditIssue(t.Context(), made.Key, simapi.IssueChange{Project: &b.Other}))(t)
	i := Must(b.Issue(t.Context(), made.Key, tracker.Want{}))(t)
	if i.Key != now.Key || i.ID != made.ID || i.Project != b.Other {
		t.Errorf("moved issue %+v, want key %s and id %s", i, now.Key, made.ID)
	}
}

func newestFirst(t *testing.T, b *bench) {
	var keys []string
	for n := range 4 {
		keys = append(keys, b.Make(t, simapi.IssueSpec{Title: fmt.Sprint("Issue ", n)}).Key)
	}
	b.Make(t, simapi.IssueSpec{Project: b.Other})
	title := "Changed"
	Must(b.EditIssue(t.Context(), keys[1], simapi.IssueChange{Title: &title}))(t)
	list := Must(b.Newest(t.Context(), b.Project, 3, tracker.Want{}))(t)
	var got []string
	for _, i := range list {
		got = append(got, i.Key)
	}
	if want := []string{keys[1], keys[3], keys[2]}; !slices.Equal(got, want) {
		t.Errorf("newest %v, want %v", got, want)
	}
	if len(list) > 0 && list[0].Title != "Changed" {
		t.Errorf("newest %+v", list[0])
	}
	list, err := b.Newest(t.Context(), "None", 3, tracker.Want{})
	if len(list) > 0 || err != nil && tracker.ClassOf(err) != tracker.ClassNotFound && tracker.ClassOf(err) != tracker.ClassInvalid {
		t.Errorf("issues of no project: %v, %v", list, err)
	}
}

func comments(t *testing.T, b *bench) {
	made := b.Make(t, simapi.IssueSpec{})
	for n := range 25 {
		who := b.Ann
		if n == 24 {
			who = b.Me
		}
		Must(b.Comment(t.Context(), made.Key, simapi.CommentSpec{Account: who.ID, Text: b.Text(fmt.Sprintf("Comment %d.", n), "a", "b", "c")}))(t)
	}
	i := Must(b.Issue(t.Context(), made.Key, tracker.Want{Comments: true}))(t)
	if len(i.Comments) != tracker.MaxComments {
		t.Fatalf("%d comments", len(i.Comments))
	}
	for n, c := range i.Comments {
		last := n == len(i.Comments)-1
		if !strings.Contains(c.Text, fmt.Sprintf("Comment %d.", n+5)) || c.Own != last || c.Author == "" || c.At.IsZero() || c.ID == "" {
			t.Errorf("comment %d: %+v", n, c)
		}
	}
}

func longTexts(t *testing.T, b *bench) {
	long := strings.Repeat("All work and no play. ", 60_000) // 1.3 MB
	made := b.Make(t, simapi.IssueSpec{Title: strings.Repeat("T", 900), Text: b.Text(long, "a", "b", "c")})
	Must(b.Comment(t.Context(), made.Key, simapi.CommentSpec{Account: b.Ann.ID, Text: b.Text(long, "a", "b", "c")}))(t)
	i := Must(b.Issue(t.Context(), made.Key, tracker.Want{Comments: true}))(t)
	if len(i.Description) > tracker.MaxText || len(i.Description) < tracker.MaxText/2 || !i.Cut {
		t.Errorf("%d bytes of description, cut %v", len(i.Description), i.Cut)
	}
	if len([]rune(i.Title)) > tracker.MaxTitle || len(i.Comments) != 1 || len(i.Comments[0].Text) > tracker.MaxComment {
		t.Errorf("title of %d, comments %d", len(i.Title), len(i.Comments))
	}
}

func fields(t *testing.T, b *bench) {
	made := b.Make(t, simapi.IssueSpec{Fields: map[string]string{b.Field: b.Text("Criteria.", "Runs at two", "Sends a mail", "x")}})
	i := Must(b.Issue(t.Context(), made.Key, tracker.Want{CriteriaField: b.Field}))(t)
	if b.Field == "" {
		if i = Must(b.Issue(t.Context(), made.Key, tracker.Want{CriteriaField: "anything"}))(t); i.CriteriaKnown || i.Criteria != "" {
			t.Errorf("criteria of a tracker without fields: %+v", i)
		}
		return
	}
	if !i.CriteriaKnown || !strings.Contains(i.Criteria, "- Runs at two\n") {
		t.Errorf("criteria %v %q", i.CriteriaKnown, i.Criteria)
	}
	i = Must(b.Issue(t.Context(), made.Key, tracker.Want{CriteriaField: b.Field + "9"}))(t)
	if i.CriteriaKnown {
		t.Errorf("a field that is not there is known: %+v", i)
	}
	IsClass(t, mistake(b.Issue(t.Context(), made.Key, tracker.Want{CriteriaField: "a&b=c"})), tracker.ClassInvalid)
}

func mistake[T any](_ T, err error) error { return err }

func linkedPullRequests(t *testing.T, b *bench) {
	one, two := b.Make(t, simapi.IssueSpec{}), b.Make(t, simapi.IssueSpec{})
	for _, key := range []string{one.Key, two.Key} {
		NoError(t, b.Link(t.Context(), key, simapi.Link{URL: PullRequest, Title: "Pay"}))
	}
	NoError(t, b.Link(t.Context(), one.Key, simapi.Link{URL: "https://docs.example.com/payouts", Title: "Docs"}))
	NoError(t, b.Link(t.Context(), one.Key, simapi.Link{URL: "https://gitlab.com/a/b/-/merge_requests/3", Title: "MR"}))
	i := Must(b.Issue(t.Context(), one.Key, tracker.Want{Links: true}))(t)
	if want := []string{PullRequest, "https://gitlab.com/a/b/-/merge_requests/3"}; !slices.Equal(i.PullRequests, want) {
		t.Errorf("pull requests %v, want %v", i.PullRequests, want)
	}
	keys := Must(b.LinkedTo(t.Context(), PullRequest))(t)
	slices.Sort(keys)
	want := []string{one.Key, two.Key}
	if !b.AsksLinks {
		want = nil
	}
	if !slices.Equal(keys, want) || keys == nil != (want == nil) {
		t.Errorf("linked issues %v, want %v", keys, want)
	}
	if keys := Must(b.LinkedTo(t.Context(), "https://github.com/octo/demo/pull/8"))(t); len(keys) > 0 {
		t.Errorf("linked issues of another address: %v", keys)
	}
}
