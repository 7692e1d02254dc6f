// Package simclient is the typed client of the simulated GitHub's control interface, for tests and for a parent process
// that runs the simulator as a child. It does not speak the GitHub API itself.
package simclient

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host/simclient"
)

// Client talks to one simulator. It is safe for concurrent use.
type Client struct{ *simclient.Client }

// RequestFilter narrows the record.
type RequestFilter = simclient.RequestFilter

// New returns a client for the simulator at base (the address of its pages) with its control token.
func New(base, token string) *Client { return &Client{simclient.New(base, token)} }

var _ simapi.Seeder = (*Client)(nil)

// APIURL returns the address of the REST interface, as for GitHub Enterprise Server.
func (c *Client) APIURL() string { return c.BaseURL() + "/api/v3" }

// UpdateRepo changes the collaborators and the protected branches of a repository.
func (c *Client) UpdateRepo(ctx context.Context, repo string, in simapi.RepoUpdate) error {
	return c.Do(ctx, "PATCH", "/repos/"+repo, in, nil)
}

// RegisterApp registers a GitHub App.
func (c *Client) RegisterApp(ctx context.Context, in simapi.AppSpec) (out simapi.App, err error) {
	return out, c.Do(ctx, "POST", "/apps", in, &out)
}

// UpdateApp changes the webhook, permissions or events of an app.
func (c *Client) UpdateApp(ctx context.Context, id int64, in simapi.AppUpdate) error {
	return c.Do(ctx, "PATCH", fmt.Sprintf("/apps/%d", id), in, nil)
}

// Install installs an app on an account.
func (c *Client) Install(ctx context.Context, in simapi.InstallSpec) (out simapi.Installation, err error) {
	return out, c.Do(ctx, "POST", "/installations", in, &out)
}

// UpdateInstallation suspends, resumes or changes an installation.
func (c *Client) UpdateInstallation(ctx context.Context, id int64, in simapi.InstallationUpdate) error {
	return c.Do(ctx, "PATCH", fmt.Sprintf("/installations/%d", id), in, nil)
}

// Uninstall removes an installation.
func (c *Client) Uninstall(ctx context.Context, id int64) error {
	return c.Do(ctx, "DELETE", fmt.Sprintf("/installations/%d", id), nil, nil)
}

// ApplySuggestion applies the suggestion of an inline comment.
func (c *Client) ApplySuggestion(ctx context.Context, repo string, number int, in simapi.SuggestionSpec) (out simapi.Commit, err error) {
	return out, c.Do(ctx, "POST", fmt.Sprintf("/repos/%s/pulls/%d/suggestions", repo, number), in, &out)
}

// CheckRuns lists the check runs of a repository, oldest first.
func (c *Client) CheckRuns(ctx context.Context, repo string) (out []simapi.CheckRun, err error) {
	return out, c.Do(ctx, "GET", "/repos/"+repo+"/check-runs", nil, &out)
}

// Rerequest presses "Re-run" on a check run of a repository, or on all checks of its head.
func (c *Client) Rerequest(ctx context.Context, repo string, in simapi.RerequestSpec) error {
	return c.Do(ctx, "POST", "/repos/"+repo+"/rerequest", in, nil)
}

// Redeliver sends a delivery again with the same GUID; several copies are sent at the same time.
func (c *Client) Redeliver(ctx context.Context, id int64, copies int) error {
	return c.Do(ctx, "POST", fmt.Sprintf("/deliveries/%d/redeliver", id), map[string]int{"copies": copies}, nil)
}

// Configure replaces the settings of the simulator.
func (c *Client) Configure(ctx context.Context, in simapi.Settings) error {
	return c.Do(ctx, "PUT", "/settings", in, nil)
}
