package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// call is one request on its way: what it needs going in, what is known of it
// coming out. It travels in the request's context, because go-github replaces
// errors of a transport by the context's own.
type call struct {
	op        string
	key       string                                // budget key
	about     domain.HostID                         // the installation that it is made for; "": none
	asApp     bool                                  // made as the app itself
	write     bool                                  // counted and spaced by the gate
	effect    bool                                  // a lost answer is ambiguous
	authorize func(context.Context) (string, error) // what stands in the header; "" for nobody
	refused   func()                                // the host answered 401

	answered bool // a 2xx answer was read whole
	err      *codehost.Error
}

type callKey struct{}

// run sends the one request that fn makes, and returns the classified error.
func (h *Host) run(ctx context.Context, c *call, fn func(context.Context) error) error {
	err := fn(context.WithValue(ctx, callKey{}, c))
	if c.err != nil {
		return c.err
	}
	if err == nil {
		return nil
	}
	if _, accepted := errors.AsType[*gh.AcceptedError](err); accepted {
		return nil
	}
	e := &codehost.Error{Op: c.op, Class: codehost.ClassInvalid, Cause: err}
	if c.answered { // the answer could not be understood
		e.Class, e.Message, e.Cause = codehost.ClassUnavailable, "the answer is not what the API describes", nil
		if c.effect {
			e.Class = codehost.ClassAmbiguous
		}
	}
	return e
}

// gated is the one path of every request.
type gated struct {
	host  *Host
	inner *http.Client
}

// RoundTrip authorises the request, passes the gate, sends it once, and turns
// every answer but a 2xx into a [*codehost.Error].
func (g *gated) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	c, ok := req.Context().Value(callKey{}).(*call)
	if !ok {
		return nil, errors.New("github: a request without a call")
	}
	resp, err := g.send(c, req)
	if err != nil {
		err.Op = c.op
		c.err = err
		return nil, err
	}
	c.answered = true
	return resp, nil
}

func (g *gated) send(c *call, req *http.Request) (*http.Response, *codehost.Error) {
	ctx := req.Context()
	authorization, err := c.authorize(ctx)
	if err != nil {
		return nil, unsent(err)
	}
	permit, err := g.host.gate.Acquire(ctx, c.key, c.write)
	if err != nil {
		return nil, unsent(err)
	}
	healthy, recorded := false, true
	defer func() { // also on a panic
		if !recorded {
			// The block is known to nobody else yet. A permit that is
			// not given back expires, and an expired one keeps the key
			// closed for a while: the safe side.
			return
		}
		if err := permit.Release(context.WithoutCancel(ctx), healthy); err != nil {
			g.host.log.ErrorContext(ctx, "rate gate: release failed", "key", c.key, "error", err)
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, unsent(err)
	}
	deadline := time.Now().Add(g.host.most)
	if limit := permit.Deadline().Add(-permitMargin); limit.Before(deadline) {
		deadline = limit
	}
	if time.Until(deadline) <= 0 {
		return nil, &codehost.Error{Class: codehost.ClassUnavailable, Message: "the permit is too short for a request"}
	}
	sendCtx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()

	started := time.Now()
	resp, body, sent, err := g.exchange(sendCtx, c, req, authorization)
	v := judge(answer{resp: resp, body: body, err: err, sent: sent, effect: c.effect, graphql: isGraphQL(req), now: g.host.now()})
	if v.block > 0 {
		if err := permit.Block(context.WithoutCancel(ctx), v.block, v.grow); err != nil {
			recorded = false
			g.host.log.ErrorContext(ctx, "rate gate: block not recorded, permit left to expire", "key", c.key, "error", err)
		}
	}
	healthy = v.healthy
	took := time.Since(started)
	g.note(ctx, c, req, resp, v, took)
	g.tell(ctx, c, resp, v, took)
	if v.err != nil {
		if v.err.Status == http.StatusUnauthorized && c.refused != nil {
			c.refused()
		}
		return nil, v.err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// exchange sends the request once and reads the whole answer. sent is false
// only where the connection was surely never given any of it.
func (g *gated) exchange(ctx context.Context, c *call, req *http.Request, authorization string) (resp *http.Response, body []byte, sent bool, err error) {
	var asked, got atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { got.Store(true) },
	})
	out := req.Clone(ctx)
	if authorization != "" {
		out.Header.Set("Authorization", authorization)
	}
	if c.effect {
		// Without GetBody, and without the two idempotency headers, net/http has
		// no way to send a write a second time by itself (net/http, Request.isReplayable).
		out.GetBody = nil
		out.Header.Del("Idempotency-Key")
		out.Header.Del("X-Idempotency-Key")
	}
	resp, err = g.inner.Do(out)
	if err != nil {
		return nil, nil, got.Load() || !(asked.Load() || isDial(err)), bare(err)
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return resp, nil, true, bare(err)
	}
	return resp, body, true, nil
}

// note writes one line of log per request: never a body, header or query.
func (g *gated) note(ctx context.Context, c *call, req *http.Request, resp *http.Response, v verdict, took time.Duration) {
	level, attrs := slog.LevelDebug, []slog.Attr{
		slog.String("op", c.op), slog.String("key", c.key), slog.String("method", req.Method), slog.Duration("took", took),
	}
	if resp != nil {
		attrs = append(attrs, slog.Int("status", resp.StatusCode), slog.String("request_id", requestID(resp)))
	}
	if v.err != nil {
		attrs = append(attrs, slog.String("class", string(v.err.Class)))
	}
	if v.block > 0 {
		level = slog.LevelWarn
		attrs = append(attrs, slog.Duration("block", v.block), slog.Bool("grow", v.grow))
	}
	g.host.log.LogAttrs(ctx, level, "code host request", attrs...)
}

// tell counts the request for who observes the host.
func (g *gated) tell(ctx context.Context, c *call, resp *http.Response, v verdict, took time.Duration) {
	if g.host.watch == nil {
		return
	}
	a := codehost.Answered{Host: "github", Op: c.op, Installation: c.about, AsApp: c.asApp, Took: took}
	if resp != nil {
		a.Status = resp.StatusCode
	}
	if v.err != nil {
		a.Class = v.err.Class
	}
	g.host.watch.HostAnswered(ctx, a)
}

// unsent is the error of a request that never left: the gate's or a token
// request's own, or one of ours.
func unsent(err error) *codehost.Error {
	if e, ok := errors.AsType[*codehost.Error](err); ok {
		if e.Class != codehost.ClassAmbiguous {
			e := *e
			return &e
		}
	}
	return &codehost.Error{Class: codehost.ClassUnavailable, Cause: err}
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

func isGraphQL(req *http.Request) bool {
	return strings.HasSuffix(req.URL.Path, "/graphql")
}

func requestID(resp *http.Response) string {
	return oneLine(resp.Header.Get("X-Github-Request-Id"), 80)
}

// local makes an error of class invalid for an argument that never reaches the host.
func local(op, format string, args ...any) error {
	return &codehost.Error{Class: codehost.ClassInvalid, Op: op, Message: fmt.Sprintf(format, args...)}
}
