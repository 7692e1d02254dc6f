package auth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// reach has two tenants, and people with sessions from different sources.
type reach struct {
	*featuretest.World
	t      *testing.T
	people map[string]string // ids by name
	tokens map[string]string // by the name of the session
}

func newReach(t *testing.T, s *store.Store) *reach {
	t.Helper()
	w := &reach{featuretest.NewWorld(t, s), t, map[string]string{}, map[string]string{}}
	w.people["admin"], w.people["member"] = w.Person("Ada", domain.RoleAdmin), w.Person("Mona", domain.RoleMember)
	stranger, err := s.CreateUser(t.Context(), "Eve", false)
	testkit.OK(t, err)
	testkit.OK(t, s.SetMember(t.Context(), w.Other.Tenant, stranger.ID, domain.RoleAdmin, domain.SourceHand))
	w.people["stranger"] = stranger.ID
	for who := range w.people {
		w.open(who, who, "link", "")
	}
	return w
}

// open opens a session of a person, by a method and a provider.
func (w *reach) open(name, who, method, provider string) {
	w.t.Helper()
	token := secret.NewToken(secret.Session).Reveal()
	_, err := w.Store.OpenSession(w.t.Context(), store.NewSession{TokenHash: secret.Hash(token), CSRF: "csrf", User: w.people[who], Method: method, Provider: provider, Absolute: time.Hour})
	testkit.OK(w.t, err)
	w.tokens[name] = token
}

// as opens a session from an identity provider, or from a code host if provider is "".
func (w *reach) as(name, who, provider string) {
	w.t.Helper()
	if provider == "" {
		w.open(name, who, "github", "")
		return
	}
	w.open(name, who, store.MethodOIDC+"x", provider)
}

// providerFor creates an identity provider for some tenants, or for all if none is given.
func (w *reach) providerFor(slug string, tenants ...string) string {
	w.t.Helper()
	change := map[string]any{"slug": slug, "displayName": "Account of " + slug, "issuer": "https://" + slug + ".example.com"}
	if len(tenants) > 0 {
		change["tenants"] = tenants
	}
	return newProvider(w.t, w.World, change).ID
}

// session returns a session as a request would find it, and false if it has ended.
func (w *reach) session(name string) (store.Session, bool) {
	w.t.Helper()
	v, err := w.Store.UseSession(w.t.Context(), secret.Hash(w.tokens[name]), time.Hour)
	if !errs.Is(err, errs.NotFound) {
		testkit.OK(w.t, err)
	}
	return v, err == nil
}

// in returns the effect of a session in a tenant: a role, "nothing", "over" if the session has ended, or the
// refusal with its code.
func (w *reach) in(name string, t domain.Tenant) string {
	w.t.Helper()
	v, live := w.session(name)
	if !live {
		return "over"
	}
	role, err := w.Features.Auth.SessionRole(w.t.Context(), t, v)
	switch {
	case err != nil && !errs.Is(err, errs.Unauthenticated):
		w.t.Errorf("%s: %v", name, err)
	case err != nil:
		return err.Error()
	case role == "":
		return "nothing"
	}
	return string(role)
}

// gives checks that in, for the world's tenant, begins with want and contains says.
func (w *reach) gives(name, want, says string) {
	w.t.Helper()
	if got := w.in(name, w.Tenant); !strings.HasPrefix(got, want) || !strings.Contains(got, says) {
		w.t.Errorf("%s: %q, want %s %q", name, got, want, says)
	}
}

// places returns the number of tenants that a session opens.
func (w *reach) places(name string) int {
	w.t.Helper()
	v, live := w.session(name)
	testkit.Require(w.t, name+" is live", live, true)
	open, _, err := w.Features.Auth.Places(w.t.Context(), v)
	testkit.OK(w.t, err)
	return len(open)
}

// newest returns the newest entry of a log.
func (w *reach) newest(t domain.Tenant) string {
	w.t.Helper()
	all, err := w.Features.Audit.Entries(w.t.Context(), t, store.AuditFilter{Limit: 1})
	testkit.OK(w.t, err)
	return all[0].Action + ": " + all[0].Note
}

