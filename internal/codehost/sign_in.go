package codehost

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// Person is an account of a host. Login and Name are text from outside and may change; ID does not change.
type Person struct {
	ID          domain.HostID
	Login, Name string
}

// PersonToken is a person's own access to a host. Lives count from the answer; 0 means without end.
type PersonToken struct {
	Access, Refresh         secret.Secret // Refresh is not set if the host gives none
	AccessLife, RefreshLife time.Duration
}

// RepoPermission is a person's right on a repository. Permission is the host's word (admin, maintain,
// write, triage, read or none).
type RepoPermission struct {
	ExternalID domain.HostID
	Permission string
	Private    bool
}

// The values of [SignIn.AccountRole].
const (
	AccountOwner  = "owner"  // of the personal account, or of the organisation
	AccountMember = "member" // of the organisation
)

// SignIn signs people in by their account on a host, and reads their permissions from the host. It does not
// retry. Errors are [*Error]s. For Exchange, Renew and every method with a token, [ClassForbidden] means
// that the host refuses the credential for good.
type SignIn interface {
	// Issuer returns the host's web address. Together with a person's id it is an identity.
	Issuer() string
	// AuthorizeURL returns the address to send a browser to. challenge is a PKCE challenge of method S256,
	// redirect the absolute address to return to.
	AuthorizeURL(state, challenge, redirect string) string
	// Exchange turns a code into a token. A code works once.
	Exchange(ctx context.Context, code, verifier, redirect string) (PersonToken, error)
	// Renew turns a refresh token into a new pair, and makes both old ones invalid.
	Renew(ctx context.Context, refresh secret.Secret) (PersonToken, error)
	// Person returns the owner of the token.
	Person(ctx context.Context, token secret.Secret) (Person, error)
	// Installations lists the ids of the app's installations that the person has explicit access in.
	Installations(ctx context.Context, p Person, token secret.Secret) ([]domain.HostID, error)
	// Permissions lists the repositories of an installation that the person has explicit access to. It
	// fails with [ClassNotFound] if the person cannot see the installation.
	Permissions(ctx context.Context, p Person, token secret.Secret, installation domain.HostID) ([]RepoPermission, error)
	// Permission reads the permission on one repository by its id. It fails with [ClassNotFound] if the
	// person cannot see the repository.
	Permission(ctx context.Context, p Person, token secret.Secret, repository domain.HostID) (RepoPermission, error)
	// AccountRole returns the person's role in the installation's account, asked as the installation:
	// [AccountOwner], [AccountMember], or "" for neither. p.Login must be fresh.
	AccountRole(ctx context.Context, i Installation, p Person) (string, error)
}

// refusesApp lists errors of a token endpoint that refuse the app itself, for every person.
var refusesApp = []string{"incorrect_client_credentials", "invalid_client", "unauthorized_client", "application_suspended",
	"redirect_uri_mismatch"}

// RefusesApp reports whether the host refused the app and not the person: its client id, client secret or
// callback address is wrong, and its operator must correct it.
func RefusesApp(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Class == ClassForbidden && slices.Contains(refusesApp, e.Message)
}
