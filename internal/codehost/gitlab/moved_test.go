package gitlab

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// movedTo counts the answers that report a new location.
type movedTo struct{ n atomic.Int64 }

// ObserveExchange implements [codehost.Observer].
func (m *movedTo) ObserveExchange(_ context.Context, a codehost.Exchange) {
	if a.Class == codehost.ClassMoved {
		m.n.Add(1)
	}
}

// A project that went to another group counts as moved, both if the host redirects and if it answers to the
// old path. The observer learns it, so that the connection is checked.
func TestProjectInAnotherGroup(t *testing.T) {
	t.Parallel()
	for name, doubts := range map[string][]simapi.Doubt{"answered": nil, "redirected": {simapi.Moved}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSim(t, doubts...)
			ctx, seen := t.Context(), &movedTo{}
			h := s.host(&codehosttest.Gate{})
			h.instance.Watch = seen
			h.instance.Client.Transport.(*wire.Transport).Watch = seen
			pull := s.open("topic", "half.go", simFile)
			repo := codehost.Repo{Access: "c1", Owner: "Octo/team", Name: "demo"} // upper and lower case are the same
			if _, err := h.PullRequest(ctx, repo, pull.Number); err != nil || seen.n.Load() != 0 {
				t.Fatalf("before: %v, %d", err, seen.n.Load())
			}
			must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "others", Type: "Organization", Members: map[string]string{"bot": "admin"}}))(t)
			if err := s.ctl.ChangeRepo(ctx, named, simapi.RepoChange{Owner: "others"}); err != nil {
				t.Fatal(err)
			}
			if _, err := h.PullRequest(ctx, repo, pull.Number); codehost.ClassOf(err) != codehost.ClassMoved || seen.n.Load() != 1 {
				t.Errorf("afterwards: %v, told %d times", err, seen.n.Load())
			}
			// A write to the old path succeeds if the host answers there. Otherwise the error says that the
			// project moved.
			wants := codehost.Class("")
			if doubts != nil {
				wants = codehost.ClassMoved
			}
			draft := codehost.DraftComment{Body: markdown.Const("a word")}
			if _, err := h.DraftNote(ctx, repo, pull.Number, pull.HeadSHA, draft); codehost.ClassOf(err) != wants {
				t.Errorf("a draft: %v", err)
			}
			_, err := h.Reply(ctx, repo, codehost.Spot{Number: pull.Number}, markdown.Const("an answer"))
			if codehost.ClassOf(err) != wants || wants != "" && seen.n.Load() != 3 {
				t.Errorf("an answer: %v, observed %d times", err, seen.n.Load())
			}
			repo.Owner = "others"
			if _, err := h.DraftNote(ctx, repo, pull.Number, pull.HeadSHA, draft); err != nil {
				t.Errorf("a draft by its new path: %v", err)
			}
			if _, err := h.PullRequest(ctx, repo, pull.Number); err != nil {
				t.Errorf("by its new path: %v", err)
			}
		})
	}
}