// A session is valid in the tenants that may use its identity provider. It is valid for the instance only if
// the provider is for all tenants.
func TestSessionHoldsWhereItsProviderMay(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newReach(t, s)
		testkit.OK(t, s.SetMember(t.Context(), w.Other.Tenant, w.people["admin"], domain.RoleMember, domain.SourceHand))
		theirs := w.providerFor("theirs", w.Other.Tenant.ID)
		for name, row := range map[string]struct {
			provider    string
			mine, other string
			everywhere  bool
		}{
			"a code host":                    {"", "admin", "member", true},
			"a provider for all":             {w.providerFor("all"), "admin", "member", true},
			"a provider of mine":             {w.providerFor("mine", w.Tenant.ID), "admin", "nothing", false},
			"a provider of the other tenant": {theirs, "nothing", "member", false},
			"a provider of both":             {w.providerFor("two", w.Tenant.ID, w.Other.Tenant.ID), "admin", "member", false},
			"an unknown provider":            {"idp_never", "over", "over", false},
			"a provider without a record":    {theirs, "over", "over", false},
		} {
			t.Run(name, func(t *testing.T) {
				w.as(name, "admin", row.provider)
				if name == "a provider without a record" { // a session of an older version
					raw(`UPDATE sessions SET provider_id = '' WHERE token_hash = $1`, secret.Hash(w.tokens[name]))
				}
				testkit.Equal(t, "mine", w.in(name, w.Tenant), row.mine)
				testkit.Equal(t, "theirs", w.in(name, w.Other.Tenant), row.other)
				v, live := w.session(name)
				if !live {
					return
				}
				want := 2 - strings.Count(row.mine+row.other, "nothing")
				testkit.Equal(t, "tenants", w.places(name), want)
				testkit.Equal(t, "is valid for the instance", v.Everywhere, row.everywhere)
				testkit.Equal(t, "the provider", v.IdentityProvider(), row.provider)
				err := auth.MayLink(v)
				testkit.Equal(t, "refused to link", err != nil && strings.Contains(err.Error(), "for some tenants only"), !row.everywhere)
			})
		}
		w.as("theirs", "admin", theirs)
		_, err := changeProvider(t, w.World, theirs, `{"tenants":["`+w.Tenant.ID+`"]}`)
		testkit.OK(t, err)
		testkit.Equal(t, "mine, after the provider was opened to it", w.in("theirs", w.Tenant), "admin")
		testkit.Equal(t, "theirs, after it was closed to it", w.in("theirs", w.Other.Tenant), "nothing")
	})
}

// If a tenant requires an identity provider, members need a session from that provider or from a one-time
// link. Members see where to sign in, and others see the usual answer.
func TestRequiredIdentityProvider(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newReach(t, s)
		required, another, foreign := w.providerFor("company"), w.providerFor("another"), w.providerFor("foreign", w.Other.Tenant.ID)
		for by, provider := range map[string]string{"by company": required, "by another": another, "by host": "", "by foreign": foreign} {
			for who := range w.people {
				w.as(who+" "+by, who, provider)
			}
		}
		put := func(session, provider, name string) error {
			t.Helper()
			v, live := w.session(session)
			testkit.Require(t, session+" is live", live, true)
			_, err := w.Features.Tenant.PutSettings(t.Context(), w.Tenant, v.IdentityProvider(), 0, tenant.TenantSettingsUpdate{Name: name, HostOwnersAreAdmins: true, Collaborators: "none", MembersWithoutHostRole: "none",
				Currency: "USD", TimeZone: "UTC", RequiredIdentityProviderID: provider})
			return err
		}
		never, theirs := put("admin by company", "idp_never", "A"), put("admin by company", foreign, "A")
		testkit.Equal(t, "an unknown provider", featuretest.Pointers(t, never), "/requiredIdentityProviderId")
		testkit.Equal(t, "another tenant's provider", theirs.Error(), never.Error())
		for _, who := range []string{"admin by host", "admin by another", "admin"} {
			if err := put(who, required, "A"); !errs.Is(err, errs.Conflict) || code(t, err) != "other_provider" || !strings.Contains(err.Error(), "/auth/oidc/company/login") {
				t.Errorf("%s may require it: %v", who, err)
			}
		}
		w.gives("admin by host", "admin", "")
		tokens := func(what string, want domain.Role) { // credentials other than a session
			t.Helper()
			got, err := w.Features.Auth.TenantRole(t.Context(), w.Tenant, w.people["admin"])
			testkit.OK(t, err)
			testkit.Equal(t, "a token "+what, got, want)
		}
		tokens("before", domain.RoleAdmin)

		testkit.OK(t, put("admin by company", required, "A"))
		const elsewhere = "sign_in_with_provider"
		for _, who := range []string{"admin", "member"} {
			w.gives(who+" by company", who, "")
			w.gives(who, who, "") // by a one-time link
			for _, by := range []string{" by another", " by host"} {
				w.gives(who+by, elsewhere, "Sign in with Account of company, at /auth/oidc/company/login.")
				testkit.Equal(t, who+by+": tenants", w.places(who+by), 0)
			}
			w.gives(who+" by foreign", "nothing", "")
		}
		for _, who := range []string{"stranger", "stranger by company", "stranger by host", "stranger by foreign"} {
			w.gives(who, "nothing", "")
		}
		for who, told := range map[string]bool{"member by host": true, "member by company": false, "member by foreign": false, "stranger by host": false} {
			v, _ := w.session(who)
			_, closed, err := w.Features.Auth.Places(t.Context(), v)
			testkit.OK(t, err)
			says, err := w.Features.Auth.Openings(t.Context(), closed)
			testkit.OK(t, err)
			testkit.Equal(t, who+" is told what opens the tenant", strings.Contains(strings.Join(says, " "), "/auth/oidc/company/login"), told)
		}

		tokens("of an owner who has not signed in there", "")
		_, err := s.CreateIdentity(t.Context(), store.Identity{UserID: w.people["admin"], Issuer: "https://company.example.com", Subject: "1", Kind: store.IdentityOIDC})
		testkit.OK(t, err)
		tokens("of an owner who has signed in there", domain.RoleAdmin)
		raw(`UPDATE identities SET used_us = used_us - 605000000000`)
		tokens("of an owner who has not signed in for seven days", "")

		testkit.OK(t, put("admin", required, "B")) // another setting, by a link
		_, err = changeProvider(t, w.World, required, `{"enabled":false}`)
		testkit.OK(t, err)
		w.gives("admin by company", "over", "")
		w.gives("member by host", elsewhere, "one-time link")
		testkit.OK(t, w.Features.Auth.DeleteIdentityProvider(t.Context(), required))
		w.gives("member by host", elsewhere, "one-time link")
		testkit.OK(t, put("admin", required, "C")) // another setting, although it is gone
		testkit.OK(t, put("admin", "", "C"))
		w.gives("member by host", "member", "")
	})
}

