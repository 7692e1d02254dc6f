// Package simclient is the part of the control interface's typed client that all simulated hosts share, for
// tests and for a parent process that runs a simulator as a child. The clients of the hosts embed it. It does
// not speak the interface of a host itself.
package simclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Client talks to one simulator. It is safe for concurrent use.
type Client struct {
	base, token string
	http        *http.Client
	within      time.Duration // see answerTime
}

// New returns a client for the simulator at base (the address of its pages) with its control token.
func New(base, token string) *Client {
	return &Client{base: strings.TrimSuffix(base, "/"), token: token, http: &http.Client{Transport: &http.Transport{Proxy: nil}},
		within: answerTime}
}

var _ simapi.Seeder = (*Client)(nil)

// BaseURL returns the address of the pages and of git.
func (c *Client) BaseURL() string { return c.base }

// answerTime bounds the simulator's time to answer, beside the time that a request asks it to wait.
const answerTime = 30 * time.Second

// limit returns the bound of a request to a path.
func (c *Client) limit(path string) time.Duration {
	u, err := url.Parse(path)
	if err != nil {
		return c.within
	}
	ms, _ := strconv.ParseInt(u.Query().Get("timeoutMs"), 10, 64) // 0 if it is absent
	return c.within + time.Duration(ms)*time.Millisecond
}

// Do sends one request to a path below /_sim; out may be nil. If the answer takes more than 30 s, beside the
// time that the request asks the simulator to wait, it returns an error that names the request. A deadline of
// ctx replaces that bound.
func (c *Client) Do(ctx context.Context, method, path string, in, out any) error {
	limit := c.limit(path)
	if end, has := ctx.Deadline(); has {
		limit = time.Until(end)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := c.do(ctx, method, path, in, out)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the simulator did not answer %s %s within %v: %w", method, path, limit.Round(time.Second), err)
	}
	return err
}

func (c *Client) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode: %w", err)
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+"/_sim"+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // the body was read
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		var failure struct{ Error string }
		_ = json.Unmarshal(raw, &failure) // without JSON the status says enough
		return fmt.Errorf("%s %s: %d %s", method, path, resp.StatusCode, failure.Error)
	}
	if out == nil || len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, out)
}

// CreateUser makes a person or an organisation.
func (c *Client) CreateUser(ctx context.Context, in simapi.UserSpec) (out simapi.User, err error) {
	return out, c.Do(ctx, "POST", "/users", in, &out)
}

// UpdateUser renames an account, or changes the members of an organisation.
func (c *Client) UpdateUser(ctx context.Context, login string, in simapi.UserUpdate) error {
	return c.Do(ctx, "PATCH", "/users/"+url.PathEscape(login), in, nil)
}

// FlagUser makes a person an administrator of the host, or blocks the account, at hosts that have both.
func (c *Client) FlagUser(ctx context.Context, login string, in simapi.UserFlags) error {
	return c.Do(ctx, "PATCH", "/users/"+url.PathEscape(login)+"/flags", in, nil)
}

// RevokeToken ends an access token that a person made.
func (c *Client) RevokeToken(ctx context.Context, id int64) error {
	return c.Do(ctx, "DELETE", fmt.Sprintf("/tokens/%d", id), nil, nil)
}

// CreateRepo makes a repository with a first commit.
func (c *Client) CreateRepo(ctx context.Context, in simapi.RepoSpec) (out simapi.Repo, err error) {
	return out, c.Do(ctx, "POST", "/repos", in, &out)
}

// Commit makes a commit on a branch or moves the branch (a push).
func (c *Client) Commit(ctx context.Context, repo string, in simapi.CommitSpec) (out simapi.Commit, err error) {
	return out, c.Do(ctx, "POST", "/repos/"+repo+"/commits", in, &out)
}

// OpenPull opens a pull request.
func (c *Client) OpenPull(ctx context.Context, repo string, in simapi.PullSpec) (out simapi.Pull, err error) {
	return out, c.Do(ctx, "POST", "/repos/"+repo+"/pulls", in, &out)
}

