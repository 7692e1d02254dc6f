package wire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/outbound"
)

// PermitMargin is the part of a permit that a request leaves for recording a block and releasing the slot.
const PermitMargin = time.Second

// Transport is the one path of every request of an adapter. All fields are required except Watch. It is
// safe for concurrent use.
type Transport struct {
	Kind     string       // kind of host, for the observer
	Client   *http.Client // guarded; its CheckRedirect is not used: see [Sender]
	Gate     codehost.Gate
	Timeout  time.Duration // most time of one request, counted from the gate's permit
	MaxBytes int64         // most bytes of one answer; a decoded one has at most [maxDecoded], unless the call sets Bytes
	Judge    Judge
	Now      func() time.Time
	Log      *slog.Logger
	Watch    codehost.Observer // may be nil
}

// Sender returns a copy of a client that follows no redirects.
func Sender(c *http.Client) *http.Client {
	out := *c
	out.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &out
}

// RoundTrip implements [http.RoundTripper] for requests within [Run]. It returns an error for every answer
// except a success, and stores it in the call.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	c, ok := req.Context().Value(callKey{}).(*Call)
	if !ok {
		return nil, errors.New("codehost: a request without a call")
	}
	resp, err := t.send(c, req)
	if err != nil {
		err.Op = c.Op
		c.err = err
		return nil, err
	}
	c.answered = true
	return resp, nil
}

func (t *Transport) send(c *Call, req *http.Request) (*http.Response, *codehost.Error) {
	ctx := req.Context()
	authorization, err := c.Authorize(ctx)
	if err != nil {
		return nil, unsentError(err)
	}
	permit, err := t.Gate.Acquire(ctx, c.Key, c.Write)
	if err != nil {
		return nil, unsentError(err)
	}
	healthy, recorded := false, true
	defer func() { // also on a panic
		if !recorded {
			// Only this process knows the block. A permit that is not given back expires, and the gate
			// keeps its key closed for a while, which is the safe side.
			return
		}
		if err := permit.Release(context.WithoutCancel(ctx), healthy); err != nil {
			t.Log.ErrorContext(ctx, "rate gate: release failed", "key", c.Key, "error", err)
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, unsentError(err)
	}
	deadline := time.Now().Add(t.Timeout)
	if limit := permit.Deadline().Add(-PermitMargin); limit.Before(deadline) {
		deadline = limit
	}
	if time.Until(deadline) <= 0 {
		return nil, &codehost.Error{Class: codehost.ClassUnavailable, Message: "the permit is too short for a request"}
	}
	sendCtx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()

	started := time.Now()
	a := t.exchange(sendCtx, c, req, authorization)
	v := t.judge(c, a)
	if v.Block > 0 {
		if err := permit.Block(context.WithoutCancel(ctx), v.Block, v.Grow); err != nil {
			recorded = false
			t.Log.ErrorContext(ctx, "rate gate: block not recorded, permit left to expire", "key", c.Key, "error", err)
		}
	}
	healthy = v.Healthy
	t.logAnswer(ctx, c, req, a.Resp, v, time.Since(started))
	if v.Err != nil {
		if v.Err.Status == http.StatusUnauthorized && c.Refused != nil {
			c.Refused()
		}
		return nil, v.Err
	}
	a.Resp.Body = &heldBody{bytes.NewReader(a.Body), a.Body}
	return a.Resp, nil
}

// exchange sends the request once and reads the whole answer.
func (t *Transport) exchange(ctx context.Context, c *Call, req *http.Request, authorization string) Answer {
	var asked, got atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { got.Store(true) },
	})
	out := req.Clone(ctx)
	if authorization != "" {
		out.Header.Set("Authorization", authorization)
	}
	if c.Effect {
		// Without GetBody and the two idempotency headers, net/http cannot send a write a second time by
		// itself (net/http, Request.isReplayable).
		out.GetBody = nil
		out.Header.Del("Idempotency-Key")
		out.Header.Del("X-Idempotency-Key")
	}
	a := Answer{Sent: true, Effect: c.Effect, Now: t.Now()}
	resp, err := t.Client.Do(out)
	if err != nil {
		a.Sent, a.Err = got.Load() || !(asked.Load() || isDial(err)), WithoutURL(err)
		return a
	}
	defer resp.Body.Close()
	a.Resp = resp
	if a.Body, err = t.body(c, resp); err != nil {
		a.Body, a.Err = nil, WithoutURL(err)
	}
	return a
}

