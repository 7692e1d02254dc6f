package gitea

import (
	"context"
	"strconv"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// wantedPage is the number of entries requested per page: a server's default maximum (MAX_RESPONSE_ITEMS).
const wantedPage = 50

// lister requests one page of a list.
type lister[T any] func(*sdk.Client, sdk.ListOptions) ([]T, *sdk.Response, error)

// listAll reads the pages of get by [wire.List].
func listAll[S, T any](ctx context.Context, h *Host, op string, most int, get lister[S],
	keep func(S) (T, bool)) (list []T, whole bool, err error) {
	return wire.List(ctx, op, most, func(ctx context.Context, page int) (part []S, more bool, err error) {
		var resp *sdk.Response
		err = h.run(ctx, &wire.Call{Op: op, Key: h.instance.Key, Entries: wantedPage}, func(c *sdk.Client) (err error) {
			part, resp, err = get(c, sdk.ListOptions{Page: page, PageSize: wantedPage})
			return err
		})
		if err == nil {
			more, err = h.hasMorePages(ctx, resp, page, len(part))
		}
		return part, more, err
	}, keep)
}

// hasMorePages reports whether more pages follow. Lists report it by Link, by X-HasMore, or only by the total. In
// the last case a page may be short, because the host removes hidden entries
// (services/convert/pull_review.go, ToPullReviewList).
func (h *Host) hasMorePages(ctx context.Context, resp *sdk.Response, page, got int) (bool, error) {
	if resp == nil || resp.Response == nil {
		return false, nil
	}
	if resp.Header.Get("Link") != "" {
		return resp.NextPage > page, nil
	}
	if word := resp.Header.Get("X-HasMore"); word != "" {
		return word == "true", nil
	}
	total, err := strconv.Atoi(resp.Header.Get("X-Total-Count"))
	if err != nil {
		return got >= wantedPage, nil
	}
	if page == 1 && got >= total {
		return false, nil
	}
	size, err := h.serverPageSize(ctx)
	if err != nil {
		return false, err
	}
	return page*size < total, nil
}

// serverPageSize returns how many entries the server returns for a request of [wantedPage].
func (h *Host) serverPageSize(ctx context.Context) (int, error) {
	h.mu.Lock()
	size := h.pageSize
	h.mu.Unlock()
	if size > 0 {
		return size, nil
	}
	var settings *sdk.GlobalAPISettings
	err := h.read(ctx, "read settings", func(c *sdk.Client) (err error) {
		settings, _, err = c.GetGlobalAPISettings()
		return err
	})
	if err != nil {
		return 0, err
	}
	size = wantedPage
	if settings.MaxResponseItems > 0 {
		size = min(size, settings.MaxResponseItems)
	}
	h.mu.Lock()
	h.pageSize = size
	h.mu.Unlock()
	return size, nil
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
	err := h.read(ctx, op, func(c *sdk.Client) (err error) {
		u, _, err = c.GetMyUserInfo()
		return err
	})
	if err != nil {
		return account{}, err
	}
	if u.ID <= 0 || u.UserName == "" {
		return account{}, &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer names no account"}
	}
	known = account{id: u.ID, login: u.UserName}
	h.mu.Lock()
	h.account = known
	h.mu.Unlock()
	return known, nil
}
