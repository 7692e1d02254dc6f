package bitbucketserver

import (
	"context"
	"net/http"
	"net/url"

	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// account is the account of the token: a person, or the one that a token of a project or repository acts as.
type account struct {
	id      int64
	login   string
	version string // of the host
}

// ownAccount returns the account of the token. It asks the host once. The interface has no call for it, but every
// answer names the account in two headers; a person's number may be missing and is then read by the name.
func (h *Host) ownAccount(ctx context.Context) (account, error) {
	const op = "own account"
	h.known.mu.Lock()
	a := h.known.account
	h.known.mu.Unlock()
	if a.id > 0 {
		return a, nil
	}
	var about struct {
		Version string `json:"version"`
	}
	header, err := h.client.Do(ctx, h.client.Read(op), wire.Request{Method: http.MethodGet, Address: api + "/application-properties"}, &about)
	if err != nil {
		return account{}, err
	}
	a = account{login: header.Get("X-Ausername"), version: wire.OneLine(about.Version, 80)}
	if name, err := url.QueryUnescape(a.login); err == nil {
		a.login = name
	}
	if !validLogin(a.login) {
		return account{}, unexpected(op, "the answer names no account")
	}
	if n, ok := domain.HostID(header.Get("X-Auserid")).Number(); ok && n > 0 {
		a.id = n
	} else {
		u, err := h.userOf(ctx, op, a.login)
		if err != nil {
			return account{}, err
		}
		a.id = u.ID
	}
	h.known.mu.Lock()
	defer h.known.mu.Unlock()
	h.known.account = a
	return a, nil
}

// userOf reads the account with a login. It fails with [codehost.ClassNotFound] if no account has it.
func (h *Host) userOf(ctx context.Context, op, login string) (*user, error) {
	if !validLogin(login) {
		return nil, notFound(op, "the login must be that of a user")
	}
	var u user
	if err := h.client.Get(ctx, op, api+"/users/"+url.PathEscape(slugOf(login)), &u); err != nil {
		return nil, err
	}
	if u.ID <= 0 || !sameLogin(u.Name, login) {
		return nil, notFound(op, "the host has no user with this login")
	}
	return &u, nil
}
