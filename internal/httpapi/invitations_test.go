package httpapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// invite makes an invitation and returns it with its token as a body.
func (w *world) invite(who, path, role string) (made tenant.InvitationMade, body string) {
	w.t.Helper()
	w.made(&made, who, path+"/invitations", `{"role":"`+role+`"}`)
	_, token, _ := strings.Cut(made.Link, "/invitation#")
	return made, `{"token":"` + token + `"}`
}

// A link gives another person a role once. All links that cannot be accepted get one answer.
func TestInvitationsInTheInterface(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newWorld(t, s)
		made, body := w.invite(admin, w.tenantPath(), "admin")
		testkit.Equal(t, "the link", strings.HasPrefix(made.Link, w.base+"/invitation#assay_invite_"), true)
		send := func(who, act, body string) reply {
			return w.call(who, http.MethodPost, "/api/me/invitations/"+act, body)
		}
		var offer tenant.InvitationOffer
		w.into(&offer, send(stranger, "look", body))
		testkit.Equal(t, "role", offer.Role+" "+offer.HasRole, "admin ")
		testkit.Equal(t, "before it is accepted", w.call(stranger, http.MethodGet, w.tenantPath()+"/access", "").status, http.StatusNotFound)
		w.into(&offer, send(stranger, "accept", body))
		testkit.Equal(t, "afterwards", w.call(stranger, http.MethodGet, w.tenantPath()+"/access", "").status, http.StatusOK)
		if got := send(stranger, "accept", body); got.status != http.StatusNotFound {
			t.Errorf("a second time: %d %s", got.status, got.body)
		}

		_, late := w.invite(admin, w.tenantPath(), "member")
		raw(`UPDATE invitations SET expires_us = 1`)
		revoked, gone := w.invite(admin, w.tenantPath(), "member")
		testkit.Equal(t, "revoked", w.call(admin, http.MethodDelete, w.tenantPath()+"/invitations/"+revoked.ID, "").status, http.StatusNoContent)
		w.person("former", false, w.Tenant, domain.RoleAdmin)
		_, orphan := w.invite("former", w.tenantPath(), "member")
		must(t, s.AssignMember(bg, w.Tenant, w.people["former"].id, domain.RoleMember))
		_, closed := w.invite(admin, w.tenantPath(), "member")
		w.as("elsewhere", instanceAdmin, w.providerFor("theirs", w.other.Tenant.ID))
		id := regexp.MustCompile(`"requestId":"[^"]*"`)
		answers := map[string]bool{}
		for name, c := range map[string][2]string{"used": {instanceAdmin, body}, "expired": {instanceAdmin, late}, "revoked": {instanceAdmin, gone}, "its maker is no admin": {instanceAdmin, orphan},
			"unknown": {instanceAdmin, `{"token":"` + secret.NewToken(secret.Invitation).Reveal() + `"}`}, "a token of another kind": {instanceAdmin, `{"token":"` + w.people[admin].token + `"}`},
			"a session for which the tenant does not exist": {"elsewhere", closed}} {
			for _, act := range []string{"look", "accept"} {
				got := send(c[0], act, c[1])
				if got.status != http.StatusNotFound || problemOf(t, got) != "invitation_over" {
					t.Errorf("%s, %s: %d %s", name, act, got.status, got.body)
				}
				answers[regexp.MustCompile(`/(look|accept)"`).ReplaceAllString(id.ReplaceAllString(got.body, ""), "")] = true
			}
		}
		testkit.Equal(t, "different answers", len(answers), 1)
		if got := send(member, "accept", closed); got.status != http.StatusConflict || problemOf(t, got) != "already_member" {
			t.Errorf("a member: %d %s", got.status, got.body)
		}
		w.into(&offer, send(instanceAdmin, "accept", closed)) // the refusals did not use it up

		var list httpList[tenant.Invitation]
		got := w.call(admin, http.MethodGet, w.tenantPath()+"/invitations", "")
		w.into(&list, got)
		testkit.Equal(t, "open invitations", len(list.Items), 0)
		for _, sent := range []string{body, closed} {
			if token := strings.Split(sent, `"`)[3]; strings.Contains(w.logs.String(), token) || strings.Contains(got.body, token) {
				t.Error("a token is in the log or in the list")
			}
		}
	})
}

// A tenant that requires its identity provider is joined in a session of that provider. Others are told where to
// sign in, and the link still works.
func TestInvitationToATenantWithAProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	company := w.providerFor("company", w.Tenant.ID)
	w.as("the admin by company", admin, company)
	w.as("by company", stranger, company)
	var settings map[string]any
	w.into(&settings, w.call("the admin by company", http.MethodPut, w.tenantPath()+"/settings",
		`{"name":"Acme","hostOwnersAreAdmins":true,"collaborators":"none","membersWithoutHostRole":"none","authorMayApprove":false,"currency":"USD","timeZone":"UTC","requiredIdentityProviderId":"`+company+`"}`))
	_, body := w.invite("the admin by company", w.tenantPath(), "member")
	w.as("by a code host", stranger, "")
	got := w.call("by a code host", http.MethodPost, "/api/me/invitations/accept", body)
	if got.status != http.StatusUnauthorized || problemOf(t, got) != "sign_in_with_provider" || !strings.Contains(got.body, "Account of company") {
		t.Errorf("another session: %d %s", got.status, got.body)
	}
	var offer tenant.InvitationOffer
	w.into(&offer, w.call("by company", http.MethodPost, "/api/me/invitations/accept", body))
	testkit.Equal(t, "in that session", w.call("by company", http.MethodGet, w.tenantPath()+"/access", "").status, http.StatusOK)
	testkit.Equal(t, "in another one", w.call("by a code host", http.MethodGet, w.tenantPath()+"/access", "").status, http.StatusUnauthorized)
}

// Each person has a few guesses. One person's guesses stop neither another person nor a one-time link.
func TestInvitationsAreGuessedSlowly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) { o.Limits.Guess = once(2) })
	guess := func(who string) int {
		return w.call(who, http.MethodPost, "/api/me/invitations/look", `{"token":"`+secret.NewToken(secret.Invitation).Reveal()+`"}`).status
	}
	for i, want := range []int{http.StatusNotFound, http.StatusNotFound, http.StatusTooManyRequests} {
		if got := guess(stranger); got != want {
			t.Errorf("guess %d: %d, want %d", i, got, want)
		}
	}
	testkit.Equal(t, "another person", guess(member), http.StatusNotFound)
	testkit.Equal(t, "a one-time link", w.call(anonymous, http.MethodPost, "/auth/break-glass", "token=x", form).status, http.StatusNotFound)
}

// The page of an invitation is served before the sign-in, because its script must keep the token.
func TestThePageOfAnInvitation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), withConsole)
	for _, who := range []string{anonymous, stranger} {
		got := w.call(who, http.MethodGet, "/invitation", "")
		testkit.Equal(t, "the console is shown to "+who, got.status == http.StatusOK && strings.Contains(got.body, "<title>console</title>"), true)
	}
}
