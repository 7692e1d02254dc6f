// Package wire sends the requests of all adapters to trackers: one path with a deadline, bounds, no
// redirects and no retries, and one table for the meaning of an answer. Adapters interpret the words of
// their tracker.
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

// Bounds of requests (design choices).
const (
	requestTime = 20 * time.Second // of one request, including its answer
	limitBlock  = time.Minute      // if a limit has no duration
	maxMessage  = 500              // characters of a tracker's text in an error
	userAgent   = "assay"
)

// Call is one request.
type Call struct {
	Op      string // our name of the call, for errors
	Method  string
	URL     string
	Header  http.Header // headers beside the common ones; may be nil
	Body    []byte      // may be nil
	Effect  bool        // a lost answer is ambiguous, because the request may change something
	Content string      // type of the body; "" means JSON
}

// Answer is a tracker's answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // at most [tracker.MaxAnswer] bytes
}

// Judge classifies an answer that was read completely. err is the error for the status, or nil for a
// success. Judge returns the error of the call, and may change class and message.
type Judge func(c Call, a Answer, err *tracker.Error) *tracker.Error

// Sender sends the requests of a connection. It is safe for concurrent use.
type Sender struct {
	client    *http.Client
	authorize func(context.Context) (string, error)
	judge     Judge
}

// NewSender returns a Sender. authorize returns the Authorization header of a request, or "" for an
// anonymous one, and is called once per request. judge may be nil.
func NewSender(client *http.Client, authorize func(context.Context) (string, error), judge Judge) *Sender {
	direct := *client
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Sender{client: &direct, authorize: authorize, judge: judge}
}

// Do sends a request once. Its errors are [*tracker.Error]s.
func (s *Sender) Do(ctx context.Context, c Call) (Answer, error) {
	value, err := s.authorize(ctx)
	if err != nil {
		return Answer{}, unsentError(c, err)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	var got atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { got.Store(true) }})
	req, err := request(ctx, c)
	if err != nil {
		return Answer{}, unsentError(c, err)
	}
	if value != "" {
		req.Header.Set("Authorization", value)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return Answer{}, brokenError(c, 0, withoutURL(err), got.Load())
	}
	defer resp.Body.Close()
	body, err := outbound.ReadAnswer(resp, outbound.Bound{Bytes: tracker.MaxAnswer, Memory: outbound.DefaultMemory, Entries: outbound.NoList})
	if beyond, is := errors.AsType[*outbound.BoundError](err); is {
		return Answer{}, tooLarge(c, resp.StatusCode, beyond)
	}
	if err != nil {
		return Answer{}, brokenError(c, resp.StatusCode, withoutURL(err), true)
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

// JSON sends in as the body, or no body if in is nil. It decodes the answer into out, unless out is nil.
func (s *Sender) JSON(ctx context.Context, c Call, in, out any) error {
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return unsentError(c, err)
		}
		c.Body = raw
	}
	a, err := s.Do(ctx, c)
	if err != nil || out == nil {
		return err
	}
	return Decode(c, a, out)
}

// Decode decodes the JSON of an answer. An answer nested deeper than the decoder follows is too large.
func Decode(c Call, a Answer, out any) error {
	err := json.Unmarshal(a.Body, out)
	if err == nil {
		return nil
	}
	e := &tracker.Error{Class: tracker.ClassUnavailable, Op: c.Op, Status: a.Status,
		Message: "the answer is not what this tracker is known to send"}
	switch _, isSyntax := errors.AsType[*json.SyntaxError](err); {
	case c.Effect:
		e.Class = tracker.ClassAmbiguous
	case isSyntax && strings.Contains(err.Error(), "max depth"):
		e.Class, e.Message = tracker.ClassTooLarge, "the answer is nested too deeply"
	}
	return e
}

