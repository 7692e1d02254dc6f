package azuredevops

import (
	"context"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

func (i identity) account() codehost.Account {
	return codehost.Account{ID: guid(i.ID), Login: i.login(), Name: i.Name}
}

// FindAccounts implements [codehost.AccountFinder]. The host compares display names and unique names.
func (h *Host) FindAccounts(ctx context.Context, text string) ([]codehost.Account, error) {
	const op = "find accounts"
	if strings.HasPrefix(text, "[") { // the name of a group
		return nil, nil
	}
	list, err := h.people.identities(ctx, op, h.instance.Owner, url.Values{"searchFilter": {"General"}, "filterValue": {text},
		"queryMembership": {"None"}})
	if err != nil {
		return nil, err
	}
	var out []codehost.Account
	for _, i := range list {
		if i.isPerson() && i.Active && len(out) < codehost.MaxAccounts {
			out = append(out, i.account())
		}
	}
	return out, nil
}

// AccountOf implements [codehost.AccountFinder]. It does not need the login, because the host finds people by their ids.
func (h *Host) AccountOf(ctx context.Context, id domain.HostID, _ string) (codehost.Account, error) {
	const op = "read an account"
	if guid(string(id)) == id && id != "" {
		list, err := h.people.identities(ctx, op, h.instance.Owner, url.Values{"identityIds": {string(id)}, "queryMembership": {"None"}})
		if err != nil {
			return codehost.Account{}, err
		}
		for _, i := range list {
			if guid(i.ID) == id && i.isPerson() && i.Active {
				return i.account(), nil
			}
		}
	}
	return codehost.Account{}, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the host has no such person"}
}
