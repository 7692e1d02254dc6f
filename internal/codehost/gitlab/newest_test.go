package gitlab

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/host/simclient"
)

// TestNewestProjects: the newest ones of a group and its subgroups come first, by one
// request.
func TestNewestProjects(t *testing.T) {
	t.Parallel()
	s, ctx := newSim(t), t.Context()
	for i := range codehost.MaxNewest + 1 {
		must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "octo/team", Name: fmt.Sprintf("r%d", i)}))(t)
	}
	must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "ann", Name: "own", Public: true}))(t)
	h := s.host(&codehosttest.Gate{})
	before := len(must(s.ctl.Requests(ctx, simclient.RequestFilter{}))(t))
	got := must(h.Newest(ctx, "1"))(t)
	if len(got.Repositories) != codehost.MaxNewest || got.Repositories[0].Name != fmt.Sprintf("r%d", codehost.MaxNewest) || got.Repositories[0].CreatedAt.IsZero() || got.Total != codehost.MaxNewest+2 {
		t.Errorf("newest %+v", got)
	}
	if n := len(must(s.ctl.Requests(ctx, simclient.RequestFilter{}))(t)) - before; n != 1 {
		t.Errorf("%d requests", n)
	}
	for owner, first := range map[string]string{codehost.WholeInstance: fmt.Sprintf("r%d", codehost.MaxNewest), "ann": "own"} {
		h.owner = owner
		if got := must(h.Newest(ctx, "1"))(t); len(got.Repositories) == 0 || got.Repositories[0].Name != first {
			t.Errorf("%s: %+v", owner, got)
		}
	}
	h.owner = "unknown"
	if _, err := h.Newest(ctx, "1"); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("of an unknown owner: %v", err)
	}
}
