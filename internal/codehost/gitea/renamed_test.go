package gitea

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// TestOwnerNow: the renamed owner of a connection is found by its number, even if another account took its
// former name. The other account is never returned.
func TestOwnerNow(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo} {
		s, ctx := newSim(t, kind), t.Context()
		must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "ann", Name: "own", Collaborators: map[string]string{"bot": "write"}}))(t)
		h := s.host(&codehosttest.Gate{}, "read:user", "read:organization", "write:repository")
		org := must(h.readOwner(ctx, "test", nil))(t)
		ann := must(h.withOwner("ann").readOwner(ctx, "test", nil))(t)
		now := func(name string, of codehost.RepoOwner, want string) {
			t.Helper()
			got, err := h.withOwner(name).OwnerNow(ctx, of.ID, nil)
			if want == "" {
				if codehost.ClassOf(err) != codehost.ClassNotFound {
					t.Errorf("%s: %s: %+v, %v", kind, name, got, err)
				}
				return
			}
			if of.Login = want; err != nil || got != of {
				t.Errorf("%s: %s: %+v, %v; want %+v", kind, name, got, err, of)
			}
		}
		now("octo", org, "octo")
		now("octo", codehost.RepoOwner{ID: "99999"}, "")
		for from, to := range map[string]string{"octo": "octo-new", "ann": "anna"} {
			if err := s.ctl.UpdateUser(ctx, from, shared.UserUpdate{Login: to}); err != nil {
				t.Fatal(err)
			}
		}
		now("octo", org, "octo-new")
		now("ann", ann, "anna")
		now("octo", codehost.RepoOwner{ID: "99999"}, "")
		other := must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "octo", Type: "Organization"}))(t)
		now("octo", org, "octo-new")
		now("octo", codehost.RepoOwner{ID: domain.NumberID(other.ID), Organization: true}, "octo")
	}
}
