package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestSignInLinkIsUsedOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		u := must2(s.CreateUser(bg, "Mona", true))(t)
		testkit.OK(t, s.CreateSignInLink(bg, store.NewSignInLink{TokenHash: "hash", User: u.ID, Purpose: store.LinkSetup, Life: time.Hour}))
		testkit.Equal(t, "peeked", must2(s.PeekSignInLink(bg, "hash"))(t), store.SignInLink{User: u, Purpose: store.LinkSetup})
		testkit.Equal(t, "peeked again", must2(s.PeekSignInLink(bg, "hash"))(t), store.SignInLink{User: u, Purpose: store.LinkSetup})
		testkit.Equal(t, "redeemed", winners(t, 16, func(int) (bool, error) { return found(s.RedeemSignInLink(bg, "hash")) }), 1)
		_, err := s.PeekSignInLink(bg, "hash")
		wantKind(t, err, errs.NotFound)
		_, err = s.RedeemSignInLink(bg, "other")
		wantKind(t, err, errs.NotFound)

		testkit.OK(t, s.CreateSignInLink(bg, store.NewSignInLink{TokenHash: "late", User: u.ID, Purpose: store.LinkSetup, Life: time.Hour}))
		raw(t, s, `UPDATE sign_in_links SET expires_us = {now} - 1 WHERE token_hash = 'late'`)
		_, err = s.PeekSignInLink(bg, "late")
		wantKind(t, err, errs.NotFound)
		_, err = s.RedeemSignInLink(bg, "late")
		wantKind(t, err, errs.NotFound)
		wantKind(t, s.CreateSignInLink(bg, store.NewSignInLink{TokenHash: "hash", User: u.ID, Purpose: store.LinkSetup, Life: time.Hour}), errs.Conflict)
		wantKind(t, s.CreateSignInLink(bg, store.NewSignInLink{TokenHash: "x", User: "usr_none", Purpose: store.LinkSetup, Life: time.Hour}), errs.NotFound)
	})
}

func TestSessions(t *testing.T) {
	const idle, absolute = time.Hour, 10 * time.Hour
	each(t, func(t *testing.T, s *store.Store) {
		u := must2(s.CreateUser(bg, "Mona", false))(t)
		for name, age := range map[string]string{
			"live":     `UPDATE sessions SET used_us = used_us - 1800000000 WHERE token_hash = $1`,
			"idle":     `UPDATE sessions SET used_us = used_us - 3600000000 WHERE token_hash = $1`,
			"absolute": `UPDATE sessions SET expires_us = {now} - 1 WHERE token_hash = $1`,
		} {
			made := must2(s.OpenSession(bg, store.NewSession{TokenHash: name, CSRF: "csrf", User: u.ID, Method: "link", Absolute: absolute}))(t)
			testkit.Equal(t, "end", made.ExpiresUS-made.CreatedUS, absolute.Microseconds())
			raw(t, s, age, name)
			_, unused := s.LiveSession(bg, name, idle)
			old := count(t, s, `SELECT COUNT(*) FROM sessions WHERE token_hash = 'live' AND used_us < {now} - 60000000`)
			testkit.Equal(t, "a look renews nothing", old > 0, name == "live")
			_, err := s.UseSession(bg, name, idle)
			testkit.Equal(t, "a look finds the session as a use does", errs.Is(unused, errs.NotFound), errs.Is(err, errs.NotFound))
			if name != "live" {
				wantKind(t, err, errs.NotFound)
				continue
			}
			testkit.OK(t, err)
			testkit.Equal(t, "idle sessions", count(t, s, `SELECT COUNT(*) FROM sessions WHERE token_hash = 'live' AND used_us < {now} - 60000000`), 0)
		}
		_, err := s.UseSession(bg, "none", idle)
		wantKind(t, err, errs.NotFound)
		testkit.OK(t, s.DropSessions(bg, idle))
		testkit.Equal(t, "sessions", count(t, s, `SELECT COUNT(*) FROM sessions`), 1)
	})
}

// All sessions of a person or of an app end. Sessions that had already ended are not counted.
func TestEndedSessionsAreCounted(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for name, end := range map[string]func(user string) (int64, error){
			"of a person": func(user string) (int64, error) { return s.EndSessionsOf(bg, user, time.Hour) },
			"of an app":   func(string) (int64, error) { return s.EndSessionsFrom(bg, "app_1", time.Hour) },
		} {
			t.Run(name, func(t *testing.T) {
				u := must2(s.CreateUser(bg, "Mona", false))(t)
				for _, token := range []string{"live", "live too", "idle", "absolute"} {
					must2(s.OpenSession(bg, store.NewSession{TokenHash: token, User: u.ID, Method: "github", Provider: "app_1", Absolute: time.Hour}))(t)
				}
				raw(t, s, `UPDATE sessions SET used_us = used_us - 3600000000 WHERE token_hash = 'idle'`)
				raw(t, s, `UPDATE sessions SET expires_us = {now} - 1 WHERE token_hash = 'absolute'`)
				testkit.Equal(t, "ended", must2(end(u.ID))(t), 2)
				testkit.Equal(t, "left", count(t, s, `SELECT COUNT(*) FROM sessions`), 0)
			})
		}
	})
}

