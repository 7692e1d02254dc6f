// Package simclient is the typed client of a simulated tracker's control interface, for tests and for a parent process that
// runs the simulator as a child. It does not speak the tracker's own interface.
package simclient

import (
	"context"
	"net/url"

	"github.com/assay-dev/assay/sim/host/simclient"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

// Client talks to one simulator. It is safe for concurrent use. It shares with the clients of code hosts the
// record of requests, writes, faults, deliveries and waiting.
type Client struct{ *simclient.Client }

// New returns a client for the simulator at base with its control token.
func New(base, token string) *Client { return &Client{simclient.New(base, token)} }

func issue(key string) string { return "/issues/" + url.PathEscape(key) }

// NewAccount makes an account with a token.
func (c *Client) NewAccount(ctx context.Context, in simapi.AccountSpec) (out simapi.Account, err error) {
	return out, c.Do(ctx, "POST", "/accounts", in, &out)
}

// Revoke ends all tokens of an account, also those of OAuth.
func (c *Client) Revoke(ctx context.Context, account string) error {
	return c.Do(ctx, "POST", "/accounts/"+url.PathEscape(account)+"/revoke", nil, nil)
}

// NewProject makes a project, or a team.
func (c *Client) NewProject(ctx context.Context, in simapi.ProjectSpec) error {
	return c.Do(ctx, "POST", "/projects", in, nil)
}

// NewIssue makes an issue.
func (c *Client) NewIssue(ctx context.Context, in simapi.IssueSpec) (out simapi.Issue, err error) {
	return out, c.Do(ctx, "POST", "/issues", in, &out)
}

// EditIssue changes an issue.
func (c *Client) EditIssue(ctx context.Context, key string, in simapi.IssueChange) (out simapi.Issue, err error) {
	return out, c.Do(ctx, "PATCH", issue(key), in, &out)
}

// DeleteIssue deletes an issue.
func (c *Client) DeleteIssue(ctx context.Context, key string) error {
	return c.Do(ctx, "DELETE", issue(key), nil, nil)
}

// Issue returns an issue with its comments and links.
func (c *Client) Issue(ctx context.Context, key string) (out simapi.Issue, err error) {
	return out, c.Do(ctx, "GET", issue(key), nil, &out)
}

// Comment writes a comment as an account.
func (c *Client) Comment(ctx context.Context, key string, in simapi.CommentSpec) (out simapi.Comment, err error) {
	return out, c.Do(ctx, "POST", issue(key)+"/comments", in, &out)
}

// Link links an issue to an address, like a person.
func (c *Client) Link(ctx context.Context, key string, in simapi.Link) error {
	return c.Do(ctx, "POST", issue(key)+"/links", in, nil)
}

// NewHook makes a webhook.
func (c *Client) NewHook(ctx context.Context, in simapi.HookSpec) error {
	return c.Do(ctx, "POST", "/hooks", in, nil)
}

// NewApp registers an app for OAuth.
func (c *Client) NewApp(ctx context.Context, in simapi.AppSpec) (out simapi.App, err error) {
	return out, c.Do(ctx, "POST", "/apps", in, &out)
}

// Configure replaces the settings; doubts that are not named keep their state.
func (c *Client) Configure(ctx context.Context, in simapi.Settings) error {
	return c.Do(ctx, "PUT", "/settings", in, nil)
}