// Bounds of the bytes of one answer. The largest pages of lists, pull requests with long descriptions, have
// about 6 MiB. Hosts cut diffs themselves (GitLab: 5 MiB).
const (
	MaxRaw     = 16 << 20      // of a body that is kept unchanged: a diff or a file
	maxDecoded = 8<<20 - 4<<10 // of a decoded body; with 8 MiB a json.Decoder's buffer would double once more
	MaxDiffs   = 16 << 20      // of a decoded body with the texts of diffs
)

// body reads an answer within the bounds of its call. Above them it returns an [*outbound.BoundError].
func (t *Transport) body(c *Call, resp *http.Response) ([]byte, error) {
	switch success := resp.StatusCode >= 200 && resp.StatusCode <= 299; {
	case success && c.Read != nil:
		return nil, c.Read(io.LimitReader(resp.Body, c.Bytes+1))
	case success && c.Raw:
		return outbound.ReadBytes(resp.Body, t.MaxBytes)
	}
	return outbound.ReadAnswer(resp, outbound.Bound{Bytes: min(t.MaxBytes, cmp.Or(c.Bytes, maxDecoded)), Memory: outbound.DefaultMemory,
		Entries: cmp.Or(c.Entries, outbound.NoList)})
}

// judge handles expected redirects and exceeded bounds, and leaves other answers to the adapter's Judge.
func (t *Transport) judge(c *Call, a Answer) Verdict {
	switch {
	case c.Found && a.Err == nil && a.Resp != nil && (a.Resp.StatusCode == http.StatusFound ||
		a.Resp.StatusCode == http.StatusTemporaryRedirect):
		return Verdict{Healthy: true}
	}
	beyond, is := errors.AsType[*outbound.BoundError](a.Err)
	if !is {
		return t.Judge(a)
	}
	e := &codehost.Error{Class: codehost.ClassTooLarge, Status: a.Resp.StatusCode, Message: beyond.Error()}
	if c.Effect {
		e.Class = codehost.ClassAmbiguous
	}
	return Verdict{Healthy: true, Err: e}
}

// logAnswer logs one line per request, without body, headers or query, and informs the observer.
func (t *Transport) logAnswer(ctx context.Context, c *Call, req *http.Request, resp *http.Response, v Verdict, took time.Duration) {
	seen := codehost.Exchange{Host: t.Kind, Op: c.Op, Installation: c.Installation, AsApp: c.AsApp, Took: took, Path: logPath(req.URL.Path)}
	level, attrs := slog.LevelDebug, []slog.Attr{
		slog.String("op", c.Op), slog.String("key", c.Key), slog.String("method", req.Method), slog.Duration("took", took),
	}
	if resp != nil {
		seen.Status = resp.StatusCode
		attrs = append(attrs, slog.Int("status", resp.StatusCode), slog.String("request_id", v.Request))
	}
	if v.Err != nil {
		seen.Class = v.Err.Class
		if v.Err.Class == codehost.ClassForbidden {
			seen.Message = v.Err.Message
		}
		attrs = append(attrs, slog.String("class", string(v.Err.Class)))
	}
	if v.Block > 0 {
		level = slog.LevelWarn
		attrs = append(attrs, slog.Duration("block", v.Block), slog.Bool("grow", v.Grow))
	}
	codehost.StoreReceipt(ctx, seen.Status, v.Request)
	t.Log.LogAttrs(ctx, level, "code host request", attrs...)
	if t.Watch != nil {
		t.Watch.ObserveExchange(ctx, seen)
	}
}

// unsentError returns the error of a request that was never sent: the gate's or our own error.
func unsentError(err error) *codehost.Error {
	if e, ok := errors.AsType[*codehost.Error](err); ok {
		if e.Class != codehost.ClassAmbiguous {
			e := *e
			return &e
		}
	}
	return &codehost.Error{Class: codehost.ClassUnavailable, Cause: err}
}

// logPath returns a path without the parts that differ between requests of one kind. The first five
// segments name a repository or contain its number. From the sixth on, it omits numbers, commits, file
// paths and names of branches. It cuts the path after nine segments.
func logPath(path string) string {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i, s := range segments {
		if i >= 5 && i+1 < len(segments) && slices.Contains([]string{"contents", "raw", "media", "files", "branches", "labels"}, s) {
			segments = append(segments[:i+1], "…")
			break
		}
		if i >= 5 && (strings.Trim(s, "0123456789") == "" || len(s) >= 40 && strings.Trim(s, "0123456789abcdef") == "") {
			segments[i] = "…"
		}
	}
	return OneLine("/"+strings.Join(segments[:min(len(segments), 9)], "/"), 300)
}

// isDial reports whether an error is from before the connection existed, or refuses the destination.
func isDial(err error) bool {
	if _, refused := errors.AsType[*outbound.RefusedError](err); refused {
		return true
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return true
	}
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

// WithoutURL removes the URL that net/http puts around errors.
func WithoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