func TestMembers(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		a, b := storetest.Tenant(t, s), storetest.Tenant(t, s)
		u := must2(s.CreateUser(bg, "Mona", false))(t)
		testkit.Equal(t, "role of a stranger", must2(s.RoleOf(bg, a, u.ID))(t), "")
		testkit.OK(t, s.SetMember(bg, a, u.ID, domain.RoleMember, "hand"))
		testkit.OK(t, s.SetMember(bg, a, u.ID, domain.RoleAdmin, "hand"))
		testkit.Equal(t, "role", must2(s.RoleOf(bg, a, u.ID))(t), domain.RoleAdmin)
		testkit.Equal(t, "role elsewhere", must2(s.RoleOf(bg, b, u.ID))(t), "")
		mine := must2(s.SessionTenants(bg, store.Session{UserID: u.ID}))(t)
		testkit.Require(t, "tenants", len(mine), 1)
		testkit.Equal(t, "tenant", mine[0].ID, a.ID)
		testkit.Require(t, "users", len(must2(s.Users(bg))(t)), 1)
		testkit.Equal(t, "user", must2(s.UserByID(bg, u.ID))(t), u)
		if err := s.SetMember(bg, a, u.ID, "owner", "hand"); err == nil {
			t.Error("a role that does not exist was stored")
		}
	})
}

func wantUsage(t *testing.T, what string, got, want store.ModelUsage) {
	t.Helper()
	testkit.Equal(t, what, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
}

func TestUsage(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		call := store.ModelCall{Repository: w.Repository.ID, Run: w.Run.ID, Stage: "generate", Tier: "fast", Credential: "crd", Model: "m"}
		cost := int64(1500)
		for _, end := range []*store.ModelCall{{Input: 10, Cached: 4, Output: 5, Reasoning: 1, CostMicros: &cost, Outcome: "ok"}, {Input: 1, Outcome: "timeout"}, nil} {
			id := must2(s.BeginCall(bg, w.Tenant, call))(t)
			if end != nil {
				must2(s.EndCall(bg, w.Tenant, id, *end))(t)
			}
		}
		got := must2(s.RunUsage(bg, w.Tenant, w.Run.ID))(t)
		testkit.Require(t, "rows", len(got), 1)
		wantUsage(t, "sum", got[0], store.ModelUsage{Tier: "fast", Model: "m", Calls: 3, Input: 11, Cached: 4, Output: 5, Reasoning: 1, CostMicros: 1500, Unpriced: 1, Open: 1})
		_, err := s.EndCall(bg, w.Tenant, "cal_none", call)
		wantKind(t, err, errs.NotFound)
		testkit.OK(t, s.AddEvent(bg, w.Tenant, "review.completed", w.Run.ID, "{}"))
		wantKind(t, s.AddEvent(bg, domain.Tenant{ID: "ten_none"}, "k", "s", "{}"), errs.NotFound)

		must2(s.Ingest(bg, delivery("app_1", "g")))(t)
		d := must2(s.DeliveriesByGUID(bg, "g"))(t)[0]
		_, err = s.StartDelay(bg, w.Tenant, w.Run.ID)
		wantKind(t, err, errs.NotFound)
		raw(t, s, `UPDATE review_runs SET delivery_id = $1, started_us = $2`, d.ID, d.ReceivedUS+1234000)
		_, err = s.StartDelay(bg, w.Tenant, w.Run.ID) // the delivery made no run, or another one
		wantKind(t, err, errs.NotFound)
		raw(t, s, `UPDATE webhook_deliveries SET disposition = 'run', run_id = $1 WHERE id = $2`, w.Run.ID, d.ID)
		testkit.Equal(t, "delay", must2(s.StartDelay(bg, w.Tenant, w.Run.ID))(t), 1234*time.Millisecond)
		_, err = s.StartDelay(bg, domain.Tenant{ID: "ten_none"}, w.Run.ID)
		wantKind(t, err, errs.NotFound)
	})
}

