// Package modelclient is the typed client of a simulated model's control interface (paths under /_sim): rules, faults, and
// the record of requests. It holds no behaviour of the simulator.
package modelclient

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

	"github.com/assay-dev/assay/sim/model"
)

// Client talks to one simulated model. It is safe for concurrent use.
type Client struct {
	base, token string
	http        *http.Client
}

// New returns a client for the address of a simulated model, without "/v1" at its end. If client is nil, it
// uses its own HTTP client.
func New(baseURL, controlToken string, client *http.Client) *Client {
	if client == nil {
		client = &http.Client{Timeout: 90 * time.Second} // longer than the longest wait
	}
	return &Client{strings.TrimSuffix(strings.TrimRight(baseURL, "/"), "/v1"), controlToken, client}
}

// Health returns an error if the simulator does not answer or refuses the token.
func (c *Client) Health(ctx context.Context) error {
	return c.do(ctx, http.MethodGet, "/health", nil, nil, nil)
}

// SetRules replaces all rules.
func (c *Client) SetRules(ctx context.Context, rules []model.Rule) error {
	return c.do(ctx, http.MethodPut, "/rules", nil, orEmpty(rules), nil)
}

// AddRules puts rules after the others.
func (c *Client) AddRules(ctx context.Context, rules ...model.Rule) error {
	return c.do(ctx, http.MethodPost, "/rules", nil, orEmpty(rules), nil)
}

// SetRule replaces the rule with its name and resets its counts, or adds it after the others. The rule needs a
// name.
func (c *Client) SetRule(ctx context.Context, rule model.Rule) error {
	return c.do(ctx, http.MethodPut, "/rules/"+url.PathEscape(rule.Name), nil, rule, nil)
}

func orEmpty(rules []model.Rule) []model.Rule {
	if rules == nil {
		return []model.Rule{}
	}
	return rules
}

// Rules returns the rules and the number of their answers.
func (c *Client) Rules(ctx context.Context) (out []model.RuleState, err error) {
	return out, c.do(ctx, http.MethodGet, "/rules", nil, nil, &out)
}

// SetFault adds a fault and returns it with its id.
func (c *Client) SetFault(ctx context.Context, f model.Fault) (out model.FaultState, err error) {
	return out, c.do(ctx, http.MethodPost, "/faults", nil, f, &out)
}

// Faults returns the faults and their effects.
func (c *Client) Faults(ctx context.Context) (out []model.FaultState, err error) {
	return out, c.do(ctx, http.MethodGet, "/faults", nil, nil, &out)
}

// AwaitFault waits until a fault has that many hits and holds that many requests. The wait ends with ctx,
// after a minute at the latest.
func (c *Client) AwaitFault(ctx context.Context, id string, hits, waiting int) (out model.FaultState, err error) {
	q := url.Values{"hits": {strconv.Itoa(hits)}, "waiting": {strconv.Itoa(waiting)}, "timeoutMs": {longest(ctx)}}
	return out, c.do(ctx, http.MethodGet, "/faults/"+url.PathEscape(id), q, nil, &out)
}

// ReleaseFault ends a fault. The requests that it holds are answered (model.Answer) or reset (model.Reset).
func (c *Client) ReleaseFault(ctx context.Context, id, decision string) error {
	return c.do(ctx, http.MethodPost, "/faults/"+url.PathEscape(id)+"/release", nil, map[string]string{"decision": decision}, nil)
}

// ClearFaults removes all faults and resets the requests that they hold.
func (c *Client) ClearFaults(ctx context.Context) error {
	return c.do(ctx, http.MethodDelete, "/faults", nil, nil, nil)
}

// Filter selects requests of the record; the zero value selects all.
type Filter struct {
	After  int64  // only requests with a greater number
	Stage  string // only of this stage
	Path   string // the end of the path, such as "/chat/completions"
	Done   bool   // only ended requests
	Bodies bool   // include the bodies
}

func (f Filter) values() url.Values {
	q := url.Values{"after": {strconv.FormatInt(f.After, 10)}, "stage": {f.Stage}, "path": {f.Path}}
	if f.Done {
		q.Set("done", "1")
	}
	if f.Bodies {
		q.Set("bodies", "1")
	}
	return q
}

// Requests returns the requests that match.
func (c *Client) Requests(ctx context.Context, f Filter) (out []model.Request, err error) {
	return out, c.do(ctx, http.MethodGet, "/requests", f.values(), nil, &out)
}

// AwaitRequests waits until at least that many requests match. The wait ends with ctx, after a minute at the
// latest.
func (c *Client) AwaitRequests(ctx context.Context, f Filter, least int) (out []model.Request, err error) {
	q := f.values()
	q.Set("min", strconv.Itoa(least))
	q.Set("timeoutMs", longest(ctx))
	return out, c.do(ctx, http.MethodGet, "/requests", q, nil, &out)
}

// ClearRequests empties the record.
func (c *Client) ClearRequests(ctx context.Context) error {
	return c.do(ctx, http.MethodDelete, "/requests", nil, nil, nil)
}

func longest(ctx context.Context) string {
	wait := time.Minute
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, max(time.Until(end), time.Millisecond))
	}
	return strconv.FormatInt(wait.Milliseconds(), 10)
}

// ErrTimeout means that the awaited event did not happen in time.
var ErrTimeout = errors.New("the wait is over")

func (c *Client) do(ctx context.Context, method, path string, query url.Values, in, out any) error {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(raw)
	}
	address := c.base + "/_sim" + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusRequestTimeout {
		return fmt.Errorf("%s %s: %w", method, path, ErrTimeout)
	}
	if resp.StatusCode >= 300 {
		var problem struct{ Error string }
		if json.Unmarshal(raw, &problem) != nil || problem.Error == "" {
			problem.Error = resp.Status
		}
		return fmt.Errorf("%s %s: %s", method, path, problem.Error)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(raw, out)
}
