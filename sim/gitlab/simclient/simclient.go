// Package simclient is the typed client of the simulated GitLab's control interface, for tests and for a parent process that
// runs the simulator as a child. It does not speak the host's own interface.
//
// A project is named by its full path with the slashes of its group escaped: see [Repo].
package simclient

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/host/simclient"
)

// Client talks to one simulator. It is safe for concurrent use.
type Client struct{ *simclient.Client }

// RequestFilter narrows the record.
type RequestFilter = simclient.RequestFilter

// New returns a client for the simulator at base with its control token.
func New(base, token string) *Client { return &Client{simclient.New(base, token)} }

// Repo returns a project's name for the methods of the client, in which a nested group is one segment of the
// path.
func Repo(fullPath string) string {
	at := strings.LastIndexByte(fullPath, '/')
	if at < 0 {
		return fullPath
	}
	return url.PathEscape(fullPath[:at]) + "/" + url.PathEscape(fullPath[at+1:])
}

// APIURL returns the address of the REST interface.
func (c *Client) APIURL() string { return c.BaseURL() + "/api/v4" }

// NewToken makes a person's access token, or, with login "" and a project or group in the specification, that
// of a new account.
func (c *Client) NewToken(ctx context.Context, login string, in simapi.TokenSpec) (out simapi.Token, err error) {
	return out, c.Do(ctx, "POST", "/users/"+url.PathEscape(cmp.Or(login, "-"))+"/tokens", in, &out)
}

// ChangeRepo renames, transfers or deletes a project, or changes its visibility.
func (c *Client) ChangeRepo(ctx context.Context, repo string, in simapi.RepoChange) error {
	return c.Do(ctx, "PATCH", "/repos/"+repo, in, nil)
}

// AddHook makes a webhook of a project.
func (c *Client) AddHook(ctx context.Context, repo string, in simapi.HookSpec) (out simapi.Hook, err error) {
	return out, c.Do(ctx, "POST", "/repos/"+repo+"/hooks", in, &out)
}

// Hooks lists all webhooks by id.
func (c *Client) Hooks(ctx context.Context) (out []simapi.Hook, err error) {
	return out, c.Do(ctx, "GET", "/hooks", nil, &out)
}

// Note writes a comment on lines as a person.
func (c *Client) Note(ctx context.Context, repo string, number int, in simapi.NoteSpec) (out simapi.Note, err error) {
	return out, c.Do(ctx, "POST", fmt.Sprintf("/repos/%s/pulls/%d/notes", repo, number), in, &out)
}

// Drafts lists the draft notes of all people.
func (c *Client) Drafts(ctx context.Context, repo string, number int) (out []simapi.Draft, err error) {
	return out, c.Do(ctx, "GET", fmt.Sprintf("/repos/%s/pulls/%d/drafts", repo, number), nil, &out)
}

// Notes lists the visible notes, except system notes, the inline ones with their places.
func (c *Client) Notes(ctx context.Context, repo string, number int) (out []shared.Comment, err error) {
	return out, c.Do(ctx, "GET", fmt.Sprintf("/repos/%s/pulls/%d/notes", repo, number), nil, &out)
}

// Statuses lists the commit statuses of a project, oldest first.
func (c *Client) Statuses(ctx context.Context, repo string) (out []simapi.Status, err error) {
	return out, c.Do(ctx, "GET", "/repos/"+repo+"/statuses", nil, &out)
}

// Resend sends a delivery again, with the same body and idempotency key.
func (c *Client) Resend(ctx context.Context, id int64) error {
	return c.Do(ctx, "POST", fmt.Sprintf("/deliveries/%d/resend", id), nil, nil)
}

// Configure replaces the settings of the simulator; doubts that are not named keep their state.
func (c *Client) Configure(ctx context.Context, in simapi.Settings) error {
	return c.Do(ctx, "PUT", "/settings", in, nil)
}