// OpenIssue opens an issue.
func (c *Client) OpenIssue(ctx context.Context, repo string, in simapi.IssueSpec) (out simapi.Issue, err error) {
	return out, c.Do(ctx, "POST", "/repos/"+repo+"/issues", in, &out)
}

// AddRun makes a run of a workflow of the host's own CI.
func (c *Client) AddRun(ctx context.Context, repo string, in simapi.RunSpec) (out simapi.Run, err error) {
	return out, c.Do(ctx, "POST", "/repos/"+repo+"/runs", in, &out)
}

// GetPull describes a pull request.
func (c *Client) GetPull(ctx context.Context, repo string, number int) (out simapi.Pull, err error) {
	return out, c.Do(ctx, "GET", fmt.Sprintf("/repos/%s/pulls/%d", repo, number), nil, &out)
}

// UpdatePull closes, reopens, merges, labels or edits a pull request, or changes its draft state.
func (c *Client) UpdatePull(ctx context.Context, repo string, number int, in simapi.PullUpdate) (out simapi.Pull, err error) {
	return out, c.Do(ctx, "PATCH", fmt.Sprintf("/repos/%s/pulls/%d", repo, number), in, &out)
}

// Comment writes a comment in the conversation as a person.
func (c *Client) Comment(ctx context.Context, repo string, number int, in simapi.CommentSpec) (out simapi.Comment, err error) {
	return out, c.Do(ctx, "POST", fmt.Sprintf("/repos/%s/pulls/%d/comments", repo, number), in, &out)
}

// Reply answers a comment on lines in its thread as a person.
func (c *Client) Reply(ctx context.Context, repo string, number int, in simapi.ReplySpec) (out simapi.Comment, err error) {
	return out, c.Do(ctx, "POST", fmt.Sprintf("/repos/%s/pulls/%d/replies", repo, number), in, &out)
}

// EditComment changes or removes a comment, or closes or reopens its thread, as a person.
func (c *Client) EditComment(ctx context.Context, repo string, id int64, in simapi.EditSpec) error {
	return c.Do(ctx, "PATCH", fmt.Sprintf("/repos/%s/comments/%d", repo, id), in, nil)
}

// React reacts to an inline comment as a person, or takes a reaction back. It returns the comment.
func (c *Client) React(ctx context.Context, repo string, number int, in simapi.ReactionSpec) (out simapi.Comment, err error) {
	return out, c.Do(ctx, "POST", fmt.Sprintf("/repos/%s/pulls/%d/reactions", repo, number), in, &out)
}

// Reviews lists all reviews of a pull request, pending ones included.
func (c *Client) Reviews(ctx context.Context, repo string, number int) (out []simapi.Review, err error) {
	return out, c.Do(ctx, "GET", fmt.Sprintf("/pulls/%s/%d/reviews", repo, number), nil, &out)
}

// VisibleReviews lists the submitted reviews of a pull request.
func (c *Client) VisibleReviews(ctx context.Context, repo string, number int) ([]simapi.Review, error) {
	all, err := c.Reviews(ctx, repo, number)
	var out []simapi.Review
	for _, r := range all {
		if r.State != "PENDING" {
			out = append(out, r)
		}
	}
	return out, err
}

// Comments lists the comments of the conversation.
func (c *Client) Comments(ctx context.Context, repo string, number int) (out []simapi.Comment, err error) {
	return out, c.Do(ctx, "GET", fmt.Sprintf("/pulls/%s/%d/comments", repo, number), nil, &out)
}

// RequestFilter narrows the record. Empty fields match all.
type RequestFilter struct {
	// After is the sequence number after which to list.
	After int64
	// Method and Route (the pattern, for example "/repos/{owner}/{repo}/pulls/{pull_number}/reviews") match exactly.
	Method, Route string
	// Bodies includes the bodies of writes.
	Bodies bool
	// Min waits until that many requests match, for at most Timeout (10 s if 0, at most a minute).
	Min     int
	Timeout time.Duration
}

