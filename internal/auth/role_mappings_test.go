package auth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth/oidc/oidctest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/dialect"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Each sign-in updates the roles from the claims.
func TestMappingsAreEvaluatedAtEachSignIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newIDWorld(t, s)
		says := func(token, info map[string]any) {
			w.server.Change(func(a *oidctest.Answers) { a.TokenClaims, a.UserinfoClaims = token, info })
		}
		w.mapping("member", "reviewers", "groups")
		w.mapping("admin", "owners", "https://example.com/claims", "a.b", "roles")
		says(map[string]any{"groups": []any{"x", "reviewers"}}, nil)
		ada := w.signIn("ada").User
		testkit.Equal(t, "group in the token", w.role(ada), domain.RoleMember)
		says(nil, map[string]any{"groups": "reviewers"})
		w.signIn("ada")
		testkit.Equal(t, "group in userinfo, as one text", w.role(ada), domain.RoleMember)
		says(map[string]any{"groups": []any{"reviewers"}, "https://example.com/claims": map[string]any{"a.b": map[string]any{"roles": []any{"owners"}}}}, nil)
		w.signIn("ada")
		testkit.Equal(t, "path with dots", w.role(ada), domain.RoleAdmin)
		says(map[string]any{"groups": []any{"reviewers"}}, map[string]any{"groups": []any{}})
		w.signIn("ada")
		testkit.Equal(t, "one claim removed", w.role(ada), domain.RoleMember)
		says(map[string]any{"groups": []any{"Reviewers", "reviewers "}}, map[string]any{"groups": []any{"reviewers"}})
		w.signIn("ada")
		testkit.Equal(t, "the token's claim counts, exactly", w.role(ada), domain.Role(""))
		says(map[string]any{"groups": map[string]any{"reviewers": true}}, nil)
		w.signIn("ada")
		testkit.Equal(t, "neither a text nor a list", w.role(ada), domain.Role(""))

		// Roles from another source stay.
		testkit.OK(t, s.SetMember(t.Context(), w.tenant, ada, domain.RoleMember, domain.SourceHand))
		says(map[string]any{"groups": []any{"reviewers"}}, nil)
		w.signIn("ada")
		says(nil, nil)
		w.signIn("ada")
		testkit.Equal(t, "by hand", w.role(ada), domain.RoleMember)

		// A refused sign-in withdraws no role.
		bob := func() string {
			says(map[string]any{"groups": []any{"reviewers"}}, nil)
			return w.signIn("bob").User
		}()
		says(map[string]any{"hasgroups": true}, nil)
		if _, err := w.back(w.leave("bob")); !errs.Is(err, errs.Forbidden) {
			t.Error(err)
		}
		testkit.Equal(t, "after an overage", w.role(bob), domain.RoleMember)
	})
}

// A role from a mapping expires seven days after the last sign-in.
func TestMappedRolesLapse(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		w := newIDWorld(t, s)
		w.mapping("admin", "reviewers", "groups")
		w.server.Change(func(a *oidctest.Answers) { a.TokenClaims = map[string]any{"groups": []any{"reviewers"}} })
		ada, bob := w.signIn("ada").User, w.signIn("bob").User
		testkit.OK(t, s.SetMember(t.Context(), w.tenant, ada, domain.RoleMember, domain.SourceHand))
		age := func(user string, d time.Duration) {
			db, err := dialect.OpenBeside(t.Context(), url)
			testkit.OK(t, err)
			defer db.Close()
			_, err = db.Write.ExecContext(t.Context(), db.SQL(`UPDATE memberships SET confirmed_us = {now} - $1 WHERE user_id = $2`), d.Microseconds(), user)
			testkit.OK(t, err)
		}
		age(ada, 7*24*time.Hour+time.Minute)
		age(bob, 7*24*time.Hour-time.Minute)
		testkit.Equal(t, "lapsed, but by hand", w.role(ada), domain.RoleMember)
		testkit.Equal(t, "not yet", w.role(bob), domain.RoleAdmin)
		testkit.OK(t, w.auth.SweepLapsed(t.Context()))
		rows := strings.Join(storetest.Dump(t, url)["memberships"], "\n")
		if strings.Count(rows, "mapping") != 1 || strings.Count(rows, "hand") != 1 {
			t.Errorf("rows after tidying up: %s", rows)
		}
		w.signIn("ada")
		testkit.Equal(t, "after a sign-in", w.role(ada), domain.RoleAdmin)
	})
}
