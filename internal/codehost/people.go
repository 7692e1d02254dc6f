package codehost

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// Person is an account of a host. Login and Name are text from outside, and
// change; ID does not.
type Person struct {
	ID          domain.HostID
	Login, Name string
}

// PersonToken is a person's own access to a host. Lives are counted from the
// answer; 0 is no end.
type PersonToken struct {
	Access, Refresh         secret.Secret // Refresh is not set where the host gives none
	AccessLife, RefreshLife time.Duration
}

// RepoPermission is what a person may do on a repository: Permission is the
// host's word (admin, maintain, write, triage, read or none).
type RepoPermission struct {
	ExternalID domain.HostID
	Permission string
	Private    bool
}

// The words of [SignIn.AccountRole].
const (
	AccountOwner  = "owner"  // of the personal account, or of the organisation
	AccountMember = "member" // of the organisation
)

// SignIn signs people in by their account on a host, and asks the host what
// they may do. Nothing is retried inside. Errors are [*Error]s; of Exchange,
// Renew and every question that takes a token, [ClassForbidden] means that the
// host does not take what was shown, and never will.
type SignIn interface {
	// Issuer is the host's web address; with a person's id it is an identity.
	Issuer() string
	// AuthorizeURL is where a browser is sent. challenge is that of PKCE with
	// method S256, redirect the absolute address to come back to.
	AuthorizeURL(state, challenge, redirect string) string
	// Exchange turns a code into a token. A code works once.
	Exchange(ctx context.Context, code, verifier, redirect string) (PersonToken, error)
	// Renew turns a refresh token into a new pair; both old ones stop working.
	Renew(ctx context.Context, refresh secret.Secret) (PersonToken, error)
	// Person asks whose token it is.
	Person(ctx context.Context, token secret.Secret) (Person, error)
	// Installations lists the ids of the app's installations in which the person
	// has explicit access to something.
	Installations(ctx context.Context, p Person, token secret.Secret) ([]domain.HostID, error)
	// Permissions lists the repositories of an installation to which the person
	// has explicit access. An installation that the person cannot see is
	// [ClassNotFound].
	Permissions(ctx context.Context, p Person, token secret.Secret, installation domain.HostID) ([]RepoPermission, error)
	// Permission asks for one repository by its id; [ClassNotFound]: the person
	// cannot see it.
	Permission(ctx context.Context, p Person, token secret.Secret, repository domain.HostID) (RepoPermission, error)
	// AccountRole asks, as the installation, what the person is in its account:
	// [AccountOwner], [AccountMember], or "" for neither. p.Login must be fresh.
	AccountRole(ctx context.Context, i Installation, p Person) (string, error)
}

// words of a token endpoint that refuse the app itself, whoever the person is.
var refusesApp = []string{"incorrect_client_credentials", "invalid_client", "unauthorized_client", "application_suspended", "redirect_uri_mismatch"}

// RefusesApp reports whether the host refused the app and not the person: its
// client id, client secret or callback address is wrong, and its operator has
// to correct that.
func RefusesApp(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Class == ClassForbidden && slices.Contains(refusesApp, e.Message)
}
