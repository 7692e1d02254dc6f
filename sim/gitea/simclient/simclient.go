// Package simclient is the typed client of the simulated Gitea's control interface, for tests and for a parent process
// that runs the simulator as a child. It does not speak the host's own interface.
package simclient

import (
	"context"
	"fmt"
	"net/url"

	"github.com/assay-dev/assay/sim/gitea/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/host/simclient"
)

// Client talks to one simulator. It is safe for concurrent use.
type Client struct{ *simclient.Client }

// RequestFilter narrows the record.
type RequestFilter = simclient.RequestFilter

// New returns a client for the simulator at base (the address of its pages) with its control token.
func New(base, token string) *Client { return &Client{simclient.New(base, token)} }

// APIURL returns the address of the REST interface.
func (c *Client) APIURL() string { return c.BaseURL() + "/api/v1" }

// NewToken makes an access token for a person.
func (c *Client) NewToken(ctx context.Context, login string, in simapi.TokenSpec) (out simapi.Token, err error) {
	return out, c.Do(ctx, "POST", "/users/"+url.PathEscape(login)+"/tokens", in, &out)
}

// SetTeam makes or replaces a team of an organisation.
func (c *Client) SetTeam(ctx context.Context, org string, in simapi.TeamSpec) error {
	return c.Do(ctx, "PUT", "/orgs/"+url.PathEscape(org)+"/teams", in, nil)
}

// ChangeRepo renames, transfers or deletes a repository, or changes its visibility.
func (c *Client) ChangeRepo(ctx context.Context, repo string, in simapi.RepoChange) error {
	return c.Do(ctx, "PATCH", "/repos/"+repo, in, nil)
}

// AddHook makes a webhook of a repository.
func (c *Client) AddHook(ctx context.Context, repo string, in simapi.HookSpec) (out simapi.Hook, err error) {
	return out, c.Do(ctx, "POST", "/repos/"+repo+"/hooks", in, &out)
}

// Hooks lists all webhooks by id.
func (c *Client) Hooks(ctx context.Context) (out []simapi.Hook, err error) {
	return out, c.Do(ctx, "GET", "/hooks", nil, &out)
}

// Review writes a review as a person.
func (c *Client) Review(ctx context.Context, repo string, number int, in simapi.ReviewSpec) (out shared.Review, err error) {
	return out, c.Do(ctx, "POST", fmt.Sprintf("/repos/%s/pulls/%d/reviews", repo, number), in, &out)
}

// Shown returns the bodies of a person's reviews on the page of a pull request, drafts included.
func (c *Client) Shown(ctx context.Context, repo string, number int, login string) (out []string, err error) {
	return out, c.Do(ctx, "GET", fmt.Sprintf("/pulls/%s/%d/shown/%s", repo, number, url.PathEscape(login)), nil, &out)
}

// Mails returns the notices about reviews of a pull request, oldest first.
func (c *Client) Mails(ctx context.Context, repo string, number int) (out []simapi.Mail, err error) {
	return out, c.Do(ctx, "GET", fmt.Sprintf("/pulls/%s/%d/mails", repo, number), nil, &out)
}

// Statuses lists the commit statuses of a repository, oldest first.
func (c *Client) Statuses(ctx context.Context, repo string) (out []simapi.Status, err error) {
	return out, c.Do(ctx, "GET", "/repos/"+repo+"/statuses", nil, &out)
}

// Replay sends a delivery again, with the same body and a new UUID.
func (c *Client) Replay(ctx context.Context, id int64) error {
	return c.Do(ctx, "POST", fmt.Sprintf("/deliveries/%d/replay", id), nil, nil)
}

// Configure replaces the settings of the simulator; doubts that are not named keep their state.
func (c *Client) Configure(ctx context.Context, in simapi.Settings) error {
	return c.Do(ctx, "PUT", "/settings", in, nil)
}
