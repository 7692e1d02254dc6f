package bitbucketcloud

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// accounts lists the people of the connection's workspace.
func (h *Host) accounts(ctx context.Context, op string) ([]codehost.Account, error) {
	return all(ctx, h.people, op, "/workspaces/"+url.PathEscape(h.client.Owner)+"/permissions?pagelen=100", "members of the workspace",
		codehost.MaxMembers, func(r right) (codehost.Account, bool) {
			if r.User.id() == "" || r.User.isApp() {
				return codehost.Account{}, false
			}
			return codehost.Account{ID: r.User.id(), Login: r.User.login(), Name: r.User.Display}, true
		})
}

// FindAccounts implements [codehost.AccountFinder] for the people of the workspace, with a part of the nickname or name.
func (h *Host) FindAccounts(ctx context.Context, text string) ([]codehost.Account, error) {
	list, err := h.accounts(ctx, "find accounts")
	if err != nil {
		return nil, err
	}
	text = strings.ToLower(text)
	list = slices.DeleteFunc(list, func(a codehost.Account) bool {
		return !strings.Contains(strings.ToLower(a.Login), text) && !strings.Contains(strings.ToLower(a.Name), text)
	})
	return list[:min(len(list), codehost.MaxAccounts)], nil
}

// AccountOf implements [codehost.AccountFinder] for the people of the workspace.
func (h *Host) AccountOf(ctx context.Context, id domain.HostID, _ string) (codehost.Account, error) {
	const op = "read an account"
	list, err := h.accounts(ctx, op)
	if err != nil {
		return codehost.Account{}, err
	}
	if i := slices.IndexFunc(list, func(a codehost.Account) bool { return a.ID == id }); i >= 0 {
		return list[i], nil
	}
	return codehost.Account{}, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the workspace has no such member"}
}
