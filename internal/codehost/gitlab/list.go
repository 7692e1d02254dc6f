package gitlab

import (
	"context"
	"strconv"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost/wire"
)

// pageSize is the number of entries requested per page, GitLab's maximum (docs.gitlab.com/api/rest,
// "Pagination").
const pageSize = 100

// lister requests one page of a list.
type lister[T any] func(*sdk.Client, sdk.RequestOptionFunc, sdk.ListOptions) ([]T, *sdk.Response, error)

// listAll reads the pages of get by [wire.List].
func listAll[S, T any](ctx context.Context, h *Host, op string, most int, get lister[S],
	keep func(S) (T, bool)) (list []T, whole bool, err error) {
	return listAllLike(ctx, h, wire.Call{Op: op}, most, get, keep)
}

// listAllLike is [listAll] with calls like the given one.
func listAllLike[S, T any](ctx context.Context, h *Host, like wire.Call, most int, get lister[S],
	keep func(S) (T, bool)) (list []T, whole bool, err error) {
	page := int64(1)
	return wire.List(ctx, like.Op, most, func(ctx context.Context, _ int) (part []S, more bool, err error) {
		c := like
		c.Key, c.Entries = h.instance.Key, pageSize
		err = h.run(ctx, &c, func(c *sdk.Client, with sdk.RequestOptionFunc) error {
			got, resp, err := get(c, with, sdk.ListOptions{Page: page, PerPage: pageSize})
			part = got
			if err == nil {
				page = nextPage(resp, page)
			}
			return err
		})
		return part, page > 0, err
	}, keep)
}

// nextPage returns the number of the next page, 0 at the end. X-Next-Page has it on every list with page
// numbers.
func nextPage(resp *sdk.Response, page int64) int64 {
	if resp == nil || resp.Response == nil {
		return 0
	}
	n, err := strconv.ParseInt(resp.Header.Get("X-Next-Page"), 10, 64)
	if err != nil || n <= page {
		return 0
	}
	return n
}

// ownAccount returns the account of the token. It asks the host once.
func (h *Host) ownAccount(ctx context.Context) (account, error) {
	h.mu.Lock()
	known := h.account
	h.mu.Unlock()
	if known.id > 0 {
		return known, nil
	}
	const op = "own account"
	var u *sdk.User
	err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		u, _, err = c.Users.CurrentUser(with)
		return err
	})
	if err != nil {
		return account{}, err
	}
	if u.ID <= 0 || u.Username == "" {
		return account{}, unexpected(op, "the answer names no account")
	}
	known = account{id: u.ID, login: u.Username}
	h.mu.Lock()
	h.account = known
	h.mu.Unlock()
	return known, nil
}

// account is the user of the token. Its number survives a rename.
type account struct {
	id    int64
	login string
}
