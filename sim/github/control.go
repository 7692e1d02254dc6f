package github

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

	"github.com/assay-dev/assay/sim/github/simapi"
)

// controlHandler serves the control interface under /_sim. Every request needs the control token.
func (s *Server) controlHandler() http.Handler {
	mux := http.NewServeMux()
	const pr = "/_sim/repos/{owner}/{repo}/pulls/{number}"
	handle := func(pattern string, f func(*control) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			c := &control{s: s, r: r}
			v, err := f(c)
			c.write(w, v, err)
		})
	}
	handle("GET /_sim/health", func(*control) (any, error) { return obj{"ok": true}, nil })
	handle("POST /_sim/users", run(s.CreateUser))
	handle("PATCH /_sim/users/{login}", func(c *control) (any, error) {
		return onlyErr(with(c, func(in simapi.UserUpdate) error { return s.UpdateUser(c.r.Context(), c.r.PathValue("login"), in) }))
	})
	handle("PATCH /_sim/repos/{owner}/{repo}", func(c *control) (any, error) {
		return onlyErr(with(c, func(in simapi.RepoUpdate) error { return s.UpdateRepo(c.r.Context(), c.repo(), in) }))
	})
	handle("POST /_sim/apps", run(s.RegisterApp))
	handle("PATCH /_sim/apps/{id}", func(c *control) (any, error) {
		return onlyErr(with(c, func(in simapi.AppUpdate) error { return s.UpdateApp(c.r.Context(), c.id("id"), in) }))
	})
	handle("POST /_sim/installations", run(s.Install))
	handle("PATCH /_sim/installations/{id}", func(c *control) (any, error) {
		return onlyErr(with(c, func(in simapi.InstallationUpdate) error {
			return s.UpdateInstallation(c.r.Context(), c.id("id"), in)
		}))
	})
	handle("DELETE /_sim/installations/{id}", func(c *control) (any, error) {
		return onlyErr(s.Uninstall(c.r.Context(), c.id("id")))
	})
	handle("POST /_sim/repos", run(s.CreateRepo))
	handle("POST /_sim/repos/{owner}/{repo}/commits", func(c *control) (any, error) {
		return run(func(ctx context.Context, in simapi.CommitSpec) (simapi.Commit, error) {
			return s.Commit(ctx, c.repo(), in)
		})(c)
	})
	handle("POST /_sim/repos/{owner}/{repo}/pulls", func(c *control) (any, error) {
		return run(func(ctx context.Context, in simapi.PullSpec) (simapi.Pull, error) {
			return s.OpenPull(ctx, c.repo(), in)
		})(c)
	})
	handle("GET "+pr, func(c *control) (any, error) { return s.GetPull(c.r.Context(), c.repo(), int(c.id("number"))) })
	handle("PATCH "+pr, func(c *control) (any, error) {
		return run(func(ctx context.Context, in simapi.PullUpdate) (simapi.Pull, error) {
			return s.UpdatePull(ctx, c.repo(), int(c.id("number")), in)
		})(c)
	})
	handle("POST "+pr+"/comments", func(c *control) (any, error) {
		return run(func(ctx context.Context, in simapi.CommentSpec) (simapi.Comment, error) {
			return s.Comment(ctx, c.repo(), int(c.id("number")), in)
		})(c)
	})
	handle("POST "+pr+"/suggestions", func(c *control) (any, error) {
		return run(func(ctx context.Context, in simapi.SuggestionSpec) (simapi.Commit, error) {
			return s.ApplySuggestion(ctx, c.repo(), int(c.id("number")), in)
		})(c)
	})
	handle("GET /_sim/pulls/{owner}/{repo}/{number}/reviews", func(c *control) (any, error) { return s.Reviews(c.repo(), int(c.id("number"))) })
	handle("GET /_sim/pulls/{owner}/{repo}/{number}/comments", func(c *control) (any, error) { return s.Comments(c.repo(), int(c.id("number"))) })
	handle("GET /_sim/repos/{owner}/{repo}/check-runs", func(c *control) (any, error) { return s.CheckRuns(c.repo()) })
	handle("POST /_sim/repos/{owner}/{repo}/rerequest", func(c *control) (any, error) {
		return onlyErr(with(c, func(in simapi.RerequestSpec) error { return s.Rerequest(c.r.Context(), c.repo(), in) }))
	})
	handle("GET /_sim/requests", func(c *control) (any, error) { return c.requests() })
	handle("DELETE /_sim/requests", func(*control) (any, error) { s.rec.clear(); return nil, nil })
	handle("GET /_sim/writes", func(c *control) (any, error) { return s.rec.listWrites(c.number("after")), nil })
	handle("POST /_sim/faults", run(func(_ context.Context, f simapi.Fault) (simapi.FaultState, error) { return s.SetFault(f) }))
	handle("GET /_sim/faults", func(*control) (any, error) { list, _ := s.faults.state(""); return list, nil })
	handle("GET /_sim/faults/{id}", func(c *control) (any, error) { return c.awaitFault() })
	handle("POST /_sim/faults/{id}/release", func(c *control) (any, error) {
		return onlyErr(with(c, func(in releaseInput) error { return s.ReleaseFault(c.r.PathValue("id"), in.Decision) }))
	})
	handle("DELETE /_sim/faults", func(*control) (any, error) { s.faults.releaseAll(); return nil, nil })
	handle("POST /_sim/delivery-faults", run(func(_ context.Context, f simapi.DeliveryFault) (simapi.DeliveryFault, error) {
		return s.faults.addDelivery(f)
	}))
	handle("GET /_sim/deliveries", func(c *control) (any, error) { return s.Deliveries(c.r.URL.Query().Get("payloads") != ""), nil })
	handle("POST /_sim/deliveries/{id}/redeliver", func(c *control) (any, error) {
		return onlyErr(with(c, func(in redeliverInput) error { return s.Redeliver(c.r.Context(), c.id("id"), in.Copies) }))
	})
	handle("GET /_sim/idle", func(c *control) (any, error) {
		ctx, cancel := context.WithTimeout(c.r.Context(), c.timeout())
		defer cancel()
		return onlyErr(s.WaitDeliveries(ctx))
	})
	handle("PUT /_sim/settings", run(func(_ context.Context, in simapi.Settings) (simapi.Settings, error) { return in, s.Configure(in) }))
	handle("POST /_sim/seed", run(func(ctx context.Context, in seedInput) (any, error) { return nil, s.Seed(ctx, in.Name) }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(given), []byte(s.ControlToken())) != 1 {
			(&control{s: s, r: r}).write(w, nil, errControl)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

var errControl = errors.New("the control interface needs its bearer token")

type (
	releaseInput   struct{ Decision string }
	redeliverInput struct{ Copies int }
	seedInput      struct{ Name string }
)

// control is one request to the control interface.
type control struct {
	s *Server
	r *http.Request
}

// maxControlBody bounds a request; repositories come with all their files.
const maxControlBody = 64 << 20

// run makes a control handler of a method that takes one value and returns another.
func run[In, Out any](f func(context.Context, In) (Out, error)) func(*control) (any, error) {
	return func(c *control) (any, error) {
		var out Out
		err := with(c, func(in In) (err error) { out, err = f(c.r.Context(), in); return err })
		return out, err
	}
}

// with decodes the body and passes it on; an empty body is the zero value, an unknown field an error.
func with[In any](c *control, f func(In) error) error {
	var in In
	d := json.NewDecoder(io.LimitReader(c.r.Body, maxControlBody))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return f(in)
}

func onlyErr(err error) (any, error) { return nil, err }

func (c *control) write(w http.ResponseWriter, v any, err error) {
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
		v = obj{"error": err.Error()}
	}
	_, _ = w.Write(encode(v)) // the client may have gone
}

func (c *control) id(name string) int64 {
	n, _ := strconv.ParseInt(c.r.PathValue(name), 10, 64) // 0 names nothing
	return n
}

func (c *control) number(name string) int64 {
	n, _ := strconv.ParseInt(c.r.URL.Query().Get(name), 10, 64) // absent means 0
	return n
}

func (c *control) repo() string { return c.r.PathValue("owner") + "/" + c.r.PathValue("repo") }

// timeout of long polls: timeoutMs, at most a minute, else 10 seconds.
func (c *control) timeout() time.Duration {
	if n := c.number("timeoutMs"); n > 0 {
		return min(time.Duration(n)*time.Millisecond, time.Minute)
	}
	return 10 * time.Second
}

// requests lists the record. With min and a filter it waits until so many requests match.
func (c *control) requests() (any, error) {
	q := c.r.URL.Query()
	ctx, cancel := context.WithTimeout(c.r.Context(), c.timeout())
	defer cancel()
	for {
		list, changed := c.s.rec.list(c.number("after"), q.Get("bodies") != "")
		if m := q.Get("method"); m != "" {
			list = without(list, func(r simapi.Request) bool { return r.Method != m })
		}
		if rt := q.Get("route"); rt != "" {
			list = without(list, func(r simapi.Request) bool { return r.Route != rt })
		}
		if int64(len(list)) >= c.number("min") {
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
func (c *control) awaitFault() (any, error) {
	ctx, cancel := context.WithTimeout(c.r.Context(), c.timeout())
	defer cancel()
	for {
		list, changed := c.s.faults.state(c.r.PathValue("id"))
		if len(list) == 0 {
			return nil, errors.New("fault: there is none with that id")
		}
		hits, waiting := int64(list[0].Hits), int64(list[0].Waiting)
		if hits >= c.number("hits") && waiting >= c.number("waiting") && (c.number("waiting") >= 0 || waiting == 0) {
			return list[0], nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
