package auth

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// minTokenLife is the minimum remaining life of a token for use.
const minTokenLife = time.Minute

// renewLease is how long one process may take to renew a token; a request to a host ends after 20 s.
const renewLease = 30 * time.Second

// errNoToken means that the host no longer accepts a person's token, and the person must sign in again.
var errNoToken = errors.New("auth: the code host does not take the person's token any more")

// access is a person's access to a host through one app.
type access struct {
	s      *Service
	id     store.Identity
	row    store.HostToken
	host   codehost.SignIn
	person codehost.Person
	token  secret.Secret
}

// accessOf prepares a person's token for use, and renews it if it has expired.
func (s *Service) accessOf(ctx context.Context, id store.Identity, row store.HostToken) (*access, error) {
	host, err := s.host(ctx, row.App)
	if err != nil {
		return nil, err
	}
	a := &access{s: s, id: id, row: row, host: host, person: codehost.Person{ID: domain.HostID(id.Subject), Login: id.Login}}
	return a, a.prepareToken(ctx, row.Gen-1)
}

// prepareToken prepares a token that is newer than a generation. Only one process renews it, because a refresh
// token works once.
func (a *access) prepareToken(ctx context.Context, after int64) error {
	for {
		row, err := a.s.Store.HostToken(ctx, a.id.ID, a.row.App)
		if errs.Is(err, errs.NotFound) {
			return errNoToken
		}
		if err != nil {
			return err
		}
		a.row = row
		if row.Gen > after && (row.AccessExpiresUS == 0 || row.AccessExpiresUS > row.NowUS+minTokenLife.Microseconds()) {
			a.token, err = a.s.Keyring.OpenSecret(ctx, a.scope("access_token"), row.Access)
			return err
		}
		mine, err := a.s.Store.RenewHostToken(ctx, a.id.ID, row.App, row.Gen, renewLease)
		if err != nil {
			return err
		}
		if mine {
			return a.renew(ctx)
		}
		timer := time.NewTimer(100 * time.Millisecond) // another process renews it
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// renew requests a new pair of tokens. It continues if the person's request ends, because an answer that is
// not stored is lost together with the old token.
func (a *access) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewLease)
	defer cancel()
	st := a.s.Store
	if a.row.Refresh == nil || a.row.RefreshExpiresUS != 0 && a.row.RefreshExpiresUS < a.row.NowUS {
		return a.dropToken(ctx)
	}
	refresh, err := a.s.Keyring.OpenSecret(ctx, a.scope("refresh_token"), a.row.Refresh)
	if err != nil {
		return err
	}
	got, err := a.host.Renew(ctx, refresh)
	if codehost.ClassOf(err) == codehost.ClassForbidden && !codehost.RefusesApp(err) {
		return a.dropToken(ctx)
	}
	if err != nil {
		return errors.Join(err, st.ReleaseHostToken(ctx, a.id.ID, a.row.App))
	}
	row, err := a.s.sealToken(ctx, a.id.Issuer, a.id.Subject, a.row.App, got)
	if err != nil {
		return err
	}
	row.Identity, row.Gen = a.id.ID, a.row.Gen
	if kept, err := st.ReplaceHostToken(ctx, row, got.AccessLife, got.RefreshLife); err != nil || !kept {
		return errors.Join(err, replacedTokenError(kept, err))
	}
	a.row.Gen++
	a.token = got.Access
	return nil
}

// replacedTokenError returns the error for a token that a sign-in replaced meanwhile. The caller asks again
// at the next request.
func replacedTokenError(kept bool, err error) error {
	if kept || err != nil {
		return nil
	}
	return &codehost.Error{Class: codehost.ClassUnavailable, Op: "renew token", Message: "the person has just signed in again"}
}

// dropToken deletes a token that the host does not accept.
func (a *access) dropToken(ctx context.Context) error {
	if err := a.s.Store.DropHostToken(ctx, a.id.ID, a.row.App, a.row.Gen); err != nil {
		return err
	}
	a.s.Logger.InfoContext(ctx, "a person's access to a code host is over", "identity", a.id.ID, "app", a.row.App)
	return errNoToken
}

// withToken sends a request to the host. If the host refuses a token that should be valid, the token is renewed
// once.
func (a *access) withToken(ctx context.Context, ask func() error) error {
	err := ask()
	if !refusesToken(err) {
		return err
	}
	if err := a.prepareToken(ctx, a.row.Gen); err != nil {
		return err
	}
	if err = ask(); refusesToken(err) {
		return a.dropToken(ctx)
	}
	return err
}

// permissions lists the repositories of an installation to which the person has explicit access. The list
// is empty for an organisation that the host hides from the person, for example without its single sign-on.
func (a *access) permissions(ctx context.Context, installation domain.HostID) (out []codehost.RepoPermission, err error) {
	err = a.withToken(ctx, func() (err error) {
		out, err = a.host.Permissions(ctx, a.person, a.token, installation)
		return err
	})
	if isRefusal(err) {
		return nil, nil
	}
	return out, err
}

// refusesToken reports whether the host refused the token itself, with status 401.
func refusesToken(err error) bool {
	e, ok := errors.AsType[*codehost.Error](err)
	return ok && e.Class == codehost.ClassForbidden && e.Status == http.StatusUnauthorized
}

func (a *access) scope(column string) secret.Scope {
	return tokenScope(a.id.Issuer, a.id.Subject, a.row.App, column)
}
