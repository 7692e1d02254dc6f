package codehosttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// Thumb is a reaction of a person to an inline comment.
type Thumb struct {
	Comment domain.HostID
	Actor   string
	Up      bool
	Remove  bool // it is taken back
	Other   bool // instead of a thumb, a reaction that does not count
}

// testReactions checks that thumbs are listed with their people, within the port's bounds, and that a deleted comment is left out.
func testReactions(t *testing.T, f *Fixture) {
	ctx := t.Context()
	host, ok := codehost.ReactionReaderOf(f.Host)
	if !ok {
		if f.Host.Capabilities().Reactions {
			t.Fatal("the host's capabilities name reactions, and the adapter reads none")
		}
		t.Skip("the capabilities of the host name no reactions")
	}
	review := f.publish(t, f.draft("a review"))
	comments := must[[]codehost.Comment](t)(f.Host.ReviewComments(ctx, f.Repo, f.Number, review))
	first, second := comments[0].ID, comments[1].ID
	shown := func() string {
		t.Helper()
		all := must[map[domain.HostID][]codehost.Reaction](t)(host.Reactions(ctx, f.Repo, f.Number, []domain.HostID{first, second}))
		var out []string
		for i, id := range []domain.HostID{first, second} {
			if _, read := all[id]; !read {
				t.Errorf("comment %d was not read", i)
			}
			for _, r := range all[id] {
				if r.Person.ID == "" || r.Person.IsBot {
					t.Errorf("person %+v", r.Person)
				}
				out = append(out, fmt.Sprint(i, " ", r.Person.Login, " ", r.Up))
			}
		}
		slices.Sort(out)
		return strings.Join(out, ", ")
	}
	step := func(want string, thumbs ...Thumb) {
		t.Helper()
		for _, r := range thumbs {
			f.React(r)
		}
		if got := shown(); got != want {
			t.Errorf("reactions %q, want %q", got, want)
		}
	}
	step("")
	step(fmt.Sprintf("0 %[1]s true, 0 %[2]s false, 1 %[2]s true", f.Author, f.Reviewer), Thumb{Comment: first, Actor: f.Author, Up: true},
		Thumb{Comment: first, Actor: f.Reviewer}, Thumb{Comment: second, Actor: f.Reviewer, Up: true})
	step(fmt.Sprintf("0 %s true", f.Author), Thumb{Comment: first, Actor: f.Reviewer, Remove: true},
		Thumb{Comment: second, Actor: f.Reviewer, Up: true, Remove: true})
	for i := range codehost.MaxReactions { // other reactions take no place of a thumb
		f.React(Thumb{Comment: first, Actor: fmt.Sprint("other", i), Other: true})
	}
	step(fmt.Sprintf("0 %s true", f.Author))
	for i := range codehost.MaxReactions/2 + 5 { // more than a page of each host
		f.React(Thumb{Comment: first, Actor: fmt.Sprint("crowd", i), Up: true})
	}
	crowd := must[map[domain.HostID][]codehost.Reaction](t)(host.Reactions(ctx, f.Repo, f.Number, []domain.HostID{first}))[first]
	if len(crowd) < codehost.MaxReactions/2 || len(crowd) > codehost.MaxReactions {
		t.Errorf("%d reactions of a crowd", len(crowd))
	}
}
