package github

import (
	"context"
	"strings"
	"time"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
)

// identityLife is how long the App's own name is believed; an App can be renamed.
const identityLife = time.Hour

// account is the user that an App acts as: "<slug>[bot]", of type Bot. Nobody
// else can have that name, because no login holds brackets. The number is known
// only after a write of ours answered; it survives a rename.
type account struct {
	login string
	id    int64
}

// is reports whether a user is that account. An absent user is not.
func (id account) is(u *gh.User) bool {
	if !isBot(u) {
		return false
	}
	return (id.login != "" && strings.EqualFold(u.GetLogin(), id.login)) || (id.id != 0 && u.GetID() == id.id)
}

// identity remembers the account of the App.
type identity struct {
	lock  lock
	known account
	until time.Time
}

// self returns the account we publish as. An old name is better than none: it
// is used on when the host cannot be asked.
func (h *Host) self(ctx context.Context) (account, error) {
	if err := h.identity.lock.acquire(ctx); err != nil {
		return account{}, &codehost.Error{Class: codehost.ClassUnavailable, Op: "own account", Cause: err}
	}
	defer h.identity.lock.release()
	if h.identity.known.login != "" && h.now().Before(h.identity.until) {
		return h.identity.known, nil
	}
	app, err := h.App(ctx)
	switch {
	case err == nil && app.Slug == "":
		err = &codehost.Error{Class: codehost.ClassUnavailable, Op: "own account", Message: "the App has no slug"}
	case err == nil:
		h.identity.known.login = app.Slug + "[bot]"
		h.identity.until = h.now().Add(identityLife)
		return h.identity.known, nil
	}
	if h.identity.known.login != "" {
		return h.identity.known, nil
	}
	return account{}, err
}

// learn keeps the number of our account from the answer to a write of ours.
func (h *Host) learn(ctx context.Context, u *gh.User) {
	if !isBot(u) || u.GetID() == 0 || h.identity.lock.acquire(ctx) != nil {
		return
	}
	defer h.identity.lock.release()
	h.identity.known.id = u.GetID()
}
