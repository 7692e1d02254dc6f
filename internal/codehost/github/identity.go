package github

import (
	"context"
	"strings"
	"time"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
)

// botSuffix ends the login of an app's account.
const botSuffix = "[bot]"

// identityLife is how long the App's name is cached. An App can be renamed.
const identityLife = time.Hour

// account is the user that an App acts as: "<slug>[bot]", of type Bot. Other accounts cannot have such a
// login, because logins have no brackets. The number is known after the first answer to one of our writes,
// and survives a rename.
type account struct {
	login string
	id    int64
}

// is reports whether a user is that account. It returns false for nil.
func (id account) is(u *gh.User) bool {
	if !isBot(u) {
		return false
	}
	return (id.login != "" && strings.EqualFold(u.GetLogin(), id.login)) || (id.id != 0 && u.GetID() == id.id)
}

// identity caches the account of the App.
type identity struct {
	lock  lock
	known account
	until time.Time
}

// ownAccount returns the account that we publish as. If GitHub does not answer, it returns the cached account
// even after its time.
func (h *Host) ownAccount(ctx context.Context) (account, error) {
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
		h.identity.known.login = app.Slug + botSuffix
		h.identity.until = h.now().Add(identityLife)
		return h.identity.known, nil
	}
	if h.identity.known.login != "" {
		return h.identity.known, nil
	}
	return account{}, err
}

// storeAccountID stores the number of our account from the answer to one of our writes.
func (h *Host) storeAccountID(ctx context.Context, u *gh.User) {
	if !isBot(u) || u.GetID() == 0 || h.identity.lock.acquire(ctx) != nil {
		return
	}
	defer h.identity.lock.release()
	h.identity.known.id = u.GetID()
}