// Requests lists the record of requests in order of arrival.
func (c *Client) Requests(ctx context.Context, f RequestFilter) (out []simapi.Request, err error) {
	q := url.Values{"after": {strconv.FormatInt(f.After, 10)}, "method": {f.Method}, "route": {f.Route}, "min": {strconv.Itoa(f.Min)},
		"timeoutMs": {strconv.FormatInt(f.Timeout.Milliseconds(), 10)}}
	if f.Bodies {
		q.Set("bodies", "1")
	}
	return out, c.Do(ctx, "GET", "/requests?"+q.Encode(), nil, &out)
}

// ClearRequests drops the record of requests and writes.
func (c *Client) ClearRequests(ctx context.Context) error {
	return c.Do(ctx, "DELETE", "/requests", nil, nil)
}

// Writes lists the recorded writes.
func (c *Client) Writes(ctx context.Context, after int64) (out []simapi.Write, err error) {
	return out, c.Do(ctx, "GET", fmt.Sprintf("/writes?after=%d", after), nil, &out)
}

// RegisterClient registers an application that signs people in, at a host that is an OpenID Connect provider.
func (c *Client) RegisterClient(ctx context.Context, in simapi.ClientSpec) (out simapi.Client, err error) {
	return out, c.Do(ctx, "POST", "/clients", in, &out)
}

// SetFault adds a fault.
func (c *Client) SetFault(ctx context.Context, f simapi.Fault) (out simapi.FaultState, err error) {
	return out, c.Do(ctx, "POST", "/faults", f, &out)
}

// Faults lists all faults.
func (c *Client) Faults(ctx context.Context) (out []simapi.FaultState, err error) {
	return out, c.Do(ctx, "GET", "/faults", nil, &out)
}

// AwaitFault waits until a fault has hit so many requests and holds so many now. A negative waiting waits
// until it holds no requests; after a release that means that all held requests have been applied or dropped.
func (c *Client) AwaitFault(ctx context.Context, id string, hits, waiting int, timeout time.Duration) (out simapi.FaultState, err error) {
	path := fmt.Sprintf("/faults/%s?hits=%d&waiting=%d&timeoutMs=%d", url.PathEscape(id), hits, waiting, timeout.Milliseconds())
	return out, c.Do(ctx, "GET", path, nil, &out)
}

// Release ends a fault. Held requests are applied (simapi.Apply, also if empty), dropped, or applied with a
// reset instead of an answer.
func (c *Client) Release(ctx context.Context, id, decision string) error {
	return c.Do(ctx, "POST", "/faults/"+url.PathEscape(id)+"/release", map[string]string{"decision": decision}, nil)
}

// ClearFaults drops everything that is held and removes all faults.
func (c *Client) ClearFaults(ctx context.Context) error {
	return c.Do(ctx, "DELETE", "/faults", nil, nil)
}

// SetDeliveryFault changes how matching webhook deliveries are sent; Release ends it.
func (c *Client) SetDeliveryFault(ctx context.Context, f simapi.DeliveryFault) (out simapi.DeliveryFault, err error) {
	return out, c.Do(ctx, "POST", "/delivery-faults", f, &out)
}

// Deliveries lists webhook deliveries, oldest first.
func (c *Client) Deliveries(ctx context.Context, payloads bool) (out []simapi.Delivery, err error) {
	path := "/deliveries"
	if payloads {
		path += "?payloads=1"
	}
	return out, c.Do(ctx, "GET", path, nil, &out)
}

// WaitDeliveries waits until no delivery is under way.
func (c *Client) WaitDeliveries(ctx context.Context, timeout time.Duration) error {
	return c.Do(ctx, "GET", fmt.Sprintf("/idle?timeoutMs=%d", timeout.Milliseconds()), nil, nil)
}

// Seed writes a known set of repositories and pull requests ("demo").
func (c *Client) Seed(ctx context.Context, name string) error {
	return c.Do(ctx, "POST", "/seed", map[string]string{"name": name}, nil)
}
