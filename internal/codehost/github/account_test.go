package github

import (
	"context"
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
)

func says(v any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, v) }
}

type object = map[string]any

func TestAccountID(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("GET /app", says(object{"id": testApp, "slug": "assay", "owner": object{"login": "octo", "id": 1}}))
	f.on("GET /app/installations", says([]object{{"id": testInst, "account": object{"login": "acme", "id": 2, "type": "Organization"}}}))
	var authorization string
	f.on("GET /users/free", func(w http.ResponseWriter, r *http.Request) {
		authorization = r.Header.Get("Authorization")
		says(object{"login": "Free", "id": 3})(w, r)
	})
	f.on("GET /users/moved", says(object{"login": "other", "id": 4}))
	f.on("GET /users/closed", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	h, _ := newHost(t, f)
	for login, want := range map[string]struct {
		id    domain.HostID
		class codehost.Class
	}{"Octo": {"1", ""}, "ACME": {"2", ""}, "free": {"3", ""}, "moved": {"", codehost.ClassUnavailable}, "closed": {"", codehost.ClassForbidden}} {
		t.Run(login, func(t *testing.T) {
			id, err := h.AccountID(context.Background(), login)
			testkit.Equal(t, "number", id, want.id)
			if want.id == "" {
				testkit.Equal(t, "class", codehost.ClassOf(err), want.class)
				return
			}
			testkit.OK(t, err)
		})
	}
	testkit.Equal(t, "authorization of a public request", authorization, "")
}

// The organisation with a given name may now be another one than the account with the installation.
func TestMembershipOfAnotherOrganisation(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		organization any
		want         string
	}{
		"the account":           {object{"login": "acme", "id": 2}, codehost.AccountOwner},
		"another with its name": {object{"login": "acme", "id": 666}, ""},
		"none named":            {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.on("GET /orgs/acme/memberships/ada", says(object{"state": "active", "role": "admin", "user": object{"login": "ada", "id": 7}, "organization": tc.organization}))
			h, _ := newHost(t, f)
			in, err := NewSignIn(h, "client", secret.New("s"), http.DefaultClient)
			testkit.OK(t, err)
			role, err := in.AccountRole(context.Background(), codehost.Installation{ID: domain.NumberID(testInst), AccountID: "2", AccountLogin: "acme", AccountType: "Organization"}, codehost.Person{ID: "7", Login: "ada"})
			testkit.OK(t, err)
			testkit.Equal(t, "role", role, tc.want)
		})
	}
}
