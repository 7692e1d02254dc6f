// Package wire sends the requests of all adapters to trackers: one path with a
// deadline, bounds of what is read, no redirects, no retries, and one table of what
// an answer means. What a tracker says in its own words is for its adapter.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
)

// Design choices.
const (
	requestTime = 20 * time.Second // of one request, its answer included
	limitBlock  = time.Minute      // where a limit does not say how long it lasts
	maxMessage  = 500              // characters of a tracker's words in an error
	userAgent   = "assay"
)

// Call is one request.
type Call struct {
	Op      string // our name of it, for errors
	Method  string
	URL     string
	Header  http.Header // beside those that every request has; nil for none
	Body    []byte      // nil for none
	Effect  bool        // it may change something: an answer that is lost is ambiguous
	Content string      // type of the body; "" means JSON
}

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // at most [tracker.MaxAnswer] bytes
}

// Judge looks at an answer that was read whole. It gets the error that the status
// stands for, nil where it is a success, and returns what the call ends with. It may
// change the class and the words.
type Judge func(c Call, a Answer, err *tracker.Error) *tracker.Error

// Sender sends the requests of a connection. It is safe for concurrent use.
type Sender struct {
	client    *http.Client
	authorize func(context.Context) (string, error)
	judge     Judge
}

// NewSender makes one. authorize returns the value of the Authorization header, ""
// for none, once a request; judge may be nil.
func NewSender(client *http.Client, authorize func(context.Context) (string, error), judge Judge) *Sender {
	direct := *client
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Sender{client: &direct, authorize: authorize, judge: judge}
}

// Do sends a request once. Its errors are [*tracker.Error]s.
func (s *Sender) Do(ctx context.Context, c Call) (Answer, error) {
	value, err := s.authorize(ctx)
	if err != nil {
		return Answer{}, unsent(c, err)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	var got atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { got.Store(true) }})
	req, err := request(ctx, c)
	if err != nil {
		return Answer{}, unsent(c, err)
	}
	if value != "" {
		req.Header.Set("Authorization", value)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return Answer{}, broken(c, 0, bare(err), got.Load())
	}
	defer resp.Body.Close()
	body, err := outbound.ReadAnswer(resp, outbound.Bound{Bytes: tracker.MaxAnswer, Memory: outbound.DefaultMemory, Entries: outbound.NoList})
	if beyond, is := errors.AsType[*outbound.BoundError](err); is {
		return Answer{}, tooLarge(c, resp.StatusCode, beyond)
	}
	if err != nil {
		return Answer{}, broken(c, resp.StatusCode, bare(err), true)
	}
	a := Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}
	failure := classify(c, a)
	if s.judge != nil {
		failure = s.judge(c, a, failure)
	}
	if failure != nil {
		return Answer{}, failure
	}
	return a, nil
}

// JSON sends in, nil for no body, and reads the answer into out, nil for what nobody
// reads.
func (s *Sender) JSON(ctx context.Context, c Call, in, out any) error {
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return unsent(c, err)
		}
		c.Body = raw
	}
	a, err := s.Do(ctx, c)
	if err != nil || out == nil {
		return err
	}
	return Decode(c, a, out)
}

// Decode reads the JSON of an answer. One that is nested more deeply than the decoder
// follows is too large.
func Decode(c Call, a Answer, out any) error {
	err := json.Unmarshal(a.Body, out)
	if err == nil {
		return nil
	}
	e := &tracker.Error{Class: tracker.ClassUnavailable, Op: c.Op, Status: a.Status, Message: "the answer is not what this tracker is known to send"}
	switch _, isSyntax := errors.AsType[*json.SyntaxError](err); {
	case c.Effect:
		e.Class = tracker.ClassAmbiguous
	case isSyntax && strings.Contains(err.Error(), "max depth"):
		e.Class, e.Message = tracker.ClassTooLarge, "the answer is nested too deeply"
	}
	return e
}

// tooLarge is the error for an answer that was not read to its end.
func tooLarge(c Call, status int, beyond *outbound.BoundError) *tracker.Error {
	e := &tracker.Error{Class: tracker.ClassTooLarge, Op: c.Op, Status: status, Message: beyond.Error()}
	if c.Effect {
		e.Class = tracker.ClassAmbiguous
	}
	return e
}

// List is [outbound.List] of a tracker.
func List[S, T any](ctx context.Context, op string, most int, page outbound.Page[S], keep func(S) (T, bool)) (list []T, whole bool, err error) {
	list, whole, err = outbound.List(ctx, most, page, keep)
	if beyond, is := errors.AsType[*outbound.BoundError](err); is {
		err = tooLarge(Call{Op: op}, 0, beyond)
	}
	return list, whole, err
}

// Projects reads a list of projects. One of more than [tracker.MaxProjects] is cut to as
// many, by which the caller knows it.
func Projects[S any](ctx context.Context, op string, page outbound.Page[S], keep func(S) (tracker.Project, bool)) ([]tracker.Project, error) {
	list, whole, err := List(ctx, op, 10*tracker.MaxProjects, page, keep)
	if err == nil && !whole && len(list) < tracker.MaxProjects {
		err = &tracker.Error{Class: tracker.ClassTooLarge, Op: op, Message: "the list is longer than is read, and names few that can be used"}
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, byKey)
	return append([]tracker.Project{}, list[:min(len(list), tracker.MaxProjects)]...), nil
}

