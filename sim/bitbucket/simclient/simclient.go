// Package simclient is the typed client of the simulated Bitbucket's control interface, for tests and for a parent
// process that runs the simulator as a child. It does not speak the host's own interface.
package simclient

import (
	"cmp"
	"context"
	"fmt"
	"net/url"

	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/host/simclient"
)

// Client talks to one simulator. It is safe for concurrent use.
type Client struct{ *simclient.Client }

// New returns a client for the simulator at base (the address of its pages) with its control token.
func New(base, token string) *Client { return &Client{simclient.New(base, token)} }

// APIURL returns the address of the REST interface.
func (c *Client) APIURL() string { return c.BaseURL() + "/2.0" }

// NewToken makes a person's API token, or, with login "", an access token or an OAuth consumer.
func (c *Client) NewToken(ctx context.Context, login string, in simapi.TokenSpec) (out simapi.Token, err error) {
	return out, c.Do(ctx, "POST", "/users/"+url.PathEscape(cmp.Or(login, "-"))+"/tokens", in, &out)
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

// Note writes a comment on lines as a person.
func (c *Client) Note(ctx context.Context, repo string, number int, in simapi.NoteSpec) (out shared.Comment, err error) {
	return out, c.Do(ctx, "POST", fmt.Sprintf("/repos/%s/pulls/%d/notes", repo, number), in, &out)
}

// Notes lists the comments that everybody sees, the inline ones with their places, without deleted ones.
func (c *Client) Notes(ctx context.Context, repo string, number int) (out []shared.Comment, err error) {
	return out, c.Do(ctx, "GET", fmt.Sprintf("/repos/%s/pulls/%d/notes", repo, number), nil, &out)
}

// Verdict approves a pull request, or asks for changes, as a person.
func (c *Client) Verdict(ctx context.Context, repo string, number int, in simapi.VerdictSpec) error {
	return c.Do(ctx, "PUT", fmt.Sprintf("/repos/%s/pulls/%d/verdicts", repo, number), in, nil)
}

// Statuses lists the build statuses of a repository, oldest first.
func (c *Client) Statuses(ctx context.Context, repo string) (out []simapi.Status, err error) {
	return out, c.Do(ctx, "GET", "/repos/"+repo+"/statuses", nil, &out)
}

// Configure replaces the settings of the simulator; doubts that are not named keep their state.
func (c *Client) Configure(ctx context.Context, in simapi.Settings) error {
	return c.Do(ctx, "PUT", "/settings", in, nil)
}
