package host

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Control is the control interface under /_sim. Every request needs the control token. Make it with [NewControl].
type Control struct {
	mux   *http.ServeMux
	token func() string
}

// Parts are what the routes that all simulators share look at.
type Parts struct {
	Recorder *Recorder
	Faults   *Faults
	Sender   *Sender
	// Token is the bearer token of the control interface.
	Token func() string
}

// NewControl makes the interface with its common routes: health, requests, writes, faults, deliveries, idle.
func NewControl(p Parts) *Control {
	c := &Control{mux: http.NewServeMux(), token: p.Token}
	c.Handle("GET /_sim/health", func(*Command) (any, error) { return Obj{"ok": true}, nil })
	c.Handle("GET /_sim/requests", func(cmd *Command) (any, error) { return cmd.requests(p.Recorder) })
	c.Handle("DELETE /_sim/requests", func(*Command) (any, error) { p.Recorder.Clear(); return nil, nil })
	c.Handle("GET /_sim/writes", func(cmd *Command) (any, error) { return p.Recorder.Writes(cmd.Number("after")), nil })
	c.Handle("POST /_sim/faults", Returns(func(_ context.Context, f simapi.Fault) (simapi.FaultState, error) { return p.Faults.Add(f) }))
	c.Handle("GET /_sim/faults", func(*Command) (any, error) { list, _ := p.Faults.State(""); return list, nil })
	c.Handle("GET /_sim/faults/{id}", func(cmd *Command) (any, error) { return cmd.awaitFault(p.Faults) })
	c.Handle("POST /_sim/faults/{id}/release", func(cmd *Command) (any, error) {
		return nil, With(cmd, func(in struct{ Decision string }) error { return p.Faults.Decide(cmd.R.PathValue("id"), in.Decision) })
	})
	c.Handle("DELETE /_sim/faults", func(*Command) (any, error) { p.Faults.ReleaseAll(); return nil, nil })
	c.Handle("POST /_sim/delivery-faults", Returns(func(_ context.Context, f simapi.DeliveryFault) (simapi.DeliveryFault, error) {
		return p.Faults.AddDelivery(f)
	}))
	c.Handle("GET /_sim/deliveries", func(cmd *Command) (any, error) {
		return p.Sender.Describe(cmd.R.URL.Query().Get("payloads") != ""), nil
	})
	c.Handle("GET /_sim/idle", func(cmd *Command) (any, error) {
		ctx, cancel := context.WithTimeout(cmd.R.Context(), cmd.timeout())
		defer cancel()
		return nil, p.Sender.AwaitIdle(ctx)
	})
	return c
}

// Decide ends what a fault (of requests or of deliveries) holds back, and the fault itself. The decision is "apply" (also
// when empty), "drop", or "reset": apply, but reset the connection instead of answering.
func (fs *Faults) Decide(id, decision string) error {
	if !slices.Contains([]string{"", simapi.Apply, simapi.Drop, simapi.Reset}, decision) {
		return errors.New(`decision: must be "apply", "drop" or "reset"`)
	}
	if !fs.Release(id, decision) {
		return errors.New("fault: there is none with that id")
	}
	return nil
}

// Handle adds a route.
func (c *Control) Handle(pattern string, f func(*Command) (any, error)) {
	c.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		v, err := f(&Command{R: r})
		answerControl(w, v, err)
	})
}

// ServeHTTP implements http.Handler.
func (c *Control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if subtle.ConstantTimeCompare([]byte(given), []byte(c.token())) != 1 {
		answerControl(w, nil, errControl)
		return
	}
	c.mux.ServeHTTP(w, r)
}

var errControl = errors.New("the control interface needs its bearer token")

// Command is one request to the control interface.
type Command struct{ R *http.Request }

// maxControlBody bounds a request; repositories come with all their files.
const maxControlBody = 64 << 20

// Returns makes a handler of a method that takes one value and returns another.
func Returns[In, Out any](f func(context.Context, In) (Out, error)) func(*Command) (any, error) {
	return func(c *Command) (any, error) {
		var out Out
		err := With(c, func(in In) (err error) { out, err = f(c.R.Context(), in); return err })
		return out, err
	}
}

// With decodes the body and passes it on; an empty body is the zero value, an unknown field an error.
func With[In any](c *Command, f func(In) error) error {
	var in In
	d := json.NewDecoder(io.LimitReader(c.R.Body, maxControlBody))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return f(in)
}

func answerControl(w http.ResponseWriter, v any, err error) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case errors.Is(err, errControl):
		w.WriteHeader(http.StatusUnauthorized)
	case errors.Is(err, context.DeadlineExceeded):
		w.WriteHeader(http.StatusRequestTimeout)
	case err != nil:
		w.WriteHeader(http.StatusUnprocessableEntity)
	case v == nil:
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if err != nil {
		v = Obj{"error": err.Error()}
	}
	_, _ = w.Write(Encode(v)) // the client may have gone
}

// ID is a number in the path; 0 names nothing.
func (c *Command) ID(name string) int64 {
	n, _ := strconv.ParseInt(c.R.PathValue(name), 10, 64) // 0 names nothing
	return n
}

// Number is a number in the query; absent means 0.
func (c *Command) Number(name string) int64 {
	n, _ := strconv.ParseInt(c.R.URL.Query().Get(name), 10, 64) // absent means 0
	return n
}

// Repo is the full name of the repository in the path.
func (c *Command) Repo() string { return c.R.PathValue("owner") + "/" + c.R.PathValue("repo") }

// timeout of long polls: timeoutMs, at most a minute, else 10 seconds.
func (c *Command) timeout() time.Duration {
	if n := c.Number("timeoutMs"); n > 0 {
		return min(time.Duration(n)*time.Millisecond, time.Minute)
	}
	return 10 * time.Second
}

// requests lists the record. With min and a filter it waits until so many requests match.
func (c *Command) requests(rec *Recorder) (any, error) {
	q := c.R.URL.Query()
	ctx, cancel := context.WithTimeout(c.R.Context(), c.timeout())
	defer cancel()
	for {
		list, changed := rec.List(c.Number("after"), q.Get("bodies") != "")
		if m := q.Get("method"); m != "" {
			list = Without(list, func(r simapi.Request) bool { return r.Method != m })
		}
		if rt := q.Get("route"); rt != "" {
			list = Without(list, func(r simapi.Request) bool { return r.Route != rt })
		}
		if int64(len(list)) >= c.Number("min") {
			if list == nil {
				list = []simapi.Request{}
			}
			return list, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// awaitFault describes a fault; with hits and waiting it waits until the fault has hit and holds that many requests. A
// negative waiting waits until nothing is held any more.
func (c *Command) awaitFault(faults *Faults) (any, error) {
	ctx, cancel := context.WithTimeout(c.R.Context(), c.timeout())
	defer cancel()
	for {
		list, changed := faults.State(c.R.PathValue("id"))
		if len(list) == 0 {
			return nil, errors.New("fault: there is none with that id")
		}
		hits, waiting := int64(list[0].Hits), int64(list[0].Waiting)
		if hits >= c.Number("hits") && waiting >= c.Number("waiting") && (c.Number("waiting") >= 0 || waiting == 0) {
			return list[0], nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
