package bitbucketcloud

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// account is the account of the credential.
type account struct {
	id     domain.HostID // "" if the host does not name it
	login  string
	scopes []string // of the credential, as the header X-OAuth-Scopes names them; nil if the header is missing
}

// is reports whether a user is our account. The host may refuse to name the account of an access token. Until a write has shown it,
// every account of an access token or an app counts as ours; the marks in our texts tell them apart.
func (a account) is(u *user) bool {
	if a.id == "" {
		return u.isApp()
	}
	return u.id() == a.id
}

// ownAccount returns the account of the credential. It asks the host once. The host lets only tokens with the scope "account" (an API
// token: read:user:bitbucket) ask, and access tokens of a repository cannot have it.
func (h *Host) ownAccount(ctx context.Context) (account, error) {
	const op = "own account"
	h.known.mu.Lock()
	a, asked := h.known.account, h.known.asked
	h.known.mu.Unlock()
	if a.id != "" || asked {
		return a, nil
	}
	var u user
	header, err := h.client.Do(ctx, h.client.Read(op), userRequest, &u)
	switch e, ok := err.(*codehost.Error); {
	case ok && h.auth.bearer && e.Class == codehost.ClassForbidden && e.Status != 401:
	case err != nil:
		return account{}, err
	case u.id() == "":
		return account{}, unexpected(op, "the answer names no account")
	}
	a = account{id: u.id(), login: u.login()}
	if h := header.Get("X-OAuth-Scopes"); h != "" {
		for s := range strings.SplitSeq(h, ",") {
			if s = strings.TrimSpace(s); s != "" && len(a.scopes) < 100 {
				a.scopes = append(a.scopes, s)
			}
		}
	}
	h.known.mu.Lock()
	defer h.known.mu.Unlock()
	if h.known.account.id == "" { // a write may have shown it meanwhile
		h.known.account = a
	}
	h.known.asked = true
	return h.known.account, nil
}

// learnAccount stores the author of a comment that we have written, if the host does not name our account otherwise.
func (h *Host) learnAccount(u *user) {
	h.known.mu.Lock()
	defer h.known.mu.Unlock()
	if h.known.account.id == "" && u.id() != "" {
		h.known.account.id, h.known.account.login = u.id(), u.login()
	}
}

// comment converts a comment of a pull request.
func (a account) comment(number int, c *comment) codehost.Comment {
	out := codehost.Comment{ID: wire.JoinNumbers(number, c.ID), Body: c.Content.Raw, URL: c.Links.HTML.Href, Mine: a.is(c.User)}
	if c.Inline != nil {
		side, _, line := c.Inline.lines()
		out.Path, out.Side, out.Line = c.Inline.Path, string(side), line
		out.Open = c.Parent == nil && c.Resolution == nil
	}
	return out
}