// A person who is an admin only through an installation that is gone does not count as the remaining
// admin when the others leave.
func TestLapsedAdminIsNotTheLast(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		byHost, byHand := must2(s.CreateUser(bg, "Olga", false))(t).ID, must2(s.CreateUser(bg, "Ada", false))(t).ID
		testkit.OK(t, s.GrantMember(bg, w.Tenant, store.Membership{User: byHost, Role: domain.RoleAdmin, Source: domain.SourceHost, SourceID: w.Installation.ID}))
		testkit.OK(t, s.SetMember(bg, w.Tenant, byHand, domain.RoleAdmin, domain.SourceHand))
		for _, step := range []struct {
			state  domain.InstallationState
			lapses string // age of the confirmation in µs
			role   domain.Role
		}{
			{domain.InstallationActive, "90000000000", domain.RoleAdmin},
			{domain.InstallationSuspended, "80000000000", domain.RoleAdmin},
			{domain.InstallationSuspended, "90000000000", ""},
			{domain.InstallationDeleted, "90000000000", ""},
		} {
			what := fmt.Sprint(step.state, " for ", step.lapses)
			testkit.OK(t, s.SetInstallationState(bg, w.Installation.ID, step.state))
			raw(t, s, `UPDATE memberships SET confirmed_us = {now} - `+step.lapses+` WHERE source = 'host'`)
			testkit.Equal(t, what, must2(s.RoleOf(bg, w.Tenant, byHost))(t), step.role)
			testkit.Equal(t, what+": tenants", len(must2(s.SessionTenants(bg, store.Session{UserID: byHost}))(t)), map[bool]int{true: 1}[step.role != ""])
		}
		wantKind(t, s.DismissMember(bg, w.Tenant, byHand), errs.Conflict)
		testkit.OK(t, s.SetInstallationState(bg, w.Installation.ID, domain.InstallationActive))
		testkit.OK(t, s.DismissMember(bg, w.Tenant, byHand))
	})
}

// Reading all tenants of a person in one call returns the same as reading each.
func TestPlacesOf(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		mona := must2(s.CreateUser(bg, "Mona", false))(t).ID
		provider := must2(s.CreateIdentityProvider(bg, store.IdentityProvider{ID: "idp_1", Slug: "x", Issuer: "https://x.example", ClientSecret: []byte("sealed"), Scopes: "[]", Enabled: true, Tenants: []string{w.Tenant.ID}}))(t)
		session := func(method string) store.Session {
			return must2(s.OpenSession(bg, store.NewSession{TokenHash: method, User: mona, Method: method, Provider: provider.ID, Absolute: time.Hour}))(t)
		}
		host, ours := session("github"), session(store.MethodOIDC+"x")
		plain, out, late := storetest.Tenant(t, s), storetest.Tenant(t, s), storetest.Tenant(t, s)
		testkit.OK(t, s.SetMember(bg, w.Tenant, mona, domain.RoleMember, domain.SourceHand))
		testkit.OK(t, s.GrantMember(bg, w.Tenant, store.Membership{User: mona, Role: domain.RoleAdmin, Source: domain.SourceHost, SourceID: w.Installation.ID}))
		testkit.OK(t, s.PutSetting(bg, w.Tenant, "", store.SettingTenant, `{"requiredIdentityProviderId":"idp_1"}`))
		for _, in := range []domain.Tenant{plain, out} {
			testkit.OK(t, s.SetMember(bg, in, mona, domain.RoleMember, domain.SourceHand))
		}
		testkit.OK(t, s.SignOutMember(bg, out, mona))
		testkit.OK(t, s.GrantMember(bg, late, store.Membership{User: mona, Role: domain.RoleAdmin, Source: domain.SourceHost, SourceID: "ins_gone"}))
		raw(t, s, `UPDATE memberships SET confirmed_us = {now} - 90000000000 WHERE source_id = 'ins_gone'`)
		for name, v := range map[string]store.Session{"of a code host": host, "of a provider of one of them": ours} {
			t.Run(name, func(t *testing.T) {
				places := must2(s.SessionTenants(bg, v))(t)
				testkit.Require(t, "places", len(places), 3)
				for i, want := range []struct {
					in   domain.Tenant
					role domain.Role
				}{{w.Tenant, domain.RoleAdmin}, {plain, domain.RoleMember}, {out, domain.RoleMember}} {
					testkit.Equal(t, "tenant", places[i].Tenant, must2(s.ReadTenant(bg, want.in))(t))
					testkit.Equal(t, "role", places[i].Role, want.role)
					testkit.Equal(t, "door", places[i].Access, must2(s.SessionAccess(bg, want.in, v))(t))
					testkit.Equal(t, "may be used", places[i].Access.Allowed, name == "of a code host" || i == 0)
				}
				testkit.Equal(t, "signed out", places[2].Access.SignedOut && !places[1].Access.SignedOut, true)
				testkit.Equal(t, "settings", places[0].Access.Settings.Body, `{"requiredIdentityProviderId":"idp_1"}`)
			})
		}
	})
}
