package host

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Control is the control interface under /_sim. Every request needs the control token. [Server.Control] makes
// it.
type Control struct {
	mux   *http.ServeMux
	token func() string
}

// Control makes the interface with the routes that all simulators share: health, requests, writes, faults, deliveries,
// idle.
func (s *Server) Control() *Control {
	c := &Control{mux: http.NewServeMux(), token: s.ControlToken}
	c.Handle("GET /_sim/health", func(*Command) (any, error) { return Obj{"ok": true}, nil })
	c.Handle("GET /_sim/requests", func(cmd *Command) (any, error) { return cmd.requests(s.Recorder) })
	c.Handle("DELETE /_sim/requests", func(*Command) (any, error) { s.Recorder.Clear(); return nil, nil })
	c.Handle("GET /_sim/writes", func(cmd *Command) (any, error) { return s.Recorder.Writes(cmd.Number("after")), nil })
	c.Handle("POST /_sim/faults", Returns(func(_ context.Context, f simapi.Fault) (simapi.FaultState, error) { return s.Faults.Add(f) }))
	c.Handle("GET /_sim/faults", func(*Command) (any, error) { list, _ := s.Faults.State(""); return list, nil })
	c.Handle("GET /_sim/faults/{id}", func(cmd *Command) (any, error) { return cmd.awaitFault(s.Faults) })
	type release struct{ Decision string }
	c.Handle("POST /_sim/faults/{id}/release", DoesFor(PathValue("id"), func(_ context.Context, id string, in release) error {
		return s.Faults.Decide(id, in.Decision)
	}))
	c.Handle("DELETE /_sim/faults", func(*Command) (any, error) { s.Faults.ReleaseAll(); return nil, nil })
	c.Handle("POST /_sim/delivery-faults", Returns(func(_ context.Context, f simapi.DeliveryFault) (simapi.DeliveryFault, error) {
		return s.Faults.AddDelivery(f)
	}))
	c.Handle("GET /_sim/deliveries", func(cmd *Command) (any, error) {
		return s.Sender.Describe(cmd.R.URL.Query().Get("payloads") != ""), nil
	})
	c.Handle("GET /_sim/idle", func(cmd *Command) (any, error) {
		ctx, cancel := context.WithTimeout(cmd.R.Context(), cmd.timeout())
		defer cancel()
		return nil, s.Sender.AwaitIdle(ctx)
	})
	return c
}

// Handler runs a command and returns its answer.
type Handler func(*Command) (any, error)

// Handle adds a route.
func (c *Control) Handle(pattern string, f Handler) {
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

// maxControlBody bounds a request. It is large, because repositories come with all their files.
const maxControlBody = 64 << 20

// decode reads the body. An empty body gives the zero value, an unknown field an error.
func decode[In any](c *Command) (in In, err error) {
	d := json.NewDecoder(io.LimitReader(c.R.Body, maxControlBody))
	d.DisallowUnknownFields()
	if err = d.Decode(&in); errors.Is(err, io.EOF) {
		err = nil
	}
	return in, err
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

// ID returns a number in the path; 0 names no object.
func (c *Command) ID(name string) int64 {
	n, _ := strconv.ParseInt(c.R.PathValue(name), 10, 64) // 0 if it is not a number
	return n
}

// Number returns a number in the query; 0 if it is absent.
func (c *Command) Number(name string) int64 {
	n, _ := strconv.ParseInt(c.R.URL.Query().Get(name), 10, 64) // absent means 0
	return n
}

// Repo returns the full name of the repository in the path.
func (c *Command) Repo() string { return c.R.PathValue("owner") + "/" + c.R.PathValue("repo") }

// Pull returns the number of the pull request in the path.
func (c *Command) Pull() int { return int(c.ID("number")) }

// timeout returns the bound of a long poll: timeoutMs, at most a minute; 10 seconds without it.
func (c *Command) timeout() time.Duration {
	if n := c.Number("timeoutMs"); n > 0 {
		return min(time.Duration(n)*time.Millisecond, time.Minute)
	}
	return 10 * time.Second
}

// requests lists the record. With min and a filter it waits until that many requests match.
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

// awaitFault describes a fault. With hits and waiting it waits until the fault has hit and holds that many
// requests. A negative waiting waits until the fault holds no requests.
func (c *Command) awaitFault(faults *Faults) (any, error) {
	ctx, cancel := context.WithTimeout(c.R.Context(), c.timeout())
	defer cancel()
	for {
		list, changed := faults.State(c.R.PathValue("id"))
		if len(list) == 0 {
			return nil, errors.New("fault: no fault has this id")
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