func request(ctx context.Context, c Call) (*http.Request, error) {
	var body io.Reader = http.NoBody
	if c.Body != nil {
		body = bytes.NewReader(c.Body)
	}
	req, err := http.NewRequestWithContext(ctx, c.Method, c.URL, body)
	if err != nil {
		return nil, errors.New("the address of the request is not valid")
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "application/json")
	if c.Body != nil {
		req.Header.Set("Content-Type", "application/json")
		if c.Content != "" {
			req.Header.Set("Content-Type", c.Content)
		}
	}
	for k, v := range c.Header {
		req.Header[k] = v
	}
	if c.Effect {
		req.GetBody = nil // net/http must not send a write a second time by itself
	}
	return req, nil
}

// classify is what a status means with every tracker.
func classify(c Call, a Answer) *tracker.Error {
	e := &tracker.Error{Op: c.Op, Status: a.Status, RequestID: RequestID(a.Header)}
	lost := tracker.ClassUnavailable
	if c.Effect {
		lost = tracker.ClassAmbiguous
	}
	switch success := a.Status >= 200 && a.Status < 300; {
	case success && IsPage(a):
		e.Class, e.Message = lost, pageWords
		return e
	case success:
		return nil
	case a.Status < 400:
		e.Class, e.Message = tracker.ClassUnavailable, "a redirect, which is not followed: is the address of the connection the tracker's own?"
		return e
	}
	e.Message = Words(a)
	wait, says := outbound.RetryAfter(a.Header, time.Now())
	switch {
	case a.Status == http.StatusTooManyRequests, says && !c.Effect && a.Status == http.StatusServiceUnavailable:
		e.Class, e.RetryAfter = tracker.ClassLimited, limitBlock
		if says {
			e.RetryAfter = wait
		}
	case a.Status == http.StatusNotFound, a.Status == http.StatusGone:
		e.Class = tracker.ClassNotFound
		if IsPage(a) { // a proxy's word says nothing of what the tracker has
			e.Class = tracker.ClassUnavailable
		}
	case a.Status == http.StatusUnauthorized, a.Status == http.StatusForbidden, a.Status == http.StatusUnavailableForLegalReasons:
		e.Class = tracker.ClassForbidden
	case a.Status == http.StatusRequestEntityTooLarge:
		e.Class = tracker.ClassTooLarge
	case a.Status >= 500, a.Status == http.StatusRequestTimeout:
		e.Class = lost
	default:
		e.Class = tracker.ClassInvalid
	}
	return e
}

const pageWords = "a page for browsers in place of an answer: something in front of the tracker answered in its place"

// IsPage reports an answer for browsers, which interfaces of trackers do not give.
func IsPage(a Answer) bool {
	kind, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	return err == nil && (kind == "text/html" || kind == "application/xhtml+xml")
}

// Words are the bytes of a refusal as far as people may read them.
func Words(a Answer) string {
	if IsPage(a) {
		return pageWords
	}
	return Said(string(a.Body[:min(len(a.Body), 4*maxMessage)]))
}

// Said makes a tracker's words fit for an error.
func Said(s string) string { return clip.Words(strings.TrimSpace(s), maxMessage) }

// RequestID is the tracker's id of a request, by the headers that trackers use.
func RequestID(h http.Header) string {
	for _, name := range []string{"X-Request-Id", "Atl-Traceid", "X-Arequestid", "X-Vss-E2eid", "Activityid"} {
		if v := h.Get(name); v != "" {
			return clip.OneLine(v, 80)
		}
	}
	return ""
}

// unsent is the error of a request that never left. An error of a tracker stays what
// it is: the token may come from one.
func unsent(c Call, err error) *tracker.Error {
	if e, ok := errors.AsType[*tracker.Error](err); ok && e.Class != tracker.ClassAmbiguous {
		out := *e
		return &out
	}
	return &tracker.Error{Class: tracker.ClassUnavailable, Op: c.Op, Cause: err}
}

// broken is the error of an answer that did not come, or not whole.
func broken(c Call, status int, err error, sent bool) *tracker.Error {
	e := &tracker.Error{Class: tracker.ClassUnavailable, Op: c.Op, Status: status, Cause: err}
	if c.Effect && sent && !isDial(err) {
		e.Class = tracker.ClassAmbiguous
	}
	return e
}

// isDial reports an error from before there was a connection.
func isDial(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return true
	}
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

// bare drops the URL that net/http puts around errors.
func bare(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// Base checks the address of a connection, and returns it without a slash at its end.
func Base(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address must be an http or https address without user, query and fragment")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u, nil
}

// Token is the credential of a configuration behind a word, such as "Bearer".
func Token(cfg tracker.Config, value func(secret.Secret) string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		t, err := cfg.Token(ctx)
		if err != nil {
			return "", err
		}
		if !t.IsSet() {
			return "", &tracker.Error{Class: tracker.ClassForbidden, Op: "sign in", Message: "the connection has no credential"}
		}
		return value(t), nil
	}
}
