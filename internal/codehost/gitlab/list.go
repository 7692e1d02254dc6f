package gitlab

import (
	"context"
	"strconv"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
)

const (
	// pageSize is how many entries of a list are asked for, the most that there are
	// (docs.gitlab.com/api/rest, "Pagination").
	pageSize = 100
	// maxPages bounds a list against a host that never ends it.
	maxPages = 1000
)

// lister asks for one page of a list.
type lister[T any] func(*sdk.Client, sdk.RequestOptionFunc, sdk.ListOptions) ([]T, *sdk.Response, error)

// all asks for the pages of a list, until there are no more or most entries have
// come (0: no bound but that of pages). whole is false where there are more.
func all[T any](ctx context.Context, h *Host, op string, most int, get lister[T]) (list []T, whole bool, err error) {
	page := int64(1)
	for range maxPages {
		var part []T
		var next int64
		err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) error {
			got, resp, err := get(c, with, sdk.ListOptions{Page: page, PerPage: pageSize})
			part = got
			if err == nil {
				next = nextPage(resp, page)
			}
			return err
		})
		if err != nil {
			return nil, false, err
		}
		list = append(list, part...)
		switch {
		case most > 0 && len(list) > most:
			return list[:most], false, nil
		case next == 0:
			return list, true, nil
		case most > 0 && len(list) == most:
			return list, false, nil
		}
		page = next
	}
	return nil, false, &codehost.Error{Class: codehost.ClassTooLarge, Op: op, Message: "the list does not end"}
}

// nextPage is the page that follows, 0 for none: X-Next-Page says it on every list that
// is paged by numbers.
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

// self returns the account that the token belongs to. It is asked once.
func (h *Host) self(ctx context.Context) (account, error) {
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

// account is the user that the token belongs to. Its number survives a rename.
type account struct {
	id    int64
	login string
}
