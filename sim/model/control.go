package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// SetRules replaces all rules. If one is wrong, it returns an error that names it and changes nothing.
func (s *Server) SetRules(rules []Rule) error {
	if err := checkRules(rules); err != nil {
		return err
	}
	s.rules.replace(rules)
	return nil
}

// AddRules puts rules before the others if front is set, otherwise after them.
func (s *Server) AddRules(rules []Rule, front bool) error {
	if err := checkRules(rules); err != nil {
		return err
	}
	s.rules.add(rules, front)
	return nil
}

// SetRule replaces the rule with its name and resets its counts, or adds it after the others. The rule needs a
// name.
func (s *Server) SetRule(rule Rule) error {
	if rule.Name == "" {
		return errors.New("name: must not be empty")
	}
	if err := rule.Check(); err != nil {
		return err
	}
	s.rules.set(rule)
	return nil
}

func checkRules(rules []Rule) error {
	for i, r := range rules {
		if err := r.Check(); err != nil {
			return fmt.Errorf("rules[%d] %q: %w", i, r.Name, err)
		}
	}
	return nil
}

// Rules returns the rules and their counts.
func (s *Server) Rules() []RuleState { return s.rules.states() }

// SetFault adds a fault and returns it with its id.
func (s *Server) SetFault(f Fault) (FaultState, error) {
	if err := f.Check(); err != nil {
		return FaultState{}, err
	}
	return s.faults.add(f, false).FaultState, nil
}

// ReleaseFault ends a fault. The requests that it holds are answered (Answer, also if empty) or reset (Reset).
func (s *Server) ReleaseFault(id, decision string) error {
	switch decision {
	case "":
		decision = Answer
	case Answer, Reset:
	default:
		return fmt.Errorf("decision: must be %q or %q", Answer, Reset)
	}
	if !s.faults.releaseID(id, decision) {
		return errNoFault
	}
	return nil
}

// ClearFaults removes all faults and resets the requests that they hold.
func (s *Server) ClearFaults() { s.faults.releaseAll() }

// Requests returns the record; bodies includes the requests' bodies.
func (s *Server) Requests(bodies bool) []Request {
	list, _ := s.rec.since(0, bodies)
	return list
}

var (
	errControl = errors.New("the control interface needs its bearer token")
	errNoFault = errors.New("fault: no fault has this id")
)

// controlHandler serves the control interface under /_sim. Every request needs the control token.
func (s *Server) controlHandler() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, f func(*http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			v, err := f(r)
			writeControl(w, v, err)
		})
	}
	handle("GET /_sim/health", func(*http.Request) (any, error) { return obj{"ok": true}, nil })
	handle("GET /_sim/rules", func(*http.Request) (any, error) { return s.Rules(), nil })
	handle("PUT /_sim/rules", with(s.SetRules))
	handle("POST /_sim/rules", func(r *http.Request) (any, error) {
		return with(func(rules []Rule) error { return s.AddRules(rules, r.URL.Query().Get("front") != "") })(r)
	})
	handle("PUT /_sim/rules/{name}", func(r *http.Request) (any, error) {
		return with(func(rule Rule) error { rule.Name = r.PathValue("name"); return s.SetRule(rule) })(r)
	})
	handle("GET /_sim/faults", func(*http.Request) (any, error) { list, _ := s.faults.states(""); return list, nil })
	handle("POST /_sim/faults", func(r *http.Request) (any, error) {
		var out FaultState
		_, err := with(func(f Fault) (err error) { out, err = s.SetFault(f); return err })(r)
		return out, err
	})
	handle("DELETE /_sim/faults", func(*http.Request) (any, error) { s.ClearFaults(); return nil, nil })
	handle("GET /_sim/faults/{id}", s.awaitFault)
	handle("POST /_sim/faults/{id}/release", func(r *http.Request) (any, error) {
		return with(func(in struct{ Decision string }) error { return s.ReleaseFault(r.PathValue("id"), in.Decision) })(r)
	})
	handle("GET /_sim/requests", s.awaitRequests)
	handle("DELETE /_sim/requests", func(*http.Request) (any, error) { s.rec.clear(); return nil, nil })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !same(r.Header.Get("Authorization"), "Bearer "+s.opt.ControlToken) {
			writeControl(w, nil, errControl)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// with decodes the body and passes it on. An empty body gives the zero value, an unknown member an error.
func with[In any](f func(In) error) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		var in In
		d := json.NewDecoder(io.LimitReader(r.Body, maxBody))
		d.DisallowUnknownFields()
		if err := d.Decode(&in); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		return nil, f(in)
	}
}

func writeControl(w http.ResponseWriter, v any, err error) {
	status := http.StatusOK
	switch {
	case errors.Is(err, errControl):
		status = http.StatusUnauthorized
	case errors.Is(err, errNoFault):
		status = http.StatusNotFound
	case errors.Is(err, context.DeadlineExceeded):
		status = http.StatusRequestTimeout
	case err != nil:
		status = http.StatusUnprocessableEntity
	case v == nil:
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if err != nil {
		v = obj{"error": err.Error()}
	}
	a := jsonAnswer(status, v)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the client may have gone
}

func number(r *http.Request, name string) int64 {
	n, _ := strconv.ParseInt(r.URL.Query().Get(name), 10, 64) // absent means 0
	return n
}

// timeout returns the bound of a long poll: timeoutMs, at most a minute; 10 seconds without it.
func timeout(r *http.Request) time.Duration {
	if n := number(r, "timeoutMs"); n > 0 {
		return min(time.Duration(n)*time.Millisecond, time.Minute)
	}
	return 10 * time.Second
}

// awaitRequests lists the record after a number. With min it waits until that many requests match stage, path
// (its end) and, with done, have ended.
func (s *Server) awaitRequests(r *http.Request) (any, error) {
	q := r.URL.Query()
	ctx, cancel := context.WithTimeout(r.Context(), timeout(r))
	defer cancel()
	for {
		list, changed := s.rec.since(number(r, "after"), q.Get("bodies") != "")
		out := []Request{}
		for _, rec := range list {
			if (q.Get("stage") == "" || rec.Stage == q.Get("stage")) && strings.HasSuffix(rec.Path, q.Get("path")) &&
				(q.Get("done") == "" || rec.RepliedUS != 0) {
				out = append(out, rec)
			}
		}
		if int64(len(out)) >= number(r, "min") {
			return out, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// awaitFault describes a fault. With hits or waiting it waits until the fault has that many.
func (s *Server) awaitFault(r *http.Request) (any, error) {
	ctx, cancel := context.WithTimeout(r.Context(), timeout(r))
	defer cancel()
	for {
		list, changed := s.faults.states(r.PathValue("id"))
		if len(list) == 0 {
			return nil, errNoFault
		}
		if int64(list[0].Hits) >= number(r, "hits") && int64(list[0].Waiting) >= number(r, "waiting") {
			return list[0], nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