// Disabling or deleting a provider ends its sessions at once and permanently. Other sessions stay.
func TestProviderEndsItsSessions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newReach(t, s)
		for what, end := range map[string]func(id string) error{
			"switched off": func(id string) error { _, err := changeProvider(t, w.World, id, `{"enabled":false}`); return err },
			"deleted":      func(id string) error { return w.Features.Auth.DeleteIdentityProvider(t.Context(), id) },
		} {
			slug := strings.ReplaceAll(what, " ", "-")
			id, beside := w.providerFor(slug), w.providerFor(slug+"-not")
			w.as("one", "admin", id)
			w.as("two", "member", id)
			w.as("three", "member", beside)
			testkit.OK(t, end(id))
			for name, want := range map[string]bool{"one": false, "two": false, "three": true, "admin": true, "member": true} {
				_, live := w.session(name)
				testkit.Equal(t, what+": "+name, live, want)
			}
			testkit.Equal(t, what+": how many is in the log", strings.Contains(w.newest(domain.Tenant{}), "Sessions that ended: 2."), true)
			if what == "deleted" {
				continue
			}
			_, err := changeProvider(t, w.World, id, `{"displayName":"Renamed while it is off"}`)
			testkit.OK(t, err)
			testkit.Equal(t, what+": another change ends none", strings.Contains(w.newest(domain.Tenant{}), "Sessions that ended"), false)
			_, err = changeProvider(t, w.World, id, `{"enabled":true}`)
			testkit.OK(t, err)
			_, live := w.session("one")
			testkit.Equal(t, what+", and on again", live, false)
		}
	})
}

// An admin of a tenant ends the rights of a member's sessions there until the next sign-in. An admin of the
// instance ends the sessions themselves.
func TestSignOutOfOthers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newReach(t, s)
		mona := w.people["member"]
		testkit.OK(t, s.SetMember(t.Context(), w.Other.Tenant, mona, domain.RoleMember, domain.SourceHand))
		w.as("mona elsewhere", "member", "")
		out := func(user string) error { return w.Features.Tenant.SignOutMember(t.Context(), w.Tenant, user) }
		unknown, foreign := out("usr_never"), out(w.people["stranger"])
		if !errs.Is(unknown, errs.NotFound) || !errs.Is(foreign, errs.NotFound) || unknown.Error() != foreign.Error() {
			t.Errorf("unknown person: %v, another tenant's admin: %v", unknown, foreign)
		}
		w.gives("member", "member", "")

		testkit.OK(t, out(mona))
		testkit.Equal(t, "in the tenant's log", w.newest(w.Tenant), "member.sign-out: ")
		for _, name := range []string{"member", "mona elsewhere"} {
			w.gives(name, "sign_in_again", "An admin of this tenant")
			testkit.Equal(t, name+" in another tenant", w.in(name, w.Other.Tenant), "member")
			testkit.Equal(t, "tenants of "+name, w.places(name), 1)
		}
		w.gives("admin", "admin", "")
		w.as("mona again", "member", "")
		w.gives("mona again", "member", "")
		testkit.OK(t, s.DropSessions(t.Context(), time.Hour))
		w.gives("member", "sign_in_again", "")

		if _, err := w.Features.Auth.EndSessions(t.Context(), "usr_never"); !errs.Is(err, errs.NotFound) {
			t.Errorf("all sessions of an unknown person: %v", err)
		}
		ended, err := w.Features.Auth.EndSessions(t.Context(), mona)
		testkit.OK(t, err)
		testkit.Equal(t, "sessions that ended", ended, int64(3))
		testkit.Equal(t, "in the instance's log", w.newest(domain.Tenant{}), "session.end-all: Sessions that ended: 3.")
		for _, name := range []string{"member", "mona elsewhere", "mona again"} {
			testkit.Equal(t, name+" at the end", w.in(name, w.Tenant), "over")
		}
		w.gives("admin", "admin", "")
		w.as("mona at last", "member", "")
		testkit.OK(t, s.DropSessions(t.Context(), time.Hour)) // deletes records that no session needs
		w.gives("mona at last", "member", "")
	})
}
