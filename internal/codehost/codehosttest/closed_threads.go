package codehosttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// testClosedThreads checks that the host names the person who closed one of our threads. It must leave out threads that
// our account closed, threads of other people and, if the host reports it, threads whose lines a push changed.
func testClosedThreads(t *testing.T, f *Fixture) {
	ctx := t.Context()
	if !f.Host.Capabilities().TellsResolver {
		t.Skip("the host does not say who closed a thread")
	}
	var reviews, ours []domain.HostID
	publish := func(d codehost.Draft) []domain.HostID {
		review := f.publish(t, d)
		var ids []domain.HostID
		for _, c := range must[[]codehost.Comment](t)(f.Host.ReviewComments(ctx, f.Repo, f.Number, review)) {
			if !slices.Contains(ours, c.ID) { // hosts without review objects list all comments
				ids = append(ids, c.ID)
			}
		}
		reviews, ours = append(reviews, review), append(ours, ids...)
		return ids
	}
	step := func(after, want string) {
		t.Helper()
		var got []string
		for id, by := range must[map[domain.HostID]codehost.Sender](t)(f.Host.ClosedThreads(ctx, f.Repo, f.Number, reviews)) {
			if by.ID == "" || by.IsBot {
				t.Errorf("after %s: person %+v", after, by)
			}
			got = append(got, fmt.Sprint(slices.Index(ours, id), " ", by.Login))
		}
		slices.Sort(got)
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("after %s: closed threads %q, want %q", after, got, want)
		}
	}
	apart := f.draft("on two lines")
	apart.Comments[1].StartLine, apart.Comments[1].Line = 0, f.Line-1
	first := publish(apart)
	step("the review", "")
	f.Close(f.Author, first[0])
	f.Says(f.Line, f.Line, "a thread of the author", true)
	step("the author", "0 "+f.Author)
	if host, ok := codehost.ResolverOf(f.Host); ok {
		if err := host.SetResolved(ctx, f.Repo, f.Number, first[1], true); err != nil {
			t.Fatal(err)
		}
		step("our account", "0 "+f.Author)
	}
	want := "0 " + f.Author + ", 2 " + f.Author
	together := publish(f.draft("on one line"))
	f.Close(f.Author, together[0])
	if f.Host.Capabilities().LineThreads {
		want += ", 3 " + f.Author
	}
	step("a second review", want)
	lines := strings.Split(f.Text, "\n")
	f.Branches.Push(f.Branches.Head, map[string]string{f.Path: f.Text + "\n// One more line.\n"})
	step("a push below the lines", want)
	lines[f.Line-1] += " // changed"
	f.Branches.Push(f.Branches.Head, map[string]string{f.Path: strings.Join(lines, "\n")})
	if f.Host.Capabilities().LineThreads { // such hosts do not tell which threads are outdated
		step("a push of the lines", want)
		return
	}
	step("a push of the lines", "")
}