// tooLarge returns the error for an answer that was not read to its end.
func tooLarge(c Call, status int, beyond *outbound.BoundError) *tracker.Error {
	e := &tracker.Error{Class: tracker.ClassTooLarge, Op: c.Op, Status: status, Message: beyond.Error()}
	if c.Effect {
		e.Class = tracker.ClassAmbiguous
	}
	return e
}

// listPages is [outbound.List] with a tracker's errors.
func listPages[S, T any](ctx context.Context, op string, most int, page outbound.Page[S],
	keep func(S) (T, bool)) (list []T, whole bool, err error) {
	list, whole, err = outbound.List(ctx, most, page, keep)
	if beyond, is := errors.AsType[*outbound.BoundError](err); is {
		err = tooLarge(Call{Op: op}, 0, beyond)
	}
	return list, whole, err
}

// Projects reads a list of projects, ordered by key. It cuts a longer list to [tracker.MaxProjects], so a
// caller must treat a list of that length as perhaps incomplete.
func Projects[S any](ctx context.Context, op string, page outbound.Page[S],
	keep func(S) (tracker.Project, bool)) ([]tracker.Project, error) {
	list, whole, err := listPages(ctx, op, 10*tracker.MaxProjects, page, keep)
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
		req.GetBody = nil // net/http must not repeat a write by itself
	}
	return req, nil
}

// classify returns the error for a status that has the same meaning on every tracker, or nil.
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
	e.Message = refusalText(a)
	wait, says := outbound.RetryAfter(a.Header, time.Now())
	switch {
	case a.Status == http.StatusTooManyRequests, says && !c.Effect && a.Status == http.StatusServiceUnavailable:
		e.Class, e.RetryAfter = tracker.ClassLimited, limitBlock
		if says {
			e.RetryAfter = wait
		}
	case a.Status == http.StatusNotFound, a.Status == http.StatusGone:
		e.Class = tracker.ClassNotFound
		if IsPage(a) { // a proxy's 404 proves nothing about the tracker
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

// IsPage reports whether an answer is a page for browsers, which APIs of trackers never send.
func IsPage(a Answer) bool {
	kind, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	return err == nil && (kind == "text/html" || kind == "application/xhtml+xml")
}

// refusalText returns the text of a refusal that people may read.
func refusalText(a Answer) string {
	if IsPage(a) {
		return pageWords
	}
	return ErrorText(string(a.Body[:min(len(a.Body), 4*maxMessage)]))
}

// ErrorText returns a tracker's text in a form for errors.
func ErrorText(s string) string { return clip.Words(strings.TrimSpace(s), maxMessage) }

// RequestID returns the tracker's id of a request, from the headers that trackers use.
func RequestID(h http.Header) string {
	for _, name := range []string{"X-Request-Id", "Atl-Traceid", "X-Arequestid", "X-Vss-E2eid", "Activityid"} {
		if v := h.Get(name); v != "" {
			return clip.OneLine(v, 80)
		}
	}
	return ""
}

// unsentError returns the error of a request that was never sent. It keeps an error of a tracker, because the
// token may come from one.
func unsentError(c Call, err error) *tracker.Error {
	if e, ok := errors.AsType[*tracker.Error](err); ok && e.Class != tracker.ClassAmbiguous {
		out := *e
		return &out
	}
	return &tracker.Error{Class: tracker.ClassUnavailable, Op: c.Op, Cause: err}
}

// brokenError returns the error for an answer that is missing or incomplete.
func brokenError(c Call, status int, err error, sent bool) *tracker.Error {
	e := &tracker.Error{Class: tracker.ClassUnavailable, Op: c.Op, Status: status, Cause: err}
	if c.Effect && sent && !isDial(err) {
		e.Class = tracker.ClassAmbiguous
	}
	return e
}

// isDial reports whether an error is from before the connection existed.
func isDial(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return true
	}
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

// withoutURL removes the URL that net/http puts around errors.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// Base checks the address of a connection, and returns it without a trailing slash.
func Base(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address must be an http or https address without user, query and fragment")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u, nil
}

// Token returns the credential of a configuration, converted by value, for example with "Bearer" before it.
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
