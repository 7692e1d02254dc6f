// Package simclient is the typed client of the simulated Azure DevOps's control interface, for tests and for a parent process that runs
// the simulator as a child. It does not speak the host's own interface.
package simclient

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/host/simclient"
)

// Client talks to one simulator. It is safe for concurrent use.
type Client struct{ *simclient.Client }

// RequestFilter narrows the record.
type RequestFilter = simclient.RequestFilter

// New returns a client for the simulator at base with its control token.
func New(base, token string) *Client { return &Client{simclient.New(base, token)} }

// Repo returns a repository's name for the methods of the client, in which organisation and project are one segment of the path.
func Repo(full string) string {
	at := strings.LastIndexByte(full, '/')
	if at < 0 {
		return url.PathEscape(full)
	}
	return url.PathEscape(full[:at]) + "/" + url.PathEscape(full[at+1:])
}

// NewToken makes a personal access token.
func (c *Client) NewToken(ctx context.Context, login string) (out simapi.Token, err error) {
	return out, c.Do(ctx, "POST", "/users/"+url.PathEscape(login)+"/tokens", nil, &out)
}

// RegisterApp registers a service principal.
func (c *Client) RegisterApp(ctx context.Context, in simapi.App) error {
	return c.Do(ctx, "POST", "/apps", in, nil)
}

// ChangeRepo renames or deletes a repository, or changes rights.
func (c *Client) ChangeRepo(ctx context.Context, repo string, in simapi.RepoChange) error {
	return c.Do(ctx, "PATCH", "/repos/"+repo, in, nil)
}

// Subscriptions lists all service hooks by id.
func (c *Client) Subscriptions(ctx context.Context) (out []simapi.Subscription, err error) {
	return out, c.Do(ctx, "GET", "/subscriptions", nil, &out)
}

// ChangeSubscription sets the status of a service hook.
func (c *Client) ChangeSubscription(ctx context.Context, id string, in simapi.SubscriptionChange) error {
	return c.Do(ctx, "PATCH", "/subscriptions/"+id, in, nil)
}

// Thread writes a comment on lines, or begins a thread of the conversation, as a person.
func (c *Client) Thread(ctx context.Context, repo string, number int, in simapi.ThreadSpec) (out shared.Comment, err error) {
	return out, c.Do(ctx, "POST", fmt.Sprintf("/repos/%s/pulls/%d/threads", repo, number), in, &out)
}

// Threads lists the threads of a pull request, deleted ones included.
func (c *Client) Threads(ctx context.Context, repo string, number int) (out []simapi.Thread, err error) {
	return out, c.Do(ctx, "GET", fmt.Sprintf("/repos/%s/pulls/%d/threads", repo, number), nil, &out)
}

// Vote votes as a person.
func (c *Client) Vote(ctx context.Context, repo string, number int, in simapi.Vote) error {
	return c.Do(ctx, "POST", fmt.Sprintf("/repos/%s/pulls/%d/votes", repo, number), in, nil)
}

// Statuses lists the statuses of pull requests and commits of a repository, oldest first.
func (c *Client) Statuses(ctx context.Context, repo string) (out []simapi.Status, err error) {
	return out, c.Do(ctx, "GET", "/repos/"+repo+"/statuses", nil, &out)
}

// SetStatus makes a status of a commit as a person.
func (c *Client) SetStatus(ctx context.Context, repo string, in simapi.Status) error {
	return c.Do(ctx, "POST", "/repos/"+repo+"/statuses", in, nil)
}

// Resend sends a delivery again.
func (c *Client) Resend(ctx context.Context, id int64) error {
	return c.Do(ctx, "POST", fmt.Sprintf("/deliveries/%d/resend", id), nil, nil)
}

// Configure replaces the settings of the simulator; doubts that are not named keep their state.
func (c *Client) Configure(ctx context.Context, in simapi.Settings) error {
	return c.Do(ctx, "PUT", "/settings", in, nil)
}
