package bitbucketserver

import (
	"context"
	"net/url"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

func (u *user) account() codehost.Account {
	return codehost.Account{ID: wire.HostID(u.ID), Login: u.Name, Name: u.Shown}
}

// FindAccounts implements [codehost.AccountFinder]. The host compares user names, display names and addresses.
func (h *Host) FindAccounts(ctx context.Context, text string) ([]codehost.Account, error) {
	out, _, err := list(ctx, h.people, "find accounts", api+"/users?"+url.Values{"filter": {text}}.Encode(), codehost.MaxAccounts,
		func(u *user) (codehost.Account, bool) {
			u, person := keepPerson(u)
			if !person {
				return codehost.Account{}, false
			}
			return u.account(), true
		})
	return out, err
}

// AccountOf implements [codehost.AccountFinder].
func (h *Host) AccountOf(ctx context.Context, id domain.HostID, login string) (codehost.Account, error) {
	const op = "read an account"
	number, err := wire.NumberOfID(op, id)
	if err != nil {
		return codehost.Account{}, err
	}
	u, err := h.people.userWithID(ctx, op, number, login)
	if err != nil {
		return codehost.Account{}, err
	}
	if _, person := keepPerson(u); !person {
		return codehost.Account{}, notFound(op, "the host has no such person who can sign in")
	}
	return u.account(), nil
}
